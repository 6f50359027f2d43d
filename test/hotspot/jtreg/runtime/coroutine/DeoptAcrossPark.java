/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Compiled frames that become invalid while their thread is parked below them: a class that is loaded meanwhile breaks
 *          an assumption under which they were compiled, a branch is taken that never was, an exception passes through. Every
 *          kind of local must have its value afterwards, in all the frames. Catches: a parked stack that deoptimization does not
 *          walk or patch (the old code would call the wrong method), values lost when a frame is rebuilt on a thread that was
 *          moved.
 * @library /test/lib
 * @run main DeoptAcrossPark
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class DeoptAcrossPark {
    static class Base {
        int kind() {
            return 1;
        }
    }

    /** Not loaded before the threads are parked. */
    static class Late1 extends Base {
        @Override
        int kind() {
            return 2;
        }
    }

    static volatile boolean block;
    static volatile CountDownLatch gate;
    static volatile Base current = new Base();
    static final AtomicInteger parked = new AtomicInteger();

    static void pause() {
        if (block) {
            parked.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        } else {
            LockSupport.parkNanos(1);           // warm-up; returns at once
        }
    }

    static double work(int depth, int i, long l, float f, double d, Object o) {
        Base b = current;
        int before = b.kind();                  // inlined while Base has no subclass
        double below = depth > 0 ? work(depth - 1, i + 1, l * 3, f + 0.5f, d * 2, o) : end();
        b = current;
        int after = b.kind();
        if (after != before) {
            rare++;
        }
        return below + i + l + f + d + o.hashCode() % 7 + after;
    }

    static volatile int rare;

    static double end() {
        pause();
        return 0;
    }

    /** The same sum without a park and without a virtual call. */
    static double expected(int depth, int i, long l, float f, double d, Object o, int kind) {
        return depth < 0 ? 0 : expected(depth - 1, i + 1, l * 3, f + 0.5f, d * 2, o, kind) + i + l + f + d + o.hashCode() % 7 + kind;
    }

    public static void main(String[] args) throws Exception {
        classLoading();
        exceptions();
    }

    static void classLoading() throws Exception {
        Object o = new Object();
        for (int i = 0; i < 12_000; i++) {
            Check.equal(expected(5, i, i, i, i, o, 1), work(5, i, i, i, i, o), "warm-up");
        }
        gate = new CountDownLatch(1);
        block = true;
        int n = 60;
        Crew crew = new Crew();
        for (int t = 0; t < n; t++) {
            int k = t;
            crew.start("deopt-" + t, () -> {
                double got = work(5, k, k * 1000L, k, k, o);
                Check.equal(expected(5, k, k * 1000L, k, k, o, 2), got, "result of thread " + k);
            });
        }
        Check.await(() -> parked.get() == n);
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        current = (Base) Class.forName("DeoptAcrossPark$Late1").getDeclaredConstructor().newInstance();
        System.gc();
        block = false;
        gate.countDown();
        crew.join();
        Check.that(rare > 0, "the branch that was never taken");
    }

    static int thrown(int depth, boolean fail) {
        int local = depth * 31;
        Object lock = new Object();
        try {
            synchronized (lock) {
                if (depth == 0) {
                    LockSupport.parkNanos(fail ? 200_000 : 1);
                    Thread.yield();
                    if (fail) {
                        throw new IllegalStateException("depth 0");
                    }
                    return 0;
                }
                return thrown(depth - 1, fail) + 1;
            }
        } catch (IllegalStateException e) {
            Check.that(!Thread.holdsLock(lock), "the exception left the monitor");
            Check.equal(depth * 31, local, "a local in a handler");
            if (depth < 6) {
                throw e;
            }
            return -1;
        } finally {
            Check.equal(depth * 31, local, "a local in a finally block");
        }
    }

    /** Exceptions thrown after a park, through compiled frames that were never left that way. */
    static void exceptions() throws Exception {
        Crew crew = new Crew();
        for (int t = 0; t < 30; t++) {
            crew.start("thrower-" + t, () -> {
                for (int i = 0; i < 400; i++) {
                    Check.equal(6, thrown(6, false), "normal return");
                }
                for (int i = 0; i < 50; i++) {
                    Check.equal(-1, thrown(6, true), "return through the handler");
                }
            });
        }
        crew.join();
    }
}
