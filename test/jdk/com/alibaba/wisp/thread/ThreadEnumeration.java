/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What Java code sees of the threads of a VM is the same with the flag on and off: names in thread groups, in
 *          getAllStackTraces and in ThreadMXBean, the counts, daemons, peaks and totals; details of a ThreadInfo; deadlocks. A
 *          child process of each kind prints it, and the two are compared. Catches: carriers and other helper threads that show
 *          up or are counted, started threads that are missing.
 * @library /test/lib
 * @modules java.management jdk.management
 * @run main ThreadEnumeration
 */

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ThreadEnumeration {
    static final ThreadMXBean bean = ManagementFactory.getThreadMXBean();

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        String here = marked(Vm.java("ThreadEnumeration", "child"));
        String stock = marked(Vm.java("-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UseWisp2", "ThreadEnumeration", "child"));
        Check.equal(stock, here, "what the VM shows of its threads");
    }

    static String marked(Vm.Result r) {
        r.exited(0).has("end of list");
        return Arrays.stream(r.output.split("\n")).filter(l -> l.startsWith("> ")).collect(Collectors.joining("\n"));
    }

    static void print(String what, Object value) {
        System.out.println("> " + what + ": " + value);
    }

    static void list(String when) {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] threads = new Thread[1000];
        int n = root.enumerate(threads);
        print(when + ", groups", Arrays.stream(threads, 0, n).map(t -> t.getName() + (t.isDaemon() ? " daemon" : "") + " in "
              + t.getThreadGroup().getName()).sorted().collect(Collectors.joining(", ")));
        print(when + ", activeCount", root.activeCount());
        print(when + ", stack traces",
              Thread.getAllStackTraces().keySet().stream().map(Thread::getName).sorted().collect(Collectors.joining(", ")));
        print(when + ", getThreadCount", bean.getThreadCount());
        print(when + ", getDaemonThreadCount", bean.getDaemonThreadCount());
        print(when + ", getPeakThreadCount", bean.getPeakThreadCount());
        print(when + ", getTotalStartedThreadCount", bean.getTotalStartedThreadCount());
        print(when + ", ids", bean.getAllThreadIds().length);
        print(when + ", infos", Arrays.stream(bean.dumpAllThreads(true, true)).map(i -> i.getThreadName() + " " + i.getThreadState()
              + (i.isDaemon() ? " daemon" : "")).sorted().collect(Collectors.joining(", ")));
    }

    /** Until the threads of the JDK itself, which may just have been started, are where they stay: their states are compared, too. */
    static void settle() throws Exception {
        Check.await(() -> Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals("Finalizer") || t.getName().equals("Common-Cleaner"))
              .allMatch(t -> t.getState() == Thread.State.WAITING || t.getState() == Thread.State.TIMED_WAITING));
    }

    static void child() throws Exception {
        settle();
        list("start");
        Crew crew = new Crew();
        CountDownLatch go = new CountDownLatch(1);
        ThreadGroup group = new ThreadGroup("group of ours");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Thread t = new Thread(group, () -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }, "grouped-" + i);
            t.setDaemon(i % 2 == 0);
            t.start();
            threads.add(t);
        }
        Object lock = new Object();
        Thread holder = crew.start("holder", () -> {
            synchronized (lock) {
                go.await();
            }
        });
        Check.awaitState(holder, Thread.State.WAITING);
        Thread blocked = crew.start("blocked", () -> {
            synchronized (lock) {
                go.await();
            }
        });
        for (Thread t : threads) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        Check.awaitState(blocked, Thread.State.BLOCKED);
        list("parked");
        print("group", group.activeCount());
        details(holder, blocked, lock);

        go.countDown();
        crew.join();
        for (Thread t : threads) {
            t.join();
        }
        bean.resetPeakThreadCount();
        list("ended");
        print("group", group.activeCount());
        deadlocks();
        System.out.println("end of list");
        System.exit(0);                     // deadlocked threads stay
    }

    static void details(Thread holder, Thread blocked, Object lock) {
        ThreadInfo info = bean.getThreadInfo(new long[] {blocked.getId()}, true, true)[0];
        Check.equal("blocked", info.getThreadName(), "name");
        Check.equal(Thread.State.BLOCKED, info.getThreadState(), "state");
        Check.equal(holder.getId(), info.getLockOwnerId(), "owner of the monitor that it wants");
        Check.equal("holder", info.getLockOwnerName(), "name of that owner");
        Check.equal(System.identityHashCode(lock), info.getLockInfo().getIdentityHashCode(), "the monitor that it wants");
        Check.that(!info.isInNative() && !info.isSuspended(), "in native or suspended");
        print("blocked count", info.getBlockedCount());
        print("waited count", info.getWaitedCount());
        ThreadInfo owner = bean.getThreadInfo(new long[] {holder.getId()}, true, true)[0];
        MonitorInfo[] monitors = owner.getLockedMonitors();
        Check.equal(1, monitors.length, "monitors of the holder");
        Check.equal(System.identityHashCode(lock), monitors[0].getIdentityHashCode(), "the monitor that it holds");
        Check.that(Check.hasFrame(owner.getStackTrace(), "await"), "stack of the holder");
        LockInfo waitsFor = owner.getLockInfo();
        Check.equal("java.util.concurrent.CountDownLatch$Sync", waitsFor.getClassName(), "what the holder is parked on");
    }

    static void deadlocks() throws Exception {
        Check.that(bean.findDeadlockedThreads() == null, "no deadlock yet");
        Object[] monitors = {new Object(), new Object()};
        ReentrantLock[] locks = {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
        CountDownLatch five = new CountDownLatch(5);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int k = i;
            threads.add(new Thread(() -> {
                try {
                    if (k < 2) {
                        synchronized (monitors[k]) {
                            five.countDown();
                            five.await();
                            synchronized (monitors[1 - k]) {
                                throw new AssertionError("no deadlock");
                            }
                        }
                    } else {
                        locks[k - 2].lock();
                        five.countDown();
                        five.await();
                        locks[(k - 1) % 3].lock();
                        throw new AssertionError("no deadlock");
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }, "dead-" + i));
        }
        for (Thread t : threads) {
            t.setDaemon(true);
            t.start();
        }
        Check.await(() -> {
            long[] all = bean.findDeadlockedThreads();
            return all != null && all.length == 5;
        });
        TreeSet<String> names = new TreeSet<>();
        for (ThreadInfo i : bean.getThreadInfo(bean.findDeadlockedThreads())) {
            names.add(i.getThreadName());
        }
        print("deadlocked", names);
        Check.equal(2, bean.findMonitorDeadlockedThreads().length, "threads in a deadlock of monitors");
    }
}
