/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two carriers, and one thread that computes, yields, spins or polls in a loop: the others, which are many and wait a moment between any two
 *          turns, have half of its carrier at least, too. They had the other one only, as the carrier of such a thread is never idle and looked
 *          at nobody's queue but its own.
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 SharedCarrier compute
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 SharedCarrier yield
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 SharedCarrier spin
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 SharedCarrier select
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class SharedCarrier {
    static final int THREADS = 40;
    static final long ALONE = 100_000_000L;          // ns of the one, before there are others
    static final long SETTLED = 300_000_000L;        // of all others, after which
    static final long MEASURED = 1_000_000_000L;     // these are what counts
    static volatile boolean done;
    static volatile long sink;

    static void compute(int steps) {
        long x = 1;
        for (int i = 0; i < steps; i++) {
            x = x * 31 + i;
        }
        sink = x;
    }

    static void keepsOn(String kind) throws Exception {
        try (Selector selector = Selector.open()) {
            while (!done) {
                switch (kind) {
                    case "compute": compute(100_000); break;
                    case "yield":   Thread.yield(); break;
                    case "spin":    Thread.onSpinWait(); break;
                    case "select":  selector.selectNow(); break;
                    default:        throw new AssertionError(kind);
                }
            }
        }
    }

    static void turns() {
        while (!done) {
            LockSupport.parkNanos(100_000);
            compute(200_000);
        }
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Crew one = new Crew(), many = new Crew();
        CountDownLatch started = new CountDownLatch(1);
        one.start("keeps on", () -> keepsOn(args[0]));
        try {
            one.awaitCpuTime(threads, ALONE);
            // Those that one of them starts begin where that one is.
            many.start("turns-0", () -> {
                for (int i = 1; i < THREADS; i++) {
                    many.start("turns-" + i, SharedCarrier::turns);
                }
                started.countDown();
                turns();
            });
            started.await();
            many.awaitCpuTime(threads, SETTLED);
            long ones = one.cpuTime(threads), others = many.cpuTime(threads);
            many.awaitCpuTime(threads, others + MEASURED);
            ones = one.cpuTime(threads) - ones;
            others = many.cpuTime(threads) - others;
            System.out.println(ones / 1_000_000 + " ms of the one, " + others / 1_000_000 + " ms of the others");
            Check.that(others > 2 * ones, others + " ns of " + THREADS + " threads beside " + ones + " ns of one");
        } finally {
            done = true;
        }
        one.join();
        many.join();
    }
}
