/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

/*
 * The API's view of a coroutine.
 *
 * Protocol: a value around the Thread, without state of its own. The coroutine's
 * state lives in the VM, next to the thread's. Two views of a thread are equal.
 *
 * Rejected: one object for each coroutine, found through a map or a ThreadLocal (a
 * table to keep in step with the ends of threads, for nothing that the Thread does
 * not know).
 */

/**
 * A coroutine: a {@link Thread} that is run by a carrier and has no kernel thread
 * of its own. All methods can be called from any thread.
 *
 * @see WispEngine
 */
public final class WispTask implements Comparable<WispTask> {
    private final Thread thread;

    private WispTask(Thread thread) {
        this.thread = thread;
    }

    /**
     * Returns the calling thread's task. This method neither blocks nor takes a lock.
     *
     * @return the task, or {@code null} if the caller is not a coroutine: the main
     *         thread, one attached by native code, one that the exclude list keeps a
     *         kernel thread, and every thread if the VM runs without
     *         {@code -XX:+UseWisp2}
     */
    public static WispTask current() {
        if (!WispEngine.transparentWispSwitch()) {
            return null;
        }
        Thread self = Thread.currentThread();
        return WispCarrier.isCoroutine(self) ? new WispTask(self) : null;
    }

    /**
     * Returns the name of the task, which is the name of its thread.
     *
     * @return the name at present
     */
    public String getName() {
        return thread.getName();
    }

    /**
     * Returns the thread that this task is.
     *
     * @return what {@link Thread#currentThread()} is in the task
     */
    public Thread getThreadWrapper() {
        return thread;
    }

    /**
     * Returns the name and the thread's id.
     */
    @Override
    public String toString() {
        return "WispTask[\"" + thread.getName() + "\" #" + thread.getId() + "]";
    }

    /**
     * Compares by thread.
     *
     * @return true if both are tasks of the same thread
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof WispTask && ((WispTask) other).thread == thread;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(thread);
    }

    /**
     * Orders by {@linkplain Thread#getId() thread id}, which is the order of creation
     * unless a subclass of {@code Thread} says otherwise.
     */
    @Override
    public int compareTo(WispTask other) {
        return Long.compare(thread.getId(), other.thread.getId());
    }
}
