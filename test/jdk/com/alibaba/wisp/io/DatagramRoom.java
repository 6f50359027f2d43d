/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Datagrams to a neighbour that is not there, whose packets the kernel keeps: a socket or channel sends as many as stock before it waits for
 *          room, and is ended by close and interrupt as stock. Catches: it waits already when the buffer is half full; another exception.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Transcript wisptest.Vm
 * @run main/othervm DatagramRoom
 */

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Transcript;
import wisptest.Vm;

public class DatagramRoom {
    /** A network of its own, whose other end answers nobody. */
    static final String NETWORK = "ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 10.9.9.1/24 dev v0 && " +
                                  "ip link set v0 up && ip link set v1 up";

    static int neighbour = 10;

    /** One for each, as the kernel gives up a neighbour after three seconds, and its packets. */
    static InetSocketAddress nobody() {
        return new InetSocketAddress("10.9.9." + neighbour++, 4444);
    }

    interface Send {
        void packet() throws Exception;
    }

    static void blocked(List<String> lines, String what, Send send, boolean interrupt, AutoCloseable end) throws Exception {
        AtomicInteger sent = new AtomicInteger();
        String[] failure = new String[1];
        Thread t = new Thread(() -> {
            try {
                for (; ; sent.incrementAndGet()) {
                    send.packet();
                }
            } catch (Exception e) {
                failure[0] = e + ", interrupted " + Thread.interrupted();
            }
        });
        t.start();
        for (int now = 0, before = -1; now == 0 || now != before; now = sent.get()) {       // until it has sent nothing for a while
            before = now;
            Thread.sleep(200);
        }
        int n = sent.get();
        if (interrupt) {
            t.interrupt();
        } else {
            end.close();
        }
        t.join();
        end.close();
        lines.add(what + (interrupt ? ", interrupted" : ", closed") + ": " + n + " sent, " + failure[0]);
    }

    static DatagramChannel channel() throws Exception {
        return DatagramChannel.open(StandardProtocolFamily.INET).setOption(StandardSocketOptions.SO_SNDBUF, 20_000);
    }

    static List<String> everything() throws Exception {
        List<String> lines = new ArrayList<>();
        for (boolean interrupt : new boolean[] { false, true }) {
            InetSocketAddress to = nobody();
            ByteBuffer b = ByteBuffer.allocate(1_000), direct = ByteBuffer.allocateDirect(1_300);
            DatagramChannel sends = channel(), writes = channel().connect(nobody()), gathers = channel().connect(nobody()), adaptor = channel();
            blocked(lines, "send", () -> sends.send(b.clear(), to), interrupt, sends);
            blocked(lines, "write", () -> writes.write(direct.clear()), interrupt, writes);
            blocked(lines, "gathering write", () -> gathers.write(new ByteBuffer[] { b.clear(), direct.clear() }), interrupt, gathers);
            DatagramPacket p = new DatagramPacket(new byte[1_000], 1_000, nobody());
            blocked(lines, "adaptor", () -> adaptor.socket().send(p), interrupt, adaptor);
        }
        for (DatagramSocket s : new DatagramSocket[] { new DatagramSocket(), new DatagramSocket(), new MulticastSocket() }) {
            s.setSendBufferSize(20_000);
            InetSocketAddress to = nobody();
            if (lines.size() % 2 == 1) {
                s.connect(to);
            }
            DatagramPacket p = new DatagramPacket(new byte[1_000], 1_000, to);
            blocked(lines, s.getClass().getSimpleName(), () -> s.send(p), false, s);
        }
        return lines;
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            Transcript.print(DatagramRoom::everything);
            return;
        }
        String[] alone = { "unshare", "-rn", "sh", "-c", NETWORK + " && exec \"$@\"", "network" };
        List<String> probe = new ArrayList<>(List.of(alone));
        probe.add("true");
        if (new ProcessBuilder(probe).inheritIO().start().waitFor() != 0) {
            System.out.println("skipped: no network of its own can be made here");
            return;
        }
        Transcript.compare(options -> {
            List<String> command = new ArrayList<>(List.of(alone));
            command.addAll(Vm.command(options));
            return command;
        }, "-Djava.net.preferIPv4Stack=true", "DatagramRoom", "child");
    }
}
