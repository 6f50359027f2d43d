/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that compute are preempted at polls before the VM's first safepoint, and the statistics of safepoints are on, which count the
 *          polls that trap. Catches: they are counted before there is where to (crash).
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm PollBeforeSafepoint
 */

import wisptest.Vm;

public class PollBeforeSafepoint {
    static volatile long sum;

    static int compute(int n) {
        int x = 0;
        for (int i = 0; i < n; i++) {
            x += i * 31;
        }
        return x;
    }

    static void child() throws InterruptedException {
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 3_000; i++) {
                    sum += compute(50_000);
                }
            });
            threads[t].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println("computed");
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+PrintSafepointStatistics", "PollBeforeSafepoint", "child").exited(0).has("computed");
    }
}
