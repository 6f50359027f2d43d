/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that parks a few calls deep has one page of its stack in memory. Compiled methods and native ones look for the
 *          guard zones 80 KB below their frame: they must not write there, which takes a page that nobody uses from the memory of
 *          each thread. Catches: two pages for each (interpreted code never touches the second one).
 * @library /test/lib
 * @requires os.family == "linux"
 * @run main/othervm StackPages
 */

import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Vm;

public class StackPages {
    static final int THREADS = 4_000, FEW = 300, WARM_UPS = 10;

    static Thread[] start(int n, CountDownLatch end) {
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = new Thread(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            threads[i].start();
        }
        return threads;
    }

    static void end(Thread[] threads, CountDownLatch end) throws InterruptedException {
        end.countDown();
        for (Thread t : threads) {
            t.join();
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            System.out.println("Not with kernel threads, whose stacks are the C library's.");
            return;
        }
        // Until what they call is compiled. A thread that ends needs more of its stack, so most that are looked at get new ones.
        for (int i = 0; i < WARM_UPS; i++) {
            CountDownLatch end = new CountDownLatch(1);
            end(start(FEW, end), end);
        }
        CountDownLatch end = new CountDownLatch(1);
        Thread[] threads = start(THREADS, end);
        for (Thread t : threads) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        long each = Vm.stackKB() * 1024 / THREADS;
        end(threads, end);
        System.out.println(each + " bytes of stack for each thread");
        Check.that(each >= 4096, "only " + each + " bytes for each: these are not the stacks");
        // The checks of a debug build need a second page before the thread waits.
        int pages = System.getProperty("jdk.debug").equals("release") ? 1 : 2;
        Check.that(each < 4096 * pages + 2048, each + " bytes of stack for each thread that waits");
    }
}
