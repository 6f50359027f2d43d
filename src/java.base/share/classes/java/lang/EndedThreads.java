/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package java.lang;

import com.alibaba.wisp.engine.WispEngine;

/**
 * Threads that have ended and still stand in the array of a large {@link ThreadGroup}. Removing one takes a search and moves
 * the rest of the array; here it happens for many at once, so that the end of a thread costs the same in a group of a hundred
 * thousand as in one of a thousand. Used with {@code -XX:+UseWisp2} only, and only in groups of {@link #LARGE} threads or
 * more.
 *
 * <p> All methods are called with the group's monitor held. Whoever looks at the array calls {@link #settle} first; methods
 * that do nothing to a thread that has ended (interrupt, stop, suspend, resume) need not.
 *
 * <p> Rejected: gaps in the array (each reader would have to know them, and a Thread its place), and moving the last thread
 * into the gap (enumeration is in the order of the starts).
 */
final class EndedThreads {

    /** How many threads make a group large. */
    private static final int LARGE = 1024;

    private final Thread[] threads;
    private int count;

    private EndedThreads(int capacity) {
        threads = new Thread[capacity];
    }

    /**
     * Notes that {@code t} is to be removed.
     *
     * @return false if it is to be removed at once
     */
    static boolean defer(ThreadGroup group, Thread t) {
        if (t != Thread.currentThread()) {
            // Its start has failed. It may be started again, so that it must not be noted.
            settle(group);
            return false;
        }
        int n = group.nthreads;
        EndedThreads ended = group.ended;
        if (ended == null) {
            if (n < LARGE || !WispEngine.transparentWispSwitch()) {
                return false;
            }
            try {
                ended = new EndedThreads(n / 4);
            } catch (OutOfMemoryError e) {
                return false;
            }
            group.ended = ended;
        }
        ended.threads[ended.count++] = t;
        if (ended.count == ended.threads.length || ended.count == n) {
            settle(group);
        }
        return true;
    }

    /** Removes from the array of {@code group} what is to be removed. */
    static void settle(ThreadGroup group) {
        EndedThreads ended = group.ended;
        if (ended == null) {
            return;
        }
        group.ended = null;
        // Whoever has noted himself leaves the monitor and then his group; only the few that have not done so yet, such as the
        // current thread, have to be looked for. Nobody else in the array has no group.
        int staying = 0;
        for (int i = 0; i < ended.count; i++) {
            Thread t = ended.threads[i];
            if (t.getThreadGroup() != null) {
                ended.threads[staying++] = t;
            }
        }
        int kept = 0;
        for (int i = 0; i < group.nthreads; i++) {
            Thread t = group.threads[i];
            if (t.getThreadGroup() != null && !isAmong(t, ended.threads, staying)) {
                group.threads[kept++] = t;
            }
        }
        while (group.nthreads > kept) {
            group.threads[--group.nthreads] = null;
        }
    }

    private static boolean isAmong(Thread t, Thread[] threads, int count) {
        for (int i = 0; i < count; i++) {
            if (threads[i] == t) {
                return true;
            }
        }
        return false;
    }
}
