/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/*
 * Starts a thread for each of many tasks that sleep one second, and waits until all have woken; several times in one process. Defends
 * "1,000,000 sleepers complete in at most 6 s once warm, within 16 GB", beside JDK 25, Go and Kotlin.
 *
 * Usage: Sleepers plain|virtual COUNT PASSES; a line for each pass: milliseconds, milliseconds of CPU time of the process, and the most
 * memory it has had so far, in KB.
 */
public class Sleepers {
    interface Pass {
        void run(int n, CountDownLatch woken) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        ThreadFactory factory = args[0].equals("virtual") ? Peers.virtual() : Thread::new;
        passes(args, (n, woken) -> {
            for (int i = 0; i < n; i++) {
                factory.newThread(() -> sleep(woken)).start();
            }
        });
    }

    static void passes(String[] args, Pass pass) throws Exception {
        int n = Integer.parseInt(args[1]), passes = Integer.parseInt(args[2]);
        for (int i = 0; i < passes; i++) {
            CountDownLatch woken = new CountDownLatch(n);
            long cpu = cpuMillis(), start = System.nanoTime();
            pass.run(n, woken);
            woken.await();
            System.out.printf("%d %d %d%n", (System.nanoTime() - start) / 1_000_000, cpuMillis() - cpu, peakKB());
            System.out.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    static void sleep(CountDownLatch woken) {
        try {
            Thread.sleep(1000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        woken.countDown();
    }

    // Ticks are of 10 ms on Linux, whatever the kernel counts in.
    private static long cpuMillis() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return 10 * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
    }

    private static long peakKB() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("there is no VmHWM in /proc/self/status");
    }
}
