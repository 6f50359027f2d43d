/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary An idle carrier is woken for a few coroutines that wait behind a long computation, also when to wake it was of no use many times
 *          before, so that wakers have stopped to do so for a while. Nobody is preempted here: without a second carrier they wait for ever.
 * @library /test/lib
 * @build wisptest.Check
 * @run main/othervm -XX:WispTimeSliceMillis=0 -Dcom.alibaba.wisp.carrierEngines=2 LeftBehind 1
 * @run main/othervm -XX:WispTimeSliceMillis=0 -Dcom.alibaba.wisp.carrierEngines=2 LeftBehind 2
 * @run main/othervm -XX:WispTimeSliceMillis=0 -Dcom.alibaba.wisp.carrierEngines=2 LeftBehind 3
 */

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

import wisptest.Check;

/** One thread wakes the others, by turns for next to nothing, and to spin until all of them have run. */
public class LeftBehind {
    static final int ROUNDS = 100, SHORT = 200;
    static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        AtomicIntegerArray asked = new AtomicIntegerArray(count), answered = new AtomicIntegerArray(count);
        Thread[] others = new Thread[count];
        for (int i = 0; i < count; i++) {
            int me = i;
            others[i] = new Thread(() -> {
                while (!stop) {
                    if (asked.get(me) == answered.get(me)) {
                        LockSupport.park();
                    }
                    answered.set(me, asked.get(me));
                }
            });
            others[i].start();
        }
        int[] spins = new int[1];
        Thread waker = new Thread(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < SHORT; i++) {
                    wake(others, asked);
                    LockSupport.parkNanos(50_000);           // they run meanwhile
                }
                wake(others, asked);
                for (int i = 0; i < count; i++) {
                    while (answered.get(i) != asked.get(i)) {
                        Thread.onSpinWait();
                    }
                }
                spins[0]++;
            }
            stop = true;
            wake(others, asked);
        });
        waker.start();
        waker.join();
        for (Thread t : others) {
            t.join();
        }
        Check.equal(ROUNDS, spins[0], "rounds");
    }

    static void wake(Thread[] others, AtomicIntegerArray asked) {
        for (int i = 0; i < others.length; i++) {
            asked.incrementAndGet(i);
            LockSupport.unpark(others[i]);
        }
    }
}
