/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two threads that hand a turn to each other by Thread.yield, beside one that computes: with one carrier for all, and with two, of which
 *          one may have the thread that computes and one of the two. They have many turns for each time that the one that computes
 *          is interrupted. Catches: one turn in each of its slices of a millisecond.
 * @library /test/lib
 * @build wisptest.Check wisptest.Computing wisptest.Crew wisptest.Vm
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=1 YieldedTurns
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 YieldedTurns
 */

import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class YieldedTurns {
    static final int TURNS = 20_000, TURNS_EACH = 8, ROUNDS = 5;
    static volatile int turn;

    static void hand(int me) {
        for (int i = 0; i < TURNS / 2; i++) {
            while (turn != me) {
                Thread.yield();
            }
            turn = 1 - me;
        }
    }

    /** One round of turns, and how often somebody has been interrupted meanwhile. */
    static long round() throws Exception {
        turn = 0;
        long before = Vm.preemptionsAndHandOffs();
        Crew two = new Crew();
        two.start("one", () -> hand(0));
        two.start("other", () -> hand(1));
        two.join();
        return Vm.preemptionsAndHandOffs() - before;
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            return;
        }
        Crew crew = new Crew();
        Computing computing = new Computing(crew, 1);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            least = Math.min(least, round());
        }
        computing.stop();
        crew.join();
        System.out.println(least + " interruptions for " + TURNS + " turns");
        Check.that(least * TURNS_EACH < TURNS, least + " interruptions for " + TURNS + " turns");
    }
}
