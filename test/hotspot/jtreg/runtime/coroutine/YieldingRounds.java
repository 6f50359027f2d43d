/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that wait for each other by Thread.yield, on two carriers that share one CPU. A yield of a kernel thread gives the CPU to
 *          the next one. Catches: those on one carrier yield to each other tens of thousands of times, until the kernel takes the CPU away;
 *          likewise for the main thread, which is a kernel thread.
 * @requires os.family == "linux"
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm YieldingRounds
 */

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class YieldingRounds {
    static final int THREADS = 3, ROUNDS = 1_000;
    static volatile int turn;

    static String someCpu() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("Cpus_allowed_list:")) {
                return line.substring(line.indexOf(':') + 1).trim().split("[,-]")[0];
            }
        }
        throw new AssertionError("no Cpus_allowed_list");
    }

    static final long[] yields = new long[THREADS + 1];
    static volatile boolean done;

    static void member(int index, int members) {
        for (int round = 0; round < ROUNDS; round++) {
            int mine = round * members + index;
            while (turn != mine) {
                Thread.yield();
                yields[index]++;
            }
            turn = mine + 1;
        }
    }

    static void report(double each, double limit) {
        System.out.printf("%.1f yields for a turn%n", each);
        Check.that(each < limit, each + " yields for a turn");
    }

    static void coroutines() throws Throwable {
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int index = i;
            crew.start("member-" + i, () -> member(index, THREADS));
        }
        crew.join();
        long sum = 0;
        for (long n : yields) {
            sum += n;
        }
        report(sum / (double) ROUNDS / THREADS, 4_000);
    }

    /** Takes turns with one of them, while others only yield. */
    static void main() throws Throwable {
        Crew crew = new Crew();
        crew.start("member-0", () -> member(0, 2));
        for (int i = 0; i < THREADS; i++) {
            int index = i;
            crew.start("yields-" + i, () -> {
                while (!done) {
                    Thread.yield();
                    yields[index + 1]++;
                }
            });
        }
        for (int round = 0; round < ROUNDS; round++) {
            while (turn != 2 * round + 1) {
                Thread.yield();                         // a kernel thread, and not counted
            }
            turn = 2 * round + 2;
        }
        done = true;
        crew.join();
        long sum = 0;
        for (long n : yields) {
            sum += n;
        }
        report(sum / (double) ROUNDS / 2, 2_000);
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            if (args[0].equals("main")) {
                main();
            } else {
                coroutines();
            }
            return;
        }
        for (String how : new String[] {"coroutines", "main"}) {
            List<String> command = new ArrayList<>(List.of("taskset", "-c", someCpu()));
            command.addAll(Vm.command("-XX:ActiveProcessorCount=2", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate",
                                      "YieldingRounds", how));
            Vm.run(command).exited(0).has("for a turn");
        }
    }
}
