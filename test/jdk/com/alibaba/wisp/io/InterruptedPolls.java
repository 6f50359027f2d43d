/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A signal during the look whether a descriptor is ready, as profilers send many, does not make it ready: a connect to a server that
 *          does not answer ends when its time is over, and so do an accept and reads, and threads that wait without a limit keep no
 *          kernel thread. Catches: the system call that follows has no limit, and takes the kernel thread along.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm InterruptedPolls
 */

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class InterruptedPolls {
    static final int TIMES = 10, MILLIS = 50;

    static native void interrupt(boolean on);
    static native int interrupted();
    static native int full();

    static void timeOuts(InetSocketAddress silent) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 5, here); Socket idle = new Socket(here, server.getLocalPort());
             DatagramSocket datagrams = new DatagramSocket(0, here); ServerSocketChannel listener = ServerSocketChannel.open().bind(null)) {
            server.accept();
            server.setSoTimeout(MILLIS);
            idle.setSoTimeout(MILLIS);
            datagrams.setSoTimeout(MILLIS);
            listener.socket().setSoTimeout(MILLIS);
            interrupt(true);
            for (int i = 0; i < TIMES; i++) {
                Check.throwing(SocketTimeoutException.class, "connect", () -> {
                    try (Socket socket = new Socket()) {
                        socket.connect(silent, MILLIS);
                    }
                });
                Check.throwing(SocketTimeoutException.class, "connect", () -> {
                    try (SocketChannel channel = SocketChannel.open()) {
                        channel.socket().connect(silent, MILLIS);
                    }
                });
                Check.throwing(SocketTimeoutException.class, "accept", server::accept);
                Check.throwing(SocketTimeoutException.class, "accept", listener.socket()::accept);
                Check.throwing(SocketTimeoutException.class, "read", () -> idle.getInputStream().read());
                Check.throwing(SocketTimeoutException.class, "receive", () -> datagrams.receive(new DatagramPacket(new byte[1], 1)));
            }
            interrupt(false);
        }
    }

    static void waits() throws Exception {
        int threads = 8;
        List<AutoCloseable> all = new ArrayList<>();
        Crew crew = new Crew();
        interrupt(true);
        for (int i = 0; i < threads; i++) {
            ServerSocketChannel listener = ServerSocketChannel.open().bind(null);
            DatagramChannel channel = DatagramChannel.open().bind(null);
            all.add(listener);
            all.add(channel);
            crew.start("accepts", () -> Check.throwing(java.nio.channels.AsynchronousCloseException.class, "accept", listener::accept));
            crew.start("receives", () -> Check.throwing(java.nio.channels.AsynchronousCloseException.class, "receive",
                                                        () -> channel.receive(ByteBuffer.allocate(1))));
        }
        for (Thread t : crew.threads()) {
            Check.awaitFrame(t, t.getName().equals("accepts") ? "accept" : "receive");
        }
        Vm.awaitHeldBelow(threads, "who waits for a connection or a datagram");
        interrupt(false);
        for (AutoCloseable a : all) {
            a.close();
        }
        crew.join();
    }

    static void child() throws Exception {
        int port = full();
        if (port < 0) {
            System.out.println("skipped: no listener is ever full here");
        } else {
            Crew crew = new Crew();
            InetSocketAddress silent = new InetSocketAddress("127.0.0.1", port);
            crew.start("times out", () -> timeOuts(silent));
            crew.join();
        }
        if (Vm.wispOn()) {
            waits();
            Check.that(interrupted() > TIMES, "only " + interrupted() + " were interrupted");
        }
        System.out.println("interrupted: " + interrupted());
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.loadLibrary("InterruptedPolls");
            child();
            return;
        }
        String libraries = System.getProperty("test.nativepath");
        if (libraries == null) {
            System.out.println("skipped, needs the harness");
            return;
        }
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + libraries + "/libInterruptedPolls.so"));
        command.addAll(Vm.command("-Djava.library.path=" + libraries, "InterruptedPolls", "child"));
        Vm.run(command).exited(0).has("interrupted: ");
    }
}
