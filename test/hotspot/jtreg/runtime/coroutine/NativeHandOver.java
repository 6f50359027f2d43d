/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier threads block in native code for what another one of them has, a byte in a pipe that is read as a file, as they do
 *          for a row lock of an embedded database, and yield while they have it. Catches: each of them goes back to a queue with
 *          each yield, and takes it away from the others when it blocks next, who get it back at a tick of the monitor.
 * @library /test/lib
 * @modules java.management
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm NativeHandOver
 */

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NativeHandOver {
    static final int THREADS = 8, TURNS = 200;

    static int handOffs() {
        Matcher m = Pattern.compile("(\\d+) hand-offs").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "hand-offs in Wisp.status");
        return Integer.parseInt(m.group(1));
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "NativeHandOver", "child").exited(0).has("turns");
            return;
        }
        Path pipe = Paths.get("token-" + ProcessHandle.current().pid());
        Check.equal(0, new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor(), "mkfifo");
        try (RandomAccessFile token = new RandomAccessFile(pipe.toFile(), "rw")) {
            Crew crew = new Crew();
            for (int i = 0; i < THREADS; i++) {
                crew.start("holder-" + i, () -> {
                    for (int n = 0; n < TURNS; n++) {
                        Check.equal(1, token.read(), "the token");
                        Thread.yield();
                        token.write(1);
                    }
                });
            }
            token.write(1);
            crew.join();
        } finally {
            Files.delete(pipe);
        }
        int handOffs = Vm.wispOn() ? handOffs() : 0;
        System.out.println(THREADS * TURNS + " turns, " + handOffs + " hand-offs");
        Check.that(handOffs < THREADS * TURNS / 8, handOffs + " hand-offs");
    }
}
