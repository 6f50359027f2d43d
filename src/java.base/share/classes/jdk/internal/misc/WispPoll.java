/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package jdk.internal.misc;

import java.io.FileDescriptor;
import java.net.SocketTimeoutException;
import jdk.internal.vm.annotation.Stable;

/**
 * What the core libraries call before a system call that may block, and when they close a descriptor.
 *
 * <p>On a coroutine, awaitReadable and awaitWritable park until the descriptor is ready, so that the carrier is free
 * meanwhile. The caller makes its blocking call afterwards in any case: its results, exceptions and time-outs are those
 * of that call, also when the descriptor turns out not to be ready after all. On other threads, and without
 * -XX:+UseWisp2, the methods return at once.
 *
 * <p>Rejected: non-blocking descriptors with the blocking semantics written anew here; each deviation would be ours.
 */
public final class WispPoll {
    private static final int READABLE = 1, WRITABLE = 2;

    /** What await0 returns besides 0 for ready; the same constants as EventPump::Result. */
    private static final int TIMED_OUT = 1;

    private static final JavaIOFileDescriptorAccess FD_ACCESS = SharedSecrets.getJavaIOFileDescriptorAccess();

    /** Set once, when the engine starts; false for ever without -XX:+UseWisp2. */
    @Stable
    private static boolean on;

    private WispPoll() { }

    /** Called by the engine at its start. */
    public static void start() {
        on = true;
    }

    /** Parks until fd has data, a connection or an end of file for its reader; returns at once unless blocking. */
    public static void awaitReadable(FileDescriptor fd, boolean blocking) {
        if (on && blocking) {
            await0(FD_ACCESS.get(fd), READABLE, 0);
        }
    }

    /** Parks until fd takes data; returns at once unless blocking. */
    public static void awaitWritable(FileDescriptor fd, boolean blocking) {
        if (on && blocking) {
            await0(FD_ACCESS.get(fd), WRITABLE, 0);
        }
    }

    /**
     * Parks until fd is readable, before a poll of it.
     *
     * @param millis the time-out of the poll; negative for none, 0 not to wait
     * @return the time-out for the poll that follows
     */
    public static long awaitReadable(FileDescriptor fd, long millis) {
        if (!on || millis == 0) {
            return millis;
        }
        return await0(FD_ACCESS.get(fd), READABLE, nanos(millis)) < 0 ? millis : 0;
    }

    /**
     * Parks until fd is readable.
     *
     * @param fd      the descriptor, null if the socket is closed: returns at once
     * @param millis  the time-out of the socket, 0 for none
     * @param message of the exception
     * @throws SocketTimeoutException when the time is over, as the system call would have reported it
     */
    public static void awaitReadable(FileDescriptor fd, int millis, String message) throws SocketTimeoutException {
        if (on && fd != null && await0(FD_ACCESS.get(fd), READABLE, nanos(millis)) == TIMED_OUT) {
            throw new SocketTimeoutException(message);
        }
    }

    /**
     * Parks until the epoll descriptor of a selector has events.
     *
     * @param millis the time-out of the selection; negative for none, 0 not to wait
     * @return the time-out for the system call that follows
     */
    public static int awaitEvents(int epollFd, int millis) {
        if (!on || millis == 0) {
            return millis;
        }
        return await0(epollFd, READABLE, nanos(millis)) < 0 ? millis : 0;
    }

    /** 0 for no time-out; centuries are as good as no time-out. */
    private static long nanos(long millis) {
        return millis <= 0 || millis > Long.MAX_VALUE / 1_000_000 ? 0 : millis * 1_000_000;
    }

    /**
     * Wakes the coroutines that wait for fd. To be called when it has been closed or replaced: who begins to wait
     * later finds that.
     */
    public static void closing(FileDescriptor fd) {
        if (on && fd != null) {
            closing0(FD_ACCESS.get(fd));
        }
    }

    /** The same for a descriptor whose number was asked for before it was closed. */
    public static void closing(int number) {
        if (on && number >= 0) {
            closing0(number);
        }
    }

    /** The number of fd, -1 if it is closed. */
    public static int number(FileDescriptor fd) {
        return on ? FD_ACCESS.get(fd) : -1;
    }

    /** -1 on a thread that is not a coroutine. nanos 0: no time-out. */
    private static native int await0(int fd, int events, long nanos);

    private static native void closing0(int fd);
}
