/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Start and join in a tight loop, from one thread and from many, and with monitors whose waiters sleep with a timeout
 *          of their own: the thread that ends wakes a thread which may still be on its way to sleep. Catches: a thread that is
 *          made runnable while it still runs (it would run twice: a crash, or a counter that is too high), and a join that misses
 *          the end (hang).
 * @library /test/lib
 * @run main StartJoin
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;

public class StartJoin {
    public static void main(String[] args) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 3_000; i++) {
            Thread t = new Thread(runs::incrementAndGet);
            t.start();
            t.join();
            Check.equal(i + 1, runs.get(), "runs after " + (i + 1) + " threads");
        }

        runs.set(0);
        Crew crew = new Crew();
        for (int p = 0; p < 8; p++) {
            crew.start("parent-" + p, () -> {
                for (int i = 0; i < 300; i++) {
                    Thread t = new Thread(runs::incrementAndGet);
                    t.start();
                    if (i % 2 == 0) {
                        t.join();
                    } else {
                        while (t.isAlive()) {
                            t.join(1);
                        }
                    }
                }
            });
        }
        crew.join();
        Check.equal(2_400, runs.get(), "runs of children");

        // Short holds of one monitor by threads that come and go: a waiter sleeps with a timeout and is woken at the same time.
        Object lock = new Object();
        int[] count = new int[1];
        for (int r = 0; r < 15; r++) {
            CountDownLatch together = new CountDownLatch(1);
            for (int i = 0; i < 60; i++) {
                crew.start("short-" + i, () -> {
                    together.await();
                    for (int j = 0; j < 20; j++) {
                        synchronized (lock) {
                            count[0]++;
                            if (j % 5 == 0) {
                                lock.wait(0, 1);
                            }
                        }
                    }
                });
            }
            together.countDown();
            crew.join();
        }
        Check.equal(15 * 60 * 20, count[0], "entries");
    }
}
