/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Which threads are coroutines, counted from outside as kernel threads: nothing listed means all of them (Thread
 *          subclasses, pools, timers, ForkJoin workers), a black list by name, class or package keeps just those it names as
 *          kernel threads, a white list makes just those coroutines, black wins; and both kinds wake each other. Catches: a list
 *          that is ignored, that matches too much, or is read after the first threads were made.
 * @library /test/lib
 * @run main ExcludeList
 */

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ExcludeList {
    static final int N = 20;

    static class MyThread extends Thread {
        final Check.Code body;

        MyThread(String name, Check.Code body) {
            super(name);
            this.body = body;
        }

        @Override
        public void run() {
            try {
                body.run();
            } catch (Throwable t) {
                throw new AssertionError(t);
            }
        }
    }

    static class MyTask implements Runnable {
        final CountDownLatch there;
        final CountDownLatch go;

        MyTask(CountDownLatch there, CountDownLatch go) {
            this.there = there;
            this.go = go;
        }

        @Override
        public void run() {
            there.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Starts N threads of each kind one after the other, and prints how many kernel threads each kind added. */
    static void child() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        // Carriers and whatever else starts on first use should exist before we count.
        for (int i = 0; i < 2 * Vm.carriers() + 10; i++) {
            Thread t = new Thread(() -> { }, "warm");
            t.start();
            t.join();
        }
        for (String kind : new String[] {"plain", "io.netty-loop", "subclass", "task", "pool", "fork", "timer"}) {
            int before = Vm.kernelThreads();
            CountDownLatch there = new CountDownLatch(N);
            Runnable task = new MyTask(there, go);
            if (kind.equals("pool")) {
                ExecutorService pool = Executors.newFixedThreadPool(N);
                for (int i = 0; i < N; i++) {
                    pool.execute(task::run);
                }
                pool.shutdown();
            } else if (kind.equals("fork")) {
                ForkJoinPool pool = new ForkJoinPool(N);
                for (int i = 0; i < N; i++) {
                    pool.execute(() -> task.run());
                }
                pool.shutdown();
            } else if (kind.equals("timer")) {
                for (int i = 0; i < N; i++) {
                    Timer timer = new Timer("timer-" + i, true);
                    timer.schedule(new TimerTask() {
                        @Override
                        public void run() {
                            task.run();
                        }
                    }, 0);
                }
            } else {
                for (int i = 0; i < N; i++) {
                    String name = kind + "-" + i;
                    Thread t = kind.equals("subclass") ? new MyThread(name, task::run)
                             : kind.equals("task") ? new Thread(task, name) : new Thread(() -> task.run(), name);
                    t.start();
                    all.add(t);
                }
            }
            there.await();
            System.out.println(kind + " +" + (Vm.kernelThreads() - before));
        }
        go.countDown();
        for (Thread t : all) {
            t.join();
        }
        crossKinds();
    }

    /** A name that lists use for kernel threads and one that they do not, passing messages. */
    static void crossKinds() throws Exception {
        LinkedBlockingQueue<Integer> a = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<Integer> b = new LinkedBlockingQueue<>();
        Crew crew = new Crew();
        crew.start("io.netty-loop-x", () -> {
            for (int i = 0; i < 500; i++) {
                b.put(a.take());
            }
        });
        crew.start("plain-x", () -> {
            for (int i = 0; i < 500; i++) {
                a.put(i);
                Check.equal(i, b.take(), "message");
            }
        });
        crew.join();
    }

    static void expect(String kernelKinds, String... options) throws Exception {
        List<String> args = new ArrayList<>(List.of(options));
        args.add("ExcludeList");
        args.add("child");
        Vm.Result r = Vm.java(args.toArray(new String[0])).exited(0);
        boolean wisp = Vm.wispOn();
        for (String line : r.output.split("\n")) {
            if (line.matches("[a-z.-]+ \\+-?\\d+")) {
                String kind = line.substring(0, line.indexOf(' '));
                int added = Integer.parseInt(line.substring(line.indexOf('+') + 1));
                boolean kernel = !wisp || kernelKinds.equals("all") || List.of(kernelKinds.split(" ")).contains(kind);
                // A few of the VM's own threads (compilers, collectors, carriers) may come or go meanwhile.
                Check.that(kernel ? added >= N - 5 : added <= 8, kind + " threads added " + added + " kernel threads, "
                           + String.join(" ", options));
            }
        }
        r.has("plain +").has("timer +");
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        String black = "-Dcom.alibaba.wisp.threadAsWisp.black=";
        String white = "-Dcom.alibaba.wisp.threadAsWisp.white=";
        expect("");
        expect("io.netty-loop", black + "name:io.netty-*");
        expect("io.netty-loop timer", black + "name:io?netty-loop-*;name=timer-*");
        expect("", black + "name:ionetty*;name:io.netty");                  // the dot is literal, and the whole name must match
        expect("subclass", black + "class:ExcludeList$MyThread");
        expect("task", black + "class=ExcludeList$MyTask");                 // the class of the Runnable; lambdas have another
        expect("pool", black + "class:java.util.concurrent.ThreadPoolExecutor$Worker");
        expect("pool fork timer", black + "package:java.util.concurrent;package:java.util");
        expect("io.netty-loop", white + "name:*", black + "name:io.netty*");
    }
}
