/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import jdk.internal.misc.Unsafe;
import jdk.internal.misc.VM;
import jdk.internal.misc.WispPoll;

/*
 * Two things: the VM's entry into the policy (boot, isConverted), and the public API.
 *
 * Protocol. The VM calls boot() once, on the main thread, before the class of the
 * application is loaded, and isConverted() in each Thread.start(), on the starting
 * thread. Neither may wait for anything that a coroutine can own: isConverted() takes
 * no lock, loads no class and calls no code that an application can replace. It is
 * false until boot() has ended, and so is every answer of the API.
 *
 * Every engine is a thread-per-task executor over converted Threads, and all engines
 * share the carriers. What an executor needs on top, who is alive and whether it is
 * shut down, is under one lock per engine and touched twice per task; the root
 * engine, which never ends, has no such book.
 *
 * Rejected: a set of carriers of its own for each engine (a machine has a number of
 * CPUs, not of engines; more carriers than that only compete), and a pool of tasks
 * (starting a coroutine is what a pool would save).
 */

/**
 * Runs tasks as coroutines, and tells how the VM's coroutines are configured.
 *
 * <p>In a VM that was started with {@code -XX:+UseWisp2}, {@link Thread#start()}
 * makes coroutines by itself; a program needs this class only to ask for one where
 * the settings say otherwise, or to count. An engine is an
 * {@link java.util.concurrent.ExecutorService ExecutorService} that starts a new
 * coroutine for each task. A task's {@link Thread} is a complete one: locks, thread
 * locals, interruption, stack traces, and the handler of uncaught exceptions work as
 * for any thread. An exception that escapes a task ends that task only.
 *
 * <p>There is one <em>root engine</em>. It belongs to the VM, cannot be shut down,
 * and its tasks are daemon threads. Further engines come from {@link #createEngine}.
 * All engines share the carrier threads of the VM.
 *
 * <p>All methods can be called from any thread. In a VM without
 * {@code -XX:+UseWisp2} the methods that return {@code boolean} and are static
 * return {@code false}, and all other static methods throw
 * {@link UnsupportedOperationException}.
 */
public final class WispEngine extends AbstractExecutorService {
    private static final int MAX_ENGINE_SIZE = WispConfiguration.MAX_CARRIERS;

    // Written by boot() alone, in this order; a reader that sees booted sees the rest.
    private static ConversionPolicy policy;
    private static WispEngine root;
    private static volatile boolean booted;

    // Whether Thread.start() makes coroutines. Programs set this field by reflection to
    // stop and resume conversion: name, type and modifiers (but volatile) must stay.
    private static volatile boolean shiftThreadModel;

    // The engine whose task the thread runs; none: the root engine.
    private static final ThreadLocal<WispEngine> OWNER = new ThreadLocal<>();

    private final ThreadFactory factory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Set<Body> alive = new HashSet<>();    // guarded by lock
    private boolean shutdown;                           // guarded by lock

    private WispEngine(ThreadFactory factory) {
        this.factory = factory;
    }

    // ---- The VM's entry points

    /**
     * Reads the settings and starts the carriers. Called by the VM, once.
     *
     * @throws IllegalArgumentException for a setting that cannot be used; the message
     *         is one line for the user, and the VM does not start
     */
    static void boot() {
        WispConfiguration configuration =
            WispConfiguration.parse(VM.getSavedProperties(), Runtime.getRuntime().availableProcessors());
        for (String line : configuration.warnings) {
            System.err.println(VM.getSavedProperty("java.vm.name") + " warning: " + line);
        }
        if (WispCarrier.logs(WispCarrier.LOG_INFO)) {
            for (String line : configuration.decisions()) {
                WispCarrier.log(WispCarrier.LOG_INFO, line);
            }
        }
        WispCarrier.measure(configuration.profile);
        policy = new ConversionPolicy(configuration);
        root = new WispEngine(new RootFactory());
        // Everything that isConverted() touches is initialized now.
        Unsafe.getUnsafe().ensureClassInitialized(Body.class);
        for (String pattern : configuration.nativeAffinity) {
            WispCarrier.addAffinity(pattern);
        }
        WispCarrier.initialize(configuration.carriers, configuration.followProcessors, configuration.stackSizeBytes,
                               configuration.tickMicros * 1000L);
        WispPoll.start();
        shiftThreadModel = configuration.convertThreads;
        booted = true;
    }

    /**
     * Whether a thread that is about to start becomes a coroutine. Called by the VM in
     * {@code Thread.start()}. If anything but the VM itself is in trouble here, the thread
     * gets an OS thread rather than none.
     */
    static int isConverted(Thread t) {
        if (!booted) {
            return ConversionPolicy.NOT_UP;
        }
        try {
            return policy.decide(t, shiftThreadModel);
        } catch (RuntimeException | LinkageError e) {
            return ConversionPolicy.FAILED;
        }
    }

    // ---- Static API

    /**
     * Whether this VM runs threads as coroutines at all.
     *
     * @return true if it was started with {@code -XX:+UseWisp2}
     */
    public static boolean transparentWispSwitch() {
        return booted;
    }

    /**
     * Whether {@link Thread#start()} makes coroutines at present.
     *
     * @return true unless the VM runs without {@code -XX:+UseWisp2}, or
     *         {@code com.alibaba.wisp.enableThreadAsWisp} is false
     */
    public static boolean enableThreadAsWisp() {
        return shiftThreadModel;
    }

    /**
     * Lets {@link Thread#start()} make coroutines from now on, or kernel threads. Threads
     * that have been started stay what they are, and tasks of the API are coroutines in any
     * case. An operator does the same by {@code jcmd <pid> Wisp.conversion on|off}.
     *
     * @param on true for coroutines, unless the other settings exclude a thread
     * @throws SecurityException if a security manager denies
     *         {@code RuntimePermission("modifyThread")}
     * @throws UnsupportedOperationException in a VM without {@code -XX:+UseWisp2}
     */
    public static void convertThreads(boolean on) {
        requireBooted();
        SecurityManager security = System.getSecurityManager();
        if (security != null) {
            security.checkPermission(new RuntimePermission("modifyThread"));
        }
        if (shiftThreadModel != on) {
            shiftThreadModel = on;
            WispCarrier.log(WispCarrier.LOG_INFO, "conversion of new threads is " + (on ? "on" : "off"));
        }
    }

    /**
     * The earlier name of {@link #transparentWispSwitch()}.
     *
     * @return the same
     * @deprecated use {@link #transparentWispSwitch()}
     */
    @Deprecated
    public static boolean isTransparentAsync() {
        return transparentWispSwitch();
    }

    /**
     * The earlier name of {@link #enableThreadAsWisp()}.
     *
     * @return the same
     * @deprecated use {@link #enableThreadAsWisp()}
     */
    @Deprecated
    public static boolean isShiftThreadModel() {
        return enableThreadAsWisp();
    }

    /**
     * Returns the engine that the calling thread belongs to.
     *
     * @return the engine that runs the caller as its task; the root engine for all
     *         other threads, whether they are coroutines or not
     * @throws UnsupportedOperationException in a VM without {@code -XX:+UseWisp2}
     */
    public static WispEngine current() {
        requireBooted();
        WispEngine owner = OWNER.get();
        return owner != null ? owner : root;
    }

    /**
     * Creates an engine. It starts one coroutine for each task, in a thread that the
     * factory makes for it: the factory decides on name, group, daemon status, priority,
     * context class loader and stack size. A non-daemon thread keeps the VM alive as any
     * other, until its task has ended.
     *
     * <p>The carriers are those of the VM: {@code size} neither adds to them nor limits
     * how many tasks run at a time. A thread is a kernel thread nevertheless if
     * {@code com.alibaba.wisp.threadAsWisp.black} matches it; or if the factory does not
     * hand the {@code Runnable} itself to the {@code Thread}, and the other settings for
     * conversion do not include the thread.
     *
     * @param size the number of carriers that the caller has in mind, 1 to 1024
     * @param factory makes the threads, called once for each task by the thread that
     *        submits it
     * @return a new engine
     * @throws IllegalArgumentException if size is out of range
     * @throws NullPointerException if factory is null
     * @throws UnsupportedOperationException in a VM without {@code -XX:+UseWisp2}
     */
    public static WispEngine createEngine(int size, ThreadFactory factory) {
        requireBooted();
        if (size < 1 || size > MAX_ENGINE_SIZE) {
            throw new IllegalArgumentException("size is " + size + ", must be 1 to " + MAX_ENGINE_SIZE);
        }
        return new WispEngine(Objects.requireNonNull(factory, "factory"));
    }

    /**
     * Runs a task as a new coroutine of the calling thread's {@linkplain #current()
     * engine}. The same as {@code current().execute(task)}.
     *
     * @param task what to run
     * @throws NullPointerException if task is null
     * @throws RejectedExecutionException if the engine has been shut down
     * @throws OutOfMemoryError if there is no memory for another thread
     * @throws UnsupportedOperationException in a VM without {@code -XX:+UseWisp2}
     */
    public static void dispatch(Runnable task) {
        current().execute(task);
    }

    /**
     * Returns the counters of a carrier.
     *
     * @param id one of {@link #getWispCarrierIds()}
     * @return its counters at this moment, or {@code null} if there is no such carrier
     * @throws UnsupportedOperationException in a VM without {@code -XX:+UseWisp2}
     */
    public static WispCounter getWispCounter(long id) {
        requireBooted();
        return id < 0 || id >= WispCarrier.carriers() ? null : WispCounter.of((int) id);
    }

    /**
     * Returns the counters of all carriers.
     *
     * @return an unmodifiable map from carrier id to its counters at this moment
     * @throws UnsupportedOperationException in a VM without {@code -XX:+UseWisp2}
     */
    public static Map<Long, WispCounter> getManagedEngineCounters() {
        requireBooted();
        Map<Long, WispCounter> counters = new TreeMap<>();
        for (int i = 0; i < WispCarrier.carriers(); i++) {
            counters.put((long) i, WispCounter.of(i));
        }
        return Collections.unmodifiableMap(counters);
    }

    private static void requireBooted() {
        if (!booted) {
            throw new UnsupportedOperationException("Wisp is off: start the VM with -XX:+UseWisp2");
        }
    }

    // ---- An engine

    /**
     * Returns the ids of the carriers that run this engine's tasks: those of the VM, in
     * ascending order. An id stands for a run queue. The thread {@code WispCarrier-n}
     * serves queue {@code n} until its task blocks in native code; then another carrier
     * takes the queue over, and the id stays.
     *
     * @return an unmodifiable list
     */
    public List<Long> getWispCarrierIds() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < WispCarrier.carriers(); i++) {
            ids.add((long) i);
        }
        return Collections.unmodifiableList(ids);
    }

    /**
     * Starts a coroutine that runs the task.
     *
     * @param task what to run
     * @throws NullPointerException if task is null
     * @throws RejectedExecutionException if this engine has been shut down, or its factory
     *         returned null
     * @throws OutOfMemoryError if there is no memory for another thread
     */
    @Override
    public void execute(Runnable task) {
        Body body = new Body(this, Objects.requireNonNull(task, "task"));
        enter(body);
        boolean started = false;
        try {
            Thread t = factory.newThread(body);
            if (t == null) {
                throw new RejectedExecutionException("the factory of " + this + " returned no thread");
            }
            t.start();
            started = true;
        } finally {
            if (!started) {
                leave(body);
            }
        }
    }

    /**
     * Lets this engine accept no more tasks. Those that run go on.
     *
     * @throws UnsupportedOperationException for the root engine
     * @throws SecurityException if a security manager denies
     *         {@code RuntimePermission("modifyThread")}
     */
    @Override
    public void shutdown() {
        stop(false);
    }

    /**
     * Lets this engine accept no more tasks, and interrupts those that run.
     *
     * @return an empty list: there are no tasks that wait to be started
     * @throws UnsupportedOperationException for the root engine
     * @throws SecurityException if a security manager denies
     *         {@code RuntimePermission("modifyThread")}, or the interruption of a thread
     */
    @Override
    public List<Runnable> shutdownNow() {
        stop(true);
        return Collections.emptyList();
    }

    private void stop(boolean interrupt) {
        if (this == root) {
            throw new UnsupportedOperationException("the root engine lives as long as the VM");
        }
        SecurityManager security = System.getSecurityManager();
        if (security != null) {
            security.checkPermission(new RuntimePermission("modifyThread"));
        }
        lock.lock();
        try {
            shutdown = true;
            if (alive.isEmpty()) {
                ended.signalAll();
            }
            if (interrupt) {
                for (Body body : alive) {
                    body.interrupt();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether this engine has been shut down.
     *
     * @return true if it accepts no more tasks; always false for the root engine
     */
    @Override
    public boolean isShutdown() {
        lock.lock();
        try {
            return shutdown;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether this engine has been shut down and all its tasks have ended.
     *
     * @return true if nothing runs and nothing will; always false for the root engine
     */
    @Override
    public boolean isTerminated() {
        lock.lock();
        try {
            return shutdown && alive.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until this engine is terminated. For the root engine the time always
     * elapses. A coroutine that waits here frees its carrier.
     *
     * @param timeout how long to wait at most
     * @param unit the unit of timeout
     * @return whether it is terminated
     * @throws InterruptedException if the caller is interrupted
     */
    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        long nanos = unit.toNanos(timeout);
        lock.lockInterruptibly();
        try {
            while (!shutdown || !alive.isEmpty()) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = ended.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void enter(Body body) {
        if (this == root) {
            return;
        }
        lock.lock();
        try {
            if (shutdown) {
                throw new RejectedExecutionException("the engine has been shut down");
            }
            alive.add(body);
        } finally {
            lock.unlock();
        }
    }

    private void leave(Body body) {
        if (this == root) {
            return;
        }
        lock.lock();
        try {
            body.thread = null;
            if (alive.remove(body) && shutdown && alive.isEmpty()) {
                ended.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * What a task's thread runs. The policy knows a task by this class.
     */
    static final class Body implements Runnable {
        private final WispEngine engine;
        private final Runnable task;
        private Thread thread;              // guarded by engine.lock; null but in run()
        private boolean interrupted;        // guarded by engine.lock

        Body(WispEngine engine, Runnable task) {
            this.engine = engine;
            this.task = task;
        }

        @Override
        public void run() {
            if (engine == root) {
                task.run();
                return;
            }
            try {
                bind();                                // in here, as it may find no memory
                OWNER.set(engine);
                task.run();
            } finally {
                OWNER.remove();
                engine.leave(this);
            }
        }

        private void bind() {
            engine.lock.lock();
            try {
                thread = Thread.currentThread();
                if (interrupted) {
                    thread.interrupt();
                }
            } finally {
                engine.lock.unlock();
            }
        }

        // By shutdownNow(), which holds the lock.
        void interrupt() {
            interrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    /**
     * Threads of the root engine: they do not keep the VM alive.
     */
    private static final class RootFactory implements ThreadFactory {
        private final AtomicLong count = new AtomicLong();

        @Override
        public Thread newThread(Runnable body) {
            Thread t = new Thread(body, "WispTask-" + count.getAndIncrement());
            t.setDaemon(true);
            return t;
        }
    }
}
