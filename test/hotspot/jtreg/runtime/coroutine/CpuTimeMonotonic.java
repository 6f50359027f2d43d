/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The CPU time of another thread never goes back, however often the thread parks while it is read. Catches: an
 *          estimate for a coroutine that is mounted which is more than what is counted when it leaves a moment later, or
 *          that has its time since the mount twice.
 * @run main/othervm CpuTimeMonotonic
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

public class CpuTimeMonotonic {
    static final int PARKS = 30_000;
    static final int PARK_NANOS = 20_000;

    public static void main(String[] args) throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        Thread parks = new Thread(() -> {
            for (int i = 0; i < PARKS; i++) {
                LockSupport.parkNanos(PARK_NANOS);
            }
        });
        parks.start();
        long last = 0, reads = 0, back = 0, worst = 0;
        for (long now; (now = bean.getThreadCpuTime(parks.getId())) >= 0; reads++) {   // -1: it has ended
            if (now < last) {
                back++;
                worst = Math.max(worst, last - now);
            }
            last = now;
        }
        parks.join();
        System.out.println(reads + " reads, " + back + " of them less than the one before, by at most " + worst + " ns");
        if (back > 0) {
            throw new RuntimeException("the CPU time of a thread went back " + back + " times, by at most " + worst + " ns");
        }
    }
}
