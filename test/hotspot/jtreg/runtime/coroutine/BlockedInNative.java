/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thousand threads block in native code, the last one lets them go, and afterwards the kernel threads that they have
 *          held end, while thread dumps, native memory reports, CPU times, the recorder and the status look at them. Catches: a
 *          thread that no carrier is left for (hang), kernel threads that stay for ever (hang), a crash of whatever still
 *          has a pointer to a carrier or a kernel thread that has ended, and those that are to end wake up before their turn: a
 *          thousand at once, after the process has been stopped for a while, wait for each other for minutes, and take all processors.
 * @library /test/lib
 * @modules java.management jdk.jfr jdk.management
 * @run main/othervm/native -XX:NativeMemoryTracking=summary BlockedInNative
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BlockedInNative {
    static native void block();
    static native int blocked();
    static native void release();

    static final int MANY = 1000;
    static final int SOME = 100;
    static volatile boolean over;
    static volatile long sink;

    static String command(String operation) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), operation, new Object[] {new String[0]},
            new String[] {String[].class.getName()});
    }

    static int status(String pattern) throws Exception {
        Matcher m = Pattern.compile(pattern).matcher(command("wispStatus"));
        Check.that(m.find(), "no " + pattern + " in Wisp.status");
        return Integer.parseInt(m.group(1));
    }

    static void blockMany(Crew crew, int n) throws Exception {
        for (int i = 0; i < n - 1; i++) {
            crew.start("blocked-" + i, () -> {
                block();
                LockSupport.parkNanos(1);
            });
        }
        crew.start("the last one", () -> {
            Check.await(() -> blocked() == n - 1);
            if (Vm.wispOn()) {
                int held = Vm.heldKernelThreads();
                int kernel = Vm.kernelThreads();
                System.out.println(kernel + " kernel threads, " + held + " held, " + n + " blocked");
                // Each is held, or has kept its carrier because nobody waited for it any more.
                Check.that(held >= n - 1 - Vm.carriers() && held <= n + 10, "held kernel threads: " + held);
                Check.that(kernel >= n - 1, "kernel threads: " + kernel);
            }
            release();
        });
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("BlockedInNative");
        Crew crew = new Crew();
        Crew others = new Crew();
        for (int i = 0; i < 8; i++) {
            others.start("other-" + i, () -> {
                while (!over) {
                    for (int j = 0; j < 10_000; j++) {
                        sink = j;
                    }
                    LockSupport.parkNanos(1_000_000);
                }
            });
        }
        // Warm, so that the classes and threads of the tools are there.
        look(others);
        int before = Vm.kernelThreads();
        System.out.println(before + " kernel threads before");
        blockMany(crew, MANY);
        crew.join();
        System.out.println(Vm.kernelThreads() + " kernel threads at the end of a thousand");
        if (Vm.wispOn()) {
            try (Recording recording = new Recording()) {
                recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
                recording.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(10));
                recording.start();
                Map<Path, String> earlier, sleeps = sleepsOfCarriers();
                do {                                         // until all but those that serve the other threads are asleep
                    Thread.sleep(50);
                    earlier = sleeps;
                    sleeps = sleepsOfCarriers();
                } while (awake(earlier, sleeps) > SOME / 2 + Vm.carriers());
                awaitSpares(MANY - 2 * SOME, others);        // they end after they have been idle for so long
                Map<Path, String> later = sleepsOfCarriers();
                long awake = awake(sleeps, later);
                System.out.println(awake + " of " + later.size() + " have been awake meanwhile");
                Check.that(awake < SOME + Vm.carriers(), awake + " have been awake");
                awaitSpares(2, others);
                Check.await(() -> Vm.heldKernelThreads() == 0);
                // Off the list of spares, they end.
                Check.await(() -> Vm.kernelThreads() <= before + 10);
                look(others);
            }
            // What has ended is used again, and so on.
            for (int round = 0; round < 2; round++) {
                blockMany(crew, 40);
                crew.join();
                look(others);
            }
        }
        over = true;
        others.join();
        System.out.println(Vm.kernelThreads() + " kernel threads at the end");
    }

    static void awaitSpares(int atMost, Crew others) throws Exception {
        while (status("spare carriers: (\\d+)") > atMost) {
            look(others);
            Thread.sleep(10);
        }
    }

    /** How many of those that are there later have slept again since, or are new. */
    static long awake(Map<Path, String> sleeps, Map<Path, String> later) {
        return later.entrySet().stream().filter(e -> !e.getValue().equals(sleeps.get(e.getKey()))).count();
    }

    /** How often each carrier has slept so far, as the kernel tells it. */
    static Map<Path, String> sleepsOfCarriers() throws IOException {
        Map<Path, String> sleeps = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Paths.get("/proc/self/task"))) {
            for (Path thread : threads) {
                try {
                    String status = Files.readString(thread.resolve("status"));
                    if (status.startsWith("Name:\tWispCarrier-")) {
                        sleeps.put(thread, status.replaceAll("(?s).*\nvoluntary_ctxt_switches:|\n.*", ""));
                    }
                } catch (IOException e) {
                    // has ended since
                }
            }
        }
        return sleeps;
    }

    static void look(Crew others) throws Exception {
        String dump = command("threadPrint");
        Check.that(dump.contains("\"other-0\""), "the thread dump lacks a thread");
        Check.that(command("vmNativeMemory").contains("Thread"), "native memory");
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        for (Thread t : others.threads()) {
            long nanos = bean.getThreadCpuTime(t.getId());
            Check.that(nanos >= 0 && nanos < 600_000_000_000L, "CPU time: " + nanos);
        }
        Thread.getAllStackTraces();
    }
}
