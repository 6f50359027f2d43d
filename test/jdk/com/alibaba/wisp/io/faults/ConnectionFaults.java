/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Connections that fail: reset, half close, a slow reader, refused, unreachable, timed out, no descriptors left. What the
 *          program sees is what it sees on stock. Catches an error that the event pump swallows, a time-out that comes too
 *          early or never, and an exception with another message.
 * @library /test/lib
 * @run main ConnectionFaults
 */

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ConnectionFaults {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final int BIG = 16 << 20;

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            onCoroutine(args[0], args[0].equals("emfile") ? ConnectionFaults::noDescriptors : ConnectionFaults::unreachable);
            System.out.println("done");
            return;
        }
        onCoroutine("reset", ConnectionFaults::reset);
        onCoroutine("half close", ConnectionFaults::halfClose);
        onCoroutine("slow reader", ConnectionFaults::slowReader);
        onCoroutine("refused", ConnectionFaults::refused);
        onCoroutine("timed out", ConnectionFaults::timedOut);
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 200 && exec \"$@\"", "sh"));
        command.addAll(Vm.command("ConnectionFaults", "emfile"));
        Vm.run(command).has("done").exited(0);
        // a network without any interface up: nothing can be reached
        command = new ArrayList<>(List.of("unshare", "-rn"));
        if (new ProcessBuilder("unshare", "-rn", "true").start().waitFor() == 0) {
            command.addAll(Vm.command("ConnectionFaults", "unreachable"));
            Vm.run(command).has("done").exited(0);
        } else {
            System.out.println("unreachable: skipped, unshare is not permitted here");
        }
    }

    /** main is a kernel thread. */
    static void onCoroutine(String name, Check.Code code) throws Exception {
        long start = System.nanoTime();
        Crew crew = new Crew();
        crew.start(name, code);
        crew.join();
        System.out.printf("%s: %d ms%n", name, (System.nanoTime() - start) / 1_000_000);
    }

    static Socket[] sockets() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            return new Socket[] {new Socket(LOOPBACK, server.getLocalPort()), server.accept()};
        }
    }

    static SocketChannel channelTo(ServerSocket server) throws IOException {
        return SocketChannel.open(server.getLocalSocketAddress());
    }

    static void sendReset(Socket s) throws IOException {
        s.setSoLinger(true, 0);
        s.close();
    }

    static void message(String expected, Throwable t) {
        Check.equal(expected, t.getMessage(), "message of " + t.getClass());
    }

    // ----

    /** Waits until the other end has written something, and then a little, until nothing more fits; earlier is a case, too. */
    static void awaitFull(Socket s) throws Exception {
        while (s.getInputStream().available() == 0) {
            Thread.sleep(1);
        }
        Thread.sleep(50);
    }

    static void reset() throws Exception {
        for (int timeout : new int[] {0, 1_000_000}) {
            Socket[] s = sockets();
            s[0].setSoTimeout(timeout);
            Crew crew = new Crew();
            Thread t = crew.start("reader", () -> {
                message("Connection reset", Check.throwing(SocketException.class, "read", s[0].getInputStream()::read));
                message("Connection reset", Check.throwing(SocketException.class, "read again", s[0].getInputStream()::read));
                Check.equal(0, s[0].getInputStream().available(), "available after a reset");
            });
            Check.awaitFrame(t, "read");
            sendReset(s[1]);
            crew.join();
            s[0].close();
        }
        {
            Socket[] s = sockets();
            Crew crew = new Crew();
            Thread t = crew.start("writer", () -> {
                message("Connection reset by peer (Write failed)", Check.throwing(SocketException.class, "write",
                        () -> s[0].getOutputStream().write(new byte[BIG])));
                message("Broken pipe (Write failed)", Check.throwing(SocketException.class, "write again",
                        () -> s[0].getOutputStream().write(1)));
            });
            awaitFull(s[1]);
            sendReset(s[1]);
            crew.join();
            s[0].close();
        }
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            SocketChannel c = channelTo(server);
            Socket far = server.accept();
            Crew crew = new Crew();
            Thread t = crew.start("channel reader", () -> message("Connection reset by peer",
                    Check.throwing(IOException.class, "read", () -> c.read(ByteBuffer.allocate(1)))));
            Check.awaitFrame(t, "read");
            sendReset(far);
            crew.join();
            c.close();

            SocketChannel w = channelTo(server);
            Socket far2 = server.accept();
            t = crew.start("channel writer", () -> {
                ByteBuffer b = ByteBuffer.allocate(BIG);
                int n = w.write(b);
                Check.that(n > 0 && n < BIG && b.position() == n, "a part was written: " + n);
                message("Connection reset by peer", Check.throwing(IOException.class, "the next write", () -> w.write(b)));
                message("Broken pipe", Check.throwing(IOException.class, "the one after", () -> w.write(b)));
            });
            awaitFull(far2);
            sendReset(far2);
            crew.join();
            w.close();
        }
    }

    static void halfClose() throws Exception {
        Socket[] s = sockets();
        Crew crew = new Crew();
        Thread t = crew.start("reader", () -> Check.equal(-1, s[0].getInputStream().read(), "end of stream"));
        Check.awaitFrame(t, "read");
        s[1].shutdownOutput();                          // the peer has nothing more to say
        crew.join();
        s[0].getOutputStream().write(5);                // the other direction is open
        Check.equal(5, s[1].getInputStream().read(), "byte");

        t = crew.start("reader of the other end", () -> Check.equal(-1, s[1].getInputStream().read(), "end of stream"));
        Check.awaitFrame(t, "read");
        s[1].shutdownInput();                           // this end does not want to hear more
        crew.join();
        s[0].close();
        s[1].close();

        Socket[] w = sockets();
        t = crew.start("writer", () -> message("Broken pipe (Write failed)", Check.throwing(SocketException.class, "write",
                () -> w[0].getOutputStream().write(new byte[BIG]))));
        awaitFull(w[1]);
        w[0].shutdownOutput();
        crew.join();
        w[0].close();
        w[1].close();

        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            SocketChannel c = channelTo(server);
            Socket far = server.accept();
            t = crew.start("channel reader", () -> Check.equal(-1, c.read(ByteBuffer.allocate(1)), "end of stream"));
            Check.awaitFrame(t, "read");
            c.shutdownInput();
            crew.join();
            t = crew.start("channel writer", () -> {
                int n = c.write(ByteBuffer.allocate(BIG));
                Check.that(n > 0 && n < BIG, "a part was written: " + n);
            });
            awaitFull(far);
            c.shutdownOutput();
            crew.join();
            c.close();
            far.close();
        }
    }

    /** The reader takes little at a time and lets others run in between; the writer must not lose or repeat a byte. */
    static void slowReader() throws Exception {
        Socket[] s = sockets();
        s[0].setSendBufferSize(8192);
        s[1].setReceiveBufferSize(8192);
        int size = 100_000;
        Crew crew = new Crew();
        crew.start("writer", () -> {
            OutputStream out = s[0].getOutputStream();
            byte[] data = new byte[size];
            for (int i = 0; i < size; i++) {
                data[i] = (byte) (i % 251);
            }
            int at = 0;
            for (int n = 1; at < size; n = n * 3 % 30_011) {
                n = Math.min(n, size - at);
                out.write(data, at, n);
                at += n;
            }
            s[0].shutdownOutput();
        });
        crew.start("reader", () -> {
            InputStream in = s[1].getInputStream();
            byte[] buffer = new byte[4000];
            int at = 0;
            for (int n; (n = in.read(buffer, 0, 1 + at % buffer.length)) > 0; ) {
                for (int i = 0; i < n; i++, at++) {
                    Check.equal((byte) (at % 251), buffer[i], "byte " + at);
                }
                Thread.yield();
            }
            Check.equal(size, at, "bytes");
        });
        crew.join();
        s[0].close();
        s[1].close();
    }

    static void refused() throws Exception {
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            port = server.getLocalPort();
        }
        InetSocketAddress nobody = new InetSocketAddress(LOOPBACK, port);
        message("Connection refused (Connection refused)",
                Check.throwing(ConnectException.class, "connect", () -> new Socket().connect(nobody)));
        message("Connection refused (Connection refused)",
                Check.throwing(ConnectException.class, "connect with time-out", () -> new Socket().connect(nobody, 1000)));
        message("Connection refused", Check.throwing(ConnectException.class, "channel connect", () -> SocketChannel.open(nobody)));
        try (SocketChannel c = SocketChannel.open()) {
            message("Connection refused",
                    Check.throwing(ConnectException.class, "adaptor's connect", () -> c.socket().connect(nobody, 1000)));
        }
        try (DatagramSocket d = new DatagramSocket(0, LOOPBACK)) {
            d.connect(nobody);
            d.send(new DatagramPacket(new byte[1], 1));
            message("ICMP Port Unreachable", Check.throwing(PortUnreachableException.class, "receive",
                    () -> d.receive(new DatagramPacket(new byte[1], 1))));
        }
        // the port is refused only after the connection has waited in a full queue
        Socket s = new Socket();
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            List<SocketChannel> fillers = fill(server);
            Crew crew = new Crew();
            Thread t = crew.start("late", () -> message("Connection refused (Connection refused)", Check.throwing(ConnectException.class,
                    "connect", () -> s.connect(server.getLocalSocketAddress(), 60_000))));
            Check.awaitFrame(t, "connect");
            Thread.sleep(20);
            server.close();                             // the next SYN, after a second, is answered by a reset
            crew.join();
            for (SocketChannel c : fillers) {
                c.close();
            }
        }
    }

    static List<SocketChannel> fill(ServerSocket server) throws IOException {
        List<SocketChannel> fillers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SocketChannel filler = SocketChannel.open();
            filler.configureBlocking(false);
            filler.connect(server.getLocalSocketAddress());
            fillers.add(filler);
        }
        return fillers;
    }

    static void timedOut() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            List<SocketChannel> fillers = fill(server);
            Socket s = new Socket();
            after(100, () -> message("connect timed out", Check.throwing(SocketTimeoutException.class, "connect",
                    () -> s.connect(server.getLocalSocketAddress(), 100))));
            message("Socket closed", Check.throwing(SocketException.class, "connect again",
                    () -> s.connect(server.getLocalSocketAddress(), 100)));
            SocketChannel c = SocketChannel.open();
            after(100, () -> message(null, Check.throwing(SocketTimeoutException.class, "adaptor's connect",
                    () -> c.socket().connect(server.getLocalSocketAddress(), 100))));
            Check.that(!c.isOpen(), "the channel is closed");
            for (SocketChannel f : fillers) {
                f.close();
            }
        }
        try (ServerSocket server = new ServerSocket(0, 10, LOOPBACK)) {
            Socket s = new Socket(LOOPBACK, server.getLocalPort());
            Socket far = server.accept();
            s.setSoTimeout(100);
            after(100, () -> message("Read timed out", Check.throwing(SocketTimeoutException.class, "read", s.getInputStream()::read)));
            far.getOutputStream().write(3);
            Check.equal(3, s.getInputStream().read(), "the socket after a time-out");
            server.setSoTimeout(100);
            after(100, () -> message("Accept timed out", Check.throwing(SocketTimeoutException.class, "accept", server::accept)));
            s.close();
            far.close();
        }
        try (DatagramSocket d = new DatagramSocket(0, LOOPBACK)) {
            d.setSoTimeout(100);
            after(100, () -> message("Receive timed out", Check.throwing(SocketTimeoutException.class, "receive",
                    () -> d.receive(new DatagramPacket(new byte[1], 1)))));
        }
    }

    static void after(long millis, Check.Code code) throws Exception {
        long start = System.nanoTime();
        try {
            code.run();
        } catch (Error | Exception e) {
            throw e;
        } catch (Throwable t) {
            throw new Error(t);
        }
        long took = (System.nanoTime() - start) / 1000;
        Check.that(took >= millis * 1000 - 2000, "a time-out of " + millis + " ms after " + took + " us");
    }

    static void unreachable() throws Exception {
        InetSocketAddress a = new InetSocketAddress("127.0.0.1", 9);
        message("Network is unreachable (connect failed)",
                Check.throwing(SocketException.class, "connect", () -> new Socket().connect(a)));
        message("Network is unreachable (connect failed)",
                Check.throwing(ConnectException.class, "connect with time-out", () -> new Socket().connect(a, 1000)));
        message("Network is unreachable", Check.throwing(SocketException.class, "channel connect", () -> SocketChannel.open(a)));
        message("Network is unreachable", Check.throwing(IOException.class, "send",
                () -> new DatagramSocket().send(new DatagramPacket(new byte[1], 1, a))));
    }

    interface Opens {
        Closeable open() throws IOException;
    }

    /** Opens until that fails, or so many are open; null then. */
    static IOException exhaust(List<Closeable> opened, int limit, Opens next) {
        while (opened.size() < limit) {
            try {
                opened.add(next.open());
            } catch (IOException e) {
                return e;
            }
        }
        return null;
    }

    /**
     * In a process that may have few descriptors. Where there are none, no class can be loaded: checks come later. The VM itself
     * opens a file now and then, to look at the limits of its control group, so that a descriptor may be free again after a call
     * that has found none. A thread that does so all the time makes that likely.
     */
    static void noDescriptors() throws Exception {
        Object files = new Object();
        Thread vm = new Thread(() -> {
            while (true) {
                synchronized (files) {
                    try {
                        new FileInputStream("/dev/null").close();
                    } catch (IOException e) {
                        // there is none
                    }
                }
                Thread.yield();
            }
        });
        vm.setDaemon(true);
        vm.start();
        try (ServerSocket server = new ServerSocket(0, 200, LOOPBACK)) {
            IOException[] thrown = {new SocketException("loaded"), null, null};
            for (int round = 0; round < 4; round++) {
                List<Closeable> sockets = new ArrayList<>();
                List<Closeable> accepted = new ArrayList<>();
                List<Closeable> channels = new ArrayList<>();
                boolean first = round == 0;                             // loads and links everything
                thrown[0] = exhaust(sockets, first ? 3 : Integer.MAX_VALUE, () -> new Socket(LOOPBACK, server.getLocalPort()));
                thrown[1] = exhaust(accepted, first ? 1 : Integer.MAX_VALUE, server::accept);
                thrown[2] = exhaust(channels, first ? 1 : Integer.MAX_VALUE, SocketChannel::open);
                int n = sockets.size();
                synchronized (files) {
                    sockets.remove(0).close();                          // with a descriptor free all is well again,
                    sockets.remove(0).close();                          // and one is for the VM
                    try (Socket far = server.accept()) {
                        far.getOutputStream().write(1);
                    }
                }
                for (List<Closeable> open : List.of(sockets, accepted, channels)) {
                    for (Closeable c : open) {
                        c.close();
                    }
                }
                server.setSoTimeout(1);
                try {
                    while (true) {
                        server.accept().close();
                    }
                } catch (SocketTimeoutException e) {
                    server.setSoTimeout(0);
                }
                if (first) {
                    new Socket(LOOPBACK, server.getLocalPort()).close();
                } else {
                    Check.that(n > 50, "sockets: " + n);
                    Check.equal(SocketException.class, thrown[0].getClass(), "socket");
                    Check.that(thrown[0].getMessage().startsWith("Too many open files"), "socket: " + thrown[0]);
                    message("Too many open files (Accept failed)", thrown[1]);
                    message("Too many open files", thrown[2]);
                }
            }
        }
    }
}
