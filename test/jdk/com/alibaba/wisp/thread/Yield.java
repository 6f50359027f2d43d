/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread.yield lets others run: threads that wait for each other with nothing but yield get on, whichever runs first;
 *          with one carrier two threads take turns exactly, A, B, A, and a third that is started in between comes after them.
 *          Catches: a yield that returns to the same thread although others are ready (hang), one that puts the thread before
 *          those that wait already, a yield that loses a thread.
 * @library /test/lib
 * @run main Yield
 */

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Yield {
    public static void main(String[] args) throws Exception {
        order();
        turns();
        crowd();
        withMonitor();
    }

    /**
     * On one carrier the threads take turns. Not in each single round: when the kernel keeps the carrier from running for some
     * milliseconds, another one may take over its queue, and the two threads run at the same time. A yield that gives way to
     * nobody, or to the wrong one, has no round in order.
     */
    static void order() throws Exception {
        int rounds = 500;
        int inOrder = 0;
        for (int i = 0; i < rounds; i++) {
            List<String> list = oneRound();
            Check.equal(4, list.size(), "steps");
            inOrder += list.equals(Arrays.asList("A", "B", "A", "B")) ? 1 : 0;
        }
        System.out.println(inOrder + " of " + rounds + " rounds were A, B, A, B");
        if (Vm.wispOn() && Vm.carriers() == 1) {
            Check.that(inOrder >= rounds / 2, "only " + inOrder + " of " + rounds + " rounds were A, B, A, B");
        }
    }

    static List<String> oneRound() throws Exception {
        List<String> list = Collections.synchronizedList(new ArrayList<>());
        Crew crew = new Crew();
        AtomicBoolean started = new AtomicBoolean();
        Thread b = crew.create("B", 0, () -> {
            list.add("B");
            started.set(true);
            Thread.yield();
            list.add("B");
        });
        Thread a = crew.create("A", 0, () -> {
            list.add("A");
            b.start();
            Thread.yield();
            list.add("A");
            while (!started.get()) {
                Thread.yield();
            }
        });
        a.start();
        a.join();
        crew.join();
        return list;
    }

    static void turns() throws Exception {
        Crew crew = new Crew();
        AtomicInteger turn = new AtomicInteger();
        int n = 10;
        int laps = 300;
        for (int i = 0; i < n; i++) {
            int k = i;
            crew.start("turn-" + i, () -> {
                for (int lap = 0; lap < laps; lap++) {
                    while (turn.get() % n != k) {
                        Thread.yield();
                    }
                    turn.incrementAndGet();
                }
            });
        }
        crew.join();
        Check.equal(n * laps, turn.get(), "turns");
    }

    static void crowd() throws Exception {
        Crew crew = new Crew();
        AtomicInteger sum = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < 200; i++) {
            crew.start("crowd-" + i, () -> {
                go.await();
                for (int j = 0; j < 300; j++) {
                    sum.incrementAndGet();
                    Thread.yield();
                }
            });
        }
        go.countDown();
        crew.join();
        Check.equal(60_000, sum.get(), "steps");
    }

    /** The holder yields, everybody else wants the monitor: the holder must come back. */
    static void withMonitor() throws Exception {
        Crew crew = new Crew();
        Object lock = new Object();
        int[] count = new int[1];
        for (int i = 0; i < 20; i++) {
            crew.start("holder-" + i, () -> {
                for (int j = 0; j < 50; j++) {
                    synchronized (lock) {
                        int before = count[0];
                        Thread.yield();
                        count[0] = before + 1;
                    }
                }
            });
        }
        crew.join();
        Check.equal(1000, count[0], "steps in the monitor");
    }
}
