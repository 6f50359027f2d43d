/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that have used up a time slice take turns in short ones among themselves: who waits for another thread in a loop that
 *          looks at a field waits for the end of its own. The slice is long here, so that the loops of the first turns, in which it is used
 *          up, tell the two apart. Catches: a whole slice at each turn, where the kernel lets threads that compute take turns each few
 *          milliseconds.
 * @library /test/lib
 * @run main/othervm -XX:WispTimeSliceMillis=1000 -Dcom.alibaba.wisp.carrierEngines=1 RivalSlices
 */

import java.util.Arrays;
import wisptest.Crew;
import wisptest.Vm;

public class RivalSlices {
    static final int TURNS = 60;                     // main wakes up each 100 ms and interrupts them, before they have used up a slice, too:
                                                     // ten such turns add up to one

    static volatile int turn;
    static final long[][] looks = new long[2][TURNS];

    static void pass(int me) {
        for (int k = 0; k < TURNS; k++) {
            long n = 0;
            while (turn % 2 != me) {
                n++;
            }
            looks[me][k] = n;
            turn++;
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            return;
        }
        Crew crew = new Crew();
        crew.start("even", () -> pass(0));
        crew.start("odd", () -> pass(1));
        crew.join();
        System.out.println("looks for each turn: " + Arrays.toString(looks[0]) + " " + Arrays.toString(looks[1]));
        long most = 0;
        long[] later = new long[TURNS];              // of both, when both have used up a slice
        for (long[] l : looks) {
            for (int k = 0; k < TURNS; k++) {
                most = Math.max(most, l[k]);
            }
        }
        for (int k = 0; k < TURNS; k++) {
            later[k] = Math.max(looks[0][k], looks[1][k]);
        }
        Arrays.sort(later);
        if (later[TURNS / 2] > most / 10) {
            throw new RuntimeException("half of the turns took " + later[TURNS / 2] + " looks or more, while a whole time slice has " + most);
        }
    }
}
