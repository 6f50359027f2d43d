/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;

/**
 * Starts as many threads as it is told, which park; wakes them, waits for all, and does it again. Prints one line:
 *
 * <pre>
 *   start: microseconds for each thread until all have parked
 *   end:   microseconds for each thread from the first unpark until all are joined
 *   rss:   kilobytes of VmRSS and VmPTE for each, the Java heap included
 *   gc:    milliseconds of a young collection with all of them parked, median of 5
 *   stop:  milliseconds of a Thread.getStackTrace of one parked thread, which stops all: median of 5
 *   dump:  milliseconds of Thread.getAllStackTraces
 *   print: milliseconds of what jcmd Thread.print and jstack ask for
 *   wisp:  milliseconds of what jcmd Wisp.dump asks for
 * </pre>
 */
public class Scale {
    static volatile boolean go;
    static Object garbage;

    static long memory() throws IOException {
        return Files.lines(Paths.get("/proc/self/status")).filter(l -> l.startsWith("VmRSS") || l.startsWith("VmPTE"))
                    .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", ""))).sum();
    }

    interface Action { void run() throws Exception; }

    static double millis(int times, Action action) throws Exception {
        double[] taken = new double[times];
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            action.run();
            taken[i] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(taken);
        return taken[times / 2];
    }

    static double[] round(int n, boolean look) throws Exception {
        Thread[] threads = new Thread[n];
        CountDownLatch up = new CountDownLatch(n);
        go = false;
        long before = memory();
        long t0 = System.nanoTime();
        for (int i = 0; i < n; i++) {
            threads[i] = new Thread(() -> {
                up.countDown();
                while (!go) {
                    LockSupport.park();
                }
            });
            threads[i].start();
        }
        up.await();
        long t1 = System.nanoTime();
        double[] result = new double[8];
        if (look) {
            result[2] = (memory() - before) / (double) n;
            result[3] = millis(5, () -> {
                long collections = count();
                while (count() == collections) {
                    garbage = new byte[256 * 1024];
                }
            });
            result[4] = millis(5, threads[n / 2]::getStackTrace);
            result[5] = millis(1, Thread::getAllStackTraces);
            result[6] = millis(1, () -> command("threadPrint"));
            result[7] = millis(1, () -> command("wispDump"));
        }
        long t2 = System.nanoTime();
        go = true;
        for (Thread t : threads) {
            LockSupport.unpark(t);
        }
        for (Thread t : threads) {
            t.join();
        }
        result[0] = (t1 - t0) / 1e3 / n;
        result[1] = (System.nanoTime() - t2) / 1e3 / n;
        return result;
    }

    static long count() {
        return ManagementFactory.getGarbageCollectorMXBeans().get(0).getCollectionCount();
    }

    static void command(String name) throws Exception {
        garbage = ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), name, new Object[] {new String[0]},
            new String[] {String[].class.getName()});
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        boolean look = args.length < 2;
        round(1_000, look);
        double[] r = round(n, look);
        System.out.printf("%.2f %.2f %.1f %.1f %.2f %.1f %.1f %.1f%n", r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
        System.exit(0);
    }
}
