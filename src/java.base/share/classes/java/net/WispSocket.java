/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package java.net;

import java.io.FileDescriptor;
import java.io.IOException;
import jdk.internal.misc.WispPoll;
import sun.nio.ch.WispChannel;

/**
 * What java.net does on a coroutine and what needs its package-private members. How connecting works is told in
 * {@link WispChannel}.
 */
final class WispSocket {
    private WispSocket() { }

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
        int n;
        try {
            n = WispChannel.beginConnect(fd, address, port);
        } catch (IOException e) {
            return false;
        }
        if (n > 0) {
            impl.address = address;
            impl.port = port;
            if (impl.localport == 0) {
                impl.localport = WispChannel.localPort(fd);
            }
            return true;
        }
        int result = WispPoll.awaitConnected(fd, timeout);
        if (impl.isClosedOrPending()) {
            throw new SocketException("Socket closed");
        }
        if (result == WispPoll.TIMED_OUT) {
            throw new SocketTimeoutException("connect timed out");
        }
        impl.socketConnect(address, port, 0);       // finds the result
        return true;
    }

    /** Before a datagram is looked at without receiving it. */
    static void awaitPacket(DatagramSocketImpl impl) throws SocketTimeoutException {
        if (impl instanceof AbstractPlainDatagramSocketImpl) {
            WispPoll.awaitReadable(impl.fd, ((AbstractPlainDatagramSocketImpl) impl).timeout, "Peek timed out");
        }
    }
}
