/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The report of a crash (hs_err file) names the coroutine that crashed, the carrier that it was on, and has its Java stack;
 *          for a crash in compiled code, in a stub and in code of the VM. Catches: a report that names the
 *          carrier's thread, breaks off, or hangs because stack and thread do not belong together.
 * @library /test/lib
 * @modules java.base/jdk.internal.misc
 * @run main ErrorReport
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.internal.misc.Unsafe;
import wisptest.Check;
import wisptest.Vm;

public class ErrorReport {
    public static class Crash {
        static final Unsafe unsafe = Unsafe.getUnsafe();
        static long address = 16;

        /** Interpreted, this is a native method of the VM; compiled, an instruction. */
        static void put() {
            unsafe.putInt(address, 1);
        }

        /** A stub of the VM. */
        static void copy() {
            unsafe.copyMemory(address, address + 4096, 100_000);
        }

        /** A C++ function of the VM. */
        static void fill() {
            unsafe.setMemory(address, 100_000, (byte) 1);
        }

        public static void main(String[] args) throws Exception {
            Thread other = new Thread(LockSupport::park, "a-parked-thread");
            other.setDaemon(true);              // the VM ends without a report where a fault is an InternalError
            other.start();
            while (other.getState() != Thread.State.WAITING) {          // else the report may find it on a carrier
                Thread.sleep(1);
            }
            Thread t = new Thread(() -> {
                switch (args[0]) {
                    case "put":  put(); break;
                    case "copy": copy(); break;
                    case "fill": fill(); break;
                }
            }, "the-crashing-thread");
            t.start();
            t.join();
        }
    }

    public static void main(String[] args) throws Exception {
        for (String where : new String[] {"put", "copy", "fill"}) {
            for (String mode : new String[] {"-Xint", "-Xcomp"}) {
                crash(where, mode);
            }
        }
    }

    static void crash(String where, String mode) throws Exception {
        Path file = Path.of("hs_err-" + where + mode + ".log");
        Files.deleteIfExists(file);
        Vm.Result result = Vm.java("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", mode, "-XX:CompileOnly=ErrorReport$Crash", "-XX:-CreateCoredumpOnCrash",
                                   "-XX:ErrorFile=" + file, "ErrorReport$Crash", where);
        if (!Files.exists(file)) {
            // The VM turns some of these faults into an InternalError.
            result.has("InternalError");
            return;
        }
        List<String> lines = Files.readAllLines(file);
        String text = String.join("\n", lines);
        String current = lines.stream().filter(l -> l.startsWith("Current thread (")).findFirst().get();
        System.out.println(current);
        Check.that(current.contains("JavaThread \"the-crashing-thread\""), "current thread of the report: " + current);
        Check.that(text.contains("ErrorReport$Crash.lambda$main$"), "the report has no Java stack");
        Check.that(text.contains("# End of error report") || text.trim().endsWith("END."), "the report is not complete");
        String parked = lines.stream().filter(l -> l.contains("JavaThread \"a-parked-thread\"")).findFirst().get();
        if (Vm.wispOn()) {
            Matcher m = Pattern.compile("coroutine \\[0x[0-9a-f]+\\] (running|notified) on carrier (0x[0-9a-f]+) WispCarrier-\\d+")
                               .matcher(current);
            Check.that(m.find(), "the report names no carrier: " + current);
            String carrier = m.group(2);
            Check.that(lines.stream().anyMatch(l -> l.contains(carrier + " JavaThread \"WispCarrier-") && l.contains("runs coroutine [")),
                       "the carrier " + carrier + " is not among the threads");
            Check.that(parked.contains("coroutine [") && !parked.contains(" on carrier "), "a parked thread: " + parked);
        } else {
            Check.that(!text.contains("coroutine ["), "coroutines without the flag");
        }
    }
}
