/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two threads compute, on a carrier each, and need a lock, or a monitor, for a moment now and then. Who finds it taken parks, and the other one wakes
 *          it microseconds later, when its carrier has nothing to do and looks for something: it runs there. Catches: the owner gives way to
 *          it, and waits behind it for the rest of a time slice, beside an idle carrier.
 * @library /test/lib
 * @build wisptest.Check wisptest.Computing wisptest.Crew wisptest.Vm
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 UnlockBesideFreeCarrier lock
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 UnlockBesideFreeCarrier monitor
 */

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class UnlockBesideFreeCarrier {
    static final int TRIES = 160, WAITS = 20, LEARN = 3, MEDIAN_OF = 5;
    static final long TRY_NANOS = 250_000_000, OUTSIDE_NANOS = 100_000, INSIDE_NANOS = 5_000;
    static final double MOST = 0.1;                     // of the time, to leave it: 0.2 to 0.3 where owners give way, 0.01 where not
    static final ReentrantLock lock = new ReentrantLock();
    static volatile boolean taken;

    /** Which share of their time two threads have needed to leave it, and how often one had to wait for it. */
    static double share(boolean monitor, AtomicLong waits) throws Exception {
        AtomicLong leaving = new AtomicLong();
        Crew crew = new Crew();
        for (int t = 0; t < 2; t++) {
            long outside = OUTSIDE_NANOS + 10_000 * t;  // so that they do not keep step
            crew.start("computes " + t, () -> {
                long end = System.nanoTime() + TRY_NANOS;
                long nanos = 0, began;
                while (System.nanoTime() < end) {
                    Computing.compute(outside);
                    waits.addAndGet(taken ? 1 : 0);
                    if (monitor) {
                        synchronized (lock) {
                            hold();
                            began = System.nanoTime();
                        }
                    } else {
                        lock.lock();
                        hold();
                        began = System.nanoTime();
                        lock.unlock();
                    }
                    nanos += System.nanoTime() - began;
                }
                leaving.addAndGet(nanos);
            });
        }
        crew.join();
        return leaving.get() / (2.0 * TRY_NANOS);
    }

    static void hold() {
        taken = true;
        Computing.compute(INSIDE_NANOS);
        taken = false;
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn() || Runtime.getRuntime().availableProcessors() < 2) {
            return;
        }
        AtomicLong waits = new AtomicLong();
        double[] last = new double[MEDIAN_OF];
        double median = 1;
        for (int i = 0; i < TRIES && median > MOST; i++) {       // other processes may have the other CPU
            long before = waits.get();
            double share = share(args[0].equals("monitor"), waits);
            long waited = waits.get() - before;
            System.out.println("share of the time to leave it: " + share + ", " + waited + " have found it taken");
            last[i % MEDIAN_OF] = waited >= WAITS ? share : 1;
            if (i >= LEARN + MEDIAN_OF) {
                double[] sorted = last.clone();
                Arrays.sort(sorted);
                median = sorted[MEDIAN_OF / 2];
            }
        }
        Check.that(median <= MOST, median + " of the time to leave it");
    }
}
