/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread.suspend, resume and stop, for threads that compute, wait, or have not run yet. Catches: a suspended thread that
 *          goes on when its wait is over; suspended threads that keep the carriers from all others (hang); a stop that is lost
 *          between start() and the first instruction of run().
 * @library /test/lib
 * @run main SuspendStop
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

@SuppressWarnings("deprecation")
public class SuspendStop {
    static volatile boolean over;
    static volatile long rounds;

    public static void main(String[] args) throws Exception {
        suspendComputing();
        suspendWaiting();
        suspendOwner();
        suspendSelf();
        stopWaiting();
        stopEarly();
    }

    /** More suspended threads than carriers; the others must run. */
    static void suspendComputing() throws Exception {
        over = false;
        Crew crew = new Crew();
        int n = Math.min(2 * Vm.carriers() + 2, 40);
        AtomicInteger there = new AtomicInteger();
        for (int i = 0; i < n; i++) {
            crew.start("hog-" + i, () -> {
                there.incrementAndGet();
                while (!over) {
                    rounds++;
                }
            });
        }
        Check.await(() -> there.get() == n);
        crew.threads().forEach(Thread::suspend);
        long now = rounds;
        Crew others = new Crew();
        for (int i = 0; i < n; i++) {
            others.start("other-" + i, () -> {
                for (int j = 0; j < 100; j++) {
                    Thread.yield();
                    LockSupport.parkNanos(1000);
                }
            });
        }
        others.join();
        Check.equal(now, rounds, "rounds of suspended threads");
        Thread one = crew.threads().get(0);
        one.resume();
        Check.await(() -> rounds > now);
        crew.threads().forEach(Thread::resume);
        over = true;
        crew.join();
    }

    static void suspendWaiting() throws Exception {
        Crew crew = new Crew();
        AtomicInteger awake = new AtomicInteger();
        Object lock = new Object();
        List<Check.Code> waits = new ArrayList<>();
        waits.add(LockSupport::park);
        waits.add(() -> LockSupport.parkNanos(20_000_000));
        waits.add(() -> Thread.sleep(20));
        waits.add(() -> {
            synchronized (lock) {
                lock.wait(20);
            }
        });
        for (Check.Code wait : waits) {
            Thread t = crew.start("waiter", () -> {
                wait.run();
                awake.incrementAndGet();
            });
            Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
            t.suspend();
        }
        int now = awake.get();                     // a slow machine may have let a time-out come first
        crew.threads().forEach(LockSupport::unpark);
        Thread.sleep(30);
        Check.equal(now, awake.get(), "suspended threads that woke up");
        crew.threads().forEach(Thread::resume);
        crew.join();
        Check.equal(waits.size(), awake.get(), "threads that woke up");
    }

    /** A suspended thread keeps its monitor, and gets none. */
    static void suspendOwner() throws Exception {
        Object lock = new Object();
        AtomicInteger entered = new AtomicInteger();
        CountDownLatch held = new CountDownLatch(1);
        over = false;
        Crew crew = new Crew();
        Thread owner = crew.start("owner", () -> {
            synchronized (lock) {
                held.countDown();
                while (!over) {
                    Thread.sleep(1);
                }
            }
        });
        held.await();
        Thread contender = crew.start("contender", () -> {
            synchronized (lock) {
                entered.incrementAndGet();
            }
        });
        Check.awaitState(contender, Thread.State.BLOCKED);
        contender.suspend();
        owner.suspend();
        over = true;
        Thread third = crew.start("third", () -> {
            synchronized (lock) {
                entered.addAndGet(10);
            }
        });
        Check.awaitState(third, Thread.State.BLOCKED);
        Check.equal(0, entered.get(), "entered while the owner is suspended");
        owner.resume();
        owner.join();
        third.join();                              // not kept out by the suspended one
        Check.equal(10, entered.get(), "entered while the contender is suspended");
        contender.resume();
        crew.join();
        Check.equal(11, entered.get(), "entered");
    }

    static void suspendSelf() throws Exception {
        Crew crew = new Crew();
        AtomicInteger passed = new AtomicInteger();
        CountDownLatch there = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            crew.start("self-" + i, () -> {
                there.countDown();
                Thread.currentThread().suspend();
                passed.incrementAndGet();
            });
        }
        there.await();
        while (passed.get() < 20) {                // a resume that comes before the suspend is lost
            crew.threads().forEach(Thread::resume);
            Thread.sleep(1);
        }
        crew.join();
    }

    static void stopWaiting() throws Exception {
        over = false;
        Object lock = new Object();
        Check.Code[] waits = {
            () -> {
                while (true) {
                    LockSupport.park();
                }
            },
            () -> Thread.sleep(1_000_000),
            () -> {
                synchronized (lock) {
                    lock.wait();
                }
            },
            () -> {
                while (!over) {
                    rounds++;
                }
            },
            () -> {
                while (!over) {
                    Thread.yield();
                }
            },
        };
        for (Check.Code wait : waits) {
            Crew crew = new Crew();
            CountDownLatch there = new CountDownLatch(1);
            AtomicInteger stopped = new AtomicInteger();
            Thread t = crew.start("stopped", () -> {
                try {
                    there.countDown();
                    wait.run();
                } catch (ThreadDeath e) {
                    stopped.incrementAndGet();
                }
            });
            there.await();
            Thread.sleep(1);
            t.stop();
            crew.join();
            Check.equal(1, stopped.get(), "ThreadDeath");
        }
    }

    /** Most have not been mounted when they are stopped: they end, whether run() began or not. */
    static void stopEarly() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 300; i++) {
            Thread t = new Thread(() -> {
                ran.incrementAndGet();
                try {
                    while (true) {
                        LockSupport.park();
                    }
                } finally {
                    ended.incrementAndGet();
                }
            });
            t.setUncaughtExceptionHandler((thread, e) -> Check.that(e instanceof ThreadDeath, "uncaught " + e));
            t.start();
            t.stop();
            t.join();
        }
        System.out.println(ran + " of 300 threads ran before they were stopped");
        Check.that(ended.get() <= ran.get(), "ended without having run");
    }
}
