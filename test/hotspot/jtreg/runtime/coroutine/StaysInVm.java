/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that is in the VM for long in one call, as a large array is cleared, and has not used up a slice before: others run meanwhile.
 *          Catches: a carrier that keeps its queue until the call has returned, as nobody can be preempted there.
 * @library /test/lib
 * @run main/othervm/timeout=300 -Dcom.alibaba.wisp.carrierEngines=1 -Xmx1500m -XX:+UseParallelGC StaysInVm
 */

import wisptest.Check;
import wisptest.Crew;

public class StaysInVm {
    static final int ROUNDS = 8;
    static final int SIZE = 400 << 20;
    static final int WAKE_UPS = 10;                      // in the best of the rounds; each clears for 50 ms and more

    static volatile int wakeUps;
    static volatile boolean done;
    static volatile byte[] array;

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        crew.start("sleeps", () -> {
            while (!done) {
                Thread.sleep(1);
                wakeUps++;
            }
        });
        int most = 0;
        for (int i = 0; i < ROUNDS; i++) {
            int[] meanwhile = new int[1];
            Crew one = new Crew();
            one.start("clears-" + i, () -> {             // a new one each time, of which nothing is known
                int before = wakeUps;
                array = new byte[SIZE];
                meanwhile[0] = wakeUps - before;
            });
            one.join();
            array = null;
            System.out.println("wake-ups while one clears: " + meanwhile[0]);
            most = Math.max(most, meanwhile[0]);
        }
        done = true;
        crew.join();
        Check.that(most >= WAKE_UPS, "wake-ups while one clears: " + most + " at most");
    }
}
