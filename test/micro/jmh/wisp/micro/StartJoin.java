/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/*
 * Measures starting a thread and waiting for its end, from a thread that JMH started. Defends the start rows of the tables in
 * doc/performance.md.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StartJoin {
    @Benchmark
    public void one() throws InterruptedException {
        Thread t = new Thread(() -> { });
        t.start();
        t.join();
    }

    @Benchmark
    public void hundredAtATime() throws InterruptedException {
        Thread[] all = new Thread[100];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> { });
            all[i].start();
        }
        for (Thread t : all) {
            t.join();
        }
    }
}
