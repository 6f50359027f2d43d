/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that compute in native code (a compressor, say), in calls of a millisecond. Who waits for a timer beside them interrupts them as
 *          he does those who compute in Java, though they come to no poll: half of the sleeps were more than a millisecond late. And where they
 *          wait after each two milliseconds of that, those who do the same in Java code have as much of the CPUs: they had a twelfth.
 * @library /test/lib
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=2 NativeBursts late
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=2 NativeBursts share
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NativeBursts {
    static final int EACH = 4, SLEEPERS = 4, ROUNDS = 10, SLEEPS = 100;   // one round in which the CPU was there when it was needed is enough
    static final long CALL = 1_000_000, PAUSE = 1_000_000, LATE = 600_000;
    static final long SETTLED = 1_000_000_000L, MEASURED = 2_000_000_000L;   // of CPU time, of all that compute in native code

    static native void compute(long nanos);

    static volatile boolean done;
    static volatile long sink;

    static void computeInJava(long nanos) {
        long x = 0, end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                x = x * 31 + i;
            }
        }
        sink = x;
    }

    static void late() throws Exception {
        Crew computing = new Crew();
        for (int i = 0; i < EACH; i++) {
            computing.start("computes-" + i, () -> {
                while (!done) {
                    compute(CALL);
                }
            });
        }
        try {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > LATE; round++) {
                long[] late = new long[SLEEPERS * SLEEPS];
                Crew sleepers = new Crew();
                for (int i = 0; i < SLEEPERS; i++) {
                    int first = i * SLEEPS;
                    sleepers.start("sleeps-" + i, () -> {
                        for (int j = 0; j < SLEEPS; j++) {
                            long began = System.nanoTime();
                            LockSupport.parkNanos(PAUSE);
                            late[first + j] = System.nanoTime() - began - PAUSE;
                        }
                    });
                }
                sleepers.join();
                Arrays.sort(late);
                least = Math.min(least, late[late.length / 2]);
            }
            System.out.println(least / 1000 + " us late, median");
            Check.that(least <= LATE, "sleeps of a millisecond were " + least / 1000 + " us late");
        } finally {
            done = true;
        }
        computing.join();
    }

    static void share() throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Crew natives = new Crew(), javas = new Crew();
        for (int i = 0; i < EACH; i++) {
            natives.start("native-" + i, () -> {
                while (!done) {
                    compute(CALL);
                    compute(CALL);
                    LockSupport.parkNanos(PAUSE);
                }
            });
            javas.start("java-" + i, () -> {
                while (!done) {
                    computeInJava(2 * CALL);
                    LockSupport.parkNanos(PAUSE);
                }
            });
        }
        try {
            natives.awaitCpuTime(threads, SETTLED);
            long nativeTime = natives.cpuTime(threads), javaTime = javas.cpuTime(threads);
            natives.awaitCpuTime(threads, nativeTime + MEASURED);
            nativeTime = natives.cpuTime(threads) - nativeTime;
            javaTime = javas.cpuTime(threads) - javaTime;
            System.out.println(nativeTime / 1_000_000 + " ms in native code, " + javaTime / 1_000_000 + " ms in Java");
            Check.that(nativeTime < 4 * javaTime, nativeTime + " ns in native code beside " + javaTime + " ns in Java");
        } finally {
            done = true;
        }
        natives.join();
        javas.join();
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        System.loadLibrary("NativeBursts");
        if (args[0].equals("late")) {
            late();
        } else {
            share();
        }
    }
}
