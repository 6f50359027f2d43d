/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package jdk.internal.misc;

import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import jdk.internal.vm.annotation.Stable;
import sun.net.ConnectionResetException;

/**
 * What the core libraries call before or instead of a system call that may block, and when they close a descriptor.
 *
 * <p>On a coroutine, awaitReadable and awaitWritable park until the descriptor is ready, so that the carrier is free
 * meanwhile. The caller makes its blocking call afterwards in any case: its results, exceptions and time-outs are those
 * of that call, also when the descriptor turns out not to be ready after all. On other threads, and without
 * -XX:+UseWisp2, the methods return at once.
 *
 * <p>The methods read, readv, receive, write, writev and takeEvents are for calls that such a wait does not save from blocking (a large write into a small
 * buffer) or that are made so often that asking first costs too much. They make the call themselves, without blocking,
 * as often as needed; what they throw is what java.net and sun.nio.ch throw for the same error.
 *
 * <p>Rejected: to make descriptors non-blocking; other threads, processes and native code use the same ones. One that the program has
 * made non-blocking stays so for a while ({@link #isLeftNonBlocking}).
 */
public final class WispPoll {
    /** What to wait for; the same constants as EventPump::Events. */
    private static final int READABLE = 1, WRITABLE = 2, IF_BLOCKING = 4, ACCEPTS = 8, DATAGRAMS = 16;

    /** What await0 returns besides 0 for ready and -1; the same constants as EventPump::Result. */
    public static final int TIMED_OUT = 1;
    private static final int AWAIT_CLOSED = 2, AWAIT_UNREGISTERED = 4;

    /** What mayConnect0 returns when nobody has to run first. */
    private static final int MAY_CONNECT = -1;

    /** How long one waits for somebody to accept, a tenth if it does not block, and how often one looks in vain at least. */
    private static final long CONNECT_NANOS = 100_000_000;
    private static final int CONNECT_LOOKS = 8;

    /** How often one who closes spins for those that receive, how often he yields to them at least, and for how long, if they do not leave. */
    private static final int CLOSE_SPINS = 20, CLOSE_LOOKS = 100;
    private static final long CLOSE_NANOS = 1_000_000_000;

    /** When the kernel tries again to connect, and some time for that. */
    private static final int RETRY_MILLIS = 1050;

    /** The interest of the pump in a descriptor; the same constants as EventPump::Kind. */
    private static final int EDGE = 1, EDGE_UNREGISTERED = 2;

    /** What read0, write0, writev0 and takeEvents0 return besides counts; the same constants as CoroutineSockets::Result. */
    public static final int BLOCKING = -1;
    public static final int WOKEN = -4;
    private static final int READ_TIMED_OUT = -2, UNREGISTERED = -3, ERROR = -1000;

    /** The errors that have an exception of their own, in the numbers of Linux. */
    private static final int EBADF = 9, ENOMEM = 12, EPIPE = 32, ECONNRESET = 104, ECONNREFUSED = 111;

    /** What fail0 throws. */
    private static final int SOCKET_READ = 0, SOCKET_WRITE = 1, CHANNEL_WRITE = 2, CHANNEL_READ = 3, SOCKET_RECEIVE = 4;

    /** Initialized by {@link #start}, so never by a thread that is out of stack or memory. WispPoll itself has nothing that could fail so. */
    private static final class Fields {
        static final JavaIOFileDescriptorAccess FD_ACCESS = SharedSecrets.getJavaIOFileDescriptorAccess();

        /** The flag of a FileDescriptor that it is registered with the pump, which lasts until it is closed. */
        static final Unsafe UNSAFE = Unsafe.getUnsafe();
        static final long REGISTERED = UNSAFE.objectFieldOffset(FileDescriptor.class, "wispRegistered");

        /** The flag that the kernel was not told yet that it is a blocking one again; see sun.nio.ch.WispChannel, to which it belongs. */
        static final long LEFT_NON_BLOCKING = UNSAFE.objectFieldOffset(FileDescriptor.class, "wispLeftNonBlocking");

        /** The flag that the kernel is told of each change of the mode; belongs there, too. */
        static final long TOLD = UNSAFE.objectFieldOffset(FileDescriptor.class, "wispTold");

        /** The flag that a datagram socket is being closed; see closes. */
        static final long CLOSING = UNSAFE.objectFieldOffset(FileDescriptor.class, "wispClosing");
    }

    /** Set once, when the engine starts; false for ever without -XX:+UseWisp2. */
    @Stable
    private static boolean on;

    private WispPoll() { }

    /** Called by the engine at its start. */
    public static void start() {
        Unsafe.getUnsafe().ensureClassInitialized(Fields.class);
        on = true;
    }

    /** Whether the VM runs with -XX:+UseWisp2. */
    public static boolean isOn() {
        return on;
    }

    /** Whether the current thread is a coroutine. */
    public static boolean onCoroutine() {
        return on && onCoroutine0();
    }

    private static boolean isRegistered(FileDescriptor fd) {
        return Fields.UNSAFE.getBooleanVolatile(fd, Fields.REGISTERED);
    }

    /** See Fields.LEFT_NON_BLOCKING. */
    public static boolean isLeftNonBlocking(FileDescriptor fd) {
        return Fields.UNSAFE.getBooleanVolatile(fd, Fields.LEFT_NON_BLOCKING);
    }

    /** See Fields.LEFT_NON_BLOCKING. */
    public static void setLeftNonBlocking(FileDescriptor fd, boolean left) {
        Fields.UNSAFE.putBooleanVolatile(fd, Fields.LEFT_NON_BLOCKING, left);
    }

    /** See Fields.TOLD. */
    public static boolean isTold(FileDescriptor fd) {
        return Fields.UNSAFE.getBooleanVolatile(fd, Fields.TOLD);
    }

    /** See Fields.TOLD. */
    public static void setTold(FileDescriptor fd) {
        Fields.UNSAFE.putBooleanVolatile(fd, Fields.TOLD, true);
    }

    /** Two threads may do it at a time: the second registration changes nothing. */
    private static boolean register(FileDescriptor fd) {
        if (!register0(Fields.FD_ACCESS.get(fd))) {
            return false;
        }
        Fields.UNSAFE.putBooleanVolatile(fd, Fields.REGISTERED, true);
        return true;
    }

    /**
     * A close of another descriptor that had the same number before can end the wait. If this one is still open it goes
     * on; if it was replaced, as sun.nio.ch and java.net do before they close it, it is ready.
     */
    private static int await(FileDescriptor fd, int events, long nanos) {
        long end = nanos > 0 ? System.nanoTime() + nanos : 0;
        int number = Fields.FD_ACCESS.get(fd);
        int n = await0(fd, number, events, nanos, isRegistered(fd) ? EDGE : EDGE_UNREGISTERED);
        if (n == AWAIT_UNREGISTERED) {
            n = register(fd) ? await0(fd, number, events, nanos, EDGE) : -1;
        }
        while (n == AWAIT_CLOSED && Fields.FD_ACCESS.get(fd) == number) {
            long left = nanos > 0 ? end - System.nanoTime() : 0;
            n = nanos > 0 && left <= 0 ? TIMED_OUT : await0(fd, number, events, left, EDGE);
        }
        return n;
    }

    /** Parks until fd, which listens, has a connection; returns at once unless blocking. */
    public static void awaitConnection(FileDescriptor fd, boolean blocking) {
        if (on && blocking) {
            await(fd, READABLE | ACCEPTS | IF_BLOCKING, 0);
        } else if (on) {
            listens0(Fields.FD_ACCESS.get(fd));
        }
    }

    /** Parks until fd has data or an end of file for its reader; returns at once unless blocking. */
    public static void awaitReadable(FileDescriptor fd, boolean blocking) {
        if (on && blocking) {
            await(fd, READABLE | IF_BLOCKING, 0);
        }
    }

    /** The same before a read into dst, which does not block when there is no room, or when it throws. */
    public static void awaitReadable(FileDescriptor fd, boolean blocking, ByteBuffer dst) {
        if (on && blocking && dst.hasRemaining() && !dst.isReadOnly()) {
            await(fd, READABLE, 0);
        }
    }

    /** The same before a read into several buffers. */
    public static void awaitReadable(FileDescriptor fd, boolean blocking, ByteBuffer[] dsts, int offset, int length) {
        if (on && blocking) {
            boolean room = false;
            for (int i = offset; i < offset + length; i++) {
                if (dsts[i].isReadOnly()) {
                    return;
                }
                room |= dsts[i].hasRemaining();
            }
            if (room) {
                await(fd, READABLE, 0);
            }
        }
    }

    /** Parks until fd takes data or is connected; returns at once unless blocking, or if fd is null, as of a closed socket. */
    public static void awaitWritable(FileDescriptor fd, boolean blocking) {
        if (on && blocking && fd != null) {
            await(fd, WRITABLE | IF_BLOCKING, 0);
        }
    }

    /**
     * Parks until fd is readable, before a poll of it.
     *
     * @param millis the time-out of the poll; negative for none, 0 not to wait
     * @return the time-out for the poll that follows
     */
    public static long awaitReadable(FileDescriptor fd, long millis) {
        return awaitReady(fd, READABLE, millis);
    }

    /**
     * Parks until a socket of datagrams has room for one; returns at once unless blocking. A send waits when the buffer is full, but the kernel
     * says that it is writable only while that is less than half full.
     */
    public static void awaitRoom(FileDescriptor fd, boolean blocking) {
        if (on && blocking) {
            await(fd, WRITABLE | DATAGRAMS | IF_BLOCKING, 0);
        }
    }

    /** The same for a socket in blocking mode. False: it could not wait. */
    public static boolean awaitRoom(FileDescriptor fd) {
        return on && await(fd, WRITABLE | DATAGRAMS, 0) >= 0;
    }

    /** The same until fd, which listens, has a connection. */
    public static long awaitConnection(FileDescriptor fd, long millis) {
        return awaitReady(fd, READABLE | ACCEPTS, millis);
    }

    /** The same until fd is connected, or cannot be. */
    public static long awaitWritable(FileDescriptor fd, long millis) {
        long left = awaitReady(fd, WRITABLE, millis);
        connected();
        return left;
    }

    private static long awaitReady(FileDescriptor fd, int events, long millis) {
        if (!on || millis == 0) {
            return millis;
        }
        return await(fd, events, nanos(millis)) < 0 ? millis : 0;
    }

    /**
     * Parks until fd is connected, or cannot be.
     *
     * @param millis the time-out, 0 for none
     * @return TIMED_OUT or something else
     */
    public static int awaitConnected(FileDescriptor fd, int millis) {
        int n = await(fd, WRITABLE, nanos(millis));
        if (n < 0 && millis > 0) {                      // the pump cannot have it; the call that follows knows no time-out
            return awaitWritable0(Fields.FD_ACCESS.get(fd), millis) ? 0 : TIMED_OUT;
        }
        return n;
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
        awaitReadable(fd, READABLE, millis, message);
    }

    /**
     * The same until fd, which listens, has a connection.
     *
     * @return false if it could not wait: the pump cannot have fd, or it is closed
     */
    public static boolean awaitConnection(FileDescriptor fd, int millis, String message) throws SocketTimeoutException {
        return awaitReadable(fd, READABLE | ACCEPTS, millis, message);
    }

    private static boolean awaitReadable(FileDescriptor fd, int events, int millis, String message) throws SocketTimeoutException {
        int n = on && fd != null ? await(fd, events, nanos(millis)) : -1;
        if (n == TIMED_OUT) {
            throw new SocketTimeoutException(message);
        }
        return n >= 0;
    }

    /**
     * To be called by a coroutine that has connected: whoever accepts that may be in this process, and a kernel thread would be preempted by that
     * one. Here it would run when all that wait have had their turn, and made connections, too, perhaps more than the kernel keeps
     * for it. So its event is looked for at the next switch, and at once when one makes several without a wait.
     */
    public static void connected() {
        if (on && connected0()) {
            Thread.yield();
        }
    }

    /**
     * To be called before a coroutine connects: who accepts may wait for a lock first, and then for his turn. While the kernel keeps as many
     * connections as it may for a listener of this process there the others go first, he among them: until nobody has accepted for a
     * while, or for ten times as long, as he may have more to do than he can; or until fd is closed.
     *
     * @param blocking false: not for long, as others wait for the same thread
     * @param millis   the time-out of the connection, 0 for none; what is needed for two attempts of the kernel remains, or half
     * @return what is left of that, at least 1
     */
    public static int connects(FileDescriptor fd, InetAddress address, int port, boolean blocking, int millis) {
        int number = on ? Fields.FD_ACCESS.get(fd) : -1;
        if (number < 0 || mayConnect0(number, port, null, 0, false, blocking) == MAY_CONNECT) {
            return millis;
        }
        byte[] to = address.getAddress();
        int accepts = mayConnect0(number, port, to, 0, false, blocking);
        if (accepts == MAY_CONNECT) {
            return millis;
        }
        long start = System.nanoTime(), since = start;
        long longest = blocking ? CONNECT_NANOS : CONNECT_NANOS / 10;
        long most = millis == 0 ? 10 * longest : 1_000_000L * Math.min(millis / 2, millis > RETRY_MILLIS ? millis - RETRY_MILLIS : millis);
        int first = 0;                                  // of the looks that have found the same
        for (int i = 1; ; i++) {
            Thread.yield();
            int n = mayConnect0(number, port, to, i, false, blocking);
            if (n != accepts) {
                accepts = n;
                since = System.nanoTime();
                first = i;
            }
            // Not by the time alone: all may have stood still meanwhile, he, too.
            long now = System.nanoTime();
            boolean over = i - first >= CONNECT_LOOKS && now - since >= longest || now - start >= 10 * longest;
            if (n == MAY_CONNECT || over || now - start >= most) {
                if (n != MAY_CONNECT && over) {
                    mayConnect0(number, port, to, 0, true, blocking);
                }
                return millis == 0 ? 0 : (int) Math.max(millis - (now - start) / 1_000_000, 1);
            }
        }
    }

    /**
     * Takes events of an epoll descriptor, and parks until there are some.
     *
     * @param address of an array of struct epoll_event
     * @param count   its length
     * @param millis  the time-out; negative for none, 0 not to wait
     * @return the number of events, 0 when the time is over, WOKEN after {@link #wake}, or BLOCKING when the caller has to do it
     */
    public static int takeEvents(int epollFd, long address, int count, int millis) {
        return on && millis != 0 ? takeEvents0(epollFd, address, count, nanos(millis)) : BLOCKING;
    }

    /**
     * Wakes who waits in takeEvents for this descriptor, or else the next one who does: it returns WOKEN. More than one
     * may be seen as one, and one may be seen late, by who asks not to wait in the meantime.
     */
    public static void wake(int epollFd) {
        wake0(epollFd);
    }

    /**
     * Makes a descriptor a blocking one, or a non-blocking one, by one system call.
     *
     * @return whether that has worked
     */
    public static boolean setBlocking(FileDescriptor fd, boolean blocking) {
        return on && setBlocking0(Fields.FD_ACCESS.get(fd), blocking);
    }

    /**
     * Reads from a socket of java.net.
     *
     * @param fd     the descriptor, null if the socket is closed
     * @param millis the time-out of the socket, 0 for none
     * @return the number of bytes, 0 at the end of the stream, or BLOCKING when the caller has to do it
     */
    public static int read(FileDescriptor fd, byte[] b, int off, int len, int millis) throws IOException {
        if (!on || fd == null) {
            return BLOCKING;
        }
        int number = Fields.FD_ACCESS.get(fd);
        int n = read0(fd, number, isRegistered(fd), b, off, len, nanos(millis));
        if (n == UNREGISTERED) {
            n = register(fd) ? read0(fd, number, true, b, off, len, nanos(millis)) : BLOCKING;
        }
        if (n < BLOCKING) {
            int error = ERROR - n;
            if (n == READ_TIMED_OUT) {
                throw new SocketTimeoutException("Read timed out");
            } else if (error == EBADF) {
                throw new SocketException("Socket closed");
            } else if (error == ECONNRESET || error == EPIPE) {
                throw new ConnectionResetException("Connection reset");
            }
            fail0(error, SOCKET_READ);
        }
        return n;
    }

    /**
     * Receives a datagram from a socket of java.net.
     *
     * @param sender for its address, three elements: the port, and from the 32nd bit on the number of the interface, 0 for none;
     *               the first and the second half of the IPv6 address, which an IPv4 one is mapped to
     * @param millis the time-out of the socket, 0 for none
     * @return the number of bytes, or BLOCKING when the caller has to do it
     */
    public static int receive(FileDescriptor fd, byte[] b, int off, int len, long[] sender, int millis) throws IOException {
        int number = Fields.FD_ACCESS.get(fd);
        int n = receive0(fd, number, isRegistered(fd), b, off, len, sender, nanos(millis));
        if (n == UNREGISTERED) {
            n = register(fd) ? receive0(fd, number, true, b, off, len, sender, nanos(millis)) : BLOCKING;
        }
        if (n < BLOCKING) {
            int error = ERROR - n;
            if (n == READ_TIMED_OUT) {
                throw new SocketTimeoutException("Receive timed out");
            } else if (error == EBADF) {
                throw new SocketException("Socket closed");
            } else if (error == ECONNREFUSED) {
                throw new PortUnreachableException("ICMP Port Unreachable");
            } else if (error == ENOMEM) {
                return BLOCKING;
            }
            fail0(error, SOCKET_RECEIVE);
        }
        return n;
    }

    /**
     * Reads from a channel in blocking mode, a stream socket or a pipe.
     *
     * @param socket  whether it is a socket, for which there is a cheaper call
     * @param address of the memory to read into
     * @param len     its length in bytes, at least 1
     * @return the number of bytes, 0 at the end of the stream, or BLOCKING when the caller has to do it
     */
    public static int read(FileDescriptor fd, boolean socket, long address, int len) throws IOException {
        int n = readMemory0(Fields.FD_ACCESS.get(fd), isRegistered(fd), socket, address, len);
        if (n == UNREGISTERED) {
            n = register(fd) ? readMemory0(Fields.FD_ACCESS.get(fd), true, socket, address, len) : BLOCKING;
        }
        return (int) counted(n, CHANNEL_READ);
    }

    /** The same for an array of count struct iovec at an address. */
    public static long readv(FileDescriptor fd, boolean socket, long address, int count) throws IOException {
        long n = readv0(Fields.FD_ACCESS.get(fd), isRegistered(fd), socket, address, count);
        if (n == UNREGISTERED) {
            n = register(fd) ? readv0(Fields.FD_ACCESS.get(fd), true, socket, address, count) : BLOCKING;
        }
        return counted(n, CHANNEL_READ);
    }

    /**
     * Writes to a socket of java.net.
     *
     * @param fd the descriptor, null if the socket is closed
     * @return the number of bytes; the caller has to write the rest
     */
    public static int write(FileDescriptor fd, byte[] b, int off, int len) throws IOException {
        if (!on || fd == null) {
            return 0;
        }
        int n = write0(fd, Fields.FD_ACCESS.get(fd), isRegistered(fd), b, off, len);
        if (n <= ERROR) {
            fail0(ERROR - n, SOCKET_WRITE);
        }
        return Math.max(n, 0);
    }

    /**
     * Writes to a channel in blocking mode.
     *
     * @param socket  whether it is a socket, for which there is a cheaper call
     * @param address of an array of struct iovec, which is changed
     * @param count   its length
     * @return the number of bytes, or BLOCKING when the caller has to do it
     */
    public static long writev(FileDescriptor fd, boolean socket, long address, int count) throws IOException {
        long n = writev0(Fields.FD_ACCESS.get(fd), isRegistered(fd), socket, address, count);
        if (n == UNREGISTERED) {
            n = register(fd) ? writev0(Fields.FD_ACCESS.get(fd), true, socket, address, count) : BLOCKING;
        }
        return counted(n, CHANNEL_WRITE);
    }

    /** The same for len bytes at an address. */
    public static int write(FileDescriptor fd, boolean socket, long address, int len) throws IOException {
        long n = writeMemory0(Fields.FD_ACCESS.get(fd), isRegistered(fd), socket, address, len);
        if (n == UNREGISTERED) {
            n = register(fd) ? writeMemory0(Fields.FD_ACCESS.get(fd), true, socket, address, len) : BLOCKING;
        }
        return (int) counted(n, CHANNEL_WRITE);
    }

    /**
     * Sends a byte of urgent data by a socket in blocking mode, which the caller counts as used. It is tried first: the kernel has room for a byte
     * long before it tells that there is some.
     *
     * @return false when the caller has to do it
     */
    public static boolean sendUrgent(FileDescriptor fd, int data) throws IOException {
        while (onCoroutine()) {
            int n = sendUrgent0(Fields.FD_ACCESS.get(fd), data);
            if (n > 0) {
                return true;
            } else if (n < 0) {
                fail0(-n, CHANNEL_WRITE);
            }
            if (await(fd, WRITABLE, 0) < 0) {
                return false;
            }
            Thread.yield();                             // the kernel may have had no memory, which it does not tell of
        }
        return false;
    }

    private static long counted(long n, int kind) throws IOException {
        if (n < BLOCKING) {
            fail0((int) (ERROR - n), kind);
        }
        return n;
    }

    /** 0 for no time-out; centuries are as good as no time-out. */
    private static long nanos(long millis) {
        return millis <= 0 || millis > Long.MAX_VALUE / 1_000_000 ? 0 : millis * 1_000_000;
    }

    /** To be called before a socket is replaced, as others are using it: then the close does not linger. */
    public static void beforeClosing(FileDescriptor fd) {
        if (on && fd != null) {
            beforeClosing0(Fields.FD_ACCESS.get(fd));
        }
    }

    /**
     * Wakes the coroutines that wait for fd. To be called when it has been closed or replaced: who begins to wait
     * later finds that.
     */
    public static void closing(FileDescriptor fd) {
        if (on && fd != null) {
            closing0(Fields.FD_ACCESS.get(fd));
        }
    }

    /** The same for a descriptor whose number was asked for before it was closed. */
    public static void closing(int number) {
        if (on && number >= 0) {
            closing0(number);
        }
    }

    /**
     * To be called before a datagram socket of java.net is closed, whose number is another one's at once: waits for those that are about to
     * receive from it, not for those that wait for a datagram. They do not block, but can be suspended.
     *
     * @return the number, for {@link #closing(int)}; -1 if fd is closed
     */
    public static int closes(FileDescriptor fd) {
        int number = number(fd);
        if (number >= 0) {
            Fields.UNSAFE.putBooleanVolatile(fd, Fields.CLOSING, true);     // a full fence; partner: EventPump::enter
            long start = 0;
            for (int i = 0; isUsed0(number); i++) {
                if (i < CLOSE_SPINS) {
                    Thread.onSpinWait();
                    continue;
                }
                Thread.yield();
                long now = System.nanoTime();
                start = start == 0 ? now : start;
                if (i >= CLOSE_SPINS + CLOSE_LOOKS && now - start >= CLOSE_NANOS) {
                    break;
                }
            }
        }
        return number;
    }

    /** The number of fd, -1 if it is closed. */
    public static int number(FileDescriptor fd) {
        return on ? Fields.FD_ACCESS.get(fd) : -1;
    }

    private static native int takeEvents0(int epollFd, long address, int count, long nanos);

    /** -1 on a thread that is not a coroutine. nanos 0: no time-out. AWAIT_CLOSED at once if number is not that of fd any more. */
    private static native int await0(FileDescriptor fd, int number, int events, long nanos, int kind);

    /** With the kernel thread. False: the time is over. */
    private static native boolean awaitWritable0(int fd, int millis);

    private static native void wake0(int epollFd);

    private static native boolean setBlocking0(int fd, boolean blocking);

    private static native boolean register0(int fd);

    private static native void beforeClosing0(int fd);

    private static native void closing0(int fd);

    private static native boolean isUsed0(int fd);

    private static native boolean onCoroutine0();

    private static native boolean connected0();

    private static native int mayConnect0(int fd, int port, byte[] address, int tries, boolean over, boolean blocking);

    private static native void listens0(int number);

    private static native int read0(FileDescriptor owner, int fd, boolean registered, byte[] b, int off, int len, long nanos);

    private static native int receive0(FileDescriptor owner, int fd, boolean registered, byte[] b, int off, int len, long[] sender, long nanos);

    private static native int readMemory0(int fd, boolean registered, boolean socket, long address, int len);

    private static native long readv0(int fd, boolean registered, boolean socket, long address, int count);

    private static native int write0(FileDescriptor owner, int fd, boolean registered, byte[] b, int off, int len);

    private static native long writev0(int fd, boolean registered, boolean socket, long address, int count);

    private static native long writeMemory0(int fd, boolean registered, boolean socket, long address, int len);

    /** The number of bytes, 0: there is no room, or the negative number of an error. */
    private static native int sendUrgent0(int fd, int data);

    /** Throws an exception. */
    private static native void fail0(int error, int kind) throws IOException;
}
