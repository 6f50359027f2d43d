/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Urgent data is sent at once while the kernel has room for a byte, although it does not tell of room before a third of the buffer is
 *          free; it waits where there is none, as any write does. A close ends that wait with the exception that it has without the flag, and
 *          does not linger. Catches: who waits to be told of room before the first try (hang); a close that waits
 *          for what is never sent; another exception.
 * @library /test/lib
 * @run main/othervm/timeout=300 UrgentData
 */

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import wisptest.Check;
import wisptest.Crew;

public class UrgentData {
    static final int CHUNK = 4096, BUFFER = 256 << 10;
    static final int LINGER = 30;                        // seconds; a close that lingers takes as long
    static final List<AutoCloseable> ENDS = new ArrayList<>();

    /** Whoever connects to it does so to one who reads nothing. */
    static ServerSocket listen() throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReceiveBufferSize(CHUNK);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ENDS.add(server);
        return server;
    }

    static SocketChannel connect() throws IOException {
        SocketChannel near = SocketChannel.open();
        near.socket().setSendBufferSize(BUFFER);
        connect(near.socket());
        return near;
    }

    static Socket connectSocket() throws IOException {
        Socket near = new Socket();
        near.setSendBufferSize(BUFFER);
        connect(near);
        return near;
    }

    static void connect(Socket near) throws IOException {
        ServerSocket server = listen();
        near.connect(server.getLocalSocketAddress());
        ENDS.add(near);
        ENDS.add(server.accept());
    }

    /** How many chunks such a connection takes. */
    static int room() throws IOException {
        SocketChannel full = connect();
        full.configureBlocking(false);
        int chunks = 0;
        while (full.write(ByteBuffer.allocate(CHUNK)) == CHUNK) {
            chunks++;
        }
        return chunks;
    }

    static void nearlyFull(int room, int percent) throws Exception {
        int chunks = room * percent / 100;
        Crew crew = new Crew();
        crew.start("socket", () -> {
            Socket s = connectSocket();
            OutputStream out = s.getOutputStream();
            for (int i = 0; i < chunks; i++) {
                out.write(new byte[CHUNK]);
            }
            s.sendUrgentData('!');
        });
        crew.start("channel", () -> {
            SocketChannel c = connect();
            for (int i = 0; i < chunks; i++) {
                c.write(ByteBuffer.allocate(CHUNK));
            }
            c.socket().sendUrgentData('!');
        });
        crew.join();                                     // hangs where one of them waits
        System.out.println("sent with " + percent + "% of " + room + " chunks");
    }

    interface Send {
        void send() throws IOException;
    }

    /** Sends until there is no room, and waits then. */
    static void closed(String what, Send send, Class<? extends IOException> type, String message, AutoCloseable socket) throws Exception {
        AtomicLong sent = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(1);
        Crew crew = new Crew();
        Thread sender = crew.start(what, () -> {
            begun.countDown();
            IOException e = Check.throwing(type, what, () -> {
                for (;;) {
                    send.send();
                    sent.incrementAndGet();
                }
            });
            Check.equal(message, e.getMessage(), what);
        });
        begun.await();
        for (long before = -1; before != sent.get(); ) {
            before = sent.get();
            Thread.sleep(500);                           // it is in its wait when it has sent nothing more
        }
        long start = System.nanoTime();
        socket.close();
        sender.join();
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        Check.that(seconds < LINGER / 2, what + ": the close took " + seconds + " s");
        crew.join();
    }

    public static void main(String[] args) throws Exception {
        int room = room();
        for (int percent : new int[] {10, 50, 70, 80, 90}) {
            nearlyFull(room, percent);
        }
        Socket socket = connectSocket();
        socket.setSoLinger(true, LINGER);
        closed("socket", () -> socket.sendUrgentData(1), IOException.class, "Bad file descriptor", socket);
        SocketChannel channel = connect();
        closed("channel", () -> channel.socket().sendUrgentData(1), AsynchronousCloseException.class, null, channel);
        for (AutoCloseable end : ENDS) {
            end.close();
        }
    }
}
