/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Native code that leaves something with the kernel thread from one call to the next, listed in nativeAffinity: a
 *          thread-local variable and a mutex that knows its owner, kept over waits in Java; destructors of thread-local variables
 *          when the thread ends; functions made at run time; all kinds of arguments in the first call, interpreted and
 *          compiled; critical natives. Catches: a caller that comes back on another kernel thread, or another thread on its kernel thread; a
 *          carrier that goes on after a bound thread has ended; arguments that are lost on the way.
 * @library /test/lib
 * @run main/othervm/native -Dcom.alibaba.wisp.nativeAffinity=NativeAffinity$Bound.*;generated NativeAffinity
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NativeAffinity {
    /** The listed ones. */
    static class Bound {
        static native void set(int value);
        static native void setCritically(int value);
        static native int lock();
        static native int unlock();
        static native double many(int a, long b, float c, double d, int e, long f, float g, double h, Object i, byte j,
                                  double k, double l, double m, double n, double o, short p);
    }

    /** Not listed, but its function is made at run time. */
    static class Generated {
        static native int link();
        static native void set(int value);
    }

    /** Not listed. */
    static class Free {
        static native int get();
        static native int kernelThread();
        static native int ended();
    }

    static final int THREADS = Math.min(Vm.carriers(), 16) * 2 + 6;

    public static void main(String[] args) throws Exception {
        System.loadLibrary("NativeAffinity");
        Check.equal(0, Generated.link(), "link a generated function");
        leftBehind(Bound::set);
        leftBehind(Generated::set);
        for (int i = 0; i < 20_000; i++) {
            Bound.setCritically(i);    // until it is compiled
        }
        leftBehind(Bound::setCritically);
        starts();
        mutex();
        arguments();
        ends();
    }

    /** What each thread has left with its kernel thread is there when all others have done so, too, and it has waited. */
    static void leftBehind(IntConsumer set) throws Exception {
        Crew crew = new Crew();
        CyclicBarrier all = new CyclicBarrier(THREADS);
        for (int i = 0; i < THREADS; i++) {
            int k = i + 1;
            crew.start("leaves-" + i, () -> {
                LockSupport.parkNanos(1);
                set.accept(k);
                int kernelThread = Free.kernelThread();
                for (int round = 0; round < 20; round++) {
                    all.await();
                    Check.equal(k, Free.get(), "what was left before a wait");
                    Thread.yield();
                    synchronized (all) {
                        all.wait(0, 1);
                    }
                    Thread.sleep(1);
                    Check.equal(kernelThread, Free.kernelThread(), "kernel thread");
                }
            });
        }
        crew.join();
    }

    /** A bound thread has no queue for those whom it starts and wakes. */
    static void starts() throws Exception {
        Crew crew = new Crew();
        crew.start("is bound and starts", () -> {
            Bound.set(1);
            for (int i = 0; i < 3 * THREADS; i++) {
                CountDownLatch begun = new CountDownLatch(1);
                Thread t = new Thread(() -> {
                    begun.countDown();
                    LockSupport.park(begun);
                });
                t.start();
                while (begun.getCount() > 0) {
                    Thread.yield();
                }
                while (t.isAlive()) {
                    LockSupport.unpark(t);
                    Thread.yield();
                }
                t.join();
            }
        });
        crew.join();
    }

    static int guarded;

    /** Holders wait in Java; who wants the mutex blocks in native code, in more threads than there are carriers. */
    static void mutex() throws Exception {
        Crew crew = new Crew();
        int rounds = 20;
        for (int i = 0; i < THREADS; i++) {
            crew.start("locks-" + i, () -> {
                for (int round = 0; round < rounds; round++) {
                    Check.equal(0, Bound.lock(), "lock");
                    int before = guarded;
                    Thread.sleep(0, 1000);
                    Thread.yield();
                    guarded = before + 1;
                    Check.equal(0, Bound.unlock(), "unlock by the kernel thread that has locked");
                }
            });
        }
        crew.join();
        Check.equal(THREADS * rounds, guarded, "what the mutex guards");
    }

    static void many(int base) {
        double sum = Bound.many(base, 2L << 40, 3.5f, 4.25, -5, -6L << 40, 7.5f, 8.25, "nine", (byte) -10, 11.5, 12.5, 13.5, 14.5,
                                15.5, (short) -16);
        Check.equal(base + (2L << 40) * 2.0 + 3.5 * 3 + 4.25 * 4 - 5 * 5 - (6L << 40) * 6.0 + 7.5 * 7 + 8.25 * 8 + 9 * 4 - 10 * 10
                    + 11.5 * 11 + 12.5 * 12 + 13.5 * 13 + 14.5 * 14 + 15.5 * 15 - 16 * 16, sum, "all arguments");
    }

    /** The first call of a thread goes another way than the next ones. */
    static void arguments() throws Exception {
        for (int i = 0; i < 30; i++) {
            int k = i;
            Crew crew = new Crew();
            crew.start("first-" + i, () -> {
                many(k);
                for (int j = 0; j < (k < 10 ? 3000 : 10); j++) {
                    many(j);
                }
            });
            crew.join();
        }
    }

    /** The kernel thread of a bound thread ends with it. */
    static void ends() throws Exception {
        int before = Free.ended();
        CountDownLatch go = new CountDownLatch(1);
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            boolean waits = i % 2 == 0;
            crew.start("ends-" + i, () -> {
                Bound.set(1);
                if (waits) {
                    go.await();        // with its kernel thread
                }
            });
        }
        AtomicInteger others = new AtomicInteger();
        for (int i = 0; i < THREADS; i++) {
            crew.start("is not bound-" + i, () -> {
                LockSupport.parkNanos(1000);
                others.incrementAndGet();
            });
        }
        go.countDown();
        crew.join();
        Check.equal(THREADS, others.get(), "threads beside them");
        Check.await(() -> Free.ended() - before >= THREADS);   // destructors
    }
}
