/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread parks for a nanosecond, and computes for 30 microseconds then, again and again, beside one that only yields, as producer and
 *          consumer of a ring do. The carrier on which it parks sleeps until its time has come, and runs it then. Catches: the other carrier
 *          looks for timers just before, and the two take turns there, beside an idle carrier. That can be told only while other processes
 *          leave both processors to it.
 * @library /test/lib
 * @build wisptest.Check wisptest.Computing wisptest.Crew wisptest.Vm
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 TimerBesideYields
 */

import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class TimerBesideYields {
    static final int ROUNDS = 200, ENOUGH = ROUNDS * 2 / 3, QUIET_TRIES = 100;
    static final long NANOS = 30_000, GUARD_NANOS = 30_000_000_000L;
    static volatile long yields;
    static volatile boolean over;

    /** In how many rounds the other one has gone on while this one computed. */
    static int rounds() {
        int beside = 0;
        for (int i = 0; i < ROUNDS; i++) {
            LockSupport.parkNanos(1);
            long before = yields;
            Computing.compute(NANOS);
            beside += yields - before > 1 ? 1 : 0;
        }
        return beside;
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn() || Runtime.getRuntime().availableProcessors() < 2) {
            return;
        }
        Crew crew = new Crew();
        crew.start("yields", () -> {
            while (!over) {
                yields = yields + 1;
                Thread.yield();
            }
        });
        crew.start("parks", () -> {
            int most = 0, quiet = 0;
            long guard = System.nanoTime() + GUARD_NANOS;
            while (System.nanoTime() < guard && most < ENOUGH && quiet < QUIET_TRIES) {
                long waited = Vm.waitedForProcessorsNanos(), start = System.nanoTime();
                most = Math.max(most, rounds());
                quiet += Vm.waitedForProcessorsNanos() - waited < (System.nanoTime() - start) / 20 ? 1 : 0;
            }
            over = true;
            System.out.println("beside the one that yields in " + most + " of " + ROUNDS + " rounds, " + quiet + " quiet tries");
            Check.that(most >= ENOUGH || quiet < QUIET_TRIES, "beside the one that yields in " + most + " of " + ROUNDS + " rounds");
        });
        crew.join();
    }
}
