/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A coroutine's thread structure serves one thread after another. Each has lived hard: interrupted, with waits that were
 *          counted, memory and CPU time that were used, a stack that overflowed, an exception that nobody caught, a permit that
 *          nobody took, monitors that were inflated. The next one knows nothing of it, and its identity hashes are its own.
 *          Catches: state of an ended thread that its successor finds.
 * @library /test/lib
 * @modules jdk.management
 * @run main NextLife
 */

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;

public class NextLife {
    static final int LIVES = 3_000;
    static final ThreadMXBean MX = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    static final Set<Integer> HASHES = ConcurrentHashMap.newKeySet();
    static final AtomicInteger HASHED = new AtomicInteger();
    static final Object LOCK = new Object();
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        MX.setThreadContentionMonitoringEnabled(true);
        MX.setThreadAllocatedMemoryEnabled(true);
        MX.setThreadCpuTimeEnabled(true);
        AtomicInteger uncaught = new AtomicInteger();
        Thread[] before = new Thread[2];
        for (int i = 0; i < LIVES; i++) {
            Throwable[] failure = new Throwable[1];
            int life = i;
            Thread t = new Thread(() -> {
                try {
                    fresh(before[life % 2]);
                } catch (Throwable e) {
                    failure[0] = e;
                }
                live(life);
            });
            t.setUncaughtExceptionHandler((thread, e) -> uncaught.incrementAndGet());
            t.start();
            t.join();
            if (failure[0] != null) {
                throw new AssertionError("life " + i, failure[0]);
            }
            before[i % 2] = t;
            if (i % 500 == 0) {
                System.gc();
            }
        }
        Check.equal(LIVES / 8, uncaught.get(), "uncaught exceptions");
        // Of 3,000 random numbers of 31 bits hardly any two are equal.
        Check.that(HASHED.get() - HASHES.size() < 10, "threads with the same first identity hash: " + (HASHED.get() - HASHES.size()));
    }

    static void fresh(Thread before) throws Exception {
        Thread self = Thread.currentThread();
        Check.that(!self.isInterrupted(), "interrupted");
        ThreadInfo info = MX.getThreadInfo(self.getId());
        Check.equal(0L, info.getWaitedCount(), "waits");
        Check.equal(0L, info.getBlockedCount(), "blocks");
        Check.that(info.getWaitedTime() < 5_000, "time of waits: " + info.getWaitedTime());
        Check.that(MX.getThreadAllocatedBytes(self.getId()) < 4_000_000, "allocated: " + MX.getThreadAllocatedBytes(self.getId()));
        // Only a time that has been passed on is so long.
        Check.that(MX.getCurrentThreadCpuTime() < 2_000_000_000L, "CPU time: " + MX.getCurrentThreadCpuTime());
        Check.equal(self.getName(), info.getThreadName(), "name");
        Check.that(MX.getThreadInfo(before == null ? Long.MAX_VALUE : before.getId()) == null, "the thread before is gone");
        HASHED.incrementAndGet();
        HASHES.add(System.identityHashCode(new Object()));
    }

    static void live(int life) {
        Thread self = Thread.currentThread();
        switch (life % 8) {
            case 0:
                self.interrupt();
                break;
            case 1:
                synchronized (self) {
                    try {
                        self.wait(1);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                break;
            case 2:
                for (int i = 0; i < 8; i++) {
                    sink = new byte[1_000_000];
                }
                break;
            case 3:
                Check.throwing(StackOverflowError.class, "endless recursion", () -> recurse(0));
                break;
            case 4:
                throw new IllegalStateException("nobody catches it");
            case 5:
                LockSupport.unpark(self);
                break;
            case 6:
                Thread other = new Thread(() -> { synchronized (LOCK) { sink = LOCK; } });
                synchronized (LOCK) {
                    other.start();
                    Thread.yield();
                }
                LockSupport.parkNanos(1);
                break;
            default:
                for (int i = 0; i < 1_000; i++) {
                    sink = Thread.currentThread().getStackTrace();
                }
        }
    }

    static int recurse(int n) {
        return recurse(n + 1) + 1;
    }
}
