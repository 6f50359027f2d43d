/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.micro;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/*
 * Measures one round trip over two LinkedBlockingQueues. Defends "PingPong at least 20 times faster than with the flag off, 3 times when
 * pinned to one CPU".
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class QueuePingPong {
    private static final Integer TOKEN = 1;
    private BlockingQueue<Integer> there, back;
    private Partner partner;

    @Setup(Level.Iteration)
    public void start() {
        there = new LinkedBlockingQueue<>();
        back = new LinkedBlockingQueue<>();
        partner = new Partner() {
            @Override
            void step() throws InterruptedException {
                back.put(there.take());
            }
        }.start();
    }

    @TearDown(Level.Iteration)
    public void stop() throws InterruptedException {
        partner.stop();
    }

    @Benchmark
    public Integer roundTrip() throws InterruptedException {
        there.put(TOKEN);
        return back.take();
    }
}
