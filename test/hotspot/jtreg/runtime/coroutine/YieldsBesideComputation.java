/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary One carrier: a thread that computes, one that only yields, and one that waits a millisecond again and again. Whoever only yields lets
 *          the one that computes run; it was alone for a millisecond after each turn of the one that waits, which was as late therefore.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 YieldsBesideComputation
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class YieldsBesideComputation {
    static final int WAITS = 500;
    static volatile boolean done;
    static volatile long sink;

    static void compute() {
        for (long x = 1; !done; ) {
            for (int i = 0; i < 1000; i++) {
                x = x * 31 + i;
            }
            sink = x;
        }
    }

    static void yields() {
        while (!done) {
            Thread.yield();
        }
    }

    /** Until it has used up its first slices. */
    static void settle(ThreadMXBean threads, Thread computes) throws Exception {
        while (threads.getThreadCpuTime(computes.getId()) < 100_000_000L) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Crew crew = new Crew();
        Thread computes = crew.start("computes", YieldsBesideComputation::compute);
        Thread yields = crew.start("yields", YieldsBesideComputation::yields);
        Crew measuring = new Crew();
        measuring.start("waits", () -> {
            settle(threads, computes);
            long computed = threads.getThreadCpuTime(computes.getId()), yielded = threads.getThreadCpuTime(yields.getId());
            for (int i = 0; i < WAITS; i++) {
                Thread.sleep(1);
            }
            computed = threads.getThreadCpuTime(computes.getId()) - computed;
            yielded = threads.getThreadCpuTime(yields.getId()) - yielded;
            System.out.println(computed / 1_000_000 + " ms computed, " + yielded / 1_000_000 + " ms of yields");
            Check.that(yielded < computed / 4, yielded + " ns of yields beside " + computed + " ns computed");
        });
        try {
            measuring.join();
        } finally {
            done = true;
        }
        crew.join();
    }
}
