/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A profiler that walks stacks by AsyncGetCallTrace in a signal handler, while threads switch, start, end, throw, wait and
 *          collect garbage as fast as they can. Catches: a crash of the walk when the signal hits a switch (the stack of one
 *          thread with the identity of another), the first or the last instructions of a thread; a trace that names a thread
 *          other than the one that runs the method.
 * @library /test/lib
 * @run main/othervm/native -agentlib:AsyncTrace AsyncTrace
 */

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class AsyncTrace {
    static native boolean start();
    static native void stop();
    static native void hog(int k, String method);
    static native long[] counts();

    static final long NANOS = 6_000_000_000L;
    static volatile boolean over;
    static volatile Object garbage;

    static long hogA(long x) {
        for (int i = 0; i < 20_000; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    static long hogB(long x) {
        for (int i = 0; i < 20_000; i++) {
            x = x * 37 + i;
        }
        return x;
    }

    static long hogC(long x) {
        for (int i = 0; i < 2_000; i++) {
            x = x * 41 + i;
        }
        return x;
    }

    static long recurse(long n) throws InterruptedException {
        if (n == 0) {
            Thread.yield();
            LockSupport.parkNanos(1);
            return 1;
        }
        return recurse(n - 1) + 1;
    }

    public static void main(String[] args) throws Exception {
        Check.that(start(), "AsyncGetCallTrace is not there");
        Crew crew = new Crew();
        crew.start("hog-a", () -> {
            hog(0, "hogA");
            for (long x = 0; !over; ) {
                x = hogA(x);
            }
        });
        crew.start("hog-b", () -> {
            hog(1, "hogB");
            for (long x = 0; !over; ) {
                x = hogB(x);
            }
        });
        crew.start("hog-c", () -> {
            hog(2, "hogC");
            for (long x = 0; !over; ) {
                x = hogC(x);
                Thread.yield();
            }
        });
        for (int i = 0; i < 8; i++) {
            crew.start("yield-" + i, () -> {
                while (!over) {
                    Thread.yield();
                }
            });
        }
        for (int i = 0; i < 4; i++) {
            SynchronousQueue<Integer> queue = new SynchronousQueue<>();
            crew.start("put-" + i, () -> {
                while (!over) {
                    queue.offer(1, 1, java.util.concurrent.TimeUnit.MILLISECONDS);
                }
            });
            crew.start("take-" + i, () -> {
                while (!over) {
                    queue.poll(1, java.util.concurrent.TimeUnit.MILLISECONDS);
                }
            });
            Object lock = new Object();
            for (int j = 0; j < 2; j++) {
                crew.start("wait-" + i, () -> {
                    while (!over) {
                        synchronized (lock) {
                            lock.notify();
                            lock.wait(1);
                        }
                    }
                });
            }
        }
        crew.start("deep", () -> {
            while (!over) {
                recurse(100);
            }
        });
        crew.start("throw", () -> {
            while (!over) {
                try {
                    Integer.parseInt("x");
                } catch (NumberFormatException e) {
                    Thread.yield();
                }
            }
        });
        crew.start("allocate", () -> {
            while (!over) {
                garbage = new byte[10_000];
                Thread.yield();
            }
        });
        crew.start("starter", () -> {
            while (!over) {
                Thread t = new Thread(() -> LockSupport.parkNanos(1000));
                t.start();
                t.join();
            }
        });
        Thread.sleep(NANOS / 1_000_000);
        over = true;
        crew.join();
        stop();
        long[] counts = counts();
        System.out.println("with frames " + counts[0] + ", empty " + counts[1] + ", not walkable " + counts[2] +
                           ", other threads " + counts[3] + ", hogs right " + counts[4] + ", wrong " + counts[5]);
        Check.equal(0L, counts[5], "traces of a method in the wrong thread");
        Check.that(counts[0] > 100, "nearly no trace has frames");
        Check.that(counts[4] > 10, "nearly no trace of a thread that computes");
    }
}
