/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A channel that was non-blocking and is blocking again blocks whoever uses it, coroutine or kernel thread, in each operation:
 *          reads wait for data; writes, transfers from files and urgent data for room; connecting for the connection. So it is when
 *          both kinds use it at a time, and in any order of changes and uses. With the flag, that the kernel is told of the way back
 *          only when somebody depends on it, and at once of one that other processes have.
 * @modules java.base/sun.nio.ch:open
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel-* ChannelModes
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel-* -Dcom.alibaba.wisp.carrierEngines=1 ChannelModes
 */

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ChannelModes {
    /** Bytes that do not fit into the buffers of a connection. */
    static final int MUCH = 16 << 20;
    static final int STEPS = 3_000;
    static final String[] KINDS = {"coroutine", "kernel"};

    static ServerSocketChannel server;
    static Path file;

    interface Use {
        long of(SocketChannel channel) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            SocketChannel channel = (SocketChannel) System.inheritedChannel();
            change("coroutine", channel);
            System.exit(nonBlocking(channel) ? 1 : 0);
        }
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        file = Files.createTempFile(Paths.get("."), "much", null);
        Files.write(file, new byte[MUCH]);
        for (String changer : KINDS) {
            for (String user : KINDS) {
                System.out.println(changer + " changes, " + user + " uses");
                reads(changer, user, "read", c -> c.read(ByteBuffer.allocate(10)));
                reads(changer, user, "read", c -> c.read(ByteBuffer.allocateDirect(10)));
                reads(changer, user, "read", c -> c.read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(9)}));
                reads(changer, user, "read", c -> c.socket().getInputStream().read(new byte[10]));
                reads(changer, user, "read", c -> {
                    c.socket().setSoTimeout(1_000_000);
                    return c.socket().getInputStream().read(new byte[10]);
                });
                writes(changer, user, "write", MUCH, c -> c.write(ByteBuffer.allocate(MUCH)));
                writes(changer, user, "write", MUCH, c -> c.write(ByteBuffer.allocateDirect(MUCH)));
                writes(changer, user, "write", MUCH, c -> c.write(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(MUCH - 1)}));
                writes(changer, user, "transferTo", MUCH, c -> {
                    try (FileChannel from = FileChannel.open(file)) {
                        return from.transferTo(0, MUCH, c);
                    }
                });
                writes(changer, user, "sendUrgentData", 0, c -> {
                    c.socket().sendUrgentData(1);
                    return 0;
                });
                connects(changer, user);
            }
        }
        bothAtATime();
        anyOrder();
        if (Vm.wispOn()) {
            told();
            inherited();
        }
        server.close();
    }

    static SocketChannel[] connection() throws IOException {
        SocketChannel near = SocketChannel.open(server.getLocalAddress());
        return new SocketChannel[] {near, server.accept()};
    }

    static void run(String name, Check.Code body) throws Exception {
        Crew crew = new Crew();
        crew.start(name, body);
        crew.join();
    }

    static void change(String kind, SocketChannel channel) throws Exception {
        run(kind + "-changer", () -> {
            channel.configureBlocking(false);
            channel.configureBlocking(true);
        });
    }

    /** There is nothing to read until the user is in its call. */
    static void reads(String changer, String user, String method, Use use) throws Exception {
        SocketChannel[] ends = connection();
        change(changer, ends[0]);
        Crew crew = new Crew();
        Thread reader = crew.start(user + "-reader", () -> Check.equal(3L, use.of(ends[0]), method + " by a " + user));
        Check.awaitFrame(reader, method);
        ends[1].write(ByteBuffer.allocate(3));
        crew.join();
        ends[0].close();
        ends[1].close();
    }

    /** There is no room until the user is in its call. */
    static void writes(String changer, String user, String method, long expected, Use use) throws Exception {
        SocketChannel[] ends = connection();
        ends[0].configureBlocking(false);
        long full = 0;
        for (int n = 1; n > 0; full += n) {
            n = ends[0].write(ByteBuffer.allocate(1 << 16));
        }
        run(changer + "-changer", () -> ends[0].configureBlocking(true));
        Crew crew = new Crew();
        Thread writer = crew.start(user + "-writer", () -> {
            Check.equal(expected, use.of(ends[0]), method + " by a " + user);
            ends[0].shutdownOutput();
        });
        // The kernel may find room for a byte, which urgent data are, a moment after it has had none for anything.
        Check.await(() -> !writer.isAlive() || Check.hasFrame(writer.getStackTrace(), method));
        long got = 0;
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
        for (int n = 0; n >= 0; got += n) {
            some.clear();
            n = ends[1].read(some);
            if (n < 0) {
                break;
            }
        }
        crew.join();
        Check.equal(full + expected, got, "bytes that have arrived");
        ends[0].close();
        ends[1].close();
    }

    static void connects(String changer, String user) throws Exception {
        SocketChannel channel = SocketChannel.open();
        change(changer, channel);
        SocketAddress address = server.getLocalAddress();
        run(user + "-connector", () -> Check.that(channel.connect(address), "not connected"));
        channel.close();
        server.accept().close();
    }

    /** A coroutine and a kernel thread wait in one channel, one to read and the other one to write. */
    static void bothAtATime() throws Exception {
        for (String user : KINDS) {
            SocketChannel[] ends = connection();
            change("coroutine", ends[0]);
            Crew crew = new Crew();
            Thread reader = crew.start(user + "-reader", () -> Check.equal(1, ends[0].read(ByteBuffer.allocate(1)), "read"));
            Check.awaitFrame(reader, "read");
            Thread writer = crew.start((user.equals("kernel") ? "coroutine" : "kernel") + "-writer",
                () -> Check.equal(MUCH, ends[0].write(ByteBuffer.allocate(MUCH)), "written"));
            Check.awaitFrame(writer, "write");
            ByteBuffer all = ByteBuffer.allocate(MUCH);
            while (all.hasRemaining()) {
                ends[1].read(all);
            }
            ends[1].write(ByteBuffer.allocate(1));
            crew.join();
            ends[0].close();
            ends[1].close();
        }
    }

    /** Each change, read and write by one of the two, drawn by lot, of a channel whose other end echoes. */
    static void anyOrder() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("-Dseed=" + seed);
        SocketChannel[] ends = connection();
        Crew crew = new Crew();
        crew.start("coroutine-echo", () -> {
            ByteBuffer some = ByteBuffer.allocate(100);
            while (ends[1].read(some.clear()) > 0) {
                ends[1].write(some.flip());
            }
        });
        Random random = new Random(seed);
        Turns[] turns = {new Turns(crew, "coroutine-walk"), new Turns(crew, "kernel-walk")};
        for (int i = 0; i < STEPS; i++) {
            boolean blocking = random.nextInt(3) > 0;
            turns[random.nextInt(2)].take(() -> ends[0].configureBlocking(blocking));
            turns[random.nextInt(2)].take(() -> Check.equal(1, ends[0].write(ByteBuffer.allocate(1)), "written"));
            if (!blocking && random.nextBoolean()) {
                turns[random.nextInt(2)].take(() -> ends[0].configureBlocking(true));
            }
            boolean waits = ends[0].isBlocking();
            turns[random.nextInt(2)].take(() -> {
                int n = ends[0].read(ByteBuffer.allocate(1));
                Check.that(n == 1 || !waits && n == 0, "read: " + n);
                while (n == 0) {
                    Thread.yield();
                    n = ends[0].read(ByteBuffer.allocate(1));
                }
            });
        }
        for (Turns t : turns) {
            t.end();
        }
        ends[0].close();
        crew.join();
        ends[1].close();
    }

    /** A thread that does what it is given, while the giver waits. */
    static final class Turns {
        private Check.Code next;
        private boolean ended;
        private CountDownLatch done;
        private volatile Throwable failure;

        Turns(Crew crew, String name) {
            crew.start(name, this::run);
        }

        private void run() throws Exception {
            for (;;) {
                Check.Code code;
                synchronized (this) {
                    while (next == null && !ended) {
                        wait();
                    }
                    code = next;
                    next = null;
                }
                if (code == null) {
                    return;
                }
                try {
                    code.run();
                } catch (Throwable t) {
                    failure = t;
                }
                done.countDown();
            }
        }

        void take(Check.Code code) throws Exception {
            synchronized (this) {
                done = new CountDownLatch(1);
                next = code;
                notify();
            }
            done.await();
            if (failure != null) {
                throw new AssertionError(failure);
            }
        }

        synchronized void end() {
            ended = true;
            notify();
        }
    }

    /** What the kernel says of the descriptor, while coroutines use it, and after others do. */
    static void told() throws Exception {
        SocketChannel[] ends = connection();
        Check.that(!nonBlocking(ends[0]), "non-blocking from the start");
        change("coroutine", ends[0]);
        Check.that(nonBlocking(ends[0]), "the kernel was told at once");
        ends[1].write(ByteBuffer.allocate(2));
        run("coroutine-user", () -> ends[0].read(ByteBuffer.allocate(1)));
        run("coroutine-user", () -> ends[0].write(ByteBuffer.allocate(1)));
        Check.that(nonBlocking(ends[0]), "the kernel was told for a coroutine");
        run("kernel-user", () -> ends[0].read(ByteBuffer.allocate(1)));
        Check.that(!nonBlocking(ends[0]), "non-blocking after a kernel thread has used it");
        change("coroutine", ends[0]);
        Method method = ends[0].getClass().getMethod("getFD");
        method.setAccessible(true);
        method.invoke(ends[0]);
        Check.that(!nonBlocking(ends[0]), "non-blocking after somebody has asked for the descriptor");
        change("coroutine", ends[0]);
        Check.that(!nonBlocking(ends[0]), "the kernel is not told, although somebody may use the descriptor");
        ends[0].configureBlocking(false);
        Check.that(nonBlocking(ends[0]), "blocking, although the channel is not");
        ends[0].close();
        ends[1].close();
    }

    /** A channel that is this process's standard input, and so that of others, too. */
    static void inherited() throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", "-c", "exec 0<>/dev/tcp/127.0.0.1/$0; exec \"$@\"",
            Integer.toString(((InetSocketAddress) server.getLocalAddress()).getPort())));
        command.addAll(Vm.command("--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "ChannelModes", "inherited"));
        Vm.run(command).exited(0);
        server.accept().close();
    }

    static boolean nonBlocking(SocketChannel channel) throws Exception {
        Method method = channel.getClass().getMethod("getFDVal");
        method.setAccessible(true);
        for (String line : Files.readAllLines(Paths.get("/proc/self/fdinfo/" + method.invoke(channel)))) {
            if (line.startsWith("flags:")) {
                return (Long.parseLong(line.substring(6).trim(), 8) & 04000) != 0;
            }
        }
        throw new IOException("no flags");
    }
}
