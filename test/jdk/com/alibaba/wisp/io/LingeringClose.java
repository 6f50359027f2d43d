/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A socket or channel that lingers (SO_LINGER) and has data that nobody takes is closed at once, as on kernel threads, while another thread
 *          is blocked in a read or a write of it; and by a reset, with the time 0. Catches a close that takes the whole time,
 *          half an hour here, and one that forgets the reset. One that nobody uses lingers until its data are taken.
 * @library /test/lib
 * @run main/othervm/timeout=240 LingeringClose
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import wisptest.Check;
import wisptest.Crew;

public class LingeringClose {
    static final int MUCH = 16 << 20;                // does not fit into the buffers of a connection
    static final int SOME = 100_000;                 // fits, and the other end takes a part
    static final int LINGER_SECONDS = 1800;

    static ServerSocketChannel server;

    /** A thread writes, and one reads if reads; both wait. */
    static void socket(boolean reads, int linger) throws Exception {
        Socket near = new Socket();
        near.connect(server.getLocalAddress());
        close(near, reads, linger, () -> near.getOutputStream().write(new byte[MUCH]), () -> near.getInputStream().read());
    }

    static void channel(boolean reads, int linger) throws Exception {
        SocketChannel near = SocketChannel.open(server.getLocalAddress());
        close(near.socket(), reads, linger, () -> near.write(ByteBuffer.allocate(MUCH)), () -> near.read(ByteBuffer.allocate(1)));
    }

    /** Nobody uses it: the close waits until somebody takes what is left. */
    static void unused() throws Exception {
        Socket near = new Socket();
        near.setSendBufferSize(4 * SOME);
        near.connect(server.getLocalAddress());
        SocketChannel far = server.accept();
        near.setSoLinger(true, LINGER_SECONDS);
        near.getOutputStream().write(new byte[SOME]);
        Crew crew = new Crew();
        AtomicBoolean closed = new AtomicBoolean();
        Thread closer = crew.start("closer", () -> {
            near.close();
            closed.set(true);
        });
        Check.await(() -> closed.get() || Check.isNative(closer.getStackTrace(), "socketPreClose"));
        Check.that(!closed.get(), "the close does not linger");
        ByteBuffer some = ByteBuffer.allocate(1 << 20);
        int got = 0;
        for (int n = 0; n >= 0; got += Math.max(n, 0)) {
            n = far.read(some.clear());
        }
        crew.join();
        Check.equal(SOME, got, "bytes that were taken");
        far.close();
    }

    /** What a call fails with depends on how far it has come. */
    static void endlessly(Check.Code call) throws Throwable {
        try {
            for (;;) {
                call.run();
            }
        } catch (IOException e) {
            // closed
        }
    }

    static void close(Socket near, boolean reads, int linger, Check.Code write, Check.Code read) throws Exception {
        SocketChannel far = server.accept();
        near.setSoLinger(true, linger);
        Crew crew = new Crew();
        Thread writer = crew.start("writer", () -> endlessly(write));
        Check.equal(1, far.read(ByteBuffer.allocate(1)), "the first byte");
        Check.awaitNative(writer, "write");
        if (reads) {
            Thread reader = crew.start("reader", () -> endlessly(read));
            Check.awaitNative(reader, "read");
        }
        near.close();
        crew.join();
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
        long got = 0;
        boolean reset = false;
        try {
            for (int n = 0; n >= 0; got += n) {
                n = far.read(some.clear());
                if (n < 0) {
                    break;
                }
            }
        } catch (IOException e) {
            reset = true;
        }
        System.out.println((reads ? "write and read" : "write") + ", linger " + linger + ": " + got + " bytes, reset " + reset);
        Check.that(got < MUCH, "nothing was left to be sent");
        if (linger == 0) {
            Check.that(reset, "no reset");
        }
        far.close();
    }

    public static void main(String[] args) throws Exception {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Crew crew = new Crew();
        crew.start("closer", () -> {
            for (int linger : new int[] {LINGER_SECONDS, 0}) {
                for (boolean reads : new boolean[] {false, true}) {
                    socket(reads, linger);
                    channel(reads, linger);
                }
            }
        });
        crew.join();
        server.close();
        server = ServerSocketChannel.open().setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        unused();
        server.close();
    }
}
