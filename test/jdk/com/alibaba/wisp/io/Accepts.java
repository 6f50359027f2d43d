/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What ServerSocket.accept finds on a coroutine, by a way of its own, is what it finds on a kernel thread: addresses, ports, options,
 *          and failures. Several threads wait for the connections of one socket, and each is accepted once; who comes too late waits
 *          again, for the time that is left, and keeps no kernel thread. Catches: he waits in the kernel, for all of his time once more.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Transcript wisptest.Vm
 * @run main/othervm Accepts
 */

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Transcript;
import wisptest.Vm;

public class Accepts {
    static final int ACCEPTORS = 20, CONNECTIONS = 1_000;

    static native void late(int times);
    static native int waits();

    static void connection(List<String> lines, InetAddress here) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, here); Socket client = new Socket(here, server.getLocalPort())) {
            server.setReceiveBufferSize(8_192);
            Socket s = server.accept();
            InetAddress from = s.getInetAddress();
            lines.add(here + ": from " + from + " " + from.getClass().getSimpleName() + " " + from.equals(client.getLocalAddress()) +
                      (from instanceof Inet6Address ? " scope " + ((Inet6Address) from).getScopeId() + " " + ((Inet6Address) from).getScopedInterface() : "") +
                      " to " + s.getLocalAddress() + " ports " + (s.getPort() == client.getLocalPort()) + " " + (s.getLocalPort() == server.getLocalPort()) +
                      " " + s.isConnected() + s.isBound() + s.isClosed() + s.getTcpNoDelay() + s.getKeepAlive() + s.getSoTimeout());
            client.getOutputStream().write(77);
            lines.add("read " + s.getInputStream().read());                     // blocks if nothing has come yet
            s.getOutputStream().write(78);
            lines.add("answer " + client.getInputStream().read());
            s.close();
            lines.add("end " + client.getInputStream().read());
            server.setSoTimeout(1);
            lines.add("" + Check.throwing(SocketTimeoutException.class, "accept", server::accept));
            server.close();
            lines.add("" + Check.throwing(SocketException.class, "accept", server::accept));
        }
        try (ServerSocket server = new ServerSocket() {
            @Override
            public Socket accept() throws IOException {
                Socket s = new Socket();
                implAccept(s);
                return s;
            }
        }) {
            server.bind(new InetSocketAddress(here, 0));
            try (Socket client = new Socket(here, server.getLocalPort()); Socket s = server.accept()) {
                lines.add("own socket " + s.isConnected() + (s.getPort() == client.getLocalPort()));
            }
        }
    }

    static List<String> everything() throws Exception {
        List<String> lines = new ArrayList<>();
        for (NetworkInterface n : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress a : Collections.list(n.getInetAddresses())) {
                connection(lines, a);
            }
        }
        return lines;
    }

    /** From a kernel thread, one at a time, so that all others wait meanwhile. */
    static void shared(int timeout) throws Exception {
        Crew crew = new Crew();
        AtomicInteger accepted = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(timeout);
            for (int i = 0; i < ACCEPTORS; i++) {
                crew.start("accepts", () -> {
                    try {
                        for (;;) {
                            try (Socket s = server.accept()) {
                                s.getOutputStream().write(accepted.incrementAndGet());
                            } catch (SocketTimeoutException e) {
                                Check.that(timeout != 0, "time-out");
                            }
                        }
                    } catch (SocketException e) {
                        Check.that(server.isClosed(), "" + e);
                    }
                });
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    Check.equal((i + 1) & 0xff, s.getInputStream().read(), "number");
                }
            }
            if (Vm.wispOn()) {
                Vm.awaitHeldBelow(ACCEPTORS / 2, "who waits for a connection");
            }
        }
        crew.join();
        Check.equal(CONNECTIONS, accepted.get(), "accepted");
    }

    static void child() throws Exception {
        Crew crew = new Crew();
        crew.start("comes too late", () -> {
            try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                 Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
                for (int timeout : new int[] { 0, 60_000, 20 }) {
                    server.setSoTimeout(timeout);
                    int before = waits();
                    late(timeout == 20 ? 100_000_000 : 10);
                    if (timeout == 20) {
                        Check.throwing(SocketTimeoutException.class, "accept", server::accept);
                        late(0);
                    }
                    server.accept().close();
                    Check.that(!Vm.wispOn() || waits() == before, waits() - before + " waits in the kernel");
                    new Socket(server.getInetAddress(), server.getLocalPort());
                }
            }
        });
        crew.join();
        System.out.println("waits: " + waits());
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0 && args[0].equals("seen")) {
            Transcript.print(Accepts::everything);
            return;
        }
        if (args.length > 0) {
            System.loadLibrary("Accepts");
            child();
            return;
        }
        Transcript.compare("Accepts", "seen");
        Transcript.compare("-Djava.net.preferIPv4Stack=true", "Accepts", "seen");
        shared(0);
        shared(5);
        String libraries = System.getProperty("test.nativepath");
        if (libraries == null) {
            System.out.println("too late: skipped, needs the harness");
            return;
        }
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + libraries + "/libAccepts.so"));
        command.addAll(Vm.command("-Djava.library.path=" + libraries, "Accepts", "child"));
        Vm.run(command).exited(0).has("waits: ");
    }
}
