/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Each carrier runs a thread that computes, and other processes want the processors as well, so that a carrier does not have one for
 *          milliseconds. Whoever sleeps in its queue does not wait for that: another carrier gets the queue. Counts these hand-offs: without
 *          them there are none, as nobody blocks.
 * @library /test/lib
 * @modules jdk.management
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 CrowdedProcessors
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class CrowdedProcessors {
    static final int ROUNDS = 30, SLEEPS = 100;         // at most; two rounds are enough
    static final int WANTED = 50;                       // hand-offs

    static int handOffs() {
        Matcher m = Pattern.compile("(\\d+) hand-offs").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "no hand-offs in Wisp.status");
        return Integer.parseInt(m.group(1));
    }

    /** That this process may use, whatever share of their time it has. */
    static int processors() throws Exception {
        Process nproc = new ProcessBuilder("nproc").start();
        return Integer.parseInt(new String(nproc.getInputStream().readAllBytes()).trim());
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        List<Process> others = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * processors(); i++) {
                others.add(new ProcessBuilder("timeout", "60", "sh", "-c", "while :; do :; done").start());
            }
            Crew crew = new Crew();
            Computing computing = new Computing(crew, Vm.carriers());
            crew.start("sleeps", () -> {
                int before = handOffs(), since = 0, rounds = 0;
                try {
                    for (; rounds < ROUNDS && since < WANTED; rounds++) {
                        for (int i = 0; i < SLEEPS; i++) {
                            Thread.sleep(1);
                        }
                        since = handOffs() - before;
                    }
                } finally {
                    computing.stop();
                }
                System.out.println(since + " hand-offs in " + rounds * SLEEPS + " sleeps");
                Check.that(since >= WANTED, "only " + since + " hand-offs in " + rounds * SLEEPS + " sleeps");
            });
            crew.join();
        } finally {
            others.forEach(Process::destroy);         // so that these end theirs
        }
    }
}
