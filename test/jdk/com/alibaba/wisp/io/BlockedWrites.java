/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What a write to a socket has been given is what is sent, though it has to wait for room: threads that write single bytes to one
 *          stream, which has one array for all of these, and arrays to which their owner writes meanwhile. In the first write to a socket
 *          and later ones. Catches: the array is read again when there is room, and a byte is sent twice, in the place of another.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm BlockedWrites
 */

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BlockedWrites {
    static final int WRITERS = 20, FILL = 60_000;     // less than what upstream copies at once
    static final long ENOUGH = -1;

    static void once(boolean first) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket()) {
            server.setReceiveBufferSize(4_096);
            server.bind(new InetSocketAddress(here, 0));
            try (Socket client = new Socket()) {
                client.setSendBufferSize(4_096);
                client.connect(server.getLocalSocketAddress());
                try (Socket peer = server.accept()) {
                    OutputStream out = client.getOutputStream();
                    InputStream in = peer.getInputStream();
                    Crew crew = new Crew();
                    byte[] fill = new byte[FILL];
                    AtomicLong filled = new AtomicLong();
                    if (!first) {                       // and it has waited before
                        Crew before = new Crew();
                        before.start("writes", () -> {
                            for (int i = 0; i < 100; i++) {
                                out.write(fill);
                            }
                        });
                        Check.equal(100 * FILL, in.readNBytes(100 * FILL).length, "bytes");
                        before.join();
                    }
                    Thread[] writers = new Thread[WRITERS + 1];
                    writers[WRITERS] = crew.start("fills", () -> {
                        for (long n; (n = filled.get()) != ENOUGH && filled.compareAndSet(n, n + FILL); ) {
                            out.write(fill);
                        }
                    });
                    awaitFull(writers[WRITERS], filled);
                    for (int i = 0; i < WRITERS; i++) {
                        int n = i + 1;
                        writers[i] = crew.start("writes " + n, () -> out.write(n));
                        awaitWritten(writers[i]);
                    }
                    long all = filled.getAndSet(ENOUGH) + WRITERS;
                    Arrays.fill(fill, (byte) 99);
                    int[] counts = new int[100];
                    byte[] some = new byte[8_192];
                    for (long n = 0; n < all; ) {
                        int got = in.read(some);
                        Check.that(got > 0, "end after " + n + " of " + all);
                        for (int i = 0; i < got; i++) {
                            counts[some[i]]++;
                        }
                        n += got;
                    }
                    crew.join();
                    Check.equal(0, counts[99], "bytes that were written to the array after it was given to a write");
                    for (int i = 1; i <= WRITERS; i++) {
                        Check.equal(1, counts[i], "of " + i);
                    }
                }
            }
        }
    }

    /**
     * The kernel may have room for a byte where it has none for more. That a thread is in the native method does not tell that this has read the
     * array: it may be held up there, by the look at its stack to begin with. That it waits for room does.
     */
    static void awaitWritten(Thread t) throws InterruptedException {
        Check.await(() -> !t.isAlive() || Vm.threadEntry(t).contains("parked: write, fd "));
    }

    /** Until it has not got on for a while, and is in a write. */
    static void awaitFull(Thread t, AtomicLong filled) throws InterruptedException {
        for (long before = -1; before != filled.get(); ) {
            before = filled.get();
            Thread.sleep(100);
        }
        awaitWritten(t);
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            return;
        }
        for (int round = 0; round < 5; round++) {
            once(true);
            once(false);
        }
    }
}
