/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Who waits for a byte beside a thread that sends as much as its socket takes, and one that receives it, does not wait until these
 *          have to wait themselves. Counts what is moved meanwhile, as the time does not say who had the CPU. By streams and by channels.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 BulkTurns stream
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 BulkTurns channel
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BulkTurns {
    static final int PIECE = 64 * 1024;
    static final int ROUNDS = 20, WAITS = 40;           // one round in which the CPU was there when it was needed is enough
    static final int MOST = 50;                         // pieces; a socket takes 64

    static volatile long pieces;                        // that were sent; by who sends
    static volatile boolean done;
    static volatile boolean ended;                      // by who receives

    interface Move {
        void move(SocketChannel channel) throws IOException;
    }

    static Move sender(boolean channels) {
        if (channels) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
            return channel -> {
                buffer.clear();
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            };
        }
        byte[] bytes = new byte[PIECE];
        return channel -> channel.socket().getOutputStream().write(bytes);
    }

    static Move receiver(boolean channels) {
        if (channels) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
            return channel -> {
                buffer.clear();
                ended = channel.read(buffer) < 0;
            };
        }
        byte[] bytes = new byte[PIECE];
        return channel -> ended = channel.socket().getInputStream().read(bytes) < 0;
    }

    static void measure(SocketChannel client) throws IOException {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least > MOST; round++) {
            long[] meanwhile = new long[WAITS];
            for (int i = 0; i < WAITS; i++) {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                long before = pieces;
                client.socket().getOutputStream().write(1);
                Check.equal(1, client.socket().getInputStream().read(), "answer");
                meanwhile[i] = pieces - before;
            }
            Arrays.sort(meanwhile);
            least = Math.min(least, meanwhile[WAITS / 2]);
        }
        System.out.println(least + " pieces of " + PIECE + " bytes until the answer came, median");
        Check.that(least <= MOST, least + " pieces were moved until the answer came");
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        boolean channels = args[0].equals("channel");
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
             SocketChannel bulk = SocketChannel.open(server.getLocalAddress()); SocketChannel end = server.accept();
             SocketChannel client = SocketChannel.open(server.getLocalAddress()); SocketChannel answers = server.accept()) {
            client.socket().setTcpNoDelay(true);
            answers.socket().setTcpNoDelay(true);
            Crew crew = new Crew();
            crew.start("sends", () -> {
                for (Move move = sender(channels); !done; pieces++) {
                    move.move(bulk);
                }
                bulk.shutdownOutput();
            });
            crew.start("receives", () -> {
                for (Move move = receiver(channels); !ended; ) {
                    move.move(end);
                }
            });
            crew.start("answers", () -> {
                for (int request; (request = answers.socket().getInputStream().read()) >= 0; ) {
                    answers.socket().getOutputStream().write(request);
                }
            });
            crew.start("measures", () -> {
                try {
                    measure(client);
                } finally {
                    done = true;
                    client.shutdownOutput();
                }
            });
            crew.join();
        }
    }
}
