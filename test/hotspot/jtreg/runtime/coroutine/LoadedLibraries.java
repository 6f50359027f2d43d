/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What native code leaves in the kernel thread stays with the thread that has called it. A library that changes how floating point numbers
 *          are rounded as it is loaded, as one that was linked with -ffast-math does; a method that does the same. One that keeps the JNIEnv of its
 *          first call in a thread-local variable. Catches: numbers of other threads that become zero, or are rounded differently; JNI functions
 *          that work on another thread, which may have ended (crash), or end the VM where they are checked.
 * @library /test/lib
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=1 LoadedLibraries
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=3 LoadedLibraries
 * @run main/othervm/native -Xcheck:jni -Dcom.alibaba.wisp.carrierEngines=1 LoadedLibraries environments
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class LoadedLibraries {
    static native void roundToZero(boolean on);
    static native boolean roundsToZero();

    /** By the JNIEnv that the kernel thread has kept: a new string, or null with a pending exception. */
    static native String newString(String bytes, boolean fails);

    static final int THREADS = 30, ROUNDS = 50;

    static volatile double least = Double.MIN_NORMAL, one = 1, three = 3;

    static void checkNumbers(String when) {
        Check.that(least / 2 > 0, "a subnormal number " + when);
        Check.equal(0x3FD5555555555555L, Double.doubleToLongBits(one / three), "a third " + when);
        Check.equal(0xBFD5555555555555L, Double.doubleToLongBits(-one / three), "minus a third " + when);
        Check.equal(0x3FE5555555555555L, Double.doubleToLongBits((one + one) / three), "two thirds " + when);
        Check.that(0.1 * three != 0.3, "rounding " + when);
    }

    /** With -Xcheck:jni the VM itself undoes what native code has changed of the rounding. */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            rounding();
        } else {
            System.loadLibrary("LoadedLibraries");
        }
        keptEnvironments();
    }

    static void rounding() throws Exception {
        CountDownLatch parked = new CountDownLatch(THREADS), loaded = new CountDownLatch(1), changed = new CountDownLatch(1);
        Crew others = new Crew();
        for (int i = 0; i < THREADS; i++) {
            others.start("other-" + i, () -> {
                checkNumbers("before");
                parked.countDown();
                loaded.await();
                for (int j = 0; j < ROUNDS; j++) {
                    checkNumbers("after a library was loaded");
                    LockSupport.parkNanos(10_000);
                }
                changed.await();
                for (int j = 0; j < ROUNDS; j++) {
                    checkNumbers("while another thread rounds differently");
                    LockSupport.parkNanos(10_000);
                }
            });
        }
        parked.await();
        Crew crew = new Crew();
        crew.start("loads", () -> {
            System.loadLibrary("LoadedLibraries");
            loaded.countDown();
            LockSupport.parkNanos(1_000_000);
        });
        crew.join();
        crew.start("rounds", () -> {
            roundToZero(true);
            changed.countDown();
            for (int i = 0; i < ROUNDS; i++) {
                Thread.yield();
                LockSupport.parkNanos(10_000);
                Check.that(roundsToZero(), "what a thread has set is lost");
            }
            roundToZero(false);
        });
        crew.join();
        others.join();
    }

    /** In turns, as each ends others begin, whose threads may have the memory of those. */
    static void keptEnvironments() throws Exception {
        for (int round = 0; round < 5; round++) {
            Crew crew = new Crew();
            for (int i = 0; i < THREADS; i++) {
                String name = "round " + round + " thread " + i;
                crew.start(name, () -> {
                    for (int j = 0; j < ROUNDS; j++) {
                        Check.equal(name + j, newString(name + j, false), "a string");
                        LockSupport.parkNanos(10_000);
                        if (j % 8 == 0) {
                            Check.throwing(IllegalStateException.class, "a native method", () -> newString(name, true));
                        }
                    }
                });
            }
            crew.join();
        }
    }
}
