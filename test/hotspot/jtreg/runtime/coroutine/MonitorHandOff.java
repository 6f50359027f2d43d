/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Monitors under fast hand-off: many pairs pass a monitor to each other with as little between exit and enter as
 *          possible, while others keep entering and leaving it, so that an owner often leaves just while the next one goes to
 *          sleep. Catches the stranded waiter: a thread that went to sleep after the owner looked, with nobody left to wake it
 *          (this test hangs), and a wake-up of a thread whose switch is not complete yet (a crash).
 * @library /test/lib
 * @run main/timeout=240 MonitorHandOff
 */

import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;

public class MonitorHandOff {
    public static void main(String[] args) throws Exception {
        lastOneOut(100_000);
        pairs(16, 40_000);
        freshMonitors(50_000);
    }

    /** Two threads and one monitor, nobody else: a lost wake-up has no later exit that repairs it. */
    static void lastOneOut(int rounds) throws Exception {
        Object lock = new Object();
        int[] count = new int[1];
        for (int r = 0; r < 10; r++) {
            Crew crew = new Crew();
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < 2; i++) {
                crew.start("two-" + i, () -> {
                    go.await();
                    for (int j = 0; j < rounds; j++) {
                        synchronized (lock) {
                            count[0]++;
                            if ((j & 63) == 0) {
                                Thread.yield();
                            }
                        }
                    }
                });
            }
            go.countDown();
            crew.join();
        }
        Check.equal(20 * rounds, count[0], "entries");
    }

    /** Ping-pong by notify in each pair. */
    static void pairs(int pairs, int total) throws Exception {
        Crew crew = new Crew();
        int rounds = total / pairs;
        for (int p = 0; p < pairs; p++) {
            Object lock = new Object();
            int[] turn = new int[1];
            for (int side = 0; side < 2; side++) {
                int mine = side;
                crew.start("pair-" + p + "-" + side, () -> {
                    for (int j = 0; j < rounds; j++) {
                        synchronized (lock) {
                            while ((turn[0] & 1) != mine) {
                                lock.wait();
                            }
                            turn[0]++;
                            lock.notify();
                        }
                    }
                    synchronized (lock) {
                        Check.that(turn[0] >= 2 * rounds - 1, "a pair lost a turn: " + turn[0]);
                    }
                });
            }
        }
        crew.join();
    }

    /** Each round inflates a new monitor: the first contention on an object takes another path than the later ones. */
    static void freshMonitors(int rounds) throws Exception {
        Object[] locks = new Object[rounds];
        int[] counts = new int[rounds];
        for (int i = 0; i < rounds; i++) {
            locks[i] = new Object();
        }
        int threads = 8;
        Crew crew = new Crew();
        CountDownLatch go = new CountDownLatch(1);
        for (int t = 0; t < threads; t++) {
            crew.start("fresh-" + t, () -> {
                go.await();
                for (int i = 0; i < rounds; i++) {
                    synchronized (locks[i]) {
                        counts[i]++;
                        if ((i & 15) == 0) {
                            Thread.yield();     // the others find it held
                        }
                    }
                }
            });
        }
        go.countDown();
        crew.join();
        for (int i = 0; i < rounds; i++) {
            Check.equal(threads, counts[i], "entries of monitor " + i);
        }
    }
}
