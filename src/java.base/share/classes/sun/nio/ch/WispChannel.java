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
 * Connecting, reading and writing on a coroutine, for channels in blocking mode, and connecting for sockets.
 *
 * <p>Connecting: connect(2) on a non-blocking socket only begins. When the socket becomes writable the same connect is
 * called once more, and reports the result exactly once, as it does for a blocking connect that a signal has
 * interrupted. So the second call is the one that upstream would have made, with its exceptions.
 *
 * <p>Writing: a blocking write returns when everything is in the buffer of the socket or pipe, so that waiting until
 * there is some room does not keep it from blocking. {@link #writer} gives a dispatcher that writes what fits, waits,
 * and goes on.
 *
 * <p>Reading: a read returns with what is there, so to wait until there is something is enough, as pipes and datagram
 * channels do. {@link #reader} gives a dispatcher for sockets, which are read most often, that does not ask first.
 */
public final class WispChannel extends NativeDispatcher {

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

    /** The dispatcher to read from a socket in blocking mode with. */
    static NativeDispatcher reader(NativeDispatcher dispatcher) {
        return WispPoll.isOn() ? new WispChannel(dispatcher) : dispatcher;
    }

    /** In place of Net.connect: the same, and a blocking channel on a coroutine waits without its carrier. */
    static int connect(FileDescriptor fd, InetAddress remote, int port, boolean blocking) throws IOException {
        if (!blocking || !WispPoll.onCoroutine()) {
            return Net.connect(fd, remote, port);
        }
        int n = beginConnect(fd, remote, port);
        if (n == IOStatus.UNAVAILABLE) {
            WispPoll.awaitWritable(fd, true);
            n = Net.connect(fd, remote, port);
        }
        return n;
    }

    /**
     * Begins to connect a socket that is not used otherwise.
     *
     * @return positive if it is connected at once; IOStatus.UNAVAILABLE if that takes time
     * @throws IOException if it fails at once
     */
    public static int beginConnect(FileDescriptor fd, InetAddress remote, int port) throws IOException {
        configureBlocking(fd, false);
        try {
            return Net.connect(fd, remote, port);
        } finally {
            configureBlocking(fd, true);
        }
    }

    /** In place of the method of IOUtil, which needs two system calls: servers change the mode with each request. */
    static void configureBlocking(FileDescriptor fd, boolean blocking) throws IOException {
        if (!WispPoll.setBlocking(fd, blocking)) {
            IOUtil.configureBlocking(fd, blocking);
        }
    }

    /** The port that a connected socket has got. */
    public static int localPort(FileDescriptor fd) throws IOException {
        return Net.localAddress(fd).getPort();
    }

    @Override
    int write(FileDescriptor fd, long address, int len) throws IOException {
        int n = WispPoll.write(fd, socket, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.write(fd, address, len) : n;
    }

    @Override
    long writev(FileDescriptor fd, long address, int len) throws IOException {
        long n = WispPoll.writev(fd, socket, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.writev(fd, address, len) : n;
    }

    @Override
    int read(FileDescriptor fd, long address, int len) throws IOException {
        int n = WispPoll.read(fd, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.read(fd, address, len) : n == 0 ? IOStatus.EOF : n;
    }

    @Override
    long readv(FileDescriptor fd, long address, int len) throws IOException {
        long n = WispPoll.readv(fd, address, len);
        return n == WispPoll.BLOCKING ? dispatcher.readv(fd, address, len) : n == 0 ? IOStatus.EOF : n;
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
