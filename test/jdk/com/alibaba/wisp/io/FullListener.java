/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary More threads than the kernel keeps connections for connect to a server of the same process, sockets and channels, blocking and not. Whoever
 *          accepts is elsewhere for a moment: they wait for him, rather than a second for the next attempt of the kernel. While he does
 *          not come at all connections are made, or time out, as ever. Catches: who connects does not look whether there is room; who
 *          waits for somebody who accepts no more; who does so each time; who
 *          wants to connect to somebody else, also to one whose port has the same number; who does not see that its socket is closed.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm FullListener
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class FullListener {
    static final int THREADS = 60, KEPT = 20, PAUSES = 2, ROUNDS = 3;
    static final int CONNECTS = 40, MOST = 100;          // ms that one waits once for somebody to accept; a tenth if it does not block
    static final int CLOSED = 50;                        // connections that are accepted until a close is seen; 200 would be in a second
    static final long SLOW = 900_000_000;                // ns; the kernel's first attempt again comes after a second

    interface Accept {
        AutoCloseable accept() throws IOException;
    }

    interface Connect {
        AutoCloseable connect() throws IOException;
    }

    /** True: nobody had to wait for the kernel. */
    static boolean burst(String what, int pause, Accept accept, Connect connect) throws Throwable {
        AtomicInteger slow = new AtomicInteger();
        CountDownLatch begin = new CountDownLatch(1);
        Crew crew = new Crew();
        crew.start("accepts", () -> {
            for (int i = 0; i < THREADS; i++) {
                accept.accept().close();
                if (i % (THREADS / PAUSES) == 0) {
                    Thread.sleep(pause);                 // the moment, not a way to be in time for something
                }
            }
        });
        for (int t = 0; t < THREADS; t++) {
            crew.start("connects-" + t, () -> {
                begin.await();
                long start = System.nanoTime();
                AutoCloseable connection = connect.connect();
                if (System.nanoTime() - start >= SLOW) {
                    slow.incrementAndGet();
                }
                connection.close();
            });
        }
        begin.countDown();
        crew.join();
        System.out.println(what + ": " + slow + " are slow");
        return slow.get() == 0;
    }

    /** Another program may keep the one who accepts from his CPU for as long as they wait, in one of the rounds. */
    static void bursts(String what, int pause, Accept accept, Connect connect) throws Throwable {
        Crew crew = new Crew();
        crew.start("accepts", () -> accept.accept().close());    // known as a listener then
        connect.connect().close();
        crew.join();
        boolean clean = false;
        for (int i = 0; i < ROUNDS; i++) {
            clean |= burst(what, pause, accept, connect);
        }
        Check.that(clean, what + ": slow connections in each round");
    }

    static SocketChannel connectWithSelector(ServerSocketChannel server) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            if (!channel.connect(server.getLocalAddress())) {
                channel.register(selector, SelectionKey.OP_CONNECT);
                while (!channel.finishConnect()) {
                    selector.select();
                }
            }
        }
        return channel;
    }

    /** How often a thread that makes connections sleeps. Without an end if that is each time, so it is a limit that tells. */
    static void connects(String what, int limit, Connect connect) throws Throwable {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        AtomicLong waits = new AtomicLong();
        Crew crew = new Crew();
        crew.start("connects", () -> {
            long id = Thread.currentThread().getId();
            long before = threads.getThreadInfo(id).getWaitedCount();
            for (int i = 0; i < CONNECTS; i++) {
                connect.connect().close();
            }
            waits.set(threads.getThreadInfo(id).getWaitedCount() - before);
        });
        crew.join();
        System.out.println(what + ": " + waits + " waits");
        Check.that(waits.get() <= limit, what + ": " + waits + " waits for " + CONNECTS + " connections");
    }

    static SocketChannel connectWithoutWaiting(ServerSocket server) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.connect(server.getLocalSocketAddress());
        return channel;
    }

    /** As many as the kernel keeps, and more, which time out; connections to somebody else are made. */
    static void neverAccepts(ServerSocket full, ServerSocket other, ServerSocket same) throws Throwable {
        Crew accepting = new Crew();
        accepting.start("accepts", () -> full.accept().close());    // known as a listener then
        new Socket(full.getInetAddress(), full.getLocalPort()).close();
        accepting.join();
        List<Socket> connections = new ArrayList<>();
        boolean timedOut = false;
        while (!timedOut) {
            Check.that(connections.size() <= 4 * KEPT, "there is room for " + connections.size());
            Socket s = new Socket();
            connections.add(s);
            try {
                s.connect(full.getLocalSocketAddress(), 300);
            } catch (SocketTimeoutException expected) {
                timedOut = true;
            }
        }
        Check.that(connections.size() > KEPT, "no room after " + connections.size());
        connects("others that do not block", 0, () -> connectWithoutWaiting(other));
        connects("others", 0, () -> new Socket(other.getInetAddress(), other.getLocalPort()));
        connects("others with that port that do not block", 0, () -> connectWithoutWaiting(same));
        connects("others with that port", 0, () -> new Socket(same.getInetAddress(), same.getLocalPort()));
        connects("those that do not block", 2 * MOST / 10, () -> connectWithoutWaiting(full));
        Crew crew = new Crew();
        crew.start("connects", () -> {
            try (Socket s = new Socket()) {
                s.connect(full.getLocalSocketAddress(), 300);
                throw new AssertionError("connected");
            } catch (SocketTimeoutException expected) {
            }
        });
        crew.join();
        for (Socket s : connections) {
            s.close();
        }
    }

    /** Or it has found room. */
    static boolean waits(Thread t) {
        return !t.isAlive() || Stream.of(t.getStackTrace()).anyMatch(f -> f.getMethodName().equals("connects"));
    }

    /** Somebody accepts now and then, and each time there is another one: who waits for room finds that its socket is closed. */
    static void closed() throws Throwable {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), KEPT)) {
            SocketAddress address = server.getLocalAddress();
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger accepted = new AtomicInteger();
            List<SocketChannel> connections = new ArrayList<>();
            Crew crew = new Crew();
            crew.start("accepts", () -> {                // and connects, as one who accepts waits for no room
                SocketChannel.open(address).close();
                server.accept().close();
                while (!done.get()) {
                    while (connections.size() < accepted.get() + 2 * KEPT) {
                        SocketChannel c = SocketChannel.open();
                        c.configureBlocking(false);
                        c.connect(address);
                        connections.add(c);
                    }
                    server.accept().close();
                    accepted.incrementAndGet();
                    Thread.sleep(5);                     // often enough for those that wait, which wait for a second then
                }
            });
            while (accepted.get() == 0) {
                Thread.sleep(1);
            }
            SocketChannel channel = SocketChannel.open();
            Socket socket = new Socket();
            Thread first = crew.start("connects a channel", () -> {
                try {
                    channel.connect(address);
                } catch (AsynchronousCloseException expected) {
                }
            });
            Thread second = crew.start("connects a socket", () -> {
                try {
                    socket.connect(address);
                } catch (SocketException expected) {
                }
            });
            while (!waits(first) || !waits(second)) {
                Thread.sleep(1);
            }
            int before = accepted.get();
            channel.close();
            socket.close();
            first.join();
            second.join();
            int meanwhile = accepted.get() - before;
            done.set(true);
            crew.join();
            for (SocketChannel c : connections) {
                c.close();
            }
            System.out.println("closed: " + meanwhile + " were accepted before both ended");
            Check.that(meanwhile < CLOSED, "closed: " + meanwhile + " were accepted before both ended");
        }
    }

    static void all() throws Throwable {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, KEPT, here); ServerSocketChannel channel = ServerSocketChannel.open()) {
            channel.bind(new InetSocketAddress(here, 0), KEPT);
            bursts("sockets", 3, server::accept, () -> new Socket(here, server.getLocalPort()));
            bursts("channels", 3, channel::accept, () -> SocketChannel.open(channel.getLocalAddress()));
            bursts("channels that do not block", 0, channel::accept, () -> connectWithSelector(channel));
        }
        InetAddress there = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        try (ServerSocket full = new ServerSocket(0, KEPT, here); ServerSocket other = new ServerSocket(0, 3 * CONNECTS, here);
             ServerSocket same = new ServerSocket(full.getLocalPort(), 3 * CONNECTS, there)) {
            neverAccepts(full, other, same);
        }
        closed();
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            all();
        } else if (Vm.wispOn()) {                        // kernel threads find it full
            for (int carriers : new int[] {1, 2}) {
                Vm.java("-Dcom.alibaba.wisp.carrierEngines=" + carriers, "FullListener", "child").exited(0);
            }
        }
    }
}
