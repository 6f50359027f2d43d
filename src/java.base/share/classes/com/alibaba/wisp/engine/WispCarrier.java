/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import jdk.internal.misc.Unsafe;

/**
 * The loop of a carrier thread: in which order it runs coroutines, serves events and timers, looks for work elsewhere and sleeps.
 * The operations themselves are native (carrierThread.cpp, coroutineScheduler.cpp), because they share their data with
 * wake-ups that the VM makes in states where no Java code can run.
 *
 * <p>The code here runs on the carrier's own stack, never on a coroutine's. It must not take a monitor, wait for a class
 * initializer or load a class once the engine runs: a coroutine that waits in this carrier's queue could own it.
 *
 * <p>A carrier whose queue was handed to another one, while its coroutine was in native code or came to no safepoint
 * poll, waits as a spare until it is given a queue again, or ends when there have been too many spares for some seconds.
 * Spares are created by one thread that holds no queue, named WispDaemon, as creating a thread takes locks. It also has them end.
 */
final class WispCarrier {
    /** What run0 returns; the same constants as CarrierThread::Result. */
    private static final int EMPTY = 0, DUE = 1, NO_QUEUE = 2;

    /** The id of the thread that creates spares. */
    private static final int DAEMON_ID = -1;

    /** How many of them are prepared, at most. */
    private static final int SPARES_AHEAD = 256;

    /** Levels of log(); the same constants as in coroutineNatives.cpp. */
    static final int LOG_DEBUG = 0, LOG_INFO = 1, LOG_WARNING = 2;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long NAME = UNSAFE.objectFieldOffset(Thread.class, "name");
    private static final long GROUP = UNSAFE.objectFieldOffset(Thread.class, "group");
    private static final long PRIORITY = UNSAFE.objectFieldOffset(Thread.class, "priority");
    private static final long BLOCKER_LOCK = UNSAFE.objectFieldOffset(Thread.class, "blockerLock");

    private static ThreadGroup group;
    private static long created;

    /** Of a number of carriers, as threads that keep a kernel thread use one each: 2 billion may come together in time. */
    private static int id(long number) {
        return (int) (number & Integer.MAX_VALUE);
    }

    /** A class of its own, so that a histogram of the heap tells the hundreds that are prepared from the threads of the program. */
    private static final class Carrier extends Thread { }

    private WispCarrier() { }

    /**
     * Starts the carriers; called once, by WispEngine.boot.
     *
     * @param carriers  how many run queues, and carriers that hold one
     * @param follow    whether their number follows that of the available processors
     * @param stackSize of a coroutine in bytes, 0 for the size of platform threads
     * @param tickNanos of sysmon, 0 for the default
     */
    static void initialize(int carriers, boolean follow, long stackSize, long tickNanos) {
        group = ConversionPolicy.systemGroup();
        initialize0(carriers, follow, stackSize, tickNanos, thread("ended"));
        for (int i = 0; i < carriers; i++) {
            create(i);
        }
        create(-1);
        start0(thread("WispDaemon"), DAEMON_ID, -1);
    }

    private static void create(int queue) {
        start0(prepare(created), id(created), queue);
        created++;
    }

    private static Thread prepare(long number) {
        return thread("WispCarrier-" + Integer.toString(id(number)));
    }

    /**
     * Not by a constructor: it would draw a number for the id, so that the threads of a program had other ids than without
     * the flag, count the thread in its group, and inherit from whoever is current. The id of these threads is 0.
     */
    private static Thread thread(String name) {
        Thread thread;
        try {
            thread = (Thread) UNSAFE.allocateInstance(Carrier.class);
        } catch (InstantiationException e) {
            throw new InternalError(e);
        }
        UNSAFE.putObject(thread, NAME, name);
        UNSAFE.putObject(thread, GROUP, group);
        UNSAFE.putInt(thread, PRIORITY, Thread.NORM_PRIORITY);
        UNSAFE.putObject(thread, BLOCKER_LOCK, new Object());
        return thread;
    }

    /** Entry of every carrier, called by the VM. */
    private static void run() {
        if (id() == DAEMON_ID) {
            createSpares();
        }
        for (;;) {
            switch (run0()) {
                case DUE:
                    serve();
                    break;
                case EMPTY:
                    if (!serve() && !steal()) {
                        idle();
                    }
                    break;
                case NO_QUEUE:
                    if (!awaitQueue()) {
                        return;
                    }
                    break;
            }
        }
    }

    /**
     * The next spares are prepared ahead, and are there when memory runs out: who would free some may wait for one of them. Many at a time, when
     * half of them are left: while all wait for a collection, each in an allocation, this thread shall not have to.
     */
    private static void createSpares() {
        Thread[] ahead = new Thread[SPARES_AHEAD];          // that of a number at its remainder
        long prepared = created;                           // up to that number
        for (;;) {
            try {
                if (prepared - created <= SPARES_AHEAD / 2) {
                    while (prepared < created + SPARES_AHEAD) {
                        ahead[place(prepared)] = prepare(prepared);
                        prepared++;
                    }
                }
            } catch (Throwable e) {
                // There is no memory now: try again after the next one.
            }
            awaitSpareRequest();
            try {
                if (prepared == created) {
                    ahead[place(prepared)] = prepare(prepared);
                    prepared++;
                }
                start0(ahead[place(created)], id(created), -1);
            } catch (Throwable e) {
                spareFailed();
                continue;
            }
            ahead[place(created)] = null;
            created++;
        }
    }

    private static int place(long number) {
        return (int) (number % SPARES_AHEAD);
    }

    // ---- For the other classes of the engine

    /** One pattern of NativeAffinity, before any class of the program is loaded. */
    static native void addAffinity(String pattern);

    /** How many run queues there are. */
    static native int carriers();

    /** Does this thread run as a coroutine? False when it has ended or was not started. */
    static native boolean isCoroutine(Thread thread);

    /** The counters of one run queue, in the order of RunQueue::Counter. */
    static native long[] counters(int queue);

    /** Whether times are measured, which half of the counters need. */
    static native boolean measures();
    static native void measure(boolean on);

    /** A line for -Xlog:wisp; logs() says whether it would be seen. */
    static native void log(int level, String line);
    static native boolean logs(int level);

    // ---- The operations

    /** ended: stands for each thread that has ended and that the VM still has in its list. */
    private static native void initialize0(int carriers, boolean follow, long stackSize, long tickNanos, Thread ended);
    private static native void start0(Thread thread, int id, int queue);
    private static native int id();
    private static native int run0();
    private static native boolean serve();
    private static native boolean steal();
    private static native void idle();
    private static native boolean awaitQueue();
    private static native void awaitSpareRequest();
    private static native void spareFailed();
}
