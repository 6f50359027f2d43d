/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that is woken by a running one runs soon, as a rule, however many others are ready, and does not keep those
 *          waiting: once in a round it is before them, and then one of them. Two threads wake each other by turns on one carrier,
 *          beside 100 that yield. Catches: a woken one that waits for all of them (waiters of a connection pool starve then, as
 *          others take what they were woken for), and two who wake each other and leave no turns to the rest. Counts turns, not
 *          time. The slice is long: with a short one a thread that loses its CPU counts as one that computes, and others go before it.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:WispTimeSliceMillis=1000 -Dcom.alibaba.wisp.carrierEngines=1 RunsNext
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class RunsNext {
    static final int OTHERS = 100, ROUNDS = 4_000;
    static volatile long turns;              // one carrier: nobody increments at the same time but when a spare takes over
    static volatile int turn, rounds;
    static volatile boolean stop;
    static final long[] between = new long[ROUNDS];
    static final Thread[] pair = new Thread[2];
    static long at;

    static void play(int me) {
        while (rounds < ROUNDS) {
            while (turn != me && rounds < ROUNDS) {
                LockSupport.park();
            }
            if (rounds < ROUNDS) {
                between[rounds] = turns - at;
                rounds = rounds + 1;
            }
            at = turns;
            turn = 1 - me;
            LockSupport.unpark(pair[1 - me]);
        }
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        List<long[]> own = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            long[] count = new long[1];
            own.add(count);
            crew.start("yields-" + i, () -> {
                while (!stop) {
                    turns++;
                    count[0]++;
                    Thread.yield();
                }
            });
        }
        Check.await(() -> turns > 10 * OTHERS);
        for (int me = 0; me < 2; me++) {
            int m = me;
            pair[me] = crew.create("pair-" + me, 0, () -> play(m));
        }
        long first = turns;
        pair[0].start();
        pair[1].start();
        pair[0].join();
        pair[1].join();
        stop = true;
        crew.join();
        int soon = 0;
        for (int i = ROUNDS / 4; i < ROUNDS; i++) {
            soon += between[i] <= 4 ? 1 : 0;
        }
        int most = ROUNDS * 3 / 4;
        long least = own.stream().mapToLong(c -> c[0]).min().getAsLong();
        System.out.printf("%d of %d ran after at most 4 turns of others; %d turns of others, at least %d each%n", soon, most, turns - first, least);
        Check.that(soon >= most * 0.6, "those who were woken waited for the others");
        Check.that(turns - first >= ROUNDS / 4, "the others were kept waiting");
    }
}
