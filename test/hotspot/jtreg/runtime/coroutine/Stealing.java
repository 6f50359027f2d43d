/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Two carriers, one of them kept by a thread that never gives way: what is queued there is run by the other one, be it
 *          threads that have never run, threads that were woken there, or a thread whose timer was set there. The thread that
 *          keeps the carrier goes on only when all of them have run. Catches: a queue that only its own carrier serves (hang).
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 Stealing
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class Stealing {
    static final int N = 50;

    static void keepUntil(AtomicInteger count, int value) {
        while (count.get() < value) { }                  // no onSpinWait: that would give way
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 5; round++) {
            fresh();
            woken();
            timers();
        }
    }

    static void fresh() throws Exception {
        Crew crew = new Crew();
        AtomicInteger ran = new AtomicInteger();
        crew.start("keeps its carrier", () -> {
            for (int i = 0; i < N; i++) {
                new Thread(ran::incrementAndGet).start();
            }
            keepUntil(ran, N);
        });
        crew.join();
    }

    static void woken() throws Exception {
        Crew crew = new Crew();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger go = new AtomicInteger();
        Thread[] threads = new Thread[N];
        for (int i = 0; i < N; i++) {
            threads[i] = crew.start("woken-" + i, () -> {
                while (go.get() == 0) {
                    LockSupport.park();
                }
                ran.incrementAndGet();
            });
        }
        for (Thread t : threads) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        crew.start("keeps its carrier", () -> {
            go.set(1);
            for (Thread t : threads) {
                LockSupport.unpark(t);
            }
            keepUntil(ran, N);
        });
        crew.join();
    }

    static void timers() throws Exception {
        Crew crew = new Crew();
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch asleep = new CountDownLatch(N);
        for (int i = 0; i < N; i++) {
            crew.start("sleeper-" + i, () -> {
                asleep.countDown();
                Thread.sleep(10);
                ran.incrementAndGet();
            });
        }
        crew.start("keeps its carrier", () -> {
            asleep.await();
            keepUntil(ran, N);
        });
        crew.join();
    }
}
