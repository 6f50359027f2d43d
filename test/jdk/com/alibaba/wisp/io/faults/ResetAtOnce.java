/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A server resets each connection as soon as it has it, as a balancer does that has nobody behind it: connecting works, without a
 *          time-out as with the flag off, and the read fails, by sockets and by channels. Threads that compute keep who connects from going
 *          on at once. Catches: a second connect asks for the result of the first one, and gets the reset.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm ResetAtOnce
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import wisptest.Check;
import wisptest.Crew;

public class ResetAtOnce {
    static final int CONNECTIONS = 1_000, COMPUTING = 4;

    static volatile boolean over;

    static void connections(InetSocketAddress server) throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            String what = "connect " + i;
            try {
                if (i % 2 == 0) {
                    try (Socket s = new Socket()) {
                        s.connect(server);
                        Check.equal(server.getPort(), s.getPort(), "port");
                        what = null;
                        int n = s.getInputStream().read();
                        Check.that(false, "read " + n);
                    }
                } else {
                    try (SocketChannel s = SocketChannel.open()) {
                        Check.that(s.connect(server), "not connected");
                        what = null;
                        int n = s.read(ByteBuffer.allocate(1));
                        Check.that(false, "read " + n);
                    }
                }
            } catch (IOException e) {
                Check.that(what == null, what + ": " + e);
                Check.that(e.getMessage().startsWith("Connection reset"), "read: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Crew crew = new Crew();
            for (int i = 0; i < COMPUTING; i++) {
                crew.start("computes", () -> {
                    while (!over) {
                        Math.sin(System.nanoTime());
                    }
                });
            }
            crew.start("connects", () -> {
                try {
                    connections((InetSocketAddress) server.getLocalSocketAddress());
                } finally {
                    over = true;
                    server.close();
                }
            });
            try {
                for (;;) {                               // on a kernel thread
                    Socket s = server.accept();
                    s.setSoLinger(true, 0);
                    s.close();
                }
            } catch (SocketException e) {
                Check.that(over, "" + e);
            }
            crew.join();
        }
    }
}
