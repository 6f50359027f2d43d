/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Data that is there before a read with a time-out, or before a selection with one, is found, although the event pump has so
 *          many other events to take, and the carrier so much to do, that it hears of the data after the time is over. Fails if
 *          a time-out is reported without having looked.
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 TimeOutWithData
 */

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;

public class TimeOutWithData {
    static final int OTHERS = 300;               // more events than are taken at a time
    static final int ROUNDS = 30;
    static final long SELECT_MILLIS = 4;
    static final long BUSY_NANOS = 4_000_000;    // longer than the time-outs

    static final Semaphore busy = new Semaphore(0);
    static volatile Runnable task;               // what the busy one does first
    static volatile long written;                // when the data for the selector was there
    static final AtomicInteger heard = new AtomicInteger();

    public static void main(String[] args) throws Throwable {
        try (ServerSocket server = new ServerSocket(0, OTHERS, InetAddress.getLoopbackAddress())) {
            Crew crew = new Crew();
            Socket[] peers = new Socket[OTHERS];
            for (int i = 0; i < OTHERS; i++) {
                Socket s = new Socket(server.getInetAddress(), server.getLocalPort());
                peers[i] = server.accept();
                crew.start("other-" + i, () -> {
                    try (s) {
                        for (InputStream in = s.getInputStream(); in.read() >= 0; ) {
                            heard.incrementAndGet();
                        }
                    }
                });
            }
            crew.start("reader", () -> read(server, peers));
            crew.join();
        }
    }

    static void read(ServerSocket server, Socket[] peers) throws Exception {
        Thread hog = new Thread(() -> {
            for (;;) {
                busy.acquireUninterruptibly();
                Runnable before = task;
                task = null;
                if (before != null) {
                    before.run();
                }
                for (long end = System.nanoTime() + BUSY_NANOS; System.nanoTime() < end; ) { }
            }
        });
        hog.setDaemon(true);
        hog.start();

        Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket far = server.accept();
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
        Socket channelFar = server.accept();
        Selector selector = Selector.open();
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        byte[] b = new byte[100];
        int sent = -OTHERS;
        far.getOutputStream().write("first".getBytes());
        Check.equal(5, near.getInputStream().read(b), "bytes of the first read");
        near.setSoTimeout(1);
        Check.throwing(SocketTimeoutException.class, "a time-out", () -> near.getInputStream().read(b));   // known to the pump now
        near.setSoTimeout(0);
        far.getOutputStream().write("second".getBytes());
        Check.equal(6, near.getInputStream().read(b), "bytes of the second read");
        near.setSoTimeout(1);
        for (int i = 0; i < ROUNDS; i++) {
            load(peers, sent += OTHERS);
            far.getOutputStream().write("hello".getBytes());
            Check.await(() -> available(near) == 5);
            busy.release();
            Check.equal(5, near.getInputStream().read(b), "bytes that were there before the read");

            // The selector waits already when the others and its channel get something.
            int before = sent += OTHERS;
            task = () -> {
                load(peers, before);
                try {
                    channelFar.getOutputStream().write(1);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                written = System.nanoTime();
            };
            written = 0;
            long end = System.nanoTime() + SELECT_MILLIS * 1_000_000;
            busy.release();
            int n = selector.select(SELECT_MILLIS);
            Check.that(n == 1 || written == 0 || written > end - 1_000_000, "a channel was ready before the end of the selection");
            while (n == 0) {
                n = selector.select();
            }
            selector.selectedKeys().clear();
            Check.equal(1, channel.read(ByteBuffer.allocate(1)), "bytes of the channel");
        }
        for (Socket s : new Socket[] {near, far, channel.socket(), channelFar}) {
            s.close();
        }
        for (Socket s : peers) {
            s.close();
        }
    }

    /** Events for all others, who are waiting when they have heard of those before. */
    static void load(Socket[] peers, int before) {
        try {
            Check.await(() -> heard.get() == before);
            for (Socket s : peers) {
                s.getOutputStream().write(1);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static int available(Socket s) {
        try {
            return s.getInputStream().available();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
