/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary LockSupport: the permit is one and is kept, whenever it comes: before the park, after it, between start() and the
 *          first instruction of the thread, from the thread itself; timed and absolute parks with past, present and far
 *          deadlines; interrupts before and during; the blocker. Catches: an unpark that is lost while a thread is not mounted
 *          or not yet known to the scheduler (hang), a permit that adds up, a park until 0 that never returns.
 * @library /test/lib
 * @run main ParkPermits
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class ParkPermits {
    public static void main(String[] args) throws Exception {
        permits();
        beforeFirstRun();
        deadlines();
        interrupts();
        blocker();
        storm();
        chain();
    }

    static void permits() throws Exception {
        Crew crew = new Crew();
        crew.start("self", () -> {
            Thread me = Thread.currentThread();
            for (int i = 0; i < 1000; i++) {
                LockSupport.unpark(me);
                LockSupport.unpark(me);         // does not add up
                LockSupport.park();
                // Only a deadline can end this one.
                long start = System.nanoTime();
                if (i % 100 == 0) {
                    LockSupport.parkNanos(2_000_000);
                    Check.that(System.nanoTime() - start >= 1_900_000, "two unparks were two permits");
                }
            }
            LockSupport.unpark(me);
            Thread.sleep(1);                    // neither takes the permit nor is ended by it
            Thread.yield();
            LockSupport.park();
        });
        crew.join();

        AtomicBoolean go = new AtomicBoolean();
        AtomicInteger returns = new AtomicInteger();
        Thread parked = crew.start("parked", () -> {
            while (!go.get()) {
                LockSupport.park();
                returns.incrementAndGet();
            }
        });
        Check.awaitState(parked, Thread.State.WAITING);
        for (int i = 1; i <= 100; i++) {
            int before = returns.get();
            LockSupport.unpark(parked);
            Check.await(() -> returns.get() > before);
        }
        go.set(true);
        LockSupport.unpark(parked);
        crew.join();
        LockSupport.unpark(parked);             // it has ended
        LockSupport.unpark(null);
    }

    /** The thread exists but has not run: on a busy carrier it stays so for a while. */
    static void beforeFirstRun() throws Exception {
        AtomicInteger done = new AtomicInteger();
        Thread[] threads = new Thread[1500];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                LockSupport.park();
                done.incrementAndGet();
            });
            threads[i].start();
            LockSupport.unpark(threads[i]);
        }
        for (Thread t : threads) {
            t.join();
        }
        Check.equal(threads.length, done.get(), "threads that found their permit");

        AtomicInteger interrupted = new AtomicInteger();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                if (Thread.currentThread().isInterrupted()) {
                    interrupted.incrementAndGet();
                }
                while (!Thread.currentThread().isInterrupted()) {
                    LockSupport.park();
                }
            });
            threads[i].start();
            threads[i].interrupt();
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println(interrupted + " of " + threads.length + " were interrupted before their first instruction");
    }

    static void deadlines() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 20; i++) {
            crew.start("deadlines-" + i, () -> {
                LockSupport.parkNanos(0);
                LockSupport.parkNanos(-1);
                LockSupport.parkNanos(Long.MIN_VALUE);
                LockSupport.parkNanos(1);
                LockSupport.parkUntil(0);
                LockSupport.parkUntil(1);
                LockSupport.parkUntil(-1);
                LockSupport.parkUntil(System.currentTimeMillis());
                LockSupport.parkUntil(System.currentTimeMillis() - 1000);
                long start = System.nanoTime();
                LockSupport.parkNanos(5_000_000);
                Check.that(System.nanoTime() - start >= 4_900_000, "parkNanos returned early");
                long until = System.currentTimeMillis() + 5;
                LockSupport.parkUntil(until);
                Check.that(System.currentTimeMillis() >= until - 1, "parkUntil returned early");
            });
        }
        crew.join();

        // Far deadlines must not overflow into the past, nor keep an unpark from working.
        for (long far : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 2, TimeUnit.DAYS.toNanos(40_000)}) {
            for (boolean absolute : new boolean[] {false, true}) {
                AtomicBoolean go = new AtomicBoolean();
                AtomicInteger returns = new AtomicInteger();
                Thread t = crew.start("far", () -> {
                    while (!go.get()) {
                        if (absolute) {
                            LockSupport.parkUntil(far);
                        } else {
                            LockSupport.parkNanos(far);
                        }
                        returns.incrementAndGet();
                    }
                });
                Check.awaitState(t, Thread.State.TIMED_WAITING);
                Thread.sleep(5);
                Check.that(returns.get() <= 1, "parks with a far deadline returned " + returns + " times");
                go.set(true);
                LockSupport.unpark(t);
                t.join();
            }
        }
        crew.join();
    }

    static void interrupts() throws Exception {
        Crew crew = new Crew();
        crew.start("interrupted before", () -> {
            Thread.currentThread().interrupt();
            LockSupport.park();
            LockSupport.park();                         // stays interrupted, so never blocks
            LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1));
            LockSupport.parkUntil(Long.MAX_VALUE);
            Check.that(Thread.interrupted(), "park does not clear the interrupt");
        });
        for (int i = 0; i < 3; i++) {
            int k = i;
            Thread t = crew.start("interrupted during", () -> {
                while (!Thread.currentThread().isInterrupted()) {
                    switch (k) {
                        case 0: LockSupport.park(); break;
                        case 1: LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1)); break;
                        default: LockSupport.parkUntil(Long.MAX_VALUE); break;
                    }
                }
                Check.that(Thread.interrupted(), "park does not clear the interrupt");
            });
            Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING);
            t.interrupt();
        }
        crew.join();
    }

    static void blocker() throws Exception {
        Crew crew = new Crew();
        AtomicBoolean go = new AtomicBoolean();
        Object blocker = new Object();
        Thread t = crew.start("has a blocker", () -> {
            while (!go.get()) {
                LockSupport.park(blocker);
            }
            Check.that(LockSupport.getBlocker(Thread.currentThread()) == null, "the blocker is gone");
        });
        Check.awaitState(t, Thread.State.WAITING);
        Check.that(LockSupport.getBlocker(t) == blocker, "the blocker of a parked thread");
        go.set(true);
        LockSupport.unpark(t);
        crew.join();
    }

    /** Many unparkers, one parker that counts what it was given: nothing may be forgotten at the end. */
    static void storm() throws Exception {
        for (int round = 0; round < 5; round++) {
            Crew crew = new Crew();
            AtomicInteger given = new AtomicInteger();
            int givers = 6;
            int each = 3000;
            Thread taker = crew.start("taker", () -> {
                int taken = 0;
                while (taken < givers * each) {
                    int n = given.getAndSet(0);
                    taken += n;
                    if (n == 0) {
                        if ((taken & 1) == 0) {
                            LockSupport.park();
                        } else {
                            LockSupport.parkNanos(50_000);
                        }
                    }
                }
            });
            for (int g = 0; g < givers; g++) {
                crew.start("giver-" + g, () -> {
                    for (int i = 0; i < each; i++) {
                        given.incrementAndGet();
                        LockSupport.unpark(taker);
                        if (i % 100 == 0) {
                            Thread.yield();
                        }
                    }
                });
            }
            crew.join();
        }
    }

    /** A ring in which each thread wakes the next one: one lost wake-up stops it. */
    static void chain() throws Exception {
        int n = 100;
        int laps = 200;
        Crew crew = new Crew();
        AtomicInteger token = new AtomicInteger(-1);
        Thread[] ring = new Thread[n];
        CountDownLatch made = new CountDownLatch(1);
        for (int i = 0; i < n; i++) {
            int k = i;
            ring[i] = crew.start("ring-" + i, () -> {
                made.await();
                for (int lap = 0; lap < laps; lap++) {
                    int mine = lap * n + k;
                    while (token.get() != mine) {
                        LockSupport.park();
                    }
                    token.set(mine + 1);
                    LockSupport.unpark(ring[(k + 1) % n]);
                }
            });
        }
        made.countDown();
        token.set(0);
        LockSupport.unpark(ring[0]);
        crew.join();
        Check.equal(n * laps, token.get(), "steps of the token");
    }
}
