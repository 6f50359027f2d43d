/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadFactory;

/*
 * A server with one thread for each connection, which sends back what it reads: what the blocking sockets of a runtime cost. Defends
 * the table of the echo server in doc/performance.md; test/micro/echo/client.c is its client, make/bench-echo.sh runs both.
 *
 * Usage: EchoServer plain|virtual; prints its port, and ends when its standard input does.
 */
public class EchoServer {
    public static void main(String[] args) throws Exception {
        ThreadFactory factory = args[0].equals("virtual") ? Peers.virtual() : Thread::new;
        ServerSocket server = new ServerSocket(0, 20_000, InetAddress.getByName("127.0.0.1"));
        factory.newThread(() -> accept(server, factory)).start();
        System.out.println(server.getLocalPort());
        System.out.flush();
        while (System.in.read() >= 0) { }
        Runtime.getRuntime().halt(0);
    }

    private static void accept(ServerSocket server, ThreadFactory factory) {
        try {
            while (true) {
                Socket socket = server.accept();
                factory.newThread(() -> serve(socket)).start();
            }
        } catch (Throwable t) {
            t.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void serve(Socket socket) {
        try (Socket s = socket) {
            s.setTcpNoDelay(true);
            InputStream in = s.getInputStream();
            OutputStream out = s.getOutputStream();
            byte[] buffer = new byte[1024];
            for (int n; (n = in.read(buffer)) > 0; ) {
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // the client resets its connections when it ends
        }
    }
}
