/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Main returns, as that of most servers does, and other threads go on: DestroyJavaVM waits for these. Stacks of threads that have ended
 *          are given back all the same when nobody has needed them for some seconds. Catches: the reaper only waits for the last end then.
 * @library /test/lib
 * @requires os.family == "linux"
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm MainReturned
 */

import java.util.concurrent.CountDownLatch;

import wisptest.Check;
import wisptest.Vm;

public class MainReturned {
    static final int THREADS = 1_000, DEPTH = 300, GUARD = 120;

    static int deep(int n) {
        return n == 0 ? 0 : deep(n - 1) + 1;
    }

    static void server(Thread main) {
        try {
            main.join();
            CountDownLatch all = new CountDownLatch(THREADS), end = new CountDownLatch(1);
            Thread[] threads = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                threads[i] = new Thread(() -> {
                    deep(DEPTH);
                    all.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
                threads[i].start();
            }
            all.await();
            long most = Vm.stackKB();
            end.countDown();
            for (Thread t : threads) {
                t.join();
            }
            if (Vm.wispOn()) {
                Check.that(most > 4 * THREADS, "only " + most + " KB in stacks of " + THREADS + " threads");
                long kb = most;
                for (int second = 0; kb > most / 4; second++) {
                    Check.that(second < GUARD, kb + " KB in stacks " + second + " s after their threads have ended, and " + most + " before");
                    Thread.sleep(1000);
                    kb = Vm.stackKB();
                }
                System.out.println("KB in stacks: " + most + ", then " + kb);
            }
            System.out.println("given back");
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Vm.java("MainReturned", "child").exited(0).has("given back");
            return;
        }
        Thread main = Thread.currentThread();
        new Thread(() -> server(main)).start();
    }
}
