/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Object.wait, notify, notifyAll: who is woken, timeouts that expire and that do not, interrupts before, during and
 *          together with a notify, a notify that must not be lost when it meets a timeout or an interrupt, the errors without
 *          the monitor. Catches: a timed wait that never ends or ends early for good, a notify that is consumed by a thread
 *          that had already left, an interrupt that is lost or reported twice.
 * @library /test/lib
 * @run main WaitNotify
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;

public class WaitNotify {
    public static void main(String[] args) throws Exception {
        errors();
        timeouts();
        notifyWakesOne();
        notifyAllWakesAll();
        interrupts();
        notifyIsNotLostToInterrupt();
        notifyMeetsTimeout();
    }

    static void errors() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        crew.start("errors", () -> {
            Check.throwing(IllegalMonitorStateException.class, "wait without the monitor", lock::wait);
            Check.throwing(IllegalMonitorStateException.class, "timed wait without the monitor", () -> lock.wait(1));
            Check.throwing(IllegalMonitorStateException.class, "notifyAll without the monitor", lock::notifyAll);
            synchronized (lock) {
                Check.throwing(IllegalArgumentException.class, "negative timeout", () -> lock.wait(-1));
                Check.throwing(IllegalArgumentException.class, "nanoseconds out of range", () -> lock.wait(0, 1_000_000));
            }
        });
        crew.join();
    }

    static void timeouts() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 100; i++) {
            int millis = 1 + i;
            crew.start("timed-" + i, () -> {
                Object lock = new Object();
                synchronized (lock) {
                    long start = System.nanoTime();
                    lock.wait(millis);
                    long took = System.nanoTime() - start;
                    Check.that(took >= (millis - 1) * 1_000_000L, "wait(" + millis + ") took only " + took + " ns");
                    lock.wait(0, 1);                    // rounds up to a millisecond
                    Check.that(Thread.holdsLock(lock), "held after a timeout");
                }
            });
        }
        crew.join();
    }

    static void notifyWakesOne() throws Exception {
        Object lock = new Object();
        int n = 20;
        AtomicInteger woken = new AtomicInteger();
        int[] tickets = new int[1];
        Crew crew = new Crew();
        for (int i = 0; i < n; i++) {
            crew.start("waiter-" + i, () -> {
                synchronized (lock) {
                    while (tickets[0] == 0) {
                        lock.wait();
                    }
                    tickets[0]--;
                    woken.incrementAndGet();
                    lock.notifyAll();                   // for the thread that counts
                }
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        for (int i = 1; i <= n; i++) {
            synchronized (lock) {
                tickets[0] = 1;
                lock.notify();
                while (woken.get() < i) {
                    lock.wait();
                }
                Check.equal(i, woken.get(), "threads that took a ticket");
            }
        }
        crew.join();
    }

    static void notifyAllWakesAll() throws Exception {
        Object lock = new Object();
        int[] generation = new int[1];
        int n = 200;
        int rounds = 20;
        AtomicInteger arrived = new AtomicInteger();
        Crew crew = new Crew();
        for (int i = 0; i < n; i++) {
            crew.start("herd-" + i, () -> {
                for (int r = 0; r < rounds; r++) {
                    synchronized (lock) {
                        if (arrived.incrementAndGet() == n) {
                            arrived.set(0);
                            generation[0]++;
                            lock.notifyAll();
                        } else {
                            int mine = generation[0];
                            while (generation[0] == mine) {
                                lock.wait();
                            }
                        }
                    }
                }
            });
        }
        crew.join();
        Check.equal(rounds, generation[0], "generations");
    }

    static void interrupts() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        Thread early = crew.create("interrupted before", 0, () -> {
            Thread.currentThread().interrupt();
            synchronized (lock) {
                Check.throwing(InterruptedException.class, "wait of an interrupted thread", lock::wait);
                Check.that(!Thread.currentThread().isInterrupted(), "the exception clears the interrupt");
                Check.that(Thread.holdsLock(lock), "held after the exception");
            }
        });
        early.start();
        Thread during = crew.start("interrupted during", () -> {
            synchronized (lock) {
                synchronized (lock) {
                    Check.throwing(InterruptedException.class, "interrupted wait", () -> lock.wait(1_000_000));
                    Check.that(Thread.holdsLock(lock), "held after the exception");
                }
                Check.that(Thread.holdsLock(lock), "still held one level up");
            }
        });
        Check.awaitState(during, Thread.State.TIMED_WAITING);
        // The interrupted thread must own the monitor again before it can throw.
        synchronized (lock) {
            during.interrupt();
            Check.awaitState(during, Thread.State.BLOCKED);
        }
        crew.join();
    }

    /** Two waiters, one notify and one interrupt together: either the notified one is the other, or both leave. */
    static void notifyIsNotLostToInterrupt() throws Exception {
        for (int round = 0; round < 500; round++) {
            Object lock = new Object();
            AtomicInteger normal = new AtomicInteger();
            AtomicInteger interrupted = new AtomicInteger();
            CountDownLatch ready = new CountDownLatch(2);
            Crew crew = new Crew();
            Thread[] t = new Thread[2];
            for (int i = 0; i < 2; i++) {
                t[i] = crew.start("waiter-" + i, () -> {
                    synchronized (lock) {
                        ready.countDown();
                        try {
                            lock.wait();
                            normal.incrementAndGet();
                        } catch (InterruptedException e) {
                            interrupted.incrementAndGet();
                        }
                    }
                });
            }
            ready.await();
            if (round % 2 == 0) {
                t[0].interrupt();
                synchronized (lock) {
                    lock.notify();
                }
            } else {
                synchronized (lock) {
                    lock.notify();
                    t[0].interrupt();
                }
            }
            // The notify reached a waiter, or a thread left by it although it was interrupted: then one is still waiting.
            t[0].join();
            if (interrupted.get() == 0) {
                Check.equal(1, normal.get(), "threads that returned normally");
                synchronized (lock) {
                    lock.notify();
                }
            }
            crew.join();
            Check.equal(2, normal.get() + interrupted.get(), "waiters that left");
        }
    }

    /** notify() while the timeout expires: a thread that returns has either, and the other waiter gets what is left. */
    static void notifyMeetsTimeout() throws Exception {
        Object lock = new Object();
        int[] tickets = new int[1];
        AtomicInteger taken = new AtomicInteger();
        int total = 2_000;
        Crew crew = new Crew();
        for (int i = 0; i < 8; i++) {
            crew.start("timed waiter-" + i, () -> {
                while (true) {
                    synchronized (lock) {
                        while (tickets[0] == 0) {
                            lock.wait(1);
                        }
                        if (tickets[0] < 0) {
                            return;
                        }
                        tickets[0]--;
                        taken.incrementAndGet();
                        lock.notify();
                    }
                }
            });
        }
        for (int i = 0; i < total; i++) {
            synchronized (lock) {
                while (tickets[0] > 3) {
                    lock.wait(1);
                }
                tickets[0]++;
                lock.notify();
            }
            if (i % 50 == 0) {
                Thread.sleep(1);                        // let timeouts come close
            }
        }
        synchronized (lock) {
            while (tickets[0] > 0) {
                lock.wait(1);
            }
            tickets[0] = -1;
            lock.notifyAll();
        }
        crew.join();
        Check.equal(total, taken.get(), "tickets taken");
    }
}
