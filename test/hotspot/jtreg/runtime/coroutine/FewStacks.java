/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread starts many others that end soon, faster than the carrier runs them. They use few stacks one after the other,
 *          although each has been given one when it was started. Catches: pages of a stack for each that waits for its first turn.
 * @library /test/lib
 * @requires os.family == "linux"
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm FewStacks
 */

import java.util.concurrent.CountDownLatch;

import wisptest.Check;
import wisptest.Vm;

public class FewStacks {
    static final int ROUNDS = 5, THREADS = 2_000, PAGES = 400;

    static void rounds() {
        for (int i = 0; i < ROUNDS; i++) {
            CountDownLatch ended = new CountDownLatch(THREADS);
            for (int k = 0; k < THREADS; k++) {
                // A group of its own: who starts one may lose its turn with the monitor of the group, and all who end wait for it then.
                new Thread(new ThreadGroup("few"), ended::countDown).start();
            }
            try {
                ended.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "FewStacks", "child").exited(0).has(" KB");
            return;
        }
        Thread starter = new Thread(FewStacks::rounds);
        starter.start();
        starter.join();
        long kb = Vm.stackKB();
        System.out.println(kb + " KB in stacks");
        if (Vm.wispOn()) {
            Check.that(kb > 0, "these are not the stacks");
            Check.that(kb < 4 * PAGES, kb + " KB in stacks after " + THREADS + " threads at a time");
        }
    }
}
