/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import jdk.internal.misc.InnocuousThread;
import jdk.internal.misc.Unsafe;

/*
 * Decides which threads become coroutines. In this order:
 *
 *   1. Threads of the JDK that must not depend on carriers stay OS threads: those
 *      that bring the VM out of trouble (the handlers of signals), those that sit in
 *      native code for long (the process reaper in waitpid), Secondary finalizer,
 *      who draws with OpenGL, whose context is one of its kernel thread,
 *      InnocuousThreads (cleaners, timers of protocol handlers) and the recorder's.
 *      Reference Handler and Finalizer start before the engine; Signal Dispatcher,
 *      service, compiler and agent threads and DestroyJavaVM are made by the VM itself
 *      and never come here.
 *   2. The user's black list.
 *   3. Tasks of the API are coroutines, as that is what was asked for.
 *   4. While conversion is off: OS threads.
 *   5. All others, or with allThreadAsWisp=false those of the white list.
 *
 * Protocol: immutable. decide() runs in Thread.start(), before the thread exists for
 * the VM, on the starting thread. It calls no method that can be overridden and none
 * that asks a SecurityManager; fields without such an accessor are read by offset.
 *
 * Rejected: excluding every thread of the system group (RMI and JMX put their
 * connection threads there).
 */
final class ConversionPolicy {
    /** What decide() returns; the same constants as CoroutineThread::Decision. */
    static final int CONVERTED = 0, NOT_UP = 1, OF_THE_JDK = 2, EXCLUDED = 3, NOT_LISTED = 4, SWITCHED_OFF = 5, FAILED = 6;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long TARGET = UNSAFE.objectFieldOffset(Thread.class, "target");
    private static final long PARENT = UNSAFE.objectFieldOffset(ThreadGroup.class, "parent");

    // What the names of the Runnables' classes begin with.
    private static final String SIGNAL_HANDLER = "jdk.internal.misc.Signal$";
    private static final String RECORDER = "jdk.jfr.internal.";
    private static final String FILE_DIALOG = "sun.awt.X11.GtkFileDialogPeer";   // GTK's loop, which calls back, belongs to its kernel thread

    // Of the system group only, where applications put no threads.
    private static final String[] SYSTEM_NAMES = {"process reaper", "Secondary finalizer", "Java2D Queue Flusher"};

    private final ThreadList black;
    private final ThreadList white;
    private final boolean convertAll;
    private final ThreadGroup systemGroup;
    private final Class<?> innocuous = InnocuousThread.class;   // loaded here, not in decide()

    ConversionPolicy(WispConfiguration configuration) {
        black = configuration.black;
        white = configuration.white;
        convertAll = configuration.convertAll;

        systemGroup = systemGroup();
    }

    /** The root of all groups, without a question to a security manager of the command line, which is there already. */
    static ThreadGroup systemGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        for (ThreadGroup parent; (parent = (ThreadGroup) UNSAFE.getObject(group, PARENT)) != null; ) {
            group = parent;
        }
        return group;
    }

    /**
     * Whether a thread that is about to start becomes a coroutine.
     *
     * @param t the thread, not started
     * @param converting whether Thread.start() makes coroutines at present
     * @return CONVERTED, or why it keeps a kernel thread
     */
    int decide(Thread t, boolean converting) {
        Object runnable = UNSAFE.getObject(t, TARGET);
        Class<?> runnableClass = runnable == null ? null : runnable.getClass();
        if (isPartOfTheJdk(t, runnableClass)) {
            return OF_THE_JDK;
        }
        if (!black.isEmpty() && black.matches(t.getName(), t.getClass(), runnableClass)) {
            return EXCLUDED;
        }
        if (runnable instanceof WispEngine.Body) {
            return CONVERTED;
        }
        if (!converting) {
            return SWITCHED_OFF;
        }
        return convertAll || white.matches(t.getName(), t.getClass(), runnableClass) ? CONVERTED : NOT_LISTED;
    }

    private boolean isPartOfTheJdk(Thread t, Class<?> runnableClass) {
        if (innocuous.isInstance(t)) {
            return true;
        }
        if (runnableClass != null) {
            String name = runnableClass.getName();
            if (name.startsWith(SIGNAL_HANDLER) || name.startsWith(RECORDER) || name.startsWith(FILE_DIALOG)) {
                return true;
            }
        }
        if (t.getThreadGroup() == systemGroup) {
            String name = t.getName();
            for (String s : SYSTEM_NAMES) {
                if (s.equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }
}
