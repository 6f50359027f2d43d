/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Ten thousand threads start and end, in one burst, in waves, and as a tree in which threads start threads; then the
 *          process has no more kernel threads than before. Catches: a start or an end that is lost, stacks or kernel threads
 *          that are not given back, a limit on threads that exist at the same time.
 * @library /test/lib
 * @run main/timeout=240 StartStorm
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class StartStorm {
    static final AtomicInteger ran = new AtomicInteger();

    public static void main(String[] args) throws Exception {
        burst();
        waves();
        tree();
        allAtOnce();
        if (Vm.wispOn()) {
            int now = Vm.kernelThreads();
            Check.that(now < Vm.kernelThreadLimit(), "kernel threads at the end: " + now);
        }
    }

    static void burst() throws Exception {
        ran.set(0);
        Thread[] threads = new Thread[10_000];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(ran::incrementAndGet);
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        Check.equal(threads.length, ran.get(), "threads that ran");
    }

    static void waves() throws Exception {
        ran.set(0);
        Crew crew = new Crew();
        for (int w = 0; w < 10; w++) {
            CountDownLatch together = new CountDownLatch(200);
            for (int i = 0; i < 200; i++) {
                crew.start("wave", () -> {
                    together.countDown();
                    together.await();
                    ran.incrementAndGet();
                });
            }
            crew.join();
        }
        Check.equal(2000, ran.get(), "threads that ran");
    }

    static void tree() throws Exception {
        ran.set(0);
        Thread root = new Thread(() -> grow(10));
        root.start();
        root.join();
        Check.equal(2047, ran.get(), "threads that ran");
    }

    static void grow(int n) {
        if (n > 0) {
            Thread[] children = new Thread[2];
            for (int i = 0; i < 2; i++) {
                children[i] = new Thread(() -> grow(n - 1));
                children[i].start();
            }
            for (Thread t : children) {
                try {
                    t.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
        ran.incrementAndGet();
    }

    /** All of them exist and are blocked at the same time. */
    static void allAtOnce() throws Exception {
        int n = Vm.wispOn() ? 10_000 : 1_000;
        CountDownLatch arrived = new CountDownLatch(n);
        CountDownLatch go = new CountDownLatch(1);
        Crew crew = new Crew();
        for (int i = 0; i < n; i++) {
            crew.start("one of many", () -> {
                arrived.countDown();
                go.await();
            });
        }
        arrived.await();
        int now = Vm.kernelThreads();
        go.countDown();
        if (Vm.wispOn()) {
            Check.that(now < Vm.kernelThreadLimit(), "kernel threads with " + n + " threads: " + now);
        }
        crew.join();
    }
}
