/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thousand blocked threads cost no kernel threads, whatever they are blocked in: park, sleep, a contended monitor,
 *          Object.wait, join, the initialization of a class. Catches: a blocking operation that keeps its carrier (with few
 *          carriers this test hangs), a Thread.start() that still makes a kernel thread (the count is too high). With the flag
 *          off the count must be above a thousand, which proves that the measurement works.
 * @library /test/lib
 * @run main KernelThreads
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class KernelThreads {
    static final int EACH = 170;
    static final CountDownLatch release = new CountDownLatch(1);

    static class Slow {
        static {
            awaitRelease();
        }
        static void touch() { }
    }

    static void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        int before = Vm.kernelThreads();

        Object held = new Object();
        Object waited = new Object();
        CountDownLatch holding = new CountDownLatch(1);
        Thread holder = crew.start("holder", () -> {
            synchronized (held) {
                holding.countDown();
                release.await();
            }
        });
        holding.await();
        Thread first = crew.start("first initializer", Slow::touch);
        Check.awaitFrame(first, "awaitRelease");

        boolean[] notified = new boolean[1];
        for (int i = 0; i < EACH; i++) {
            crew.start("park-" + i, () -> {
                while (release.getCount() != 0) {
                    LockSupport.park();
                }
            });
            crew.start("sleep-" + i, () -> {
                try {
                    Thread.sleep(TimeUnit.DAYS.toMillis(1));
                    throw new AssertionError("slept a day");
                } catch (InterruptedException e) {
                    // the end of the test
                }
            });
            crew.start("enter-" + i, () -> {
                synchronized (held) {
                    Check.equal(0L, release.getCount(), "latch seen inside the monitor");
                }
            });
            crew.start("wait-" + i, () -> {
                synchronized (waited) {
                    while (!notified[0]) {
                        waited.wait();
                    }
                }
            });
            crew.start("join-" + i, () -> holder.join());
            crew.start("init-" + i, Slow::touch);
        }
        for (Thread t : crew.threads()) {
            // A thread that waits for a class initializer is RUNNABLE for Java.
            if (t.getName().startsWith("init-")) {
                Check.await(() -> t.getStackTrace().length > 0);
            } else if (t != first) {
                Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);
            }
        }

        int now = Vm.kernelThreads();
        System.out.println("kernel threads: " + before + " before, " + now + " with " + crew.threads().size() + " blocked threads");
        if (Vm.wispOn()) {
            Check.that(now < Vm.kernelThreadLimit(), "too many kernel threads: " + now);
        } else {
            Check.that(now > 1000, "the count misses kernel threads: " + now);
        }

        release.countDown();
        synchronized (waited) {
            notified[0] = true;
            waited.notifyAll();
        }
        for (Thread t : crew.threads()) {
            if (t.getName().startsWith("park-")) {
                LockSupport.unpark(t);
            } else if (t.getName().startsWith("sleep-")) {
                t.interrupt();
            }
        }
        crew.join();
    }
}
