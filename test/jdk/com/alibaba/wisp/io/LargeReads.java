/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary One read of a socket returns as much as it does with kernel threads, 128 KB, when that is there. Catches another limit.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew
 * @run main/othervm LargeReads
 */

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import wisptest.Check;
import wisptest.Crew;

public class LargeReads {
    static final int MOST = 128 << 10, SENT = 2 * MOST;

    static void read(ServerSocket server) throws Exception {
        try (Socket near = new Socket()) {
            near.setReceiveBufferSize(4 * SENT);
            near.connect(server.getLocalSocketAddress());
            try (Socket far = server.accept()) {
                far.setSendBufferSize(4 * SENT);
                far.getOutputStream().write(new byte[SENT]);
                Check.await(() -> available(near) >= MOST);
                Check.equal(MOST, near.getInputStream().read(new byte[SENT]), "bytes of one read");
            }
        }
    }

    static int available(Socket s) {
        try {
            return s.getInputStream().available();
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Throwable {
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Crew crew = new Crew();
            crew.start("reads", () -> read(server));
            crew.join();
            read(server);
        }
    }
}
