/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package sun.nio.ch;

import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import jdk.internal.misc.WispPoll;

/**
 * Connecting, reading and writing on a coroutine, for channels in blocking mode.
 *
 * <p>Connecting: connect(2) on a non-blocking socket only begins. When the socket becomes writable the same connect is
 * called once more, and reports the result exactly once, as it does for a blocking connect that a signal has
 * interrupted. So the second call is the one that upstream would have made, with its exceptions.
 *
 * <p>Writing: a blocking write returns when everything is in the buffer of the socket or pipe, so that waiting until
 * there is some room does not keep it from blocking. {@link #writer} gives a dispatcher that writes what fits, waits,
 * and goes on.
 *
 * <p>Reading: a read returns with what is there, so to wait until there is something is enough, as datagram channels
 * do. {@link #reader} gives a dispatcher for stream sockets and pipes, which are read most often, that does not ask first.
 *
 * <p>The mode of a channel: servers make a channel non-blocking while a selector waits for it, and blocking for the thread that
 * reads the request. Coroutines block on neither kind of descriptor, so the kernel is told of the first of these changes only
 * ({@link #configureBlocking}), and of the way back when somebody else depends on it, a thread that is not a coroutine for instance
 * ({@link #asConfigured}). The states of a descriptor, where the second part is the flag wispLeftNonBlocking of its FileDescriptor:
 *
 * <pre>
 *   channel       flag    kernel
 *   blocking      false   blocking
 *   non-blocking  false   non-blocking
 *   blocking      true    non-blocking
 * </pre>
 *
 * The flag and the kernel's mode change under the monitor of the FileDescriptor. Who only reads the flag, before a system call, uses
 * the channel at the time: SocketChannelImpl makes changes of the mode with its locks for readers and writers, so that no change can
 * come before it is done. Whoever gets the descriptor itself holds no lock ({@link #descriptor}), a transfer from a file for
 * instance, so the kernel is told of each change from then on (wispTold). {@link #close} clears the flag, as the number may be
 * another's afterwards. Only connected channels are left so: what is below one may be exchanged until then, for the sockets direct
 * protocol. And not those that are inherited, which other processes use. Rejected: to do so with other kinds of channels, whose
 * system calls are made by upstream's native code after a wait, and would not wait again.
 */
final class WispChannel extends NativeDispatcher {

    private final NativeDispatcher dispatcher;
    private final boolean socket;

    private WispChannel(NativeDispatcher dispatcher) {
        this.dispatcher = dispatcher;
        socket = dispatcher instanceof SocketDispatcher;
    }

    /** The dispatcher to write with. */
    static NativeDispatcher writer(NativeDispatcher dispatcher, boolean blocking) {
        return WispPoll.isOn() && blocking ? new WispChannel(dispatcher) : dispatcher;
    }

    /** The dispatcher to read with. */
    static NativeDispatcher reader(NativeDispatcher dispatcher, boolean blocking) {
        return WispPoll.isOn() && blocking ? new WispChannel(dispatcher) : dispatcher;
    }

    /** In place of Net.connect: the same, and a blocking channel on a coroutine waits without its carrier. */
    static int connect(FileDescriptor fd, InetAddress remote, int port, boolean blocking) throws IOException {
        WispPoll.connects(fd, remote, port, blocking, 0);
        if (!blocking || !WispPoll.onCoroutine()) {
            int n = Net.connect(fd, remote, port);
            WispPoll.connected();
            return n;
        }
        int n = 1;
        int localPort = beginConnect0(fd, remote, port);
        if (localPort == TAKES_TIME) {
            WispPoll.awaitWritable(fd, true);
            localPort = endConnect0(fd);
        }
        if (localPort < 0) {
            n = Net.connect(fd, remote, port);
        }
        if (n > 0) {
            WispPoll.connected();
        }
        return n;
    }

    /** What beginConnect0 returns besides the local port, and -2: the caller's own attempt will find why. */
    private static final int TAKES_TIME = -1;

    /** Begins to connect a socket that is not used otherwise, as java.net.WispSocket does. */
    private static native int beginConnect0(FileDescriptor fd, InetAddress remote, int port);

    private static native int endConnect0(FileDescriptor fd);

    /** The method of IOUtil by one system call, where that needs two. */
    private static void setBlocking(FileDescriptor fd, boolean blocking) throws IOException {
        if (!WispPoll.setBlocking(fd, blocking)) {
            IOUtil.configureBlocking(fd, blocking);
        }
    }

    /** In place of the method of IOUtil, for a socket whose mode changes. */
    static void configureBlocking(SocketChannelImpl channel, FileDescriptor fd, boolean blocking) throws IOException {
        if (!WispPoll.isOn()) {
            IOUtil.configureBlocking(fd, blocking);
            return;
        }
        synchronized (fd) {
            boolean leaves = blocking && channel.isConnected() && channel.getClass() == SocketChannelImpl.class && !WispPoll.isTold(fd);
            if (!leaves && !WispPoll.isLeftNonBlocking(fd)) {
                setBlocking(fd, blocking);
            }
            WispPoll.setLeftNonBlocking(fd, leaves);
        }
    }

    /** Sees to it that the kernel's mode of a socket is that of its channel, for who uses the channel. */
    static FileDescriptor asConfigured(FileDescriptor fd) throws IOException {
        if (WispPoll.isOn() && WispPoll.isLeftNonBlocking(fd)) {
            synchronized (fd) {
                if (WispPoll.isLeftNonBlocking(fd)) {
                    setBlocking(fd, true);
                    WispPoll.setLeftNonBlocking(fd, false);
                }
            }
        }
        return fd;
    }

    /** The descriptor of a channel, for who uses it without the channel. */
    static FileDescriptor descriptor(FileDescriptor fd) {
        if (WispPoll.isOn() && !WispPoll.isTold(fd)) {
            synchronized (fd) {
                try {
                    asConfigured(fd);
                } catch (IOException e) {
                    // FIONBIO fails for what is no descriptor; what uses it will say so
                }
                WispPoll.setTold(fd);                   // last, as others read it without the monitor
            }
        }
        return fd;
    }

    /** In place of that of the dispatcher. */
    static void close(NativeDispatcher dispatcher, FileDescriptor fd) throws IOException {
        if (WispPoll.isOn()) {
            synchronized (fd) {
                WispPoll.setLeftNonBlocking(fd, false);
            }
        }
        dispatcher.close(fd);
    }

    /**
     * Sends a byte of out-of-band data by a channel in blocking mode.
     *
     * @return false if the caller has to do it, or the channel was closed meanwhile
     */
    static boolean sendOutOfBandData(FileDescriptor fd, byte b) throws IOException {
        return WispPoll.sendUrgent(asConfigured(fd), b);
    }

    @Override
    int write(FileDescriptor fd, long address, int len) throws IOException {
        int n = WispPoll.write(fd, socket, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.write(asConfigured(fd), address, len) : n;
    }

    @Override
    long writev(FileDescriptor fd, long address, int len) throws IOException {
        long n = WispPoll.writev(fd, socket, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.writev(asConfigured(fd), address, len) : n;
    }

    @Override
    int read(FileDescriptor fd, long address, int len) throws IOException {
        int n = WispPoll.read(fd, socket, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.read(asConfigured(fd), address, len) : n == 0 ? IOStatus.EOF : n;
    }

    @Override
    long readv(FileDescriptor fd, long address, int len) throws IOException {
        long n = WispPoll.readv(fd, socket, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.readv(asConfigured(fd), address, len) : n == 0 ? IOStatus.EOF : n;
    }

    @Override
    void close(FileDescriptor fd) throws IOException {
        dispatcher.close(fd);
    }

    @Override
    void preClose(FileDescriptor fd) throws IOException {
        dispatcher.preClose(fd);
    }
}
