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
 * Measures how a monitor passes between two threads. handOff: the owner yields while it holds the monitor, so the other side queues for
 * it and is woken by the exit: what a contended synchronized block costs. waitNotify: one round trip of wait and notify. Defends the
 * monitor row of the tables in doc/performance.md.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MonitorHandOff {
    private final Object lock = new Object();

    @State(Scope.Benchmark)
    public static class Contender {
        private Partner partner;
        private long entered;

        @Setup(Level.Iteration)
        public void start(MonitorHandOff shared) {
            partner = new Partner() {
                @Override
                void step() {
                    synchronized (shared.lock) {
                        entered++;
                        Thread.yield();
                    }
                }
            }.start();
        }

        @TearDown(Level.Iteration)
        public void stop() throws InterruptedException {
            partner.stop();
        }
    }

    @State(Scope.Benchmark)
    public static class Waiter {
        private boolean asked;
        private Partner partner;

        @Setup(Level.Iteration)
        public void start(MonitorHandOff shared) {
            asked = false;
            partner = new Partner() {
                @Override
                void step() throws InterruptedException {
                    synchronized (shared.lock) {
                        while (!asked) {
                            shared.lock.wait();
                        }
                        asked = false;
                        shared.lock.notifyAll();
                    }
                }
            }.start();
        }

        @TearDown(Level.Iteration)
        public void stop() throws InterruptedException {
            partner.stop();
        }
    }

    @Benchmark
    public long handOff(Contender contender) {
        synchronized (lock) {
            Thread.yield();
            return contender.entered;
        }
    }

    @Benchmark
    public void waitNotify(Waiter waiter) throws InterruptedException {
        synchronized (lock) {
            waiter.asked = true;
            lock.notifyAll();
            while (waiter.asked) {
                lock.wait();
            }
        }
    }
}
