/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Pools of connections hand a free one over to the thread that has waited longest, and it can be taken by whoever comes first
 *          until that one runs. Threads that give one back and want one again at once must not always be the first. Fails if
 *          some threads never get one while others do thousands of times. Where each one that is woken goes to another carrier
 *          nobody gives way. With an argument each thread waits for so many replies of other threads before it uses a connection:
 *          who waited for a connection is known by that, and must be so after some other waits.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate HandedOver
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 HandedOver
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 HandedOver 3
 */

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;

public class HandedOver {
    static final int THREADS = 60;
    static final int CONNECTIONS = 6;
    static final int ROUNDS = 60_000;

    /** To an echo server; used by whoever has set the flag. */
    static final class Connection {
        final AtomicBoolean used = new AtomicBoolean();
        final Socket socket;

        Connection(Socket socket) {
            this.socket = socket;
        }

        void use() throws Exception {
            socket.getOutputStream().write(1);
            Check.equal(1, socket.getInputStream().read(), "echo");
        }
    }

    static final Connection[] connections = new Connection[CONNECTIONS];
    static final SynchronousQueue<Connection> waiters = new SynchronousQueue<>(true);
    static final AtomicInteger waiting = new AtomicInteger();

    static Connection take() throws Exception {
        waiting.incrementAndGet();
        try {
            for (;;) {
                for (Connection c : connections) {
                    if (c.used.compareAndSet(false, true)) {
                        return c;
                    }
                }
                Connection c = waiters.poll(10, TimeUnit.SECONDS);
                if (c != null && c.used.compareAndSet(false, true)) {
                    return c;
                }
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    static void give(Connection c) {
        c.used.set(false);
        while (waiting.get() > 0 && !c.used.get() && !waiters.offer(c)) {
            Thread.yield();
        }
    }

    public static void main(String[] args) throws Throwable {
        int replies = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        ExecutorService repliers = Executors.newFixedThreadPool(2);
        Crew crew = new Crew();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < CONNECTIONS; i++) {
                connections[i] = new Connection(new Socket(server.getInetAddress(), server.getLocalPort()));
                Socket peer = server.accept();
                crew.start("echo-" + i, () -> {
                    InputStream in = peer.getInputStream();
                    for (int b; (b = in.read()) >= 0; ) {
                        peer.getOutputStream().write(b);
                    }
                });
            }
            int[] times = new int[THREADS];
            AtomicInteger left = new AtomicInteger(ROUNDS);
            Crew users = new Crew();
            for (int i = 0; i < THREADS; i++) {
                int self = i;
                users.start("user-" + i, () -> {
                    while (left.getAndDecrement() > 0) {
                        Connection c = take();
                        for (int n = 0; n < replies; n++) {
                            repliers.submit(() -> { }).get();
                        }
                        c.use();
                        give(c);
                        times[self]++;
                    }
                });
            }
            users.join();
            repliers.shutdown();
            for (Connection c : connections) {
                c.socket.close();
            }
            crew.join();
            int least = ROUNDS, most = 0;
            for (int n : times) {
                least = Math.min(least, n);
                most = Math.max(most, n);
            }
            System.out.println("least " + least + ", most " + most);
            Check.that(least >= ROUNDS / THREADS / 3 && most <= ROUNDS / THREADS * 4, "one thread had a connection " + least + " times, another one " + most + " times");
        }
    }
}
