/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread wakes another one, again and again, and computes for 60 microseconds then, before it waits for that one. The other
 *          carrier has nothing to do: who is woken, and has 10 microseconds of work, runs there meanwhile, as on another CPU. Catches: it
 *          runs after its waker, but for a few times.
 * @library /test/lib
 * @build wisptest.Check wisptest.Computing wisptest.Crew wisptest.Vm
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 WokenBesideWaker
 */

import java.util.concurrent.Semaphore;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class WokenBesideWaker {
    static final int LEARN = 300, ROUNDS = 300, TRIES = 100;
    static final long WAKER_NANOS = 60_000, WOKEN_NANOS = 10_000;
    static final Semaphore work = new Semaphore(0), done = new Semaphore(0);
    static volatile boolean ran, over;

    /** In how many rounds the other one has run while this one computed. */
    static int rounds(int n) throws InterruptedException {
        int beside = 0;
        for (int i = 0; i < n; i++) {
            ran = false;
            work.release();
            Computing.compute(WAKER_NANOS);
            beside += ran ? 1 : 0;
            done.acquire();
        }
        return beside;
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn() || Runtime.getRuntime().availableProcessors() < 2) {
            return;
        }
        Crew crew = new Crew();
        crew.start("woken", () -> {
            while (!over) {
                work.acquire();
                ran = true;
                Computing.compute(WOKEN_NANOS);
                done.release();
            }
        });
        crew.start("waker", () -> {
            rounds(LEARN);
            int most = 0;
            for (int i = 0; i < TRIES && most < ROUNDS / 2; i++) {      // other processes may have the other CPU
                most = Math.max(most, rounds(ROUNDS));
            }
            System.out.println("beside its waker in " + most + " of " + ROUNDS + " rounds");
            over = true;
            work.release();
            Check.that(most >= ROUNDS / 2, "beside its waker in " + most + " of " + ROUNDS + " rounds");
        });
        crew.join();
    }
}
