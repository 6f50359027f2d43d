/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Sockets whose descriptor is really closed while threads read from it and write to it, as nothing was put in its place: those of a process that
 *          had no descriptor left when it used the first socket; a socket that is accepted once more. The threads get the exception of a
 *          closed socket, and no bytes of the next one with the same number. Catches: a thread that is not woken (hang), or
 *          that goes on with another connection.
 * @library /test/lib
 * @run main ClosedWithoutMarker
 */

import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ClosedWithoutMarker {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            withoutDescriptors();
            return;
        }
        acceptedAgain();
        List<String> command = new ArrayList<>(Arrays.asList("bash", "-c", "ulimit -n 200; exec \"$@\"", "-"));
        command.addAll(Vm.command("ClosedWithoutMarker", "child"));
        Vm.run(command).exited(0).has("all closed");
    }

    /** Accepts with the same socket again and again. */
    static class Again extends ServerSocket {
        final Socket socket = new Socket();

        Again() throws IOException {
            super(0, 50, InetAddress.getLoopbackAddress());
        }

        Socket again() throws IOException {
            implAccept(socket);
            return socket;
        }
    }

    static void acceptedAgain() throws Exception {
        for (int i = 0; i < 20; i++) {
            Crew crew = new Crew();
            try (Again server = new Again();
                 Socket first = new Socket(server.getInetAddress(), server.getLocalPort())) {
                Socket accepted = server.again();
                LinkedBlockingQueue<Object> found = new LinkedBlockingQueue<>();
                Thread reader = crew.start("reads", () -> {
                    try {
                        found.add(accepted.getInputStream().read());
                    } catch (SocketException e) {
                        found.add(e);
                    }
                });
                Check.awaitNative(reader, "read");
                Thread.sleep(10);                        // for it to wait
                crew.start("connects", () -> {
                    try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
                        s.getOutputStream().write(7);
                        Check.equal(-1, s.getInputStream().read(), "the end of the second connection");
                    }
                });
                server.again();
                Object what = found.take();
                Check.that(what instanceof SocketException, "a read of a socket that was accepted again: " + what);
                Check.equal(7, accepted.getInputStream().read(), "the byte of the second connection");
                accepted.close();
            }
            crew.join();
        }
    }

    static void withoutDescriptors() throws Exception {
        LinkedBlockingQueue<Object> found = new LinkedBlockingQueue<>();
        Crew crew = new Crew();
        Check.throwing(IOException.class, "what loads the classes", () -> {
            throw new IOException();
        });
        InetAddress local = InetAddress.getLoopbackAddress();
        SocketChannel.open().close();
        // The VM may have had one for a moment as the last of them was taken.
        List<FileInputStream> files = new ArrayList<>();
        for (int before = -1; before != files.size(); ) {
            before = files.size();
            Thread.sleep(10);
            try {
                for (;;) {
                    files.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException expected) {
            }
        }
        Check.throwing(SocketException.class, "the first socket", () -> new Socket(local, 1));
        for (FileInputStream f : files) {
            f.close();
        }
        try (ServerSocket server = new ServerSocket(0, 50, local)) {
            Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket far = server.accept();
            Thread reader = crew.start("reads", () -> {
                try {
                    found.add(near.getInputStream().read());
                } catch (SocketException e) {
                    found.add(e);
                }
            });
            Thread writer = crew.start("writes", () -> {
                try {
                    for (;;) {
                        near.getOutputStream().write(new byte[1 << 20]);
                    }
                } catch (SocketException e) {
                    found.add(e);
                }
            });
            Thread acceptor = crew.start("accepts", () -> {
                try {
                    found.add(server.accept());
                } catch (SocketException e) {
                    found.add(e);
                }
            });
            Check.awaitFrame(reader, "read");
            Check.awaitFrame(writer, "write");
            Check.awaitFrame(acceptor, "accept");
            Thread.sleep(100);                           // as above
            near.close();
            server.close();
            for (int i = 0; i < 3; i++) {
                Object what = found.take();
                Check.that(what instanceof SocketException, "the end of a call: " + what);
                System.out.println(what);
            }
            far.close();
            crew.join();
            System.out.println("all closed");
        }
    }
}
