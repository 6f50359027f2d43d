/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that compute get about the same share of the processors, also where they cannot be divided evenly among the carriers.
 *          Catches: one of three that has a carrier for itself for ever, as no carrier is ever idle and takes another one.
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 ComputingShares
 */

import wisptest.Crew;

public class ComputingShares {
    static final int THREADS = 3;
    static final long STEPS = 2_000_000;             // of the first one: some seconds

    static volatile boolean over;
    static volatile long sink;
    static final long[] steps = new long[THREADS];

    static void compute(int me) {
        long done = 0;
        for (long x = me; !over && done < STEPS; done++) {
            for (int i = 0; i < 1000; i++) {
                x = x * 31 + i;
            }
            sink = x;
        }
        over = true;
        steps[me] = done;
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int me = i;
            crew.start("computes-" + i, () -> compute(me));
        }
        crew.join();
        long least = STEPS;
        for (long s : steps) {
            least = Math.min(least, s);
        }
        System.out.println("the slowest has made " + least + " steps, the fastest " + STEPS);
        if (least < STEPS * 7 / 10) {
            throw new RuntimeException("one of " + THREADS + " threads that compute has made " + least + " steps while another one made " + STEPS);
        }
    }
}
