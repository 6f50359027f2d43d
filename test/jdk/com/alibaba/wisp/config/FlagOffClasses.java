/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Without the flag an interrupt, also of a thread that sleeps, and the end of a thread in a group of more than a thousand load no class
 *          of Wisp2 but the one that belongs to ThreadGroup. Catches: the first one that comes when there is no memory throws where stock does
 *          not, and a thread that ends so stays in its group for ever.
 * @library /test/lib
 * @build wisptest.Vm
 * @run main/othervm FlagOffClasses
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import wisptest.Vm;

public class FlagOffClasses {
    static final int THREADS = 1_100;

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Vm.java("-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UseWisp2", "-Xlog:class+load", "FlagOffClasses", "child")
              .exited(0).has("done").hasNot("com.alibaba").hasNot("WispPoll");
            return;
        }
        CountDownLatch begun = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread t = new Thread(null, () -> {
                begun.countDown();
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "t" + i, 128 * 1024);
            t.setDaemon(true);                           // the kernel may not have so many
            t.start();
            threads.add(t);
        }
        begun.await();
        for (Thread t : threads) {
            t.interrupt();
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println("done");
    }
}
