/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary One carrier, and threads that compute without ever giving way until another thread has done something: in the
 *          interpreter, in compiled loops, in loops entered in the middle, in calls, while monitors are held, and after a time
 *          in which nothing ran at all. Catches: a thread that keeps its carrier for as long as it computes (hang), a watchdog
 *          that sleeps and is not woken when a carrier wakes up by a timer of its own, a preemption that loses a value, a
 *          pending exception or a monitor.
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 Preemption
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class Preemption {
    static volatile boolean done;
    static volatile long sink;

    /** Returns when the flag is set; different kinds of loops that all have safepoint polls. */
    static long compute(int kind, double d, Object o) {
        long x = kind;
        int hash = o.hashCode();
        switch (kind % 4) {
            case 0:
                while (!done) {
                    x = x * 31 + 7;
                }
                break;
            case 1:
                while (!done) {
                    x += call((int) x & 0xff);
                }
                break;
            case 2:
                while (!done) {
                    synchronized (o) {
                        x ^= x << 13;
                        x ^= x >>> 7;
                    }
                }
                break;
            default:
                while (!done) {
                    Object[] garbage = new Object[10];
                    garbage[3] = garbage;
                    x += garbage.length;
                    sink = x;
                }
                break;
        }
        Check.equal(2.5, d, "a double across preemptions");
        Check.equal(hash, o.hashCode(), "an object across preemptions");
        return x;
    }

    static int call(int n) {
        return n < 2 ? n : call(n - 1) + 1;
    }

    public static void main(String[] args) throws Exception {
        for (int kind = 0; kind < 4; kind++) {
            startsAfter(kind);
            wokenBy(kind);
            afterQuiet(kind);
        }
        all();
        holding();
    }

    static void startsAfter(int kind) throws Exception {
        done = false;
        Crew crew = new Crew();
        CountDownLatch computing = new CountDownLatch(1);
        crew.start("computes", () -> {
            computing.countDown();
            sink = compute(kind, 2.5, new Object());
        });
        computing.await();
        crew.start("ends it", () -> done = true);
        crew.join();
    }

    static void wokenBy(int kind) throws Exception {
        done = false;
        Crew crew = new Crew();
        Thread waiter = crew.start("woken", () -> {
            LockSupport.park();
            done = true;
        });
        Check.awaitState(waiter, Thread.State.WAITING);
        crew.start("wakes and computes", () -> {
            LockSupport.unpark(waiter);
            sink = compute(kind, 2.5, new Object());
        });
        crew.join();
    }

    /** Long enough for everything in the VM to have gone to sleep; then a timer is the first thing that happens. */
    static void afterQuiet(int kind) throws Exception {
        done = false;
        Crew crew = new Crew();
        crew.start("sleeps, wakes and computes", () -> {
            Thread.sleep(450);
            Thread t = new Thread(() -> done = true);
            t.start();
            sink = compute(kind, 2.5, new Object());
            t.join();
        });
        // Without a timeout, so that no other timer is set meanwhile.
        for (Thread t : crew.threads()) {
            t.join();
        }
        crew.join();
    }

    /** Many that compute, and one that has to come through to all of them. */
    static void all() throws Exception {
        done = false;
        Crew crew = new Crew();
        AtomicInteger steps = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            int k = i;
            crew.start("computes-" + i, () -> sink = compute(k, 2.5, new Object()));
        }
        crew.start("takes steps", () -> {
            while (steps.incrementAndGet() < 20) {
                if (steps.get() % 2 == 0) {
                    Thread.yield();
                } else {
                    Thread.sleep(1);
                }
            }
            done = true;
        });
        crew.join();
        Check.equal(20, steps.get(), "steps");
    }

    /** Preempted while it holds a monitor that others want. */
    static void holding() throws Exception {
        done = false;
        Object lock = new Object();
        int[] inside = new int[1];
        Crew crew = new Crew();
        CountDownLatch computing = new CountDownLatch(1);
        crew.start("holds and computes", () -> {
            synchronized (lock) {
                computing.countDown();
                sink = compute(0, 2.5, new Object());
                inside[0]++;
            }
        });
        computing.await();
        for (int i = 0; i < 5; i++) {
            crew.start("wants-" + i, () -> {
                synchronized (lock) {
                    Check.that(done, "entered while another held the monitor");
                    inside[0]++;
                }
            });
        }
        crew.start("ends it", () -> done = true);
        crew.join();
        Check.equal(6, inside[0], "threads that were inside");
    }
}
