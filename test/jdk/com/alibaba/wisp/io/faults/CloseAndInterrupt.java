/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A close and an interrupt while a thread is blocked, for each blocking operation on a descriptor: exception, message,
 *          interrupt status and state of the channel are those of stock, in both cases and when the interrupt came before.
 *          Catches a waiter that nobody wakes, and an exception of the event pump's own making.
 * @library /test/lib
 * @run main CloseAndInterrupt
 */

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.InterruptibleChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.util.ArrayList;
import java.util.List;
import wisptest.Check;
import wisptest.Crew;

public class CloseAndInterrupt {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final InetSocketAddress ANY_PORT = new InetSocketAddress(LOOPBACK, 0);
    static final int BIG = 16 << 20;

    /** One way to block: its operation, the thing to close, how to end it well, and the method to see on the stack. */
    static class Case {
        final String name, method;
        final Closeable subject;
        final Check.Code operation, release;
        final List<Closeable> others = new ArrayList<>();

        Case(String name, String method, Closeable subject, Check.Code operation, Check.Code release, Closeable... others) {
            this.name = name;
            this.method = method;
            this.subject = subject;
            this.operation = operation;
            this.release = release;
            this.others.add(subject);
            this.others.addAll(List.of(others));
        }

        boolean isChannel() {
            return subject instanceof InterruptibleChannel;
        }

        void close() throws IOException {
            for (Closeable c : others) {
                c.close();
            }
        }
    }

    interface Factory {
        Case make() throws IOException;
    }

    static void fill(ServerSocket server, List<Closeable> others) throws IOException {
        for (int i = 0; i < 4; i++) {
            SocketChannel filler = SocketChannel.open();
            filler.configureBlocking(false);
            filler.connect(server.getLocalSocketAddress());
            others.add(filler);
        }
    }

    /** Connected: near, far, server. */
    static Socket[] sockets() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
            return new Socket[] {new Socket(LOOPBACK, server.getLocalPort()), server.accept()};
        }
    }

    static SocketChannel[] channels() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_PORT)) {
            return new SocketChannel[] {SocketChannel.open(server.getLocalAddress()), server.accept()};
        }
    }

    static void drain(java.io.InputStream in) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int left = BIG; left > 0; ) {
            left -= in.read(buffer);
        }
    }

    static final Factory[] CASES = {
        () -> {
            ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
            Socket s = new Socket();
            Case c = new Case("Socket.connect", "connect", s, () -> s.connect(server.getLocalSocketAddress()), null, server);
            fill(server, c.others);
            return c;
        },
        () -> {
            ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
            Socket s = new Socket();
            Case c = new Case("Socket.connect with time-out", "connect", s,
                              () -> s.connect(server.getLocalSocketAddress(), 1_000_000), null, server);
            fill(server, c.others);
            return c;
        },
        () -> {
            Socket[] s = sockets();
            return new Case("Socket read", "read", s[0], () -> s[0].getInputStream().read(), () -> s[1].getOutputStream().write(1), s[1]);
        },
        () -> {
            Socket[] s = sockets();
            s[0].setSoTimeout(1_000_000);
            return new Case("Socket read with time-out", "read", s[0], () -> s[0].getInputStream().read(),
                            () -> s[1].getOutputStream().write(1), s[1]);
        },
        () -> {
            Socket[] s = sockets();
            return new Case("Socket write", "write", s[0], () -> s[0].getOutputStream().write(new byte[BIG]),
                            () -> drain(s[1].getInputStream()), s[1]);
        },
        () -> {
            ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
            return new Case("ServerSocket.accept", "accept", server, () -> server.accept().close(),
                            () -> new Socket(LOOPBACK, server.getLocalPort()).close());
        },
        () -> {
            ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
            server.setSoTimeout(1_000_000);
            return new Case("ServerSocket.accept with time-out", "accept", server, () -> server.accept().close(),
                            () -> new Socket(LOOPBACK, server.getLocalPort()).close());
        },
        () -> {
            DatagramSocket s = new DatagramSocket(ANY_PORT);
            DatagramSocket sender = new DatagramSocket(ANY_PORT);
            return new Case("DatagramSocket.receive", "receive", s, () -> s.receive(new DatagramPacket(new byte[1], 1)),
                            () -> sender.send(new DatagramPacket(new byte[1], 1, s.getLocalSocketAddress())), sender);
        },
        () -> {
            ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
            SocketChannel c = SocketChannel.open();
            Case k = new Case("SocketChannel.connect", "connect", c, () -> c.connect(server.getLocalSocketAddress()), null, server);
            fill(server, k.others);
            return k;
        },
        () -> {
            ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
            SocketChannel c = SocketChannel.open();
            Case k = new Case("SocketChannel.finishConnect", "finishConnect", c, () -> {
                c.configureBlocking(false);
                c.connect(server.getLocalSocketAddress());
                c.configureBlocking(true);
                c.finishConnect();
            }, null, server);
            fill(server, k.others);
            return k;
        },
        () -> {
            SocketChannel[] c = channels();
            return new Case("SocketChannel.read", "read", c[0], () -> c[0].read(ByteBuffer.allocate(1)),
                            () -> c[1].write(ByteBuffer.allocate(1)), c[1]);
        },
        () -> {
            SocketChannel[] c = channels();
            return new Case("SocketChannel.read, scattering", "read", c[0], () -> c[0].read(new ByteBuffer[] {ByteBuffer.allocate(1)}),
                            () -> c[1].write(ByteBuffer.allocate(1)), c[1]);
        },
        () -> {
            ServerSocketChannel c = ServerSocketChannel.open().bind(ANY_PORT);
            return new Case("ServerSocketChannel.accept", "accept", c, () -> c.accept().close(),
                            () -> SocketChannel.open(c.getLocalAddress()).close());
        },
        () -> {
            DatagramChannel c = DatagramChannel.open().bind(ANY_PORT);
            DatagramSocket sender = new DatagramSocket(ANY_PORT);
            return new Case("DatagramChannel.receive", "receive", c, () -> c.receive(ByteBuffer.allocate(1)),
                            () -> sender.send(new DatagramPacket(new byte[1], 1, c.getLocalAddress())), sender);
        },
        () -> {
            Pipe p = Pipe.open();
            return new Case("Pipe source", "read", p.source(), () -> p.source().read(ByteBuffer.allocate(1)),
                            () -> p.sink().write(ByteBuffer.allocate(1)), p.sink());
        },
    };

    static Throwable[] outcome = new Throwable[1];

    /** Starts the operation in a thread of its own; its exception, or null, will be in outcome. */
    static Thread blocked(Case c, boolean interruptedBefore, boolean[] statusAfter) throws Exception {
        outcome[0] = null;
        Thread t = new Thread(() -> {
            if (interruptedBefore) {
                Thread.currentThread().interrupt();
            }
            try {
                c.operation.run();
            } catch (Throwable e) {
                outcome[0] = e;
            }
            statusAfter[0] = Thread.currentThread().isInterrupted();
        }, c.name);
        t.start();
        if (!(interruptedBefore && c.isChannel())) {
            Check.await(() -> !t.isAlive() || Check.isNative(t.getStackTrace(), c.method));
            Thread.sleep(20);                           // into the system call; earlier is a case, too
        }
        return t;
    }

    static void expect(String what, Class<?> type, String message) {
        Check.that(outcome[0] != null && outcome[0].getClass() == type, what + ": expected " + type + ", got " + outcome[0]);
        Check.equal(message, outcome[0].getMessage(), what + ": message");
    }

    public static void main(String[] args) throws Throwable {
        for (Factory f : CASES) {
            boolean[] status = new boolean[1];
            Case c = f.make();
            System.out.println(c.name);

            Thread t = blocked(c, false, status);
            c.subject.close();
            t.join();
            if (c.isChannel()) {
                expect(c.name + ", close", AsynchronousCloseException.class, null);
            } else {
                Check.that(outcome[0] instanceof SocketException, c.name + ", close: " + outcome[0]);
                Check.that(outcome[0].getMessage().equalsIgnoreCase("Socket closed"), c.name + ", close: " + outcome[0]);
            }
            Check.that(!status[0], c.name + ": close does not interrupt");
            c.close();

            for (boolean before : new boolean[] {false, true}) {
                c = f.make();
                String what = c.name + ", interrupt " + (before ? "before" : "while blocked");
                t = blocked(c, before, status);
                if (!before) {
                    t.interrupt();
                }
                if (c.isChannel()) {
                    t.join();
                    expect(what, ClosedByInterruptException.class, null);
                    Check.that(!((InterruptibleChannel) c.subject).isOpen(), what + ": the channel is closed");
                } else {
                    Thread.sleep(20);
                    Check.that(t.isAlive(), what + " has no effect");
                    if (c.release != null) {
                        c.release.run();
                        t.join();
                        Check.equal(null, outcome[0], what);
                    } else {
                        c.subject.close();
                        t.join();
                        Check.that(outcome[0] instanceof SocketException, what + ", then close: " + outcome[0]);
                    }
                }
                Check.that(status[0], what + ": the status is kept");
                c.close();
            }
        }
        partialWrites();
        selector();
    }

    /** A blocked write of a channel has written something: close and interrupt make it return that, and close the channel. */
    static void partialWrites() throws Exception {
        for (boolean interrupt : new boolean[] {false, true}) {
            for (boolean gather : new boolean[] {false, true}) {
                SocketChannel[] c = channels();
                Pipe p = Pipe.open();
                for (java.nio.channels.WritableByteChannel w : List.of(c[0], p.sink())) {
                    ReadableByteChannel peer = w == c[0] ? c[1] : p.source();
                    ((AbstractSelectableChannel) peer).configureBlocking(false);
                    long[] written = {-1};
                    Throwable[] thrown = new Throwable[1];
                    Thread t = new Thread(() -> {
                        try {
                            ByteBuffer b = ByteBuffer.allocateDirect(BIG);
                            written[0] = gather ? ((java.nio.channels.GatheringByteChannel) w).write(new ByteBuffer[] {b, b.duplicate()})
                                                : w.write(b);
                        } catch (Throwable e) {
                            thrown[0] = e;
                        }
                    }, "writer");
                    t.start();
                    while (peer.read(ByteBuffer.allocate(1)) == 0) {
                        Thread.sleep(1);
                    }
                    Thread.sleep(50);                   // until nothing more fits; earlier is a case, too
                    if (interrupt) {
                        t.interrupt();
                    } else {
                        w.close();
                    }
                    t.join();
                    String what = (interrupt ? "interrupted" : "closed") + (gather ? " gathering" : "") + " write of " + w.getClass();
                    if (thrown[0] == null) {
                        Check.that(written[0] > 0 && written[0] < BIG, what + ": " + written[0]);
                    } else {
                        // end() of the channel knows nothing of the part
                        Check.that(interrupt && thrown[0] instanceof ClosedByInterruptException, what + ": " + thrown[0]);
                    }
                    Check.that(!w.isOpen(), what + ": the channel is closed");
                }
                c[1].close();
                p.source().close();
            }
        }
    }

    static void selector() throws Exception {
        Selector selector = Selector.open();
        Throwable[] thrown = new Throwable[1];
        int[] n = {-1};
        Thread t = new Thread(() -> {
            try {
                n[0] = selector.select();
                selector.select();
            } catch (Throwable e) {
                thrown[0] = e;
            }
        }, "selecting");
        t.start();
        Check.awaitNative(t, "select");
        selector.close();
        t.join();
        Check.equal(0, n[0], "keys of a selector that is closed meanwhile");
        Check.that(thrown[0] instanceof ClosedSelectorException, "the next select: " + thrown[0]);
    }
}
