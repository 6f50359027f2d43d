/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Timers fire while no carrier is ever idle: more threads than carriers only yield to each other, and many others
 *          sleep, park and wait with timeouts and must get on. Also the order of two timers, and a sleep that is set while all
 *          carriers are busy. Catches: timers that are looked at only by an idle carrier (hang), a timer that is lost when its
 *          thread is woken by something else first, a run queue that starves those who were woken.
 * @library /test/lib
 * @run main TimersUnderLoad
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class TimersUnderLoad {
    public static void main(String[] args) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Crew load = new Crew();
        int n = Math.min(Vm.carriers(), 8) + 2;
        CountDownLatch running = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            load.start("load-" + i, () -> {
                running.countDown();
                while (!stop.get()) {
                    Thread.yield();
                }
            });
        }
        running.await();

        Crew crew = new Crew();
        ReentrantLock lock = new ReentrantLock();
        for (int i = 0; i < 40; i++) {
            int k = i;
            crew.start("sleeper-" + i, () -> {
                Object monitor = new Object();
                for (int j = 0; j < 15; j++) {
                    long nanos = 1_000_000 + 100_000L * (k % 7);
                    long start = System.nanoTime();
                    switch (k % 4) {
                        case 0:
                            Thread.sleep(1);
                            Check.that(System.nanoTime() - start >= 900_000, "sleep(1) ended early");
                            break;
                        case 1:
                            LockSupport.parkNanos(nanos);
                            break;
                        case 2:
                            synchronized (monitor) {
                                monitor.wait(1);
                            }
                            break;
                        default:
                            if (lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
                                try {
                                    LockSupport.parkNanos(200_000);
                                } finally {
                                    lock.unlock();
                                }
                            }
                            break;
                    }
                }
            });
        }
        crew.join();

        // A timer that never expires because its thread is woken first, many times over, and then one that does.
        Thread parked = crew.start("woken early", () -> {
            for (int i = 0; i < 2_000; i++) {
                LockSupport.parkNanos(TimeUnit.HOURS.toNanos(1));
            }
            Thread.sleep(2);
        });
        while (parked.isAlive()) {
            LockSupport.unpark(parked);
            Thread.yield();
        }
        crew.join();

        // The shorter of two sleeps ends first, whichever was set first.
        long[] woke = new long[2];
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            int k = i;
            crew.start("ordered-" + i, () -> {
                both.countDown();
                both.await();
                Thread.sleep(k == 0 ? 600 : 5);
                woke[k] = System.nanoTime();
            });
        }
        crew.join();
        Check.that(woke[1] < woke[0], "a sleep of 5 ms ended after one of 600 ms");
        stop.set(true);
        load.join();
    }
}
