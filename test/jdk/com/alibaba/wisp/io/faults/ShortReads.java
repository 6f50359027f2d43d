/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A read that gives less than it was asked for has emptied the socket, and the next one waits without asking again. Not
 *          so when the end of the stream, a reset or urgent data stood behind what was read and had been announced before: nothing
 *          else is announced then; nor of a socket of datagrams. Fails by hanging if such a reader waits, or if one takes what it knows of a descriptor for
 *          knowledge of the next one with that number.
 * @library /test/lib
 * @run main/timeout=300 ShortReads
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;

public class ShortReads {
    static final int ROUNDS = 20;
    static final int LARGE = 10_000;             // more than is ever there

    /** Ways to read from the same kind of connection. */
    interface Way {
        int read(SocketChannel channel, InputStream in, byte[] b) throws IOException;
    }

    static int copy(int n, ByteBuffer from, byte[] b) {
        from.flip();
        from.get(b, 0, from.remaining());
        return n;
    }

    static final Way STREAM = (channel, in, b) -> in.read(b);
    static final Way HEAP = (channel, in, b) -> channel.read(ByteBuffer.wrap(b));
    static final Way DIRECT = (channel, in, b) -> {
        ByteBuffer direct = ByteBuffer.allocateDirect(b.length);
        return copy(channel.read(direct), direct, b);
    };
    static final Way SCATTER = (channel, in, b) -> {
        ByteBuffer first = ByteBuffer.wrap(b, 0, 1), empty = ByteBuffer.allocate(0), rest = ByteBuffer.wrap(b, 1, b.length - 1);
        return (int) channel.read(new ByteBuffer[] {empty, first, empty, rest});
    };
    static final Way MIXED = new Way() {
        final Way[] all = {HEAP, DIRECT, SCATTER};
        final AtomicInteger next = new AtomicInteger();

        @Override
        public int read(SocketChannel channel, InputStream in, byte[] b) throws IOException {
            return all[next.getAndIncrement() % all.length].read(channel, in, b);
        }
    };

    /** Both ends of a connection; what is read is a channel, or a socket of java.net when the way is STREAM. */
    static final class Connection implements AutoCloseable {
        final Way way;
        final Socket socket;                     // the reader's, or null
        final SocketChannel channel;             // the reader's, or null
        final Socket peer;
        final OutputStream out;
        final byte[] b = new byte[LARGE];

        Connection(ServerSocketChannel server, Way way) throws IOException {
            this.way = way;
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            socket = way == STREAM ? new Socket(address.getAddress(), address.getPort()) : null;
            channel = way == STREAM ? null : SocketChannel.open(address);
            peer = server.accept().socket();
            out = peer.getOutputStream();
            peer.setTcpNoDelay(true);
        }

        Socket near() {
            return socket != null ? socket : channel.socket();
        }

        int read(int most) throws IOException {
            byte[] part = most == b.length ? b : new byte[most];
            int n = way.read(channel, socket != null ? socket.getInputStream() : null, part);
            if (part != b) {
                System.arraycopy(part, 0, b, 0, Math.max(n, 0));
            }
            return n;
        }

        /** Two short reads, after which it is known that the socket is empty: the first one waits, and the event pump knows it then. */
        void begin(Other other) throws Exception {
            Check.equal("0", other.during(this, LARGE, () -> out.write('0')), "first byte");
            Check.equal("1", other.during(this, LARGE, () -> out.write('1')), "second byte");
        }

        String text(int n) {
            return n < 0 ? "end" : new String(b, 0, n, java.nio.charset.StandardCharsets.ISO_8859_1);
        }

        @Override
        public void close() throws IOException {
            peer.close();
            near().close();
        }
    }

    /** Another thread, for what has to be done there; and a connection that is used so often that events are taken meanwhile. */
    static final class Other {
        static final Check.Code END = () -> { };
        final SynchronousQueue<Check.Code> codes = new SynchronousQueue<>();
        final SynchronousQueue<Check.Code> done = new SynchronousQueue<>();
        final Crew crew;
        final Connection events;

        Other(ServerSocketChannel server, Crew crew) throws Exception {
            this.crew = crew;
            events = new Connection(server, STREAM);
            crew.start("echo", () -> {
                InputStream in = events.peer.getInputStream();
                for (int c; (c = in.read()) >= 0; ) {
                    events.out.write(c);
                }
            });
        }

        /** What the other thread runs. */
        void serve() throws Exception {
            for (Check.Code code; (code = codes.poll(1, TimeUnit.SECONDS)) != END; ) {
                if (code == null) {
                    crew.check();
                    continue;
                }
                try {
                    code.run();
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
                done.put(code);
            }
        }

        /** Does it there, and returns when it is done. */
        void now(Check.Code code) throws Exception {
            codes.put(code);
            done.take();
        }

        /** Does it there when this thread reads from c and has had time to wait; returns what was read. */
        String during(Connection c, int most, Check.Code code) throws Exception {
            Thread reader = Thread.currentThread();
            codes.put(() -> {
                awaitReading(reader);
                takeEvents();
                code.run();
            });
            String text = c.text(c.read(most));
            done.take();
            return text;
        }

        static void awaitReading(Thread reader) throws Exception {
            Check.await(() -> {
                StackTraceElement[] stack = reader.getStackTrace();
                return stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().matches("(socketR|r)ead.*");
            });
        }

        /** Events that were there before are taken by the event pump when this returns. */
        synchronized void takeEvents() throws Exception {
            for (int i = 0; i < 30; i++) {
                events.socket.getOutputStream().write(i);
                Check.equal(i, events.socket.getInputStream().read(), "echo");
            }
        }

        void end() throws Exception {
            codes.put(END);
            events.socket.close();
        }
    }

    static void endOfStream(Connection c, Other other) throws Exception {
        c.begin(other);
        c.out.write("ab".getBytes());
        c.peer.shutdownOutput();
        other.takeEvents();
        Check.equal("ab", c.text(c.read(LARGE)), "data before the end");
        Check.equal(-1, c.read(LARGE), "end");
        Check.equal(-1, c.read(LARGE), "end, again");
    }

    static void reset(Connection c, Other other) throws Exception {
        c.begin(other);
        c.out.write("ab".getBytes());
        c.peer.setSoLinger(true, 0);
        c.peer.close();
        other.takeEvents();
        try {
            Check.equal("ab", c.text(c.read(LARGE)), "data before the reset");
            Check.equal(-1, c.read(LARGE), "after a reset");
        } catch (IOException e) {
            Check.that(e.getMessage().startsWith("Connection reset"), e.toString());
        }
    }

    /** A read stops before urgent data, whether that is then skipped or not. */
    static void urgent(Connection c, Other other, boolean inline) throws Exception {
        c.near().setOOBInline(inline);
        c.begin(other);
        c.out.write("ab".getBytes());
        c.peer.sendUrgentData('X');
        c.out.write("cd".getBytes());
        other.takeEvents();
        StringBuilder sum = new StringBuilder();
        int reads = 0;
        while (sum.length() < (inline ? 5 : 4)) {
            sum.append(c.text(c.read(LARGE)));
            reads++;
        }
        Check.equal(inline ? "abXcd" : "abcd", sum.toString(), "data around urgent data");
        Check.that(reads > 1, "the read did not stop at urgent data: this test is in vain");
        Check.equal("ef", other.during(c, LARGE, () -> c.out.write("ef".getBytes())), "data after that");
    }

    /** Full buffers say nothing about what is left. */
    static void exact(Connection c, Other other) throws Exception {
        c.begin(other);
        c.out.write("abcdefg".getBytes());
        other.takeEvents();
        Check.equal("abc", c.text(c.read(3)), "first");
        Check.equal("def", c.text(c.read(3)), "second");
        Check.equal("g", c.text(c.read(3)), "third");
        Check.equal("h", other.during(c, 3, () -> c.out.write("h".getBytes())), "fourth");
    }

    static void timeOut(Connection c, Other other) throws Exception {
        if (c.way != STREAM) {
            return;
        }
        c.begin(other);
        c.near().setSoTimeout(1);
        Check.throwing(SocketTimeoutException.class, "a time-out", () -> c.read(LARGE));
        c.out.write("ab".getBytes());
        c.near().setSoTimeout(0);
        Check.equal("ab", c.text(c.read(LARGE)), "data after a time-out");
    }

    /** The other thread takes data that this one may have been told of. */
    static void shared(Connection c, Other other) throws Exception {
        c.begin(other);
        for (int i = 0; i < 5; i++) {
            c.out.write('a');
            other.now(() -> Check.equal("a", c.text(c.read(LARGE)), "of the other reader"));
            Check.equal("b", other.during(c, LARGE, () -> c.out.write('b')), "after the other reader");
        }
    }

    static void shutDown(Connection c, Other other) throws Exception {
        c.begin(other);
        Check.equal("end", other.during(c, LARGE, () -> c.near().shutdownInput()), "after shutdownInput");
    }

    /** A Socket of datagrams: one that is shorter than what was asked for says nothing of the next one. */
    @SuppressWarnings("deprecation")
    static void datagrams(Other other) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (DatagramSocket peer = new DatagramSocket(0, here); Socket socket = new Socket(here, peer.getLocalPort(), false)) {
            InetSocketAddress to = new InetSocketAddress(here, socket.getLocalPort());
            Thread reader = Thread.currentThread();
            byte[] b = new byte[LARGE];
            other.codes.put(() -> {
                Other.awaitReading(reader);
                other.takeEvents();
                peer.send(new DatagramPacket(new byte[] {'a'}, 1, to));
            });
            Check.equal(1, socket.getInputStream().read(b), "first datagram");
            other.done.take();
            other.now(() -> {
                peer.send(new DatagramPacket(new byte[] {'b'}, 1, to));
                peer.send(new DatagramPacket(new byte[] {'c'}, 1, to));
                other.takeEvents();
            });
            for (char c = 'b'; c <= 'c'; c++) {
                Check.equal(1, socket.getInputStream().read(b), "datagram " + c);
                Check.equal(c, (char) b[0], "datagram");
            }
        }
    }

    interface Case {
        void run(Connection c, Other other) throws Exception;
    }

    public static void main(String[] args) throws Throwable {
        Case[] cases = {
            ShortReads::endOfStream, ShortReads::reset, (c, o) -> urgent(c, o, false), (c, o) -> urgent(c, o, true), ShortReads::exact,
            ShortReads::timeOut, ShortReads::shared, ShortReads::shutDown,
        };
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Crew crew = new Crew();
            for (boolean kernelThread : new boolean[] {false, true}) {
                Other other = new Other(server, crew);
                crew.start("reader", () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        for (Way way : new Way[] {STREAM, MIXED}) {
                            for (Case test : cases) {
                                try (Connection c = new Connection(server, way)) {   // with a number that the last one had
                                    test.run(c, other);
                                }
                            }
                        }
                        datagrams(other);
                    }
                    other.end();
                });
                if (kernelThread) {
                    other.serve();               // main has an OS thread of its own
                } else {
                    crew.start("other", other::serve);
                }
                crew.join();
            }
        }
    }
}
