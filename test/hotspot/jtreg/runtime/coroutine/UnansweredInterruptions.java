/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Each carrier runs a thread that computes and does not come to a poll for milliseconds when it is interrupted: other processes want the
 *          processors as well, and the kernel gives them to these; or a StackOverflowError leaves its frames. Whoever sleeps in its queue does not
 *          wait for that: another carrier gets the queue. Counts these hand-offs: without them there are none, as nobody blocks.
 * @library /test/lib
 * @modules jdk.management
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2
 *                   UnansweredInterruptions processes
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2
 *                   UnansweredInterruptions frames
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class UnansweredInterruptions {
    static final int ROUNDS = 30, SLEEPS = 100;         // at most; two rounds are enough
    static final int WANTED = 20;                       // hand-offs; a debug build has 50 in 1,800 sleeps, as it leaves frames slowly

    static int handOffs() {
        Matcher m = Pattern.compile("(\\d+) hand-offs").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "no hand-offs in Wisp.status");
        return Integer.parseInt(m.group(1));
    }

    static volatile boolean over;

    /** That this process may use, whatever share of their time it has. */
    static int processors() throws Exception {
        Process nproc = new ProcessBuilder("nproc").start();
        return Integer.parseInt(new String(nproc.getInputStream().readAllBytes()).trim());
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    static void overflow() {
        while (!over) {
            try {
                deep(0);
                throw new AssertionError("no end");
            } catch (StackOverflowError e) {
                // again
            }
        }
    }

    static void sleep() throws InterruptedException {
        int before = handOffs(), since = 0, rounds = 0;
        for (; rounds < ROUNDS && since < WANTED; rounds++) {
            for (int i = 0; i < SLEEPS; i++) {
                Thread.sleep(1);
            }
            since = handOffs() - before;
        }
        System.out.println(since + " hand-offs in " + rounds * SLEEPS + " sleeps");
        Check.that(since >= WANTED, "only " + since + " hand-offs in " + rounds * SLEEPS + " sleeps");
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        boolean frames = args[0].equals("frames");
        List<Process> others = new ArrayList<>();
        try {
            for (int i = 0; !frames && i < 2 * processors(); i++) {
                others.add(new ProcessBuilder("timeout", "60", "sh", "-c", "while :; do :; done").start());
            }
            Crew crew = new Crew();
            Computing computing = new Computing(crew, frames ? 0 : Vm.carriers());
            for (int i = 0; frames && i < Vm.carriers(); i++) {
                crew.start("overflows-" + i, UnansweredInterruptions::overflow);
            }
            crew.start("sleeps", () -> {
                try {
                    sleep();
                } finally {
                    over = true;
                    computing.stop();
                }
            });
            crew.join();
        } finally {
            others.forEach(Process::destroy);         // so that these end theirs
        }
    }
}
