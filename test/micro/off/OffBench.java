/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.io.File;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/*
 * Measures ordinary work on kernel threads: computing, allocating and collecting, locking, handing work from thread to thread, starting
 * threads, starting the VM, javac. Run alternately on this JDK with the flag off and on a build of the unpatched source, it defends "off
 * means stock: the upper end of the 95% interval of the ratio is at most 1.01".
 *
 * Usage: OffBench WORKLOAD [SECONDS]; prints milliseconds for a fixed amount of work: the median of what fits into the time (default 2 s)
 * after half as much of warm-up. javac wants the directory of its sources in the property "sources", and one to write to in "output".
 */
public class OffBench {
    interface Work {
        long run() throws Exception;
    }

    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2;
        Work work = work(args[0]);
        if (work == null) {
            return;
        }
        repeat(work, seconds / 2, 1);
        System.out.printf("%.4f%n", repeat(work, seconds, 3));
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Work work(String name) {
        switch (name) {
            case "compute":     return OffBench::compute;
            case "allocate":    return () -> Workloads.allocate(1280);
            case "uncontended": return Workloads::uncontended;
            case "contended":   return OffBench::contended;
            case "hand-off":    return OffBench::handOff;
            case "wait-notify": return OffBench::waitNotify;
            case "threads":     return OffBench::threads;
            case "pool":        return OffBench::pool;
            case "startup":     return OffBench::startup;
            case "javac":       return OffBench::javac;
            case "nothing":     return null;
            default: throw new IllegalArgumentException("unknown workload " + name);
        }
    }

    private static double repeat(Work work, double seconds, int least) throws Exception {
        List<Long> times = new ArrayList<>();
        long end = System.nanoTime() + (long) (seconds * 1e9);
        do {
            long t = System.nanoTime();
            sink += work.run();
            times.add(System.nanoTime() - t);
        } while (System.nanoTime() < end || times.size() < least);
        times.sort(null);
        return times.get(times.size() / 2) / 1e6;
    }

    private static long compute() {
        Map<String, Integer> counts = new HashMap<>();
        long seed = 42;
        int[] values = new int[60_000];
        for (int i = 0; i < values.length; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            values[i] = (int) (seed >>> 33);
            counts.merge(Integer.toString(values[i] & 0xfff, 36), 1, Integer::sum);
        }
        Arrays.sort(values);
        return values[values.length / 2] + counts.size();
    }

    private static void together(int n, Work work) throws Exception {
        Thread[] all = new Thread[n];
        for (int i = 0; i < n; i++) {
            all[i] = new Thread(() -> {
                try {
                    sink += work.run();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            all[i].start();
        }
        for (Thread t : all) {
            t.join();
        }
    }

    // Whoever owns a lock lets the others run, so that they queue for it: each round goes through the slow paths of entering and leaving.
    private static long contended() throws Exception {
        Object monitor = new Object();
        ReentrantLock lock = new ReentrantLock();
        int[] counts = new int[2];
        together(4, () -> {
            for (int i = 0; i < 500; i++) {
                synchronized (monitor) {
                    counts[0]++;
                    Thread.yield();
                }
                lock.lock();
                try {
                    counts[1]++;
                    Thread.yield();
                } finally {
                    lock.unlock();
                }
            }
            return 1;
        });
        return counts[0] + counts[1];
    }

    private static long handOff() throws Exception {
        LinkedBlockingQueue<Integer> there = new LinkedBlockingQueue<>(), back = new LinkedBlockingQueue<>();
        together(1, () -> {
            Thread echo = new Thread(() -> {
                try {
                    for (int i = 0; i < 4_000; i++) {
                        back.put(there.take());
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            echo.start();
            for (int i = 0; i < 4_000; i++) {
                there.put(i);
                back.take();
            }
            echo.join();
            return 1;
        });
        return there.size() + back.size();
    }

    private static long waitNotify() throws Exception {
        Object lock = new Object();
        int[] state = {0, 0};      // whose turn, next member
        together(2, () -> {
            synchronized (lock) {
                int me = state[1]++;
                for (int i = 0; i < 4_000; i++) {
                    while (state[0] != me) {
                        lock.wait();
                    }
                    state[0] = 1 - me;
                    lock.notify();
                }
            }
            return 1;
        });
        return state[1];
    }

    private static long threads() throws Exception {
        for (int i = 0; i < 20; i++) {
            together(10, () -> 1);
        }
        return 1;
    }

    private static long pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(20);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            int n = i;
            all.add(pool.submit(() -> Integer.bitCount(n)));
        }
        long sum = 0;
        for (Future<Integer> f : all) {
            sum += f.get();
        }
        pool.shutdown();
        return sum;
    }

    private static long startup() throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        Process p = new ProcessBuilder(java, "-Xshare:auto", "-cp", System.getProperty("java.class.path"), "OffBench", "nothing").inheritIO().start();
        if (p.waitFor() != 0) {
            throw new IllegalStateException("the started VM failed");
        }
        return 1;
    }

    // Locks and atomics of java.util.concurrent, compiled again in this VM.
    private static long javac() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            File root = new File(System.getProperty("sources"));
            List<File> sources = new ArrayList<>();
            for (String part : List.of("java/util/concurrent/atomic", "java/util/concurrent/locks")) {
                for (File f : new File(root, part).listFiles((d, n) -> n.endsWith(".java") && !n.startsWith("package"))) {
                    sources.add(f);
                }
            }
            sources.sort(null);
            List<String> options = List.of("-proc:none", "-nowarn", "-XDignore.symbol.file=true", "-d", System.getProperty("output"),
                    "--patch-module", "java.base=" + root);
            if (!compiler.getTask(Writer.nullWriter(), files, null, options, null, files.getJavaFileObjectsFromFiles(sources)).call()) {
                throw new IllegalStateException("javac failed");
            }
        }
        return 1;
    }
}
