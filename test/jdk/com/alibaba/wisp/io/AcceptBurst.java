/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier many threads, or one, connect to a server in the same process, as tests of servers do. Whoever accepts does so before
 *          they are many, by sockets and by channels: the kernel keeps 50 for it by default, and those that find no room try again after
 *          a second. Catches: he runs when all that wait have had their turn. A round is repeated in which more wait, if sysmon has preempted
 *          somebody or handed off the queue: whoever accepts may have been that one, as other processes took the CPU from his carrier.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm AcceptBurst
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class AcceptBurst {
    static final int CONNECTIONS = 200, MOST = 25, ROUNDS = 5, TRIES = 50;

    interface Accept {
        AutoCloseable accept() throws IOException;
    }

    interface Connect {
        AutoCloseable connect() throws IOException;
    }

    /** False: too many wait, but who accepts has lost the carrier, perhaps. */
    static boolean burst(String what, int threads, Accept accept, Connect connect) throws Throwable {
        long before = Vm.preemptionsAndHandOffs();
        AtomicInteger waiting = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch begin = new CountDownLatch(1);
        Crew crew = new Crew();
        crew.start("accepts", () -> {
            for (int i = 0; i < CONNECTIONS; i++) {
                accept.accept().close();
                waiting.decrementAndGet();
            }
        });
        for (int t = 0; t < threads; t++) {
            crew.start("connects-" + t, () -> {
                begin.await();
                List<AutoCloseable> connections = new ArrayList<>();
                for (int i = 0; i < CONNECTIONS / threads; i++) {
                    connections.add(connect.connect());
                    most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
                }
                for (AutoCloseable c : connections) {
                    c.close();
                }
            });
        }
        begin.countDown();
        crew.join();
        long lost = Vm.preemptionsAndHandOffs() - before;
        System.out.println(what + ", " + threads + " threads: at most " + most + " wait, " + lost + " preemptions and hand-offs");
        Check.that(most.get() <= MOST || lost > 0, what + ", " + threads + " threads: " + most);
        return most.get() <= MOST;
    }

    static void bursts(String what, int threads, Accept accept, Connect connect) throws Throwable {
        for (int i = 0; !burst(what, threads, accept, connect); i++) {
            Check.that(i < TRIES, what + ", " + threads + " threads: too many each time");
        }
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;                                      // the kernel decides who runs first
        }
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "AcceptBurst", "child").exited(0).has("wait");
            return;
        }
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 4 * CONNECTIONS, here); ServerSocketChannel channel = ServerSocketChannel.open()) {
            channel.bind(new InetSocketAddress(here, 0), 4 * CONNECTIONS);
            for (int i = 0; i < ROUNDS; i++) {
                for (int threads : new int[] {CONNECTIONS, 1}) {
                    bursts("sockets", threads, server::accept, () -> new Socket(here, server.getLocalPort()));
                    bursts("channels", threads, channel::accept, () -> SocketChannel.open(channel.getLocalAddress()));
                }
            }
        }
    }
}
