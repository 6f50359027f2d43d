/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two threads pass a token through two LinkedBlockingQueues, 100,000 times there and back: the program that coroutines
 *          are made for, as a test of function. Afterwards the same with one of the two being the thread that started it, and
 *          with a pair of SynchronousQueues. Catches: a lost wake-up in a million of them (hang), a value that is lost, doubled
 *          or out of order.
 * @library /test/lib
 * @run main/timeout=240 PingPong
 */

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class PingPong {
    static void echo(BlockingQueue<Integer> in, BlockingQueue<Integer> out, int trips) throws InterruptedException {
        for (int i = 0; i < trips; i++) {
            Integer got = in.take();
            Check.equal(i, got, "token at the echo");
            out.put(got + 1);
        }
    }

    static void serve(BlockingQueue<Integer> out, BlockingQueue<Integer> in, int trips) throws InterruptedException {
        for (int i = 0; i < trips; i++) {
            out.put(i);
            Check.equal(i + 1, in.take(), "token that came back");
        }
    }

    static void play(String what, BlockingQueue<Integer> a, BlockingQueue<Integer> b, int trips, boolean here) throws Exception {
        Crew crew = new Crew();
        long start = System.nanoTime();
        crew.start("echo", () -> echo(a, b, trips));
        if (here) {
            serve(a, b, trips);
        } else {
            crew.start("server", () -> serve(a, b, trips));
        }
        crew.join();
        Check.that(a.isEmpty() && b.isEmpty(), "tokens left over");
        System.out.printf("%s: %d round trips in %d ms%n", what, trips, (System.nanoTime() - start) / 1_000_000);
    }

    public static void main(String[] args) throws Exception {
        int trips = Vm.wispOn() ? 100_000 : 30_000;         // a round trip of kernel threads takes a hundred times as long
        play("two queues", new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>(), trips, false);
        play("with the starting thread", new LinkedBlockingQueue<>(1), new LinkedBlockingQueue<>(1), trips / 10, true);
        play("synchronous queues", new SynchronousQueue<>(), new SynchronousQueue<>(true), trips / 10, false);
    }
}
