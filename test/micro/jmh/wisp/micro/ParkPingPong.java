/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.micro;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * Measures one round trip of park and unpark between two threads: two unparks, two parks. Defends the park row of the tables in
 * doc/performance.md, and under PingPong what the queues are built on.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ParkPingPong {
    private volatile Thread asker;
    private volatile boolean asked;
    private Partner partner;

    @Setup(Level.Iteration)
    public void start() {
        asked = false;
        partner = new Partner() {
            @Override
            void step() {
                while (!asked) {
                    if (over) {
                        return;
                    }
                    LockSupport.park(this);
                }
                asked = false;
                LockSupport.unpark(asker);
            }
        }.start();
    }

    @TearDown(Level.Iteration)
    public void stop() throws InterruptedException {
        partner.stop();
    }

    @Benchmark
    public void roundTrip() {
        if (asker != Thread.currentThread()) {
            asker = Thread.currentThread();
        }
        asked = true;
        LockSupport.unpark(partner.thread);
        while (asked) {
            LockSupport.park(this);
        }
    }
}
