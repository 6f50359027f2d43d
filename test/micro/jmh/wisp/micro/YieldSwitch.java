/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.micro;

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
 * Measures Thread.yield() while another thread yields as well: on one carrier an operation is two switches, there and back. Defends
 * "a yield switch between two coroutines on one carrier costs at most half of Go's Gosched".
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class YieldSwitch {
    private Partner partner;

    @Setup(Level.Iteration)
    public void start() {
        partner = new Partner() {
            @Override
            void step() {
                Thread.yield();
            }
        }.start();
    }

    @TearDown(Level.Iteration)
    public void stop() throws InterruptedException {
        partner.stop();
    }

    @Benchmark
    public void thereAndBack() {
        Thread.yield();
    }
}
