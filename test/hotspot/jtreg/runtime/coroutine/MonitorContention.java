/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Contended synchronized: mutual exclusion with many threads, threads that park, sleep and yield while they hold the
 *          monitor, recursion of several levels given up by wait() and restored after it, a holder that ends by an exception.
 *          Catches: an enter that keeps the carrier while the holder waits for one (hang with few carriers), a lost wake-up
 *          at exit, a recursion count that is not restored, two owners at once.
 * @library /test/lib
 * @run main MonitorContention
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class MonitorContention {
    static int counter;                     // guarded by the lock of each test
    static Thread owner;

    public static void main(String[] args) throws Exception {
        exclusion();
        holderParks();
        manyBlockedOneHolder();
        recursion();
        exceptionReleases();
        nested();
    }

    static void inside(Object lock, Check.Code body) throws Throwable {
        synchronized (lock) {
            Check.that(owner == null, "two threads in one monitor");
            owner = Thread.currentThread();
            body.run();
            Check.that(owner == Thread.currentThread(), "the owner changed");
            counter++;
            owner = null;
        }
    }

    static void exclusion() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        counter = 0;
        for (int i = 0; i < 100; i++) {
            crew.start("excluded-" + i, () -> {
                for (int j = 0; j < 1000; j++) {
                    inside(lock, () -> { });
                }
            });
        }
        crew.join();
        Check.equal(100_000, counter, "entries");
    }

    static void holderParks() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        counter = 0;
        for (int i = 0; i < 50; i++) {
            int n = i;
            crew.start("holder-" + i, () -> {
                for (int j = 0; j < 20; j++) {
                    int k = j + n;
                    inside(lock, () -> {
                        switch (k % 4) {
                            case 0: Thread.yield(); break;
                            case 1: LockSupport.parkNanos(10_000); break;
                            case 2: Thread.sleep(0, 10_000); break;
                            default: break;
                        }
                    });
                }
            });
        }
        crew.join();
        Check.equal(1000, counter, "entries");
    }

    /** Everybody is blocked before the holder, itself parked, can be let go by a thread that starts last. */
    static void manyBlockedOneHolder() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        counter = 0;
        crew.start("holder", () -> inside(lock, () -> {
            held.countDown();
            go.await();
        }));
        held.await();
        Thread[] blocked = new Thread[300];
        for (int i = 0; i < blocked.length; i++) {
            blocked[i] = crew.start("blocked-" + i, () -> inside(lock, () -> { }));
        }
        for (Thread t : blocked) {
            Check.awaitState(t, Thread.State.BLOCKED);
        }
        crew.start("lets go", go::countDown);
        crew.join();
        Check.equal(301, counter, "entries");
    }

    static void recursion() throws Exception {
        Object lock = new Object();
        boolean[] tell = new boolean[1];
        Crew crew = new Crew();
        for (int i = 0; i < 20; i++) {
            crew.start("recursive-" + i, () -> {
                synchronized (lock) {
                    synchronized (lock) {
                        synchronized (lock) {
                            while (!tell[0]) {
                                lock.wait();        // gives up all three levels
                            }
                            Check.that(Thread.holdsLock(lock), "held after wait, level 3");
                        }
                        Check.that(Thread.holdsLock(lock), "held, level 2");
                        Thread.yield();
                    }
                    Check.that(Thread.holdsLock(lock), "held, level 1");
                }
                Check.that(!Thread.holdsLock(lock), "not held any more");
                Check.throwing(IllegalMonitorStateException.class, "notify without the monitor", lock::notify);
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        synchronized (lock) {
            tell[0] = true;
            lock.notifyAll();
        }
        crew.join();
    }

    static void exceptionReleases() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        counter = 0;
        for (int i = 0; i < 40; i++) {
            crew.start("thrower-" + i, () -> {
                for (int j = 0; j < 25; j++) {
                    Check.throwing(ArithmeticException.class, "what the holder threw", () -> {
                        synchronized (lock) {
                            counter++;
                            LockSupport.parkNanos(1_000);
                            throw new ArithmeticException();
                        }
                    });
                    Check.that(!Thread.holdsLock(lock), "an exception leaves the monitor");
                }
            });
        }
        crew.join();
        Check.equal(1000, counter, "entries");
    }

    /** A chain: each thread holds its own monitor and needs its neighbour's; the last one has been parked since before. */
    static void nested() throws Exception {
        int n = 50;
        Object[] locks = new Object[n + 1];
        for (int i = 0; i <= n; i++) {
            locks[i] = new Object();
        }
        Crew crew = new Crew();
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch lastHeld = new CountDownLatch(1);
        crew.start("end of the chain", () -> {
            synchronized (locks[n]) {
                lastHeld.countDown();
                go.await();
            }
        });
        lastHeld.await();
        Thread[] chain = new Thread[n];
        for (int i = n - 1; i >= 0; i--) {
            int k = i;
            chain[i] = crew.start("chain-" + i, () -> {
                synchronized (locks[k]) {
                    synchronized (locks[k + 1]) {
                        Check.that(Thread.holdsLock(locks[k]) && Thread.holdsLock(locks[k + 1]), "both are held");
                    }
                }
            });
            Check.awaitState(chain[i], Thread.State.BLOCKED);
        }
        go.countDown();
        crew.join();
    }
}
