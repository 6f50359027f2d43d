/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Threads that do not give way, beside threads that sleep for a millisecond.
 *
 * <pre>
 *   Fair hog KIND MILLIS SLEEPERS     one thread computes, SLEEPERS others sleep 1 ms in a loop
 *   Fair turns KIND MILLIS            one thread computes, one other sleeps 1 ms in a loop every other quarter of a second
 *   Fair native MILLIS BLOCKED        BLOCKED threads are in a native call of 1 s, in a loop; 1,000 others sleep 1 ms in a loop
 *   Fair idle MILLIS                  100 threads are parked, and nothing happens
 * </pre>
 *
 * {@code hog} prints how much work it did per second, and how late in milliseconds the sleepers woke up: the 50th and the 99th
 * of a hundred, and the worst. {@code turns} prints the work beside the sleeper over the work alone, for computations that differ
 * from one process to the next by more than what is to be measured, as interpreted ones do. {@code native} prints sleeps per second. {@code idle} prints a line when it is quiet.
 */
public class Fair {
    static volatile boolean stop;
    static volatile long sink;
    static long done;

    /** A piece of work of about a microsecond, compiled without a loop that polls. */
    static long piece(long x) {
        for (int i = 0; i < 1_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    // ---- Hogs; each counts its pieces in done

    static void loop() {
        while (!stop) {
            sink = piece(sink);
            done++;
        }
    }

    /** One loop with an int as index, 2 billion turns or until the end: it polls by strip mining only. */
    static void counted() {
        while (!stop) {
            long x = sink;
            for (int i = 0; i < 200_000_000; i++) {
                x = x * 6364136223846793005L + i;
            }
            sink = x;
            done += 200_000;
        }
    }

    static final Object LOCK = new Object();

    static void locked() {
        synchronized (LOCK) {
            loop();
        }
    }

    static class Initializer {
        static {
            loop();
        }

        static void touch() { }
    }

    static final RuntimeException THROWN = new RuntimeException("thrown", null, false, false) { };

    static void thrower(int depth) {
        if (depth == 0) {
            sink = piece(sink);
            throw THROWN;
        }
        thrower(depth - 1);
    }

    static void throwing() {
        while (!stop) {
            try {
                thrower(3);
            } catch (RuntimeException e) {
                done++;
            }
        }
    }

    static void yielding() {
        while (!stop) {
            sink = piece(sink);
            done++;
            Thread.yield();
        }
    }

    static void sleepingZero() throws InterruptedException {
        while (!stop) {
            sink = piece(sink);
            done++;
            Thread.sleep(0);
        }
    }

    static void hog(String kind) {
        try {
            switch (kind) {
                case "loop":        loop(); break;
                case "counted":     counted(); break;
                case "locked":      locked(); break;
                case "initializer": Initializer.touch(); break;
                case "throwing":    throwing(); break;
                case "yield":       yielding(); break;
                case "sleep0":      sleepingZero(); break;
                default: throw new IllegalArgumentException("kind " + kind);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void hogMode(String kind, long millis, int sleepers) throws Exception {
        // Compiled before it counts.
        if (!kind.equals("initializer")) {
            Thread warm = new Thread(() -> hog(kind));
            warm.start();
            Thread.sleep(1_000);
            stop = true;
            warm.join();
            stop = false;
            done = 0;
        }
        long[][] late = new long[sleepers][(int) millis];
        int[] count = new int[sleepers];
        Thread[] all = new Thread[sleepers];
        for (int i = 0; i < sleepers; i++) {
            int me = i;
            all[i] = new Thread(() -> {
                while (!stop && count[me] < late[me].length) {
                    long start = System.nanoTime();
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    late[me][count[me]++] = System.nanoTime() - start - 1_000_000;
                }
            });
            all[i].start();
        }
        Thread hog = new Thread(() -> hog(kind));
        long start = System.nanoTime();
        hog.start();
        Thread.sleep(millis);              // main is an OS thread
        stop = true;
        hog.join();
        double seconds = (System.nanoTime() - start) / 1e9;
        for (Thread t : all) {
            t.join();
        }
        long[] sorted = new long[0];
        for (int i = 0; i < sleepers; i++) {
            int from = sorted.length;
            sorted = Arrays.copyOf(sorted, from + count[i]);
            System.arraycopy(late[i], 0, sorted, from, count[i]);
        }
        Arrays.sort(sorted);
        int n = sorted.length;
        System.out.printf("%.0f %.2f %.2f %.2f%n", done / seconds, n == 0 ? 0 : sorted[n / 2] / 1e6,
                          n == 0 ? 0 : sorted[(int) (n * 0.99)] / 1e6, n == 0 ? 0 : sorted[n - 1] / 1e6);
    }

    static volatile boolean awake;

    static void turns(String kind, long millis) throws Exception {
        daemon(() -> hog(kind));
        daemon(() -> {
            for (;;) {
                try {
                    synchronized (Fair.class) {
                        while (!awake) {
                            Fair.class.wait();
                        }
                    }
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        Thread.sleep(1_000);
        double[] work = new double[2];
        double[] time = new double[2];
        for (int i = 0; i < millis / 250 / 2 * 2; i++) {
            int which = (i + 1) / 2 % 2;    // alone, beside, beside, alone: a drift cancels out
            synchronized (Fair.class) {
                awake = which == 1;
                Fair.class.notifyAll();
            }
            Thread.sleep(5);
            long before = done;
            long start = System.nanoTime();
            Thread.sleep(245);
            work[which] += done - before;
            time[which] += System.nanoTime() - start;
        }
        System.out.printf("%.4f%n", work[1] / time[1] / (work[0] / time[0]));
        System.exit(0);
    }

    // ---- Native calls

    static native void nap(int millis);

    static void nativeMode(long millis, int blocked) throws Exception {
        System.loadLibrary("fairnap");
        LongAdder sleeps = new LongAdder();
        for (int i = 0; i < blocked; i++) {
            daemon(() -> {
                for (;;) {
                    nap(1_000);
                }
            });
        }
        for (int i = 0; i < 1_000; i++) {
            daemon(() -> {
                for (;;) {
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    sleeps.increment();
                }
            });
        }
        Thread.sleep(2_000);
        long before = sleeps.sum();
        long start = System.nanoTime();
        Thread.sleep(millis);
        System.out.printf("%.0f%n", (sleeps.sum() - before) * 1e9 / (System.nanoTime() - start));
        System.exit(0);
    }

    static void daemon(Runnable body) {
        Thread t = new Thread(body);
        t.setDaemon(true);
        t.start();
    }

    static void idleMode(long millis) throws Exception {
        CountDownLatch up = new CountDownLatch(100);
        for (int i = 0; i < 100; i++) {
            daemon(() -> {
                up.countDown();
                for (;;) {
                    java.util.concurrent.locks.LockSupport.park();
                }
            });
        }
        up.await();
        Thread.sleep(2_000);
        System.out.println("quiet");
        System.out.flush();
        Thread.sleep(millis);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "hog":    hogMode(args[1], Long.parseLong(args[2]), Integer.parseInt(args[3])); break;
            case "turns":  turns(args[1], Long.parseLong(args[2])); break;
            case "native": nativeMode(Long.parseLong(args[1]), Integer.parseInt(args[2])); break;
            case "idle":   idleMode(Long.parseLong(args[1])); break;
            default: throw new IllegalArgumentException(args[0]);
        }
    }
}
