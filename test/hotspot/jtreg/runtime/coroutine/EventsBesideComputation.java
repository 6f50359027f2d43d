/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Who waits for a socket, a timer or another thread, and is woken beside many threads that only compute, waits for one of
 *          these at most, not for each. Counts how often another one of the computing threads runs meanwhile; for a socket and a
 *          queue it was nearly all of them. Catches also computing threads that get no turn any more: they must all go on.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 EventsBesideComputation
 */

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import wisptest.Check;
import wisptest.Computing;
import wisptest.Crew;
import wisptest.Vm;

public class EventsBesideComputation {
    static final int COMPUTING = 16;
    static final int ROUNDS = 40;

    static Computing computing;

    interface Step {
        void run() throws Exception;
    }

    /** By the main thread, which is a kernel thread. */
    static void await(int later) throws InterruptedException {
        for (int until = computing.turns() + later; computing.turns() < until; ) {
            Thread.sleep(1);
        }
    }

    /** Counts the turns of those who compute in some steps; in the end they must all have gone on. */
    static void measure(String what, Step step) throws Exception {
        long[] loopsBefore = new long[COMPUTING];
        Arrays.setAll(loopsBefore, computing::loops);
        int counted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            await(1);
            int before = computing.turns();
            step.run();
            counted += computing.turns() - before;
        }
        for (int i = 0; i < COMPUTING; i++) {
            while (computing.loops(i) == loopsBefore[i]) {   // hangs if one gets no turn
                Thread.sleep(1);
            }
        }
        System.out.println(what + ": " + counted + " turns of computing threads in " + ROUNDS + " rounds");
        Check.that(counted <= 4 * ROUNDS, what + ": " + counted + " turns of " + COMPUTING + " computing threads in " + ROUNDS + " rounds");
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        Crew crew = new Crew();
        computing = new Computing(crew, COMPUTING);
        await(4 * COMPUTING);                       // all have used up a time slice
        BlockingQueue<Integer> requests = new ArrayBlockingQueue<>(1);
        BlockingQueue<Integer> delayed = new ArrayBlockingQueue<>(1);
        BlockingQueue<Integer> replies = new ArrayBlockingQueue<>(1);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
             Socket server = listener.accept()) {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            crew.start("socket", () -> {
                for (int b; (b = server.getInputStream().read()) >= 0; ) {
                    server.getOutputStream().write(b);
                }
            });
            crew.start("queue", () -> {
                for (int n; (n = requests.take()) >= 0; ) {
                    replies.put(n);
                }
            });
            crew.start("timer", () -> {
                for (int n; (n = delayed.take()) >= 0; ) {
                    Thread.sleep(1);
                    replies.put(n);
                }
            });
            measure("socket", () -> {
                client.getOutputStream().write(1);
                Check.equal(1, client.getInputStream().read(), "answer");
            });
            measure("queue", () -> {
                requests.put(2);
                Check.equal(2, replies.take(), "answer");
            });
            measure("timer", () -> {
                delayed.put(3);
                Check.equal(3, replies.take(), "answer");
            });
            client.shutdownOutput();
            requests.put(-1);
            delayed.put(-1);
            computing.stop();
            crew.join();
        } finally {
            computing.stop();
        }
    }
}
