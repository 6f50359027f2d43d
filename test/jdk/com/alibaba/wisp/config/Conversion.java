/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary Which threads become coroutines under the black and the white list, given by property or file, and under
 *          allThreadAsWisp and enableThreadAsWisp; the main thread never does. What each child VM ran as coroutines is compared
 *          with the expected set.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine
 * @run main Conversion
 */

import com.alibaba.wisp.engine.WispTask;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import wisptest.Check;
import wisptest.Vm;

public class Conversion {
    static final String P = "-Dcom.alibaba.wisp.";
    static final String EVERYTHING = "forkjoin own plain pool subclass timer weird";

    public static class OwnTask implements Runnable {
        private final Runnable r;
        OwnTask(Runnable r) {
            this.r = r;
        }
        public void run() {
            r.run();
        }
    }

    public static class OwnThread extends Thread {
        private final Runnable r;
        OwnThread(Runnable r) {
            super("subclass");
            this.r = r;
        }
        @Override
        public void run() {
            r.run();
        }
    }

    /** Runs threads of several kinds and prints those that were coroutines. */
    public static class Child {
        static final TreeSet<String> coroutines = new TreeSet<>();

        static Runnable probe(String kind, CountDownLatch done) {
            return () -> {
                if (WispTask.current() != null) {
                    synchronized (coroutines) {
                        coroutines.add(kind);
                    }
                }
                done.countDown();
            };
        }

        public static void main(String[] args) throws Exception {
            CountDownLatch done = new CountDownLatch(7);
            new Thread(probe("plain", done), "plain").start();
            new Thread(new OwnTask(probe("own", done)), "own").start();
            new OwnThread(probe("subclass", done)).start();
            new Thread(probe("weird", done), "a[b].(c)+").start();
            ExecutorService pool = Executors.newFixedThreadPool(1);
            pool.execute(probe("pool", done));
            ForkJoinPool forkJoin = new ForkJoinPool(1);
            forkJoin.execute(probe("forkjoin", done));
            Timer timer = new Timer("timer");
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    probe("timer", done).run();
                }
            }, 0);
            done.await();
            timer.cancel();
            pool.shutdown();
            forkJoin.shutdown();
            probe("main", new CountDownLatch(1)).run();
            System.out.println("coroutines: " + String.join(" ", coroutines));
        }
    }

    static void converts(String expected, String... options) throws Exception {
        List<String> args = new ArrayList<>();
        args.add("-XX:+UseWisp2");
        args.addAll(Arrays.asList(options));
        args.add("Conversion$Child");
        Vm.Result r = Vm.java(args.toArray(new String[0])).exited(0).hasNot("warning");
        Check.equal(("coroutines: " + expected).trim(), r.output.trim(), "output with " + Arrays.toString(options));
    }

    static String without(String... kinds) {
        TreeSet<String> left = new TreeSet<>(Arrays.asList(EVERYTHING.split(" ")));
        left.removeAll(Arrays.asList(kinds));
        return String.join(" ", left);
    }

    static String black(String list) {
        return P + "threadAsWisp.black=" + list;
    }

    static String white(String list) {
        return P + "threadAsWisp.white=" + list;
    }

    public static void main(String[] args) throws Exception {
        converts(EVERYTHING);
        converts(without("plain"), black("name:plain"));
        converts(without("plain", "own"), black("name=pl?in;name:o*;"));
        converts(without("pool"), black("name:pool-?-thread-*"));
        converts(without("weird"), black("name:a[b].(c)+"));
        converts(EVERYTHING, black("name:a[b]x(c)+"));
        converts(without("own"), black("class:Conversion$OwnTask"));
        converts(without("subclass"), black("class=Conversion$OwnThread"));
        converts(without("pool"), black("class:java.util.concurrent.ThreadPoolExecutor$Worker"));
        converts(without("pool", "forkjoin"), black("package:java.util.concurrent"));
        converts(without("timer"), black(" packge=java.util ; "));
        converts("forkjoin subclass timer", black("class:java.lang.Thread"));
        converts("", black("name:*"));

        // The white list matters only without allThreadAsWisp, and black wins.
        String some = P + "allThreadAsWisp=false";
        converts("", some);
        converts("plain", some, white("name:plain"));
        converts("own pool", some, white("class:Conversion$OwnTask;name:pool-*"));
        converts("own", some, white("class:Conversion$OwnTask;name:pool-*"), black("name:pool-*"));
        converts(EVERYTHING, white("name:plain"));
        converts(without("plain"), white("name:plain"), black("name:plain"));
        converts("", P + "enableThreadAsWisp=false", white("name:plain"));
        converts(EVERYTHING, P + "transparentWispSwitch=true", P + "enableThreadAsWisp=true", P + "allThreadAsWisp=true");

        // The file, and the command line against it.
        Files.write(Paths.get("wisp.properties"), Arrays.asList(
            "com.alibaba.wisp.threadAsWisp.black = name:plain; \\",
            "    class:Conversion$OwnTask",
            "com.alibaba.wisp.threadAsWisp.white = name:pool-*",
            "com.alibaba.wisp.allThreadAsWisp = false"));
        String file = P + "config=wisp.properties";
        converts("pool", file);
        converts(without("plain", "own"), file, P + "allThreadAsWisp=true");
        converts(without("timer"), file, P + "allThreadAsWisp=true", black("name:timer"));
    }
}
