/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thousands of threads have been started and have not run yet. Who has, and is in the middle of something for which all of
 *          them will wait, comes to its end before most of them begin; and they begin all the same beside those who yield to each other
 *          for as long as they have not.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm GlobalQueueOrder
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import wisptest.Check;
import wisptest.Vm;

public class GlobalQueueOrder {
    static final int THREADS = 10_000, STEPS = 100, BEGUN = 48, YIELDERS = 64;
    static final AtomicInteger ran = new AtomicInteger();
    static volatile boolean started;
    static volatile int sink;

    static void beginsLater() {
        long end = System.nanoTime() + 200_000;
        while (System.nanoTime() < end) {
            sink++;
        }
        ran.incrementAndGet();
    }

    static List<Thread> startAll() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(GlobalQueueOrder::beginsLater));
        }
        for (Thread t : threads) {
            t.start();
        }
        return threads;
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-XX:+UnlockDiagnosticVMOptions", "-XX:WispRunQueueCapacity=4", "GlobalQueueOrder", "begun").exited(0).has("done");
            Vm.java("-XX:+UnlockDiagnosticVMOptions", "-XX:WispRunQueueCapacity=4", "GlobalQueueOrder", "new").exited(0).has("done");
            return;
        }
        if (args[0].equals("begun")) {
            CountDownLatch running = new CountDownLatch(BEGUN);
            int[] seen = new int[2 * BEGUN];
            List<Thread> begun = new ArrayList<>();
            for (int i = 0; i < BEGUN; i++) {
                int at = 2 * i;
                Thread t = new Thread(() -> {
                    running.countDown();
                    while (!started) {
                        LockSupport.parkNanos(100_000);
                    }
                    seen[at] = ran.get();
                    for (int k = 0; k < STEPS; k++) {
                        Thread.yield();
                    }
                    seen[at + 1] = ran.get();
                });
                begun.add(t);
                t.start();
            }
            running.await();
            List<Thread> threads = startAll();
            started = true;
            for (Thread t : begun) {
                t.join();
            }
            for (Thread t : threads) {
                t.join();
            }
            int late = 0;
            for (int i = 0; i < seen.length; i += 2) {
                System.out.println(seen[i] + " had run when all were started, " + seen[i + 1] + " after " + STEPS + " steps");
                // Where kernel threads start them, or carriers are many, few are left.
                int left = THREADS - seen[i];
                late += left >= THREADS / 4 && seen[i + 1] - seen[i] >= left / 2 ? 1 : 0;
            }
            // One from whom the kernel took the CPU may count as one that computes.
            Check.that(!Vm.wispOn() || late <= BEGUN / 16, late + " of " + BEGUN + " who had begun waited for most of those that had not");
        } else {
            List<Thread> yielders = new ArrayList<>();
            for (int i = 0; i < YIELDERS; i++) {
                Thread t = new Thread(() -> {
                    while (ran.get() < THREADS) {
                        Thread.yield();
                    }
                });
                yielders.add(t);
                t.start();
            }
            List<Thread> threads = startAll();
            for (Thread t : threads) {
                t.join();
            }
            for (Thread t : yielders) {
                t.join();
            }
        }
        System.out.println("done");
    }
}
