/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What a thread does to itself stays with it and does not stick to the kernel thread that happened to run it: names in
 *          the kernel, priorities, CPU time, ids. Catches: kernel threads that carry the name of a Java thread which they only
 *          carried for a while, niceness that stays, a CPU time that runs backwards or belongs to another thread, and ids that
 *          the engine's own threads have drawn.
 * @library /test/lib
 * @modules java.management
 * @run main ThreadIdentity
 */

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ThreadIdentity {
    static List<String> kernelNames() throws IOException {
        List<String> names = new ArrayList<>();
        for (File f : new File("/proc/self/task").listFiles()) {
            try {
                names.add(Files.readString(Path.of(f.getPath(), "comm")).trim());
            } catch (IOException e) {
                // a thread that ended meanwhile
            }
        }
        return names;
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child(args[0]);
            return;
        }
        names();
        cpuTime();
        ids();
        Vm.java("-XX:ThreadPriorityPolicy=1", "ThreadIdentity", "priorities").exited(0).has("niceness checked");
    }

    static void child(String what) throws Exception {
        if (what.equals("ids")) {
            for (int i = 0; i < 3; i++) {
                Thread t = new Thread(() -> System.out.println("id " + Thread.currentThread().getId()));
                t.start();
                t.join();
            }
        } else {
            priorities();
        }
    }

    /** The engine's own threads take no ids: those of a program's threads are the same with and without the flag. */
    static void ids() throws Exception {
        String on = Vm.java("-Xint", "ThreadIdentity", "ids").exited(0).output;
        String off = Vm.java("-Xint", "-XX:-UseWisp2", "ThreadIdentity", "ids").exited(0).output;
        Check.equal(off.replaceAll("(?m)^(?!id ).*$", "").trim(), on.replaceAll("(?m)^(?!id ).*$", "").trim(), "ids of threads");
    }

    /** With a policy that maps priorities to niceness, that of a thread must not become that of the kernel threads that run it. */
    static void priorities() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 20; i++) {
            int priority = i % 2 == 0 ? Thread.MIN_PRIORITY : Thread.MAX_PRIORITY;
            crew.start("priority-" + i, () -> {
                for (int j = 0; j < 10; j++) {
                    Thread.currentThread().setPriority(priority);
                    Thread.yield();
                }
            });
        }
        crew.join();
        for (File f : new File("/proc/self/task").listFiles()) {
            try {
                String stat = Files.readString(Path.of(f.getPath(), "stat"));
                String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
                int nice = Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16]);
                if (name.startsWith("WispCarrier")) {
                    // What the policy gives to a thread of normal priority, whatever the process was started with.
                    Check.equal(0, nice, "niceness of " + name);
                }
            } catch (IOException e) {
                // a thread that ended meanwhile
            }
        }
        System.out.println("niceness checked");
    }

    static void names() throws Exception {
        List<String> before = kernelNames();
        Crew crew = new Crew();
        CountDownLatch go = new CountDownLatch(1);
        int n = 50;
        CountDownLatch there = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            crew.start("mine-" + i, () -> {
                for (int j = 0; j < 20; j++) {
                    Thread.currentThread().setName("mine-" + j);
                    Thread.currentThread().setPriority(1 + j % 10);
                    Check.equal("mine-" + j, Thread.currentThread().getName(), "name");
                    Check.equal(1 + j % 10, Thread.currentThread().getPriority(), "priority");
                    Thread.yield();
                    Check.equal("mine-" + j, Thread.currentThread().getName(), "name after a yield");
                }
                there.countDown();
                go.await();
            });
        }
        there.await();
        int mine = 0;
        for (String name : kernelNames()) {
            if (name.startsWith("mine-")) {
                mine++;
            }
        }
        System.out.println(mine + " kernel threads have a name of ours; before: " + before);
        if (Vm.wispOn()) {
            Check.equal(0, mine, "kernel threads named after a Java thread");
        } else {
            Check.equal(n, mine, "kernel threads named after their Java thread");
        }
        go.countDown();
        crew.join();
    }

    static long burn(long from) {
        long x = from;
        for (int i = 0; i < 200_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static volatile long sink;

    static void cpuTime() throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        if (!bean.isCurrentThreadCpuTimeSupported()) {
            System.out.println("no CPU time");
            return;
        }
        Crew crew = new Crew();
        CountDownLatch burnt = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        long[] idle = new long[1];
        crew.start("idle", () -> {
            burnt.await();
            idle[0] = bean.getCurrentThreadCpuTime();
        });
        for (int i = 0; i < 6; i++) {
            crew.start("burner-" + i, () -> {
                go.await();
                long last = bean.getCurrentThreadCpuTime();
                for (int j = 0; j < 100; j++) {
                    sink = burn(sink);
                    LockSupport.parkNanos(1_000);
                    long now = bean.getCurrentThreadCpuTime();
                    Check.that(now >= last, "CPU time ran back from " + last + " to " + now);
                    last = now;
                }
            });
        }
        Check.awaitState(crew.threads().get(0), Thread.State.WAITING);
        go.countDown();
        for (int i = 1; i < crew.threads().size(); i++) {
            crew.threads().get(i).join();
        }
        burnt.countDown();
        crew.join();
        System.out.println("idle thread: " + idle[0] + " ns");
        // A thread that only waited has used next to nothing, whatever was used by those that ran beside it.
        Check.that(idle[0] < 20_000_000, "a thread that only waited used " + idle[0] + " ns");
    }
}
