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
 * A blocking proxy, as there is one in front of a database or a broker: two sockets and two threads for each connection, each of which
 * copies one direction. Defends the proxy's line in doc/performance.md; make/bench-apps.sh runs it between the echo benchmark's client
 * and backend.c.
 *
 * Usage: Proxy plain|virtual BACKEND-PORT; prints its port, and ends when its standard input does.
 */
public class Proxy {
    public static void main(String[] args) throws Exception {
        ThreadFactory factory = args[0].equals("virtual") ? virtual() : Thread::new;
        int backend = Integer.parseInt(args[1]);
        ServerSocket server = new ServerSocket(0, 20_000, InetAddress.getByName("127.0.0.1"));
        factory.newThread(() -> accept(server, backend, factory)).start();
        System.out.println(server.getLocalPort());
        System.out.flush();
        while (System.in.read() >= 0) { }
        Runtime.getRuntime().halt(0);
    }

    private static ThreadFactory virtual() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    private static void accept(ServerSocket server, int backend, ThreadFactory factory) {
        try {
            while (true) {
                Socket client = server.accept();
                factory.newThread(() -> serve(client, backend, factory)).start();
            }
        } catch (Throwable t) {
            t.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void serve(Socket client, int port, ThreadFactory factory) {
        try {
            Socket backend = new Socket(InetAddress.getByName("127.0.0.1"), port);
            client.setTcpNoDelay(true);
            backend.setTcpNoDelay(true);
            factory.newThread(() -> copy(backend, client)).start();
            copy(client, backend);
        } catch (IOException e) {
            close(client);
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[4096];
            for (int n; (n = in.read(buffer)) > 0; ) {
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // the client resets its connections when it ends
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed then, too
        }
    }
}
