/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.micro;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/*
 * Measures 1,000 and 10,000 threads that exist at the same time. lap: a token goes once round a ring in which everybody parks until it
 * comes; crowd: everybody is woken at once and parks again. Defends what doc/performance.md says a switch costs among so many coroutines.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Crowd {
    @Param({"1000", "10000"})
    private int threads;

    private Member[] members;
    private volatile boolean over;
    private volatile Thread asker;
    private volatile boolean lapDone;
    private volatile CountDownLatch gate;

    private final class Member extends Thread {
        private volatile int message;       // 0: nothing, 1: pass it on, 2: count down
        private Member next;

        @Override
        public void run() {
            while (!over) {
                int m = message;
                if (m == 0) {
                    LockSupport.park(this);
                    continue;
                }
                message = 0;
                if (m == 2) {
                    gate.countDown();
                } else if (next == null) {
                    lapDone = true;
                    LockSupport.unpark(asker);
                } else {
                    next.tell(1);
                }
            }
        }

        void tell(int m) {
            message = m;
            LockSupport.unpark(this);
        }
    }

    @Setup(Level.Trial)
    public void start() {
        members = new Member[threads];
        for (int i = threads - 1; i >= 0; i--) {
            members[i] = new Member();
            members[i].next = i + 1 < threads ? members[i + 1] : null;
            members[i].setDaemon(true);
            members[i].start();
        }
    }

    @TearDown(Level.Trial)
    public void stop() throws InterruptedException {
        over = true;
        for (Member m : members) {
            LockSupport.unpark(m);
        }
        for (Member m : members) {
            m.join();
        }
    }

    @Benchmark
    public void lap() {
        asker = Thread.currentThread();
        lapDone = false;
        members[0].tell(1);
        while (!lapDone) {
            LockSupport.park(this);
        }
    }

    @Benchmark
    public void crowd() throws InterruptedException {
        gate = new CountDownLatch(threads);
        for (Member m : members) {
            m.tell(2);
        }
        gate.await();
    }
}
