/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread is started, and what it reads is stored behind the start: it does not see it if it runs first, which happens to kernel
 *          threads once in a hundred times. Main, which is one, starts some, and so does a thread on two carriers. Nothing says that
 *          it may not happen, but programs have been tried with kernel threads. Catches: a carrier is faster than the rest of Thread.start(),
 *          or takes the starter's processor.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm StartOrder
 */

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class StartOrder {
    static final int ROUNDS = 500;

    static volatile boolean stored;
    static volatile boolean seen;

    /** How often the new thread comes first, after the starter has computed for so long, or, if that is 0, slept for a millisecond. */
    static int overtaken(long computeNanos) throws InterruptedException {
        int overtaken = 0;
        for (int i = 0; i < ROUNDS; i++) {
            stored = false;
            if (computeNanos == 0) {
                Thread.sleep(1);
            }
            for (long begin = System.nanoTime(); System.nanoTime() - begin < computeNanos; ) { }
            Thread t = new Thread(() -> seen = stored);
            t.start();
            stored = true;
            if (computeNanos == 0) {
                t.join();
            } else {
                while (t.isAlive()) {                    // and does not park, which would tell that it does not compute any more
                    Thread.yield();
                }
            }
            overtaken += seen ? 0 : 1;
        }
        return overtaken;
    }

    /** The best of a few times, as something else may have the processors. */
    static void check(String who, long computeNanos) throws InterruptedException {
        int least = ROUNDS;
        for (int i = 0; i < 4 && least >= ROUNDS / 8; i++) {
            least = Math.min(least, overtaken(computeNanos));
        }
        System.out.println(who + ": " + least + " of " + ROUNDS + " ran before their starter went on");
        Check.that(least < ROUNDS / 8, who + ": " + least);
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=2", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "StartOrder", "child").exited(0).has("that computes");
            return;
        }
        check("main", 0);
        Crew crew = new Crew();
        crew.start("starts", () -> check("a thread", 0));
        crew.join();
        crew.start("computes", () -> check("a thread that computes", 2_000_000));
        crew.join();
    }
}
