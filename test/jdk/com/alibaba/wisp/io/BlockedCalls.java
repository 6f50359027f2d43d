/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that wait in each kind of blocking call on a descriptor (socket read, accept, datagram receive, channel read
 *          and accept, pipe, selector) hold no kernel thread, and others go on meanwhile: 1,000 hand-shakes. Time-outs of sockets
 *          are those of stock, close() ends each wait with stock's exception, and data wakes who waits for it. Catches: a call
 *          that is not hooked (kernel threads), a wake-up lost on close, and a wait that outlives its time-out.
 * @library /test/lib
 * @run main BlockedCalls
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
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BlockedCalls {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final int EACH = 20;                     // threads in each kind of call

    interface Call {
        void run() throws IOException;
    }

    /** A thread that makes the call and must get the exception when the thing is closed. */
    static void blocked(Crew crew, CountDownLatch begun, String name, Call call, Class<?> expected) {
        crew.start(name, () -> {
            begun.countDown();
            try {
                call.run();
                Check.that(expected == null, name + " returned");
            } catch (Exception e) {
                Check.that(expected != null && expected.isInstance(e), name + ": " + e);
            }
        });
    }

    public static void main(String[] args) throws Exception {
        int before = Vm.kernelThreads();
        Crew crew = new Crew();
        List<Closeable> open = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(EACH * 7);
        ServerSocket server = new ServerSocket(0, 100, LOOPBACK);
        List<Socket> peers = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            Socket socket = new Socket(LOOPBACK, server.getLocalPort());
            peers.add(server.accept());
            open.add(socket);
            blocked(crew, begun, "read-" + i, () -> socket.getInputStream().read(), SocketException.class);

            ServerSocket lonely = new ServerSocket(0, 1, LOOPBACK);
            open.add(lonely);
            blocked(crew, begun, "accept-" + i, lonely::accept, SocketException.class);

            DatagramSocket datagrams = new DatagramSocket(0, LOOPBACK);
            open.add(datagrams);
            blocked(crew, begun, "receive-" + i, () -> datagrams.receive(new DatagramPacket(new byte[10], 10)),
                    SocketException.class);

            SocketChannel channel = SocketChannel.open(new InetSocketAddress(LOOPBACK, server.getLocalPort()));
            peers.add(server.accept());
            open.add(channel);
            blocked(crew, begun, "channel-read-" + i, () -> channel.read(ByteBuffer.allocate(10)),
                    AsynchronousCloseException.class);

            ServerSocketChannel lonelyChannel = ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
            open.add(lonelyChannel);
            blocked(crew, begun, "channel-accept-" + i, lonelyChannel::accept, AsynchronousCloseException.class);

            DatagramChannel datagramChannel = DatagramChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
            open.add(datagramChannel);
            blocked(crew, begun, "channel-receive-" + i, () -> datagramChannel.receive(ByteBuffer.allocate(10)),
                    AsynchronousCloseException.class);

            Selector selector = Selector.open();
            open.add(selector);
            blocked(crew, begun, "select-" + i, () -> {
                selector.select();
                if (!selector.isOpen()) {
                    throw new ClosedSelectorException();
                }
            }, ClosedSelectorException.class);
        }
        begun.await();
        handShakes();
        if (Vm.wispOn()) {
            int now = Vm.kernelThreads();
            Check.that(now - before < EACH * 3, EACH * 7 + " blocked calls hold " + (now - before) + " kernel threads");
        }
        timeOuts(server);
        data();
        for (Closeable c : open) {
            c.close();
        }
        crew.join();
        for (Socket peer : peers) {
            peer.close();
        }
        server.close();
    }

    /** Two other threads, 1,000 times there and back. */
    static void handShakes() throws Exception {
        SynchronousQueue<Integer> there = new SynchronousQueue<>();
        SynchronousQueue<Integer> back = new SynchronousQueue<>();
        Crew crew = new Crew();
        crew.start("left", () -> {
            for (int i = 0; i < 1000; i++) {
                there.put(i);
                Check.equal(i, back.take(), "what came back");
            }
        });
        crew.start("right", () -> {
            for (int i = 0; i < 1000; i++) {
                back.put(there.take());
            }
        });
        crew.join();
    }

    static void timeOuts(ServerSocket server) throws Exception {
        Crew crew = new Crew();
        crew.start("time-outs", () -> {
            try (Socket socket = new Socket(LOOPBACK, server.getLocalPort()); Socket peer = server.accept()) {
                socket.setSoTimeout(50);
                try {
                    socket.getInputStream().read();
                    Check.that(false, "read without data");
                } catch (SocketTimeoutException e) {
                    Check.equal("Read timed out", e.getMessage(), "message");
                }
                peer.getOutputStream().write(7);
                Check.equal(7, socket.getInputStream().read(), "the socket after a time-out");
            }
            try (ServerSocket lonely = new ServerSocket(0, 1, LOOPBACK)) {
                lonely.setSoTimeout(50);
                try {
                    lonely.accept();
                    Check.that(false, "accepted nobody");
                } catch (SocketTimeoutException e) {
                    Check.equal("Accept timed out", e.getMessage(), "message");
                }
            }
            try (DatagramSocket socket = new DatagramSocket(0, LOOPBACK)) {
                socket.setSoTimeout(50);
                try {
                    socket.receive(new DatagramPacket(new byte[1], 1));
                    Check.that(false, "received nothing");
                } catch (SocketTimeoutException e) {
                    Check.equal("Receive timed out", e.getMessage(), "message");
                }
            }
        });
        crew.join();
    }

    /** One thread reads while another writes the same pipe and socket, for a while. */
    static void data() throws Exception {
        Pipe pipe = Pipe.open();
        int n = 2000;
        Crew crew = new Crew();
        crew.start("sink", () -> {
            for (int i = 0; i < n; i++) {
                pipe.sink().write(ByteBuffer.wrap(new byte[] {(byte) i}));
            }
        });
        crew.start("source", () -> {
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < n; i++) {
                one.clear();
                Check.equal(1, pipe.source().read(one), "bytes");
                Check.equal((byte) i, one.get(0), "byte " + i);
            }
        });
        crew.join();
        pipe.sink().close();
        pipe.source().close();
    }
}
