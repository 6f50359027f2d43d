/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The heap is full while native code holds an array, so that nothing can be collected: threads that allocate wait, more of them than there are
 *          carriers, and one that allocates nothing goes on. Catches: a carrier that is needed by then and does not come, as who creates
 *          carriers allocates, too.
 * @library /test/lib
 * @run main/othervm/native/timeout=300 -Dcom.alibaba.wisp.carrierEngines=2 -XX:+UseParallelGC -Xmx64m StalledAllocations
 */

import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class StalledAllocations {
    static native void hold(int[] array, int millis);

    static final int MORE = 20, HELD_MILLIS = 1500, ROUNDS = 4;

    static volatile int wakeUps;
    static volatile boolean done, holds;
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        System.loadLibrary("StalledAllocations");
        Crew crew = new Crew();
        crew.start("ticks", () -> {
            while (!done) {
                LockSupport.parkNanos(5_000_000);
                wakeUps++;
            }
        });
        int least = Integer.MAX_VALUE;
        for (int i = 1; i <= ROUNDS; i++) {
            System.gc();                                 // nobody has memory set aside, who shall create carriers neither
            Crew some = new Crew();
            int[] array = new int[100];
            int[] meanwhile = new int[1];
            holds = true;
            some.start("holds", () -> {
                int before = wakeUps;
                hold(array, HELD_MILLIS);
                meanwhile[0] = wakeUps - before;
                holds = false;
            });
            for (int j = 0; j < i * MORE; j++) {
                some.start("allocates-" + j, () -> {
                    while (holds) {
                        sink = new byte[16];
                    }
                });
            }
            some.join();
            System.out.println("wake-ups while threads wait for memory: " + meanwhile[0]);
            least = Math.min(least, meanwhile[0]);
        }
        done = true;
        crew.join();
        // On a machine with forty other threads at work it was 85 of 300 once; without a carrier it ends in the first milliseconds.
        Check.that(least >= HELD_MILLIS / 5 / 12, "wake-ups while threads wait for memory: " + least);
    }
}
