/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What a JVMTI agent does to threads: it lists, suspends, inspects, resumes and stops them while they park, sleep, wait,
 *          compute or sit in a queue, and its callbacks call Java code that blocks; raw monitors. Catches: carriers that an agent can see and
 *          suspend; a suspended thread that goes on, or takes a kernel thread when its wait is over; a callback that comes back
 *          on another kernel thread, or is entered by another thread on its kernel thread; the owner of a raw monitor that
 *          loses its kernel thread, threads that wait for one and stop the others.
 * @library /test/lib
 * @modules java.management jdk.management
 * @run main/othervm/native -agentlib:AgentFunctions AgentFunctions
 */

import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class AgentFunctions {
    static native Thread[] threads();
    static native int suspend(Thread t);
    static native int resume(Thread t);
    static native int suspendAll(Thread[] list);
    static native int resumeAll(Thread[] list);
    static native int state(Thread t);
    static native String frames(Thread t);
    static native long cpuTime(Thread t);
    static native int popFrame(Thread t);
    static native int forceReturn(Thread t, int value);
    static native int stop(Thread t, Throwable e);
    static native int interrupt(Thread t);
    static native int enter();
    static native int exit();
    static native int await(long millis);
    static native int signalAll();
    static native int kernelId();
    static native int breakAt(String method, boolean set);
    static native int callbacksDone();
    static native int callbacksBad();

    static final int ALIVE = 0x1, SUSPENDED = 0x100000;

    public static void main(String[] args) throws Exception {
        enumeration();
        suspendInEachState();
        suspendManySleepers();
        suspendEverybody();
        returnsAndPops();
        stops();
        cpuTimes();
        rawMonitors();
        callbacks();
    }

    /** Other threads have run for a while: who is not suspended would have come on. */
    static void letOthersRun() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 4 * Vm.carriers() && i < 40; i++) {
            crew.start("other-" + i, () -> {
                for (int j = 0; j < 50; j++) {
                    Thread.yield();
                    LockSupport.parkNanos(100_000);
                }
            });
        }
        crew.join();
    }

    static void enumeration() throws Exception {
        Set<Thread> java = new HashSet<>(Thread.getAllStackTraces().keySet());
        for (Thread t : threads()) {
            Check.that(!t.getName().startsWith("Wisp"), "the agent sees " + t);
            Check.that(java.contains(t) || t.getName().startsWith("Common-Cleaner"), "getAllStackTraces has no " + t);
        }
    }

    static volatile boolean flag;
    static volatile int mark;

    static void suspendInEachState() throws Exception {
        Object lock = new Object();
        Object other = new Object();
        try (ServerSocket server = new ServerSocket(0)) {
            Socket client = new Socket("localhost", server.getLocalPort());
            Socket peer = server.accept();

            suspendOne("parked", LockSupport::park, "park", t -> LockSupport.unpark(t));
            suspendOne("parked with a limit", () -> LockSupport.parkNanos(500_000_000), "parkNanos", t -> Thread.sleep(510));
            suspendOne("asleep", () -> Thread.sleep(500), "sleep", t -> Thread.sleep(510));
            suspendOne("waiting", () -> {
                synchronized (lock) {
                    lock.wait();
                }
            }, "wait", t -> {
                synchronized (lock) {
                    lock.notify();
                }
            });
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch free = new CountDownLatch(1);
            Thread owner = new Thread(() -> {
                synchronized (other) {
                    held.countDown();
                    awaitLatch(free);
                }
            });
            owner.start();
            held.await();
            suspendOne("entering", () -> enterMonitor(other), "enterMonitor", t -> free.countDown());
            owner.join();
            suspendOne("reading", () -> client.getInputStream().read(), "read", t -> peer.getOutputStream().write(1));
            flag = false;
            suspendOne("computing", AgentFunctions::spin, "spin", t -> flag = true);
            peer.close();
            client.close();
        }
    }

    static void enterMonitor(Object lock) {
        synchronized (lock) {
            mark++;
        }
    }

    static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void spin() {
        while (!flag) {
            mark++;
        }
    }

    interface Action {
        void accept(Thread t) throws Exception;
    }

    static void suspendOne(String what, Check.Code wait, String method, Action end) throws Exception {
        System.out.println(what);
        Crew crew = new Crew();
        AtomicInteger passed = new AtomicInteger();
        Thread t = crew.start("victim", () -> {
            wait.run();
            passed.incrementAndGet();
        });
        Check.awaitFrame(t, method);
        if (!method.equals("spin")) {
            Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED, Thread.State.RUNNABLE);
        }
        Check.equal(0, suspend(t), "SuspendThread");
        Check.equal(14, suspend(t), "SuspendThread again");        // JVMTI_ERROR_THREAD_SUSPENDED
        Check.equal(ALIVE | SUSPENDED, state(t) & (ALIVE | SUSPENDED), "state");
        Check.that((" " + frames(t)).contains(" " + method + " "), "stack of " + what + ": " + frames(t));
        int before = mark;
        end.accept(t);
        letOthersRun();
        Check.equal(0, passed.get(), what + ", suspended and awake");
        if (method.equals("spin")) {
            Check.equal(before, mark, "a suspended thread computes");
        }
        Check.that((" " + frames(t)).contains(" " + method + " "), "stack of " + what + ", awake: " + frames(t));
        Check.equal(0, resume(t), "ResumeThread");
        Check.equal(13, resume(t) == 15 ? 13 : resume(t), "ResumeThread again");   // NOT_SUSPENDED, or ended already
        crew.join();
        Check.equal(1, passed.get(), what);
    }

    static void suspendManySleepers() throws Exception {
        Crew crew = new Crew();
        int n = 300;
        AtomicInteger rounds = new AtomicInteger();
        flag = false;
        for (int i = 0; i < n; i++) {
            int kind = i % 4;
            Object lock = new Object();
            crew.start("sleeper-" + i, () -> {
                while (!flag) {
                    switch (kind) {
                        case 0: Thread.sleep(1); break;
                        case 1: LockSupport.parkNanos(1_000_000); break;
                        case 2: synchronized (lock) { lock.wait(1); } break;
                        default: Thread.yield();
                    }
                    rounds.incrementAndGet();
                }
            });
        }
        Check.await(() -> rounds.get() > 10 * n);
        Thread[] list = crew.threads().toArray(new Thread[0]);
        int before = Vm.kernelThreads();
        Check.equal(0, suspendAll(list), "errors of SuspendThreadList");
        letOthersRun();
        int now = rounds.get();
        letOthersRun();
        Check.equal(now, rounds.get(), "rounds of suspended threads");
        int kernel = Vm.kernelThreads();
        System.out.println(before + " kernel threads before, " + kernel + " with " + n + " suspended threads");
        if (Vm.wispOn()) {
            Check.that(kernel <= Vm.kernelThreadLimit() + Vm.carriers(), kernel + " kernel threads with " + n + " suspended threads");
        }
        Check.equal(0, resumeAll(list), "errors of ResumeThreadList");
        Check.await(() -> rounds.get() > now + 10 * n);
        flag = true;
        crew.join();
    }

    /** Started while others are suspended, and suspended before it has run. */
    static void suspendEverybody() throws Exception {
        flag = false;
        AtomicInteger rounds = new AtomicInteger();
        Crew crew = new Crew();
        for (int i = 0; i < 2 * Vm.carriers() && i < 20; i++) {
            crew.start("hog-" + i, () -> {
                while (!flag) {
                    rounds.incrementAndGet();
                }
            });
        }
        for (int round = 0; round < 20; round++) {
            AtomicInteger ran = new AtomicInteger();
            CountDownLatch over = new CountDownLatch(3);
            for (int i = 0; i < 3; i++) {
                crew.start("new-" + i, () -> {
                    ran.incrementAndGet();
                    over.countDown();
                });
            }
            List<Thread> list = new ArrayList<>(Arrays.asList(threads()));
            list.remove(Thread.currentThread());
            list.removeIf(t -> t.getThreadGroup() == null || t.getThreadGroup().getName().equals("system"));
            Thread[] array = list.toArray(new Thread[0]);
            suspendAll(array);                   // some have ended meanwhile
            int now = rounds.get();
            Thread.sleep(2);
            Check.equal(now, rounds.get(), "threads that run while all are suspended");
            resumeAll(array);
            over.await();
            Check.await(() -> rounds.get() > now);
        }
        flag = true;
        crew.join();
    }

    static volatile int returned;
    static final AtomicInteger entered = new AtomicInteger();

    static int spinFor() {
        entered.incrementAndGet();
        while (!flag) {
            mark++;
        }
        return 1;
    }

    static int callSpin() {
        return spinFor();
    }

    static void returnsAndPops() throws Exception {
        for (int i = 0; i < 5; i++) {
            flag = false;
            returned = 0;
            int before = entered.get();
            Crew crew = new Crew();
            Thread t = crew.start("returner", () -> returned = callSpin());
            Check.await(() -> entered.get() == before + 1);
            Check.equal(0, suspend(t), "SuspendThread");
            Check.equal(0, popFrame(t), "PopFrame");
            Check.equal(0, resume(t), "ResumeThread");
            Check.await(() -> entered.get() == before + 2);     // called again
            Check.equal(0, suspend(t), "SuspendThread");
            Check.equal(0, forceReturn(t, 42), "ForceEarlyReturnInt");
            Check.equal(0, resume(t), "ResumeThread");
            crew.join();
            Check.equal(42, returned, "what was forced");
        }
        Crew crew = new Crew();
        Thread t = crew.start("parked", LockSupport::park);
        Check.awaitState(t, Thread.State.WAITING);
        Check.equal(0, suspend(t), "SuspendThread");
        Check.equal(32, popFrame(t), "PopFrame of a native method");   // JVMTI_ERROR_OPAQUE_FRAME
        Check.equal(0, resume(t), "ResumeThread");
        LockSupport.unpark(t);
        crew.join();
    }

    static class Expected extends RuntimeException { }

    static void stops() throws Exception {
        Check.Code[] waits = {
            () -> {
                while (true) {
                    LockSupport.park();
                }
            },
            () -> Thread.sleep(100_000),
            () -> {
                while (true) {
                    mark++;
                }
            },
        };
        for (Check.Code wait : waits) {
            Crew crew = new Crew();
            Throwable[] got = new Throwable[1];
            CountDownLatch there = new CountDownLatch(1);
            Thread t = crew.start("stopped", () -> {
                try {
                    there.countDown();
                    wait.run();
                } catch (Throwable e) {
                    got[0] = e;
                }
            });
            there.await();
            Thread.sleep(1);
            Check.equal(0, stop(t, new Expected()), "StopThread");
            crew.join();
            Check.equal(Expected.class, got[0].getClass(), "what was thrown");
        }
        Crew crew = new Crew();
        Thread t = crew.start("interrupted", () ->
            Check.throwing(InterruptedException.class, "sleep", () -> Thread.sleep(100_000)));
        Check.awaitState(t, Thread.State.TIMED_WAITING);
        Check.equal(0, interrupt(t), "InterruptThread");
        crew.join();
    }

    static void cpuTimes() throws Exception {
        flag = false;
        Crew crew = new Crew();
        CountDownLatch there = new CountDownLatch(1);
        Thread busy = crew.start("busy", () -> {
            there.countDown();
            spin();
        });
        Thread idle = crew.start("idle", LockSupport::park);
        there.await();
        Check.await(() -> cpuTime(idle) > 0);    // it has parked; nobody had asked before, but an agent has the capability to
        Check.that(cpuTime(busy) >= 0, "GetThreadCpuTime");
        long start = cpuTime(busy);
        Check.await(() -> cpuTime(busy) > start + 50_000_000);
        Check.that(cpuTime(idle) < 20_000_000, "a parked thread used " + cpuTime(idle) + " ns");
        flag = true;
        LockSupport.unpark(idle);
        crew.join();
    }

    static int guarded;

    /** More threads than carriers, one raw monitor; its owner parks. */
    static void rawMonitors() throws Exception {
        Crew crew = new Crew();
        int n = 12, rounds = 20;
        for (int i = 0; i < n; i++) {
            crew.start("raw-" + i, () -> {
                for (int j = 0; j < rounds; j++) {
                    Check.equal(0, enter(), "RawMonitorEnter");
                    Check.equal(0, enter(), "RawMonitorEnter, nested");
                    int before = guarded;
                    int id = kernelId();
                    LockSupport.parkNanos(1000);
                    Thread.yield();
                    Check.equal(id, kernelId(), "kernel thread of the owner of a raw monitor");
                    guarded = before + 1;
                    Check.equal(0, exit(), "RawMonitorExit");
                    Check.equal(0, exit(), "RawMonitorExit");
                    Check.equal(51, exit(), "RawMonitorExit by another");     // JVMTI_ERROR_NOT_MONITOR_OWNER
                }
            });
        }
        crew.join();
        Check.equal(n * rounds, guarded, "a raw monitor had two owners");

        flag = false;
        AtomicInteger woken = new AtomicInteger();
        AtomicInteger waiting = new AtomicInteger();
        for (int i = 0; i < 6; i++) {
            crew.start("waiter-" + i, () -> {
                enter();
                waiting.incrementAndGet();
                while (!flag) {
                    Check.equal(0, await(0), "RawMonitorWait");
                }
                exit();
                woken.incrementAndGet();
            });
        }
        Check.await(() -> waiting.get() == 6);
        enter();
        flag = true;
        Check.equal(0, signalAll(), "RawMonitorNotifyAll");
        exit();
        crew.join();
        Check.equal(6, woken.get(), "woken");

        // The owner waits, more threads than carriers want to enter, and the one that lets the owner go on starts last.
        Thread owner = crew.start("owner of a raw monitor", () -> {
            enter();
            LockSupport.park();
            exit();
        });
        Check.awaitState(owner, Thread.State.WAITING);
        if (Vm.wispOn()) {
            String dump = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "threadPrint", new Object[] {new String[0]},
                new String[] {String[].class.getName()});
            Check.that(dump.contains("pinned by a JVMTI raw monitor"), "the thread dump does not tell why the owner is pinned");
        }
        for (int i = 0; i < Math.min(Vm.carriers(), 16) + 2; i++) {
            Thread t = crew.start("enters-" + i, () -> {
                enter();
                guarded++;
                exit();
                LockSupport.parkNanos(1000);
            });
            Check.awaitFrame(t, "enter");
        }
        crew.start("lets go", () -> LockSupport.unpark(owner));
        crew.join();
    }

    static final Object wanted = new Object();
    static volatile boolean sharing;

    /** Called in the callback of the breakpoint. */
    static void upcall() throws Exception {
        for (int i = 0; i < 3; i++) {
            LockSupport.parkNanos(50_000);
            Thread.yield();
            synchronized (wanted) {
                wanted.wait(0, 1);
            }
        }
    }

    static void breakHere() {
        mark++;
    }

    static void callbacks() throws Exception {
        Check.equal(0, breakAt("breakHere", true), "SetBreakpoint");
        Crew crew = new Crew();
        int n = 8, rounds = 10;
        for (int i = 0; i < n; i++) {
            crew.start("callback-" + i, () -> {
                for (int j = 0; j < rounds; j++) {
                    breakHere();
                    Thread.yield();
                }
            });
        }
        crew.join();
        Check.equal(0, breakAt("breakHere", false), "ClearBreakpoint");
        Check.equal(n * rounds, callbacksDone(), "callbacks");
        Check.equal(0, callbacksBad(), "callbacks on a kernel thread that is not theirs alone");
    }
}
