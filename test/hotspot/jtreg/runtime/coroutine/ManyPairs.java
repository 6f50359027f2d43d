/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier many pairs of threads wake each other, more than a run queue has room for: each time that a carrier has taken in whom they
 *          have woken its queue is full again. All get on equally. Catches: those in the queue that all carriers share wait
 *          until the others make room by chance.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm ManyPairs
 */

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import wisptest.Check;
import wisptest.Vm;

public class ManyPairs {
    static final int PAIRS = 700, TURNS = 400;
    static volatile boolean stopped;

    static class Seat extends Thread {
        final CountDownLatch begin;
        Seat other;
        volatile boolean mine;
        volatile int turns;

        Seat(CountDownLatch begin) {
            this.begin = begin;
        }

        @Override public void run() {
            try {
                begin.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            while (!stopped) {
                while (!mine && !stopped) {
                    LockSupport.park();
                }
                mine = false;
                turns++;
                other.mine = true;
                LockSupport.unpark(other);
            }
            LockSupport.unpark(other);
        }
    }

    static int[] turns(Seat[] seats) {
        return Arrays.stream(seats).mapToInt(seat -> seat.turns).toArray();
    }

    static long sum(int[] turns) {
        return Arrays.stream(turns).asLongStream().sum();
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate",
                    "ManyPairs", "child").exited(0).has("turns");
            return;
        }
        CountDownLatch begin = new CountDownLatch(1);
        Seat[] seats = new Seat[2 * PAIRS];
        for (int i = 0; i < seats.length; i++) {
            seats[i] = new Seat(begin);
            if (i % 2 == 1) {
                seats[i].other = seats[i - 1];
                seats[i - 1].other = seats[i];
                seats[i].mine = true;
            }
        }
        for (Seat seat : seats) {
            seat.start();
        }
        for (Seat seat : seats) {
            Check.awaitState(seat, Thread.State.WAITING);
        }
        begin.countDown();
        for (Seat seat : seats) {
            Check.await(() -> seat.turns > 0);           // they have been woken one by another
        }
        int[] before = turns(seats);
        int[] after = before;
        while (sum(after) - sum(before) < seats.length * (long) TURNS) {
            Thread.sleep(1);
            after = turns(seats);
        }
        int least = Integer.MAX_VALUE, most = 0;
        for (int i = 0; i < seats.length; i++) {
            least = Math.min(least, after[i] - before[i]);
            most = Math.max(most, after[i] - before[i]);
        }
        stopped = true;
        for (Seat seat : seats) {
            LockSupport.unpark(seat);
            seat.join();
        }
        System.out.println(least + " to " + most + " turns");
        // Kernel threads do as the kernel sees fit.
        Check.that(!Vm.wispOn() || (least > TURNS / 2 && most < TURNS * 2), "a pair had " + least + " turns while another one had " + most);
    }
}
