/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread whose calls block its kernel thread again and again, with few waits between them, keeps that while it reads from a socket, too.
 *          With a limit of a minute: each kind of read ends as ever, by what it waits for, its time, a close, an interrupt; and a thread
 *          that waits more often than it blocks frees its kernel thread. With a limit of a second: it does so in time; who serves
 *          requests by such calls costs no hand-off for each of them. Without that there are as many hand-offs as requests.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm StayingServers
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
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
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class StayingServers {
    /** Until a thread is one that keeps its kernel thread, and some more. */
    static final int CALLS = 12;
    static final int REQUESTS = 300;
    static final int REST = 5;                          // bytes of a request, behind the first one
    static final int MINUTE = 60_000;

    static final Pattern READS = Pattern.compile(": (read|receive), fd");
    static int waits, kept;

    interface Wait {
        void run() throws Throwable;
    }

    /** Calls that block: reads of a pipe as a file. */
    static class Blocker implements AutoCloseable {
        final Path path = Paths.get("calls-" + ProcessHandle.current().pid());
        final RandomAccessFile pipe;
        final SynchronousQueue<Integer> next = new SynchronousQueue<>();
        final Thread ends = new Thread(() -> {
            try {
                for (int n = next.take(); n >= 0; n = next.take()) {
                    Thread.sleep(2);                     // else the other one is not in its call yet, and does not block
                    ends(n);
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }, "ends");

        Blocker() throws Exception {
            Check.equal(0, new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor(), "mkfifo");
            pipe = new RandomAccessFile(path.toFile(), "rw");
            ends.start();
        }

        void ends(int n) throws Exception {
            pipe.write(n);
        }

        void block(int n) throws Exception {
            next.put(n & 0x7f);
            Check.equal(n & 0x7f, pipe.read(), "byte");
        }

        @Override
        public void close() throws Exception {
            next.put(-1);
            ends.join();
            pipe.close();
            Files.delete(path);
        }
    }

    /** What a thread dump says of the coroutine of this thread. */
    static String state(Thread thread) {
        Matcher m = Pattern.compile("\"" + thread.getName() + "\".*?Coroutine: ([^\\n]*)", Pattern.DOTALL).matcher(Vm.diagnostic("threadPrint"));
        return m.find() ? m.group(1) : "none";
    }

    /** Reads from this one, for which a thread keeps its kernel thread when its calls have blocked often enough. */
    static class Server {
        final Pipe questions = Pipe.open();
        final Thread thread;
        volatile boolean waits;

        Server(Crew crew, Blocker blocker, Wait wait) throws Throwable {
            thread = crew.start("server", () -> {
                int n = 0;
                do {
                    for (int end = n + CALLS; n < end; n++) {
                        blocker.block(n);
                    }
                } while (again());
                waits = true;
                wait.run();
            });
            String state;
            do {                                         // on a busy machine some calls find what they read, and it takes more of them
                for (state = ""; !state.contains(": read, fd"); state = state(thread)) {
                    crew.check();
                }
                questions.sink().write(ByteBuffer.wrap(new byte[] {(byte) (state.contains("keeps it") ? 0 : 1)}));
            } while (!state.contains("keeps it"));
        }

        boolean again() throws IOException {
            ByteBuffer answer = ByteBuffer.allocate(1);
            questions.source().read(answer);
            return answer.get(0) != 0;
        }

        void close() throws IOException {
            questions.sink().close();
            questions.source().close();
        }
    }

    /** Such a thread waits, and what ends that is done. It keeps its kernel thread meanwhile, unless it was preempted before, as what it runs is new. */
    static void during(Blocker blocker, String what, Wait wait, Check.Code ends) throws Throwable {
        Crew crew = new Crew();
        Server server = new Server(crew, blocker, wait);
        String state = "";
        while (server.thread.isAlive() && !READS.matcher(state).find()) {
            state = server.waits ? state(server.thread) : "";
            crew.check();
        }
        long start = System.nanoTime();
        ends.run();
        crew.join();
        Check.that(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(MINUTE / 2), what + ": only the limit has ended it");
        server.close();
        waits++;
        kept += state.contains("keeps it") ? 1 : 0;
        System.out.println(what + ": " + state);
    }

    static void sockets(Blocker blocker) throws Throwable {
        try (ServerSocket server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
             Socket one = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            during(blocker, "read", () -> Check.equal(7, one.getInputStream().read(), "byte"), () -> other.getOutputStream().write(7));
            byte[] much = new byte[1 << 22];
            during(blocker, "read much", () -> Check.equal(much.length, one.getInputStream().readNBytes(much, 0, much.length), "length"),
                   () -> other.getOutputStream().write(much));
            one.setSoTimeout(300);
            during(blocker, "read with a time-out", () -> {
                long start = System.nanoTime();
                Check.throwing(SocketTimeoutException.class, "read", () -> one.getInputStream().read());
                Check.that(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(300), "early");
            }, () -> { });
            one.setSoTimeout(MINUTE);
            during(blocker, "read, unparked", () -> {
                Check.equal(8, one.getInputStream().read(), "byte");
                LockSupport.park();                      // has its permit
            }, () -> {
                LockSupport.unpark(serverThread());
                other.getOutputStream().write(8);
            });
            during(blocker, "end of stream", () -> Check.equal(-1, one.getInputStream().read(), "end"), other::shutdownOutput);
        }
        try (ServerSocket server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
             Socket one = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            InputStream in = one.getInputStream();
            during(blocker, "close", () -> Check.throwing(SocketException.class, "read", in::read), one::close);
        }
        try (DatagramSocket one = new DatagramSocket(0, InetAddress.getLoopbackAddress()); DatagramSocket other = new DatagramSocket()) {
            DatagramPacket packet = new DatagramPacket(new byte[9], 9);
            during(blocker, "receive", () -> {
                one.receive(packet);
                Check.equal(3, packet.getLength(), "length");
            }, () -> other.send(new DatagramPacket(new byte[3], 3, one.getLocalSocketAddress())));
            one.setSoTimeout(300);
            during(blocker, "receive with a time-out", () -> Check.throwing(SocketTimeoutException.class, "receive", () -> one.receive(packet)), () -> { });
            one.setSoTimeout(0);
            during(blocker, "close of a datagram socket", () -> Check.throwing(SocketException.class, "receive", () -> one.receive(packet)), one::close);
        }
    }

    static Thread serverThread() {
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            if (t.getName().equals("server")) {
                return t;
            }
        }
        throw new AssertionError("no server");
    }

    static void channels(Blocker blocker) throws Throwable {
        ByteBuffer some = ByteBuffer.allocate(9);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            for (boolean interrupted : new boolean[] {false, true}) {
                try (SocketChannel one = SocketChannel.open(server.getLocalAddress()); SocketChannel other = server.accept()) {
                    during(blocker, "read of a channel", () -> Check.equal(2, one.read(some), "length"), () -> other.write(ByteBuffer.allocate(2)));
                    some.clear();
                    if (interrupted) {
                        during(blocker, "interrupted", () -> Check.throwing(ClosedByInterruptException.class, "read", () -> one.read(some)),
                               () -> serverThread().interrupt());
                    } else {
                        during(blocker, "closed", () -> Check.throwing(AsynchronousCloseException.class, "read", () -> one.read(some)), one::close);
                    }
                    Check.that(!one.isOpen(), "closed");
                }
            }
        }
        Pipe pipe = Pipe.open();
        during(blocker, "read of a pipe", () -> Check.equal(1, pipe.source().read(some), "length"), () -> pipe.sink().write(ByteBuffer.allocate(1)));
        pipe.source().close();
        pipe.sink().close();
    }

    /** It waits without such calls, and frees its kernel thread. */
    static void leaves(Blocker blocker) throws Throwable {
        Crew crew = new Crew();
        Pipe requests = Pipe.open();
        ByteBuffer request = ByteBuffer.allocate(1);
        Server server = new Server(crew, blocker, () -> {
            do {
                request.clear();
                requests.source().read(request);
            } while (request.get(0) > 0);
        });
        long start = System.nanoTime();
        for (int n = 0; n < 9; n++) {
            Check.await(() -> server.waits && READS.matcher(state(server.thread)).find());
            requests.sink().write(ByteBuffer.wrap(new byte[] {1}));
        }
        Check.await(() -> state(server.thread).startsWith("parked: read"));
        Check.that(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(MINUTE / 2), "only the limit has ended it");
        requests.sink().write(ByteBuffer.allocate(1));
        crew.join();
        server.close();
        requests.source().close();
        requests.sink().close();
    }

    /** By a limit of a second. */
    static void leavesInTime(Blocker blocker) throws Throwable {
        Crew crew = new Crew();
        try (ServerSocket listener = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
             Socket one = new Socket(listener.getInetAddress(), listener.getLocalPort()); Socket other = listener.accept()) {
            Server server = new Server(crew, blocker, () -> Check.equal(9, one.getInputStream().read(), "byte"));
            long start = System.nanoTime();
            Check.await(() -> server.waits && state(server.thread).startsWith("parked: read"));
            Check.that(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(MINUTE / 2), "the limit has not ended it");
            other.getOutputStream().write(9);
            crew.join();
            server.close();
        }
    }

    static int handOffs() {
        Matcher m = Pattern.compile("(\\d+) hand-offs").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "no hand-offs in Wisp.status");
        return Integer.parseInt(m.group(1));
    }

    static void requests(Blocker blocker) throws Throwable {
        try (ServerSocket server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort()); Socket served = server.accept()) {
            Crew crew = new Crew();
            crew.start("server", () -> {
                for (int b = served.getInputStream().read(); b >= 0; b = served.getInputStream().read()) {
                    for (int i = 0; i < REST; i++) {     // is there, and no wait
                        Check.equal(i, served.getInputStream().read(), "byte");
                    }
                    Check.equal(b, blocker.pipe.read(), "byte");
                    served.getOutputStream().write(b);
                }
            });
            byte[] request = new byte[1 + REST];
            for (int i = 0; i < REST; i++) {
                request[1 + i] = (byte) i;
            }
            int before = 0;
            for (int n = 0; n < REQUESTS; n++) {
                if (n == CALLS) {
                    before = handOffs();
                }
                request[0] = (byte) (n & 0x7f);
                client.getOutputStream().write(request);
                Thread.sleep(2);
                blocker.ends(n & 0x7f);
                Check.equal(n & 0x7f, client.getInputStream().read(), "byte");
            }
            int handOffs = handOffs() - before;
            client.shutdownOutput();
            crew.join();
            System.out.println(handOffs + " hand-offs for " + (REQUESTS - CALLS) + " requests");
            Check.that(handOffs < REQUESTS / 3, handOffs + " hand-offs for " + (REQUESTS - CALLS) + " requests");
        }
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            child("waits", "-XX:WispStayMillis=" + MINUTE);
            child("requests", "-XX:WispStayMillis=1000");
            return;
        }
        try (Blocker blocker = new Blocker()) {
            if (args[0].equals("waits")) {
                sockets(blocker);
                channels(blocker);
                leaves(blocker);
                Check.that(kept > 0, "nobody kept his kernel thread");
            } else {
                leavesInTime(blocker);
                requests(blocker);
            }
        }
    }

    static void child(String what, String... options) throws Exception {
        String[] all = new String[options.length + 6];
        System.arraycopy(options, 0, all, 0, options.length);
        int n = options.length;
        all[n++] = "-Dcom.alibaba.wisp.carrierEngines=1";        // else another one is idle, and sees to the others
        all[n++] = "-XX:+UnlockDiagnosticVMOptions";
        all[n++] = "-XX:-WispAlwaysMigrate";
        all[n++] = "-XX:-WispAlwaysHandOff";
        all[n++] = "StayingServers";
        all[n++] = what;
        Vm.java(all).exited(0);
    }
}
