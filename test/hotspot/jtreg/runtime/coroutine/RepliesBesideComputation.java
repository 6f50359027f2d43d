/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two threads that hand something to each other again and again, beside many that only compute: they go on for a
 *          millisecond before one of these has a turn. Counts how often another one of the computing threads runs; it was eight
 *          times for a round trip.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 RepliesBesideComputation
 */

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class RepliesBesideComputation {
    static final int COMPUTING = 16;
    static final int WARM_UP = 20;                  // until all that compute have used up a time slice
    static final int ROUND_TRIPS = 40;

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        Crew crew = new Crew();
        Computing computing = new Computing(crew, COMPUTING);
        BlockingQueue<Integer> requests = new ArrayBlockingQueue<>(1);
        BlockingQueue<Integer> replies = new ArrayBlockingQueue<>(1);
        crew.start("replies", () -> {
            for (int n = 0; n < WARM_UP + ROUND_TRIPS; n++) {
                replies.put(requests.take());
            }
        });
        int[] counted = new int[1];
        Crew asking = new Crew();
        asking.start("asks", () -> {
            int before = 0;
            for (int n = 0; n < WARM_UP + ROUND_TRIPS; n++) {
                if (n == WARM_UP) {
                    before = computing.turns();
                }
                requests.put(n);
                Check.equal(n, replies.take(), "reply");
            }
            counted[0] = computing.turns() - before;
        });
        asking.join();
        computing.stop();
        crew.join();
        System.out.println(counted[0] + " turns of computing threads for " + ROUND_TRIPS + " round trips");
        // Two are usual: one each time that both wait. A processor that is away for a moment adds a few.
        Check.that(counted[0] <= 4 * ROUND_TRIPS, counted[0] + " turns of computing threads for " + ROUND_TRIPS + " round trips");
    }
}
