/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The close of a descriptor is announced when somebody else has its number already, as can happen to a datagram socket that
 *          is closed while another thread opens something. Whoever waits for the new descriptor must go on waiting. Fails
 *          if he is told that his own was closed, or that his time is over.
 * @modules java.base/jdk.internal.misc
 * @library /test/lib
 * @run main LateClose
 */

import java.io.InputStream;
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
import jdk.internal.misc.WispPoll;
import wisptest.Check;
import wisptest.Crew;

public class LateClose {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final int DESCRIPTORS = 1024;
    static final int BIG = 32 << 20;
    static final int LONG = 1_000_000;

    static Socket[] sockets(ServerSocket server) throws Exception {
        Socket near = new Socket(LOOPBACK, server.getLocalPort());
        return new Socket[] {near, server.accept()};
    }

    static void announce() {
        for (int number = 0; number < DESCRIPTORS; number++) {
            WispPoll.closing(number);
        }
    }

    public static void main(String[] args) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, LOOPBACK);
             ServerSocket idle = new ServerSocket(0, 10, LOOPBACK);
             ServerSocketChannel channelServer = ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
             DatagramSocket datagrams = new DatagramSocket(0, LOOPBACK);
             Selector selector = Selector.open()) {
            Socket[] read = sockets(server), timed = sockets(server), write = sockets(server);
            SocketChannel near = SocketChannel.open(channelServer.getLocalAddress());
            SocketChannel far = channelServer.accept();
            SocketChannel adaptor = SocketChannel.open(channelServer.getLocalAddress());
            SocketChannel adaptorFar = channelServer.accept();
            Pipe pipe = Pipe.open();
            timed[0].setSoTimeout(LONG);
            idle.setSoTimeout(LONG);
            datagrams.setSoTimeout(LONG);
            adaptor.socket().setSoTimeout(LONG);

            Crew crew = new Crew();
            Thread[] waiting = {
                crew.start("read", () -> Check.equal(1, read[0].getInputStream().read(), "byte of a socket")),
                crew.start("timed", () -> Check.equal(2, timed[0].getInputStream().read(), "byte of a socket with a time-out")),
                crew.start("write", () -> write[0].getOutputStream().write(new byte[BIG])),
                crew.start("accept", () -> idle.accept().close()),
                crew.start("receive", () -> datagrams.receive(new DatagramPacket(new byte[1], 1))),
                crew.start("channel", () -> Check.equal(1, near.read(ByteBuffer.allocate(2)), "bytes of a channel")),
                crew.start("channel-write", () -> Check.equal(BIG, near.write(ByteBuffer.allocate(BIG)), "bytes written")),
                crew.start("adaptor", () -> Check.equal(3, adaptor.socket().getInputStream().read(), "byte of an adaptor")),
                crew.start("pipe", () -> Check.equal(1, pipe.source().read(ByteBuffer.allocate(2)), "bytes of a pipe")),
                crew.start("select", selector::select),
            };
            String[] methods = {"read0", "read0", "write0", "await0", "receive0", "readMemory0", "writeMemory0", "await0", "readMemory0", "takeEvents0"};
            for (int i = 0; i < waiting.length && WispPoll.isOn(); i++) {
                Check.awaitFrame(waiting[i], methods[i]);
            }
            announce();
            for (Thread t : waiting) {
                // A selection may end at any time.
                Check.that(t.isAlive() || t.getName().equals("select"), t.getName() + " has ended");
            }
            crew.check();

            crew.start("release", () -> {
                read[1].getOutputStream().write(1);
                timed[1].getOutputStream().write(2);
                drain(write[1].getInputStream());
                new Socket(LOOPBACK, idle.getLocalPort()).close();
                try (DatagramSocket sender = new DatagramSocket()) {
                    sender.send(new DatagramPacket(new byte[1], 1, LOOPBACK, datagrams.getLocalPort()));
                }
                far.write(ByteBuffer.allocate(1));
                drain(far.socket().getInputStream());
                adaptorFar.write(ByteBuffer.wrap(new byte[] {3}));
                pipe.sink().write(ByteBuffer.allocate(1));
                selector.wakeup();
            });
            crew.join();
        }
    }

    static void drain(InputStream in) throws Exception {
        byte[] b = new byte[64 << 10];
        for (int left = BIG; left > 0; ) {
            left -= in.read(b);
        }
    }
}
