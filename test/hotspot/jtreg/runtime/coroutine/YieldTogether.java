/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two threads that compute for a moment and yield, again and again, have a carrier each after a while, though nobody wakes anybody, and
 *          many wake-ups were of no use before. Each goes on until it has seen the other one compute: with one carrier they never do.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm YieldTogether
 */

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class YieldTogether {
    static final int ROUNDS = 20, PINGS = 200;
    static final long TURN_NANOS = 300_000;

    /** Takes turns with a thread that only hands back what it gets. */
    static void ping() throws Exception {
        SynchronousQueue<Integer> there = new SynchronousQueue<>(), back = new SynchronousQueue<>();
        Crew crew = new Crew();
        crew.start("hands back", () -> {
            for (int i = 0; i < PINGS; i++) {
                back.put(there.take());
            }
        });
        for (int i = 0; i < PINGS; i++) {
            there.put(i);
            Check.equal(i, back.take(), "ping");
        }
        crew.join();
    }

    static void compute(AtomicIntegerArray computes, AtomicIntegerArray saw, int me) {
        while (saw.get(me) == 0 || saw.get(1 - me) == 0) {
            computes.set(me, 1);
            long end = System.nanoTime() + TURN_NANOS;
            while (System.nanoTime() < end) {
                if (computes.get(1 - me) != 0) {
                    saw.set(me, 1);
                }
            }
            computes.set(me, 0);
            Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {                          // main of another VM is no coroutine, whose timers would wake a carrier now and then
            for (String slice : new String[] {"0", "10"}) {
                Vm.java("-XX:WispTimeSliceMillis=" + slice, "-Dcom.alibaba.wisp.carrierEngines=2", "YieldTogether", "child").exited(0);
            }
            return;
        }
        Crew crew = new Crew();
        crew.start("starts", () -> {
            for (int i = 0; i < ROUNDS; i++) {
                ping();
                AtomicIntegerArray computes = new AtomicIntegerArray(2), saw = new AtomicIntegerArray(2);
                Crew two = new Crew();
                two.start("one", () -> compute(computes, saw, 0));
                two.start("other", () -> compute(computes, saw, 1));
                for (Thread t : two.threads()) {
                    t.join();
                }
                two.check();
            }
        });
        crew.join();
    }
}
