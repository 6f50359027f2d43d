/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary ThreadMXBean says of a thread that waits for a socket, a channel, a selector or a pipe that it is in native code, as it is
 *          when a kernel thread does, and of one that waits for another thread that it is not, nor of one that is suspended since what it waited for has come.
 * @modules java.base java.management
 * @library /test/lib
 * @run main/othervm InNative
 */

import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;

public class InNative {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

    /** A call that waits for ever, or until what it waits for is closed. */
    static void waits(String method, boolean inNative, Check.Code call) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                call.run();
            } catch (Throwable t) {
                // closed
            }
        }, method);
        thread.setDaemon(true);
        thread.start();
        Check.awaitFrame(thread, method);
        if (inNative) {
            Check.await(() -> info(thread).isInNative());
        } else {
            Check.awaitState(thread, Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);
            Check.that(!info(thread).isInNative(), method + " is in native code: " + info(thread));
        }
        System.out.println(method + ": " + thread.getState());
    }

    static ThreadInfo info(Thread thread) {
        return BEAN.getThreadInfo(new long[] {thread.getId()}, true, true)[0];
    }

    public static void main(String[] args) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        ServerSocket server = new ServerSocket(0, 10, here);
        Socket socket = new Socket(here, server.getLocalPort());
        server.accept();
        ServerSocketChannel channels = ServerSocketChannel.open().bind(new InetSocketAddress(here, 0));
        SocketChannel channel = SocketChannel.open(channels.getLocalAddress());
        channels.accept();
        DatagramSocket datagrams = new DatagramSocket(0, here);
        Pipe pipe = Pipe.open();
        Selector selector = Selector.open();
        waits("accept", true, () -> server.accept());
        waits("accept", true, () -> channels.accept());
        waits("socketRead", true, () -> socket.getInputStream().read());
        waits("read", true, () -> channel.read(ByteBuffer.allocate(1)));
        waits("receive", true, () -> datagrams.receive(new DatagramPacket(new byte[1], 1)));
        waits("read", true, () -> pipe.source().read(ByteBuffer.allocate(1)));
        waits("select", true, () -> selector.select());
        Object lock = new Object();
        waits("wait", false, () -> {
            synchronized (lock) {
                lock.wait();
            }
        });
        waits("park", false, () -> LockSupport.park());
        waits("await", false, () -> new CountDownLatch(1).await());
        waits("sleep", false, () -> Thread.sleep(1_000_000));
        synchronized (InNative.class) {
            waits("enters", false, InNative::enters);
        }
        suspended();
        for (Closeable c : new Closeable[] {server, socket, channels, channel, datagrams, pipe.source(), selector}) {
            c.close();
        }
    }

    /** What it has waited for has come, but it does not go on: it has left native code. */
    @SuppressWarnings("deprecation")
    static void suspended() throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel channel = SocketChannel.open(server.getLocalAddress());
        SocketChannel other = server.accept();
        Thread thread = new Thread(() -> {
            try {
                channel.read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        Check.awaitFrame(thread, "read");
        Check.await(() -> info(thread).isInNative());
        thread.suspend();
        Check.that(info(thread).isSuspended() && info(thread).isInNative(), "suspended: " + info(thread));
        other.write(ByteBuffer.allocate(1));
        Check.await(() -> !info(thread).isInNative());
        thread.resume();
        thread.join();
        channel.close();
        other.close();
        server.close();
    }

    static void enters() {
        synchronized (InNative.class) {
            return;
        }
    }
}
