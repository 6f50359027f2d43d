/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package java.net;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import jdk.internal.misc.JavaIOFileDescriptorAccess;
import jdk.internal.misc.SharedSecrets;
import jdk.internal.misc.WispPoll;

/**
 * What java.net does on a coroutine and what needs its package-private members. How connecting works is told in
 * {@code sun.nio.ch.WispChannel}.
 */
final class WispSocket {
    /** What beginConnect0 returns besides the local port, and endConnect0 if it is not connected. */
    private static final int TAKES_TIME = -1, FAILED = -2;

    private WispSocket() { }

    /**
     * As of a channel, but without its classes: those may be in no state to be used for ever, when a thread comes to them first that has no
     * stack left, and a program that has only sockets would not have needed them.
     */
    private static native int beginConnect0(FileDescriptor fd, InetAddress address, int port);

    private static native int endConnect0(FileDescriptor fd);

    /**
     * Connects a socket; the caller has acquired its descriptor.
     *
     * @param timeout in milliseconds, 0 for none
     * @param trafficClass of the socket. If there is one it belongs into an IPv6 address, and only upstream does that
     * @return false if the caller has to do it: not on a coroutine, or a failure that its own attempt will find, too
     */
    static boolean connect(AbstractPlainSocketImpl impl, InetAddress address, int port, int timeout, int trafficClass)
        throws IOException
    {
        FileDescriptor fd = impl.fd;
        if (!WispPoll.onCoroutine() || fd == null || address == null || trafficClass != 0) {
            return false;
        }
        int left = WispPoll.connects(fd, address, port, true, timeout);
        int localPort = beginConnect0(fd, address, port);
        if (localPort == FAILED) {
            if (impl.isClosedOrPending()) {
                throw new SocketException("Socket closed");
            }
            return false;
        }
        if (localPort == TAKES_TIME) {
            int result = WispPoll.awaitConnected(fd, left);
            if (impl.isClosedOrPending()) {
                throw new SocketException("Socket closed");
            }
            if (result == WispPoll.TIMED_OUT) {
                throw new SocketTimeoutException("connect timed out");
            }
            localPort = endConnect0(fd);
        }
        if (localPort >= 0) {
            impl.address = address;
            impl.port = port;
            if (impl.localport == 0) {
                impl.localport = localPort;
            }
        } else {
            impl.socketConnect(address, port, 0);       // finds the result
        }
        WispPoll.connected();
        return true;
    }

    /** What accept0 returns besides the number of a connection. */
    private static final int NONE = -1, NOT_ACCEPTED = -2;

    /**
     * Accepts a connection; the caller has acquired the descriptor, which upstream puts into non-blocking mode if its socket is one that
     * listens. All that wait hear of a connection that nobody has taken yet: who comes too late waits again, for the time that is left.
     *
     * @return false if the caller has to do it: not on a coroutine, or a failure that its own attempt will find, too
     */
    static boolean accept(AbstractPlainSocketImpl impl, SocketImpl s) throws IOException {
        FileDescriptor fd = impl.fd;
        if (!WispPoll.onCoroutine() || fd == null || s == null || s.fd == null) {
            return false;
        }
        JavaIOFileDescriptorAccess access = SharedSecrets.getJavaIOFileDescriptorAccess();
        long[] peer = new long[3];
        int timeout = impl.timeout;
        long start = timeout > 0 ? System.nanoTime() : 0;
        int left = timeout;
        for (;;) {
            if (!WispPoll.awaitConnection(fd, left, "Accept timed out")) {
                return false;
            }
            int n = accept0(fd, peer);
            if (n >= 0) {
                access.set(s.fd, n);
                try {
                    s.address = address(peer[1], peer[2], (int) (peer[0] >> 32), null);
                } catch (Throwable e) {                 // no memory, no stack
                    access.close(s.fd);
                    throw e;
                }
                s.port = (char) peer[0];
                s.localport = impl.localport;
                return true;
            }
            if (n == NOT_ACCEPTED) {
                return false;
            }
            if (timeout > 0) {
                left = timeout - (int) ((System.nanoTime() - start) / 1_000_000);
                if (left <= 0) {
                    throw new SocketTimeoutException("Accept timed out");
                }
            }
        }
    }

    /**
     * Accepts a connection if there is one.
     *
     * @param peer receives the scope and the port of the other end in its first element, in the others its address as one of IPv6
     * @return the number of its descriptor, or a constant above
     */
    private static native int accept0(FileDescriptor owner, long[] peer);

    /**
     * Sends a byte of urgent data. The descriptor is used meanwhile, so that a close does not linger, as it does not where a kernel thread is in
     * the system call.
     *
     * @return false if the caller has to do it
     */
    static boolean sendUrgentData(AbstractPlainSocketImpl impl, int data) throws IOException {
        if (!WispPoll.onCoroutine()) {
            return false;
        }
        FileDescriptor fd = impl.acquireFD();
        try {
            return fd != null && WispPoll.sendUrgent(fd, data);
        } catch (IOException e) {
            throw impl.isClosedOrPending() ? new IOException("Bad file descriptor") : e;    // what ends the system call
        } finally {
            impl.releaseFD();
        }
    }

    /**
     * Receives a datagram; the caller has the monitor of impl.
     *
     * @return false if the caller has to do it, with the same errors
     */
    static boolean receive(AbstractPlainDatagramSocketImpl impl, DatagramPacket p) throws IOException {
        FileDescriptor fd = impl.fd;
        if (!WispPoll.isOn() || fd == null || p.buf == null) {
            return false;
        }
        boolean open = fd.valid();
        long[] sender = new long[3];
        int n;
        try {
            n = WispPoll.receive(fd, p.buf, p.offset, p.bufLength, sender, impl.timeout);
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            if (impl.timeout == 0 || open) {            // else upstream finds the close before it receives
                p.offset = 0;
                p.length = 0;
            }
            throw e;
        }
        if (n == WispPoll.BLOCKING) {
            return false;
        }
        p.address = address(sender[1], sender[2], (int) (sender[0] >> 32), p.address);
        p.port = (char) sender[0];
        p.length = n;
        return true;
    }

    /** What it is, which is known if that is the same address; addresses do not change. */
    private static InetAddress address(long first, long second, int scope, InetAddress known) {
        if (first == 0 && second >>> 32 == 0xffff) {
            int address = (int) second;
            boolean same = known != null && known.holder().getFamily() == InetAddress.IPv4 && known.holder().getAddress() == address;
            return same ? known : new Inet4Address(null, address);
        }
        byte[] address = ByteBuffer.allocate(16).putLong(first).putLong(second).array();
        if (known instanceof Inet6Address && ((Inet6Address) known).getScopeId() == scope && Arrays.equals(known.getAddress(), address)) {
            return known;
        }
        return scope > 0 ? new Inet6Address(null, address, scope) : new Inet6Address(null, address);
    }

    /**
     * Sends a datagram, or finds that it would have to wait until there is room for it, and does.
     *
     * @return false if the caller has to send it, with the same errors
     */
    static boolean send(AbstractPlainDatagramSocketImpl impl, DatagramPacket p, int trafficClass) throws IOException {
        FileDescriptor fd = impl.fd;
        if (!WispPoll.isOn() || fd == null || p.buf == null || p.address == null) {
            return false;
        }
        InetAddress to = impl.connected ? null : p.address;
        int port = p.port;
        int n = send0(fd, p.buf, p.offset, p.length, to, port, trafficClass);
        if (n != NO_ROOM) {
            return n == SENT;
        }
        byte[] kept = Arrays.copyOfRange(p.buf, p.offset, p.offset + p.length);         // as upstream, which copies before it blocks
        do {
            boolean waited = WispPoll.awaitRoom(fd);
            n = waited ? send0(fd, kept, 0, kept.length, to, port, trafficClass) : NOT_HERE;
            if (n != SENT && !fd.valid()) {
                throw new IOException("Bad file descriptor");       // what ends the system call, of which this is the middle
            }
        } while (n == NO_ROOM);
        return n == SENT;
    }

    /** What send0 returns; the last one: upstream has to do it. */
    private static final int SENT = 1, NO_ROOM = 0, NOT_HERE = -1;

    /** Without blocking. */
    private static native int send0(FileDescriptor owner, byte[] b, int off, int len, InetAddress address, int port, int trafficClass)
        throws IOException;

    /** Before a datagram is looked at without receiving it. */
    static void awaitPacket(DatagramSocketImpl impl) throws SocketTimeoutException {
        if (impl instanceof AbstractPlainDatagramSocketImpl) {
            WispPoll.awaitReadable(impl.fd, ((AbstractPlainDatagramSocketImpl) impl).timeout, "Receive timed out");
        }
    }
}
