/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two threads that send each other a byte over a socket, and need some microseconds for that, do not wait for a turn of each of twenty
 *          others, which take half a millisecond and wait for each other in between. Counted are the turns of those that come between a
 *          byte and its answer, with one carrier. And the twenty go on meanwhile. Catches a queue in which all wait for all.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm ShortTurns
 */

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ShortTurns {
    static final int PAIRS = 10, WARM_UP = 100, BYTES = 300, MOST = 6;
    static final int ATTEMPTS = 10;                      // as something else may have the processors for some of them
    static final long TURN = 500_000;                    // ns

    static final AtomicInteger turns = new AtomicInteger();
    static volatile boolean stop;

    static void compute(Semaphore own, Semaphore other) throws InterruptedException {
        while (!stop) {
            own.acquire();
            for (long end = System.nanoTime() + TURN; System.nanoTime() < end; ) {
                // half a millisecond of work
            }
            turns.incrementAndGet();
            other.release();
        }
        other.release();
    }

    static void answer(ServerSocket server) throws Exception {
        try (Socket s = server.accept()) {
            for (int b; (b = s.getInputStream().read()) >= 0; ) {
                s.getOutputStream().write(b);
            }
        }
    }

    static int median(ServerSocket server) throws Exception {
        int[] between = new int[BYTES];
        try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
            for (int i = -WARM_UP; i < BYTES; i++) {
                int before = turns.get();
                s.getOutputStream().write(1);
                s.getInputStream().read();
                if (i >= 0) {
                    between[i] = turns.get() - before;
                }
                Thread.sleep(1);                         // most threads with short turns wait for something else in between
            }
        }
        Arrays.sort(between);
        System.out.println("turns of others: median " + between[BYTES / 2] + ", nine tenths " + between[BYTES * 9 / 10] + ", most " + between[BYTES - 1]);
        return between[BYTES / 2];
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            if (Vm.wispOn()) {
                Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "ShortTurns", "child").exited(0);
            }
            return;
        }
        Crew crew = new Crew();
        for (int i = 0; i < PAIRS; i++) {
            Semaphore one = new Semaphore(1), two = new Semaphore(0);
            crew.start("one-" + i, () -> compute(one, two));
            crew.start("two-" + i, () -> compute(two, one));
        }
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            int[] least = {Integer.MAX_VALUE};
            for (int i = 0; i < ATTEMPTS && least[0] > MOST; i++) {
                Crew quick = new Crew();
                quick.start("answers", () -> answer(server));
                quick.start("asks", () -> least[0] = Math.min(least[0], median(server)));
                quick.join();
            }
            Check.that(least[0] <= MOST, least[0] + " turns of others between a byte and its answer");
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);                              // the others would go on for ever
        }
        Check.that(turns.get() >= BYTES / 2, "the others had " + turns + " turns only");
        stop = true;
        crew.join();
    }
}
