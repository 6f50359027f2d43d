/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that is woken does not wait for a whole time slice of the threads that only compute: once these have used up a
 *          slice, they get short ones while it waits. The slice is long here, so that the latency of most wake-ups tells the two
 *          apart. Catches: wake-ups that are served in turn with computing threads, which makes programs with both crawl
 *          (java/util/concurrent/locks/LockSupport/ParkLoops.java then takes more than ten minutes).
 * @library /test/lib
 * @run main/othervm -XX:WispTimeSliceMillis=1000 -Dcom.alibaba.wisp.carrierEngines=1 GreedyThreads
 */

import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class GreedyThreads {
    static final int GREEDY = 3;
    static final int WAKE_UPS = 31;

    static volatile boolean over;
    static volatile long sum;

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            return;
        }
        Crew crew = new Crew();
        for (int i = 0; i < GREEDY; i++) {
            crew.start("greedy-" + i, () -> {
                while (!over) {
                    sum++;
                }
            });
        }
        Semaphore request = new Semaphore(0);
        Semaphore answer = new Semaphore(0);
        crew.start("woken", () -> {
            while (!over) {
                request.acquire();
                answer.release();
            }
        });
        // The first ones wait until every greedy thread has used up a slice.
        long[] millis = new long[WAKE_UPS];
        for (int i = 0; i < WAKE_UPS; i++) {
            long start = System.nanoTime();
            request.release();
            answer.acquire();
            millis[i] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        }
        over = true;
        request.release();
        crew.join();
        System.out.println("milliseconds: " + Arrays.toString(millis));
        Arrays.sort(millis);
        Check.that(millis[WAKE_UPS / 2] < 500, "half of the wake-ups took less than half a slice, " + millis[WAKE_UPS / 2] + " ms");
    }
}
