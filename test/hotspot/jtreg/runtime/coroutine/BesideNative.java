/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Of two carriers one is with a thread that waits in native code for ever, as that of a WatchService does, and nobody else is in its
 *          queue. Threads that sleep and then run for a moment, too many for one carrier, get that queue. Catches: it stays with the
 *          one that waits, since nobody waits there, and all others share one carrier.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm BesideNative
 */

import java.nio.file.FileSystems;
import java.nio.file.Paths;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BesideNative {
    static final int THREADS = 20, ROUNDS = 500;
    static volatile long sink;

    static boolean watches() {
        for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
            StackTraceElement[] trace = e.getValue();
            if (e.getKey().getName().equals("FileSystemWatchService") && trace.length > 0 && trace[0].isNativeMethod()) {
                return true;
            }
        }
        return false;
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;                                      // a thread has a kernel thread to itself
        }
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=2", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "BesideNative", "child").exited(0).has("without a queue");
            return;
        }
        try (WatchService service = FileSystems.getDefault().newWatchService()) {
            Paths.get(".").register(service, StandardWatchEventKinds.ENTRY_CREATE);
            while (!watches()) {
                Thread.sleep(1);
            }
            AtomicInteger rounds = new AtomicInteger();
            Crew crew = new Crew();
            for (int i = 0; i < THREADS; i++) {
                crew.start("works-" + i, () -> {
                    while (rounds.incrementAndGet() < THREADS * ROUNDS) {
                        Thread.sleep(1);
                        long end = System.nanoTime() + 100_000;
                        while (System.nanoTime() < end) {
                            sink++;
                        }
                    }
                });
            }
            crew.join();
            int held = Vm.heldKernelThreads();
            System.out.println(held + " kernel threads without a queue after " + rounds + " rounds");
            Check.that(held > 0, "its queue is still with the one that waits");
        }
    }
}
