/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary Threads of the JDK that must not depend on carriers stay OS threads: finalizer, reference handler, cleaners, process
 *          reaper, handlers of signals, the flight recorder's; also main and, in the end, DestroyJavaVM. Application threads
 *          with such names are coroutines.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine java.base/jdk.internal.misc jdk.jfr jdk.unsupported
 * @build java.base/com.alibaba.wisp.engine.EngineProbe
 * @run main/othervm -XX:+UseWisp2 JdkThreads
 */

import com.alibaba.wisp.engine.EngineProbe;
import com.alibaba.wisp.engine.WispTask;
import java.lang.ref.Cleaner;
import java.util.concurrent.SynchronousQueue;
import jdk.internal.misc.InnocuousThread;
import sun.misc.Signal;
import wisptest.Check;

public class JdkThreads {
    static final SynchronousQueue<Thread> seen = new SynchronousQueue<>();

    static void report() {
        try {
            seen.put(Thread.currentThread());
            synchronized (JdkThreads.class) {   // stay alive until looked at
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static class Finalized {
        @Override
        @SuppressWarnings("deprecation")
        protected void finalize() {
            report();
        }
    }

    static void osThread(String what, Thread t) {
        System.out.println(what + ": " + t);
        Check.that(t.isAlive(), what + " has ended");
        Check.that(!EngineProbe.isCoroutine(t), what + " is a coroutine");
    }

    static void osThreadOfName(String name) throws Exception {
        Check.await(() -> byName(name) != null);
        osThread(name, byName(name));
    }

    static Thread byName(String prefix) {
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            if (t.getName().startsWith(prefix)) {
                return t;
            }
        }
        return null;
    }

    static void collectUntilSeen(String what) throws Exception {
        for (;;) {
            System.gc();
            synchronized (JdkThreads.class) {
                Thread t = seen.poll(100, java.util.concurrent.TimeUnit.MILLISECONDS);
                if (t != null) {
                    osThread(what, t);
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        osThreadOfName("Reference Handler");
        osThreadOfName("Finalizer");
        osThreadOfName("Signal Dispatcher");
        osThreadOfName("Common-Cleaner");

        new Finalized();
        collectUntilSeen("the thread that finalizes");
        Cleaner.create().register(new Object(), JdkThreads::report);
        collectUntilSeen("the thread that cleans");

        synchronized (JdkThreads.class) {
            InnocuousThread.newThread("innocuous", JdkThreads::report).start();
            osThread("an InnocuousThread", seen.take());
        }
        synchronized (JdkThreads.class) {
            Signal.handle(new Signal("WINCH"), s -> report());
            Signal.raise(new Signal("WINCH"));
            osThread("the handler of a signal", seen.take());
        }

        Process child = new ProcessBuilder("sleep", "1000").start();
        osThreadOfName("process reaper");
        child.destroy();
        child.waitFor();

        if (ModuleLayer.boot().findModule("jdk.jfr").isPresent() && jdk.jfr.FlightRecorder.isAvailable()) {
            try (jdk.jfr.Recording r = new jdk.jfr.Recording()) {
                r.enable("jdk.CPULoad").withPeriod(java.time.Duration.ofMillis(10));
                r.start();
                osThreadOfName("JFR Periodic Tasks");
                osThreadOfName("JFR Recorder Thread");
            }
        }

        for (String name : new String[] {"Finalizer", "process reaper", "Reference Handler", "JFR Periodic Tasks", "main"}) {
            boolean[] coroutine = new boolean[1];
            Thread t = new Thread(() -> coroutine[0] = WispTask.current() != null, name);
            t.start();
            t.join();
            Check.that(coroutine[0], "an application's thread \"" + name + "\" is no coroutine");
        }
    }
}
