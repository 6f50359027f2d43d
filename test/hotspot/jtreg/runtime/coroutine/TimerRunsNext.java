/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A sleeper whose time has come does not wait for a turn of every thread that computes a little, and neither do two that
 *          wake each other keep it from its place
 * @library /test/lib
 * @build wisptest.Check
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 TimerRunsNext
 */

import java.util.Arrays;
import java.util.concurrent.SynchronousQueue;

import wisptest.Check;

public class TimerRunsNext {
    static final int COMPUTING = 40, ROUNDS = 15;
    static final long TURN = 2_000_000;                      // nanoseconds, less than a time slice

    static volatile boolean done;
    static volatile long turns;                              // all threads are on one carrier
    static volatile long[] startedAt = new long[1 << 20];    // of a turn

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < COMPUTING; i++) {
            Thread t = new Thread(() -> {
                while (!done) {
                    long start = System.nanoTime();
                    int n = (int) turns;
                    startedAt[n] = start;
                    turns = n + 1;
                    while (System.nanoTime() - start < TURN) { }
                    Thread.yield();
                }
            });
            t.setDaemon(true);
            t.start();
        }
        SynchronousQueue<Integer> queue = new SynchronousQueue<>();
        for (int i = 0; i < 2; i++) {
            boolean puts = i == 0;
            Thread t = new Thread(() -> {
                try {
                    while (true) {
                        if (puts) {
                            queue.put(1);
                        } else {
                            queue.take();
                        }
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            t.setDaemon(true);
            t.start();
        }
        long[] waited = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long due = System.nanoTime() + 5_000_000;
            Thread.sleep(5);
            int now = (int) turns;
            int n = now;
            while (n > 0 && startedAt[n - 1] > due) {
                n--;
            }
            waited[i] = now - n;
        }
        done = true;
        Arrays.sort(waited);
        System.out.println("turns of " + COMPUTING + " threads between the time and the sleeper: " + Arrays.toString(waited));
        Check.that(waited[ROUNDS / 2] < COMPUTING / 2, "a sleeper waits for " + waited[ROUNDS / 2] + " turns of others");
    }
}
