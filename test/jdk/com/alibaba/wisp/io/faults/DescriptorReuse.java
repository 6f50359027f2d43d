/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads open and close connections, each closed while somebody is blocked on it or about to be, so that descriptors are
 *          reused at once; connections beside them must never miss, repeat or swap a byte. At the end there are no more
 *          descriptors than at the beginning, and memory has not grown. Catches an event that goes to the next owner of a number
 *          and wakes nobody, a wake-up lost on close, and leaks. -Dwisp.test.operations=10000000 for a long run.
 * @library /test/lib
 * @run main DescriptorReuse
 */

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import wisptest.Check;
import wisptest.Crew;

public class DescriptorReuse {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final long OPERATIONS = Long.getLong("wisp.test.operations", 10_000);
    static final int GROUPS = 6;
    static final AtomicLong done = new AtomicLong();
    static final AtomicLong next = new AtomicLong();
    static volatile long end;

    /** Sockets, pipes and the like. Files are not counted: the VM's compilers and sysmon read the control group's when they want. */
    static int descriptors() {
        int count = 0;
        for (String number : new File("/proc/self/fd").list()) {
            try {
                String target = Files.readSymbolicLink(Paths.get("/proc/self/fd", number)).toString();
                count += target.startsWith("socket:") || target.startsWith("pipe:") || target.startsWith("anon_inode:") ? 1 : 0;
            } catch (IOException e) {
                // closed since, the listing's own one among them
            }
        }
        return count;
    }

    static long residentKB() throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new AssertionError("no VmRSS");
    }

    public static void main(String[] args) throws Exception {
        run(Math.min(OPERATIONS, 10_000) / 4);          // loads and compiles
        System.gc();
        int before = descriptors();
        long memory = residentKB();
        run(OPERATIONS);
        System.gc();
        Check.await(() -> descriptors() <= before);     // without a leak: the collector may have to close some; a leak ends by time-out
        long grown = residentKB() - memory;
        System.out.printf("%d operations, %d descriptors, memory %+d KB from %d%n", OPERATIONS, before, grown, memory);
        Check.that(grown < 128 << 10, "memory has grown by " + grown + " KB");
    }

    static void run(long operations) throws Exception {
        done.set(0);
        end = operations;
        Crew crew = new Crew();
        crew.start("steady", DescriptorReuse::steady);
        for (int i = 0; i < GROUPS; i++) {
            crew.start("sockets-" + i, DescriptorReuse::sockets);
            crew.start("channels-" + i, DescriptorReuse::channels);
            crew.start("others-" + i, DescriptorReuse::others);
        }
        crew.join();
    }

    static boolean more() {
        return done.incrementAndGet() <= end;
    }

    /** Short delays of several kinds, so that the close comes at different moments. */
    static void pause() throws InterruptedException {
        switch (ThreadLocalRandom.current().nextInt(6)) {
            case 0: Thread.sleep(1); break;
            case 1: case 2: Thread.yield(); break;
            default:
        }
    }

    /** One connection for the whole time, a byte there and back. */
    static void steady() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
             Socket near = new Socket(LOOPBACK, server.getLocalPort());
             Socket far = server.accept()) {
            Crew crew = new Crew();
            crew.start("echo", () -> {
                InputStream in = far.getInputStream();
                for (int b; (b = in.read()) >= 0; ) {
                    far.getOutputStream().write(b);
                }
            });
            while (done.get() <= end) {
                int b = (int) next.incrementAndGet() & 0xff;
                near.getOutputStream().write(b);
                Check.equal(b, near.getInputStream().read(), "byte of the steady connection");
            }
            near.shutdownOutput();
            crew.join();
        }
    }

    interface Action {
        void run() throws Exception;
    }

    /** Runs a blocking operation in a thread of its own and closes what it blocks on. */
    static void closeDuring(Closeable subject, Action operation) throws Exception {
        Throwable[] thrown = new Throwable[1];
        Thread t = new Thread(() -> {
            try {
                operation.run();
            } catch (Throwable e) {
                thrown[0] = e;
            }
        }, "blocked");
        t.start();
        pause();
        subject.close();
        t.join();
        Throwable e = thrown[0];
        Check.that(e instanceof SocketException || e instanceof ClosedChannelException || e instanceof IOException
                   && "Stream closed.".equals(e.getMessage()) || e instanceof IOException && "Socket Closed".equals(e.getMessage()),
                   "a blocked operation ended with " + e);
    }

    /** A new connection is used once, then closed from the side; both ends are new each time. */
    static void sockets() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, LOOPBACK)) {
            while (more()) {
                Socket near = new Socket(LOOPBACK, server.getLocalPort());
                Socket far = server.accept();
                int b = (int) next.incrementAndGet() & 0xff;
                far.getOutputStream().write(b);
                Check.equal(b, near.getInputStream().read(), "byte of a new socket");
                if (b % 3 == 0) {
                    near.setSoTimeout(1_000_000);
                }
                closeDuring(near, () -> {
                    int n = near.getInputStream().read();
                    throw new AssertionError("read " + n);
                });
                Check.equal(-1, far.getInputStream().read(), "the peer of a closed socket");
                far.close();
            }
        }
    }

    static void channels() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0))) {
            ByteBuffer one = ByteBuffer.allocate(1);
            while (more()) {
                SocketChannel near = SocketChannel.open(server.getLocalAddress());
                SocketChannel far = server.accept();
                byte b = (byte) next.incrementAndGet();
                one.clear();
                one.put(0, b);
                far.write(one);
                one.clear();
                Check.equal(1, near.read(one), "bytes of a new channel");
                Check.equal(b, one.get(0), "byte of a new channel");
                closeDuring(near, () -> {
                    int n = near.read(ByteBuffer.allocate(1));
                    throw new AssertionError("read " + n);
                });
                one.clear();
                Check.equal(-1, far.read(one), "the peer of a closed channel");
                far.close();
            }
        }
    }

    static void others() throws Exception {
        while (more()) {
            switch (ThreadLocalRandom.current().nextInt(4)) {
                case 0:
                    ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
                    closeDuring(server, () -> {
                        throw new AssertionError("accepted " + server.accept());
                    });
                    break;
                case 1:
                    DatagramSocket datagrams = new DatagramSocket(0, LOOPBACK);
                    closeDuring(datagrams, () -> {
                        datagrams.receive(new DatagramPacket(new byte[1], 1));
                        throw new AssertionError("received");
                    });
                    break;
                case 2:
                    Pipe pipe = Pipe.open();
                    closeDuring(pipe.source(), () -> {
                        int n = pipe.source().read(ByteBuffer.allocate(1));
                        throw new AssertionError("read " + n);
                    });
                    pipe.sink().close();
                    break;
                default:
                    ServerSocketChannel channel = ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
                    closeDuring(channel, () -> {
                        throw new AssertionError("accepted " + channel.accept());
                    });
            }
        }
    }
}
