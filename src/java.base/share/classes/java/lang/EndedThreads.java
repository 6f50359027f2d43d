/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Stable;

/**
 * Threads that have ended and still stand in the array of a large {@link ThreadGroup}. Removing one takes a search and moves
 * the rest of the array; here it happens for many at once, so that the end of a thread costs the same in a group of a hundred
 * thousand as in one of a thousand, and takes no monitor, which whoever starts threads would wait for. Used with
 * {@code -XX:+UseWisp2} only, and only in groups of {@link #LARGE} threads or more.
 *
 * <p> What stands there meanwhile is not the thread itself, which may hold anything, by fields of its class or its context class loader, but
 * {@link Fields#STAND_IN}, a thread that never was alive and has no group: a thread that ends looks for its entry, and exchanges it
 * ({@link #standIn}). Where others move the array at that moment, or it is not found near the place that its id
 * tells, it stays itself.
 *
 * <p> A thread that ends counts itself in {@code group.ended}, then clears its field {@code group}, then looks at the count
 * and at {@code group.nthreads}. Whoever holds the monitor removes the threads without a group from the array, writes
 * {@code nthreads} and then subtracts them from the count, which therefore never is less than the number of threads in the
 * array that have no group. Nobody else in the array has no group. Methods of ThreadGroup that look at the array call
 * {@link #settle} first, also those that do nothing to a thread that has ended (interrupt, stop, suspend, resume), as its class may
 * do something.
 *
 * <p> Somebody must settle what is left when the last thread has ended, and destroy an empty daemon group. A thread leaves
 * without the monitor only if the array holds {@link #LARGE} threads or more, and
 * <ul>
 * <li> the count is below {@link #limit}, a quarter of them: most are alive then, and somebody will find the count at its limit,
 * or the group small. It reads the count first: a count from which somebody has been subtracted comes with the new
 * {@code nthreads}, and an older one is only larger. Who settles looks at the count once more after that; either it
 * sees the thread's, or the thread, which has a fence between its stores and the loads, sees the new values.
 * <li> or somebody else has set {@code group.settling}, and will take the monitor. That one clears it before a last look at the
 * count, so that who has found it set is seen. Those that are counted then, but still had their group, come to this point
 * later.
 * </ul>
 *
 * <p> To look at each thread takes tens of milliseconds in a group of a million, as few are in the cache. So the one that has
 * set {@code group.settling} looks without the monitor, and then only at those that it has found, with it.
 *
 * <p> A thread that is stopped ({@link Thread#stop}) in here may leave the group behind in any state, as it may in upstream's
 * ThreadGroup, and even its monitor locked. So an entry may be null, and a count too large: that costs looks at the array. The
 * VM calls {@code Thread.exit} again if the thread has its group still; so who has removed itself from the array, and has to
 * see whether that is empty, has its group back for what follows.
 *
 * <p> Rejected: gaps in the array (each reader would have to know them), moving the last thread into
 * the gap (enumeration is in the order of the starts), and a list of the threads that have ended (its entries would have to
 * be published, and the field says the same).
 */
final class EndedThreads {

    /** How many threads make a group large. */
    private static final int LARGE = 1024;

    /** So many entries, of which one may be the one that is looked for, are looked at one by one, */
    private static final int NEAR = 64;

    /** or so many if few of them are of threads that are alive, of which one in so many is looked at for its id; */
    private static final int SEARCHED = 8192, STRIDE = 16;

    /** Places where entries were exchanged last: how many are kept, and how many entries are looked at before and behind one. */
    private static final int PLACES = 4, BEFORE = 8, BEHIND = 24;

    /** Set once, by the initialization of Fields; false for ever without -XX:+UseWisp2, when the end of a thread needs no class but this one. */
    @Stable
    private static boolean on;

    private EndedThreads() {
    }

    /** Initialized by the VM at its start with the flag, so never by a thread that is out of stack or memory, or stopped. */
    private static final class Fields {
        static final Unsafe UNSAFE = Unsafe.getUnsafe();
        static final long THREAD_GROUP = UNSAFE.objectFieldOffset(Thread.class, "group");
        static final long NTHREADS = UNSAFE.objectFieldOffset(ThreadGroup.class, "nthreads");
        static final long ENDED = UNSAFE.objectFieldOffset(ThreadGroup.class, "ended");
        static final long SETTLING = UNSAFE.objectFieldOffset(ThreadGroup.class, "settling");
        private static final int TERMINATED = 2;             // of JVM TI
        static final long ID = UNSAFE.objectFieldOffset(Thread.class, "tid");
        static final long BASE = Unsafe.ARRAY_OBJECT_BASE_OFFSET;
        static final long SCALE = Unsafe.ARRAY_OBJECT_INDEX_SCALE;
        static final Thread STAND_IN = createStandIn();

        /** Of whatever group. By everybody, hints. */
        static final int[] PLACE = new int[PLACES];

        static {
            on = true;
        }

        /** Not by a constructor, which would draw a number for the id, and count it in a group. */
        private static Thread createStandIn() {
            try {
                Thread t = (Thread) UNSAFE.allocateInstance(Thread.class);
                UNSAFE.putObject(t, UNSAFE.objectFieldOffset(Thread.class, "name"), "ended");
                UNSAFE.putObject(t, UNSAFE.objectFieldOffset(Thread.class, "blockerLock"), new Object());   // interrupt() takes it
                UNSAFE.putInt(t, UNSAFE.objectFieldOffset(Thread.class, "threadStatus"), TERMINATED);
                return t;
            } catch (InstantiationException e) {
                throw new InternalError(e);
            }
        }

        /** The method getId may be a program's own. An entry may have become null since it was looked at. */
        static long id(Thread t) {
            return t != null ? UNSAFE.getLong(t, ID) : 0;
        }

        static int count(ThreadGroup group) {
            return UNSAFE.getIntVolatile(group, ENDED);
        }

        static boolean hasLeft(Thread t) {
            return UNSAFE.getObjectVolatile(t, THREAD_GROUP) == null;
        }
    }

    /** How many may stand in the array of {@code n} threads until one of them takes the monitor. */
    private static int limit(int n) {
        return n < LARGE ? 1 : n / 4;
    }

    /**
     * Called by {@code t}, which ends, without the monitor.
     *
     * @return false if it has to take the monitor, and call {@link #left}
     */
    static boolean defer(ThreadGroup group, Thread t) {
        if (!on || group.nthreads < LARGE) {
            return false;
        }
        try {
            Fields.UNSAFE.getAndAddInt(group, Fields.ENDED, 1);
            Fields.UNSAFE.putObjectVolatile(t, Fields.THREAD_GROUP, null);
            standIn(group, t);
            int count = Fields.count(group);
            int n = Fields.UNSAFE.getIntVolatile(group, Fields.NTHREADS);
            if (n < LARGE) {
                return false;
            }
            if (count < limit(n) || !Fields.UNSAFE.compareAndSetInt(group, Fields.SETTLING, 0, 1)) {
                return true;
            }
            return removeMost(group);
        } catch (Throwable e) {
            // Stopped, or out of memory. It ends all the same, by the other way. A count too many does no harm.
            Fields.UNSAFE.putIntVolatile(group, Fields.SETTLING, 0);
            return false;
        }
    }

    /**
     * Exchanges the entry of {@code t} for the one that holds nothing. Without the monitor: whoever has that may move entries, and has read
     * this one before, perhaps, and writes it elsewhere afterwards; then it stays. Those that end together have often been started
     * together. Else threads stand in the order of their starts, which is that of their ids as a rule, without those that have ended since.
     */
    private static void standIn(ThreadGroup group, Thread t) {
        Thread[] threads = group.threads;
        if (threads == null) {
            return;
        }
        int low = 0;
        int high = Math.min(group.nthreads, threads.length) - 1;
        for (int k = 0; k < PLACES; k++) {
            int place = Fields.PLACE[k];
            int i = place <= high ? exchange(threads, t, Math.max(place - BEFORE, 0), Math.min(place + BEHIND, high), 1) : -1;
            if (i >= 0) {
                Fields.PLACE[k] = i + 1;
                return;
            }
        }
        long id = Fields.id(t);
        while (high - low > NEAR) {
            int middle = (low + high) >>> 1;
            int above = alive(threads, middle, high, STRIDE);
            if (above == middle) {
                if (Fields.id(threads[middle]) < id) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
                continue;
            }
            // In the midst of those that have ended: between the next ones that have not.
            int below = alive(threads, middle, low, -STRIDE);
            if (below >= 0 && Fields.id(threads[below]) >= id) {
                high = below;
                continue;
            }
            low = below >= 0 ? below + 1 : low;
            if (above >= 0 && Fields.id(threads[above]) < id) {
                low = above + 1;
                continue;
            }
            high = above >= 0 ? above : high;
            break;                                      // those who end in the order of their starts, or the other way round: it is one at the end
        }
        int i = exchange(threads, t, Math.max(low, high - SEARCHED), high, -1);
        if (i < 0) {
            i = exchange(threads, t, low, Math.min(high, low + SEARCHED), 1);
        }
        if (i < 0 && threads.length <= SEARCHED) {
            i = exchange(threads, t, 0, threads.length - 1, 1);
        }
        if (i >= 0) {
            Fields.PLACE[(int) (id % PLACES)] = i + 1;
        }
    }

    /** The first entry of a thread that has not ended, from one on by steps, at most to another one; -1: there is none. */
    private static int alive(Thread[] threads, int from, int to, int step) {
        for (int i = from; step > 0 ? i <= to : i >= to; i += step) {
            Thread t = threads[i];
            if (t != null && t != Fields.STAND_IN) {
                return i;
            }
        }
        return -1;
    }

    /** The index of the entry that was exchanged, -1: there is none, or somebody moves it. */
    private static int exchange(Thread[] threads, Thread t, int low, int high, int step) {
        for (int i = step > 0 ? low : high; i >= low && i <= high; i += step) {
            if (threads[i] == t) {
                return Fields.UNSAFE.compareAndSetObject(threads, Fields.BASE + i * Fields.SCALE, t, Fields.STAND_IN) ? i : -1;
            }
        }
        return -1;
    }

    /**
     * Called by {@code t}, which ends, with the monitor.
     *
     * @return false if it has to look for itself in the array, and whether the group is empty
     */
    static boolean left(ThreadGroup group, Thread t) {
        boolean counted = t.getThreadGroup() == null;
        if (counted && othersFollow(group)) {
            return true;
        }
        settle(group);
        if (counted && !group.destroyed) {
            Fields.UNSAFE.putObjectVolatile(t, Fields.THREAD_GROUP, group);
        }
        // If so, somebody has removed the current thread, and it was the last.
        return group.destroyed;
    }

    /** Removes from the array of {@code group} all that have ended. Called with the monitor. */
    static void settle(ThreadGroup group) {
        if (group.ended != 0 || group.settling != 0) {
            int removed;
            do {
                removed = Fields.count(group) == 0 ? -1 : remove(group, null);
                Fields.UNSAFE.putIntVolatile(group, Fields.SETTLING, 0);
            } while (removed != 0 && Fields.count(group) >= limit(group.nthreads));
        }
    }

    /** Whether one of those that are alive will settle what is left now. Called with the monitor. */
    private static boolean othersFollow(ThreadGroup group) {
        Fields.UNSAFE.putIntVolatile(group, Fields.SETTLING, 0);
        return group.nthreads >= LARGE && Fields.count(group) < limit(group.nthreads);
    }

    /** What it finds without the monitor may be wrong in any way, and is looked at again with it. */
    private static boolean removeMost(ThreadGroup group) {
        Thread[] threads = group.threads;
        if (threads == null) {
            return false;
        }
        int n = Math.min(group.nthreads, threads.length);
        long[] found = new long[(n + 63) / 64];
        for (int i = 0; i < n; i++) {
            Thread t = threads[i];
            if (t != null && Fields.hasLeft(t)) {
                found[i / 64] |= 1L << i;
            }
        }
        synchronized (group) {
            remove(group, found);
            return othersFollow(group);
        }
    }

    /** Removes those that have ended; with {@code found} only if their bit is set. */
    private static int remove(ThreadGroup group, long[] found) {
        Thread[] threads = group.threads;
        int n = group.nthreads;
        int kept = 0;
        int removed = 0;
        for (int i = 0; i < n; i++) {
            Thread t = threads[i];
            boolean look = found == null || i / 64 < found.length && (found[i / 64] & 1L << i) != 0;
            if (t != null && look && Fields.hasLeft(t)) {
                removed++;
            } else if (t != null) {
                threads[kept++] = t;
            }
        }
        Fields.UNSAFE.putIntVolatile(group, Fields.NTHREADS, kept);
        Fields.UNSAFE.getAndAddInt(group, Fields.ENDED, -removed);
        for (int i = kept; i < n; i++) {
            threads[i] = null;
        }
        return removed;
    }
}
