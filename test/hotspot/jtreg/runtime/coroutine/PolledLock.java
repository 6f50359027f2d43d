/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier a thread waits while it has a lock, releases it, works for a moment, and takes it again; others try to take it and
 *          sleep when they cannot, as lock managers of databases do. They get it, as with kernel threads, whose timers interrupt that
 *          moment. Catches: timers that are fired only when the one that has the lock waits; only one that has parked is interrupted, not
 *          one that spins; those who try all sleep for as long as he does, and always look while he has it.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm PolledLock
 */

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class PolledLock {
    static final int WARM_UP = 200, ROUNDS = 10_000;
    static volatile long sink;

    interface Hold {
        void hold() throws InterruptedException;
    }

    /** Until so many have had it in all, or that many rounds are over. */
    static void poll(String what, int threads, int spins, int enough, int moment, Hold hold) throws Throwable {
        ReentrantLock lock = new ReentrantLock();
        AtomicInteger had = new AtomicInteger();
        AtomicInteger rounds = new AtomicInteger();
        Crew crew = new Crew();
        crew.start("has it", () -> {
            while (had.get() < enough && rounds.get() < ROUNDS) {
                lock.lock();
                hold.hold();
                lock.unlock();
                rounds.incrementAndGet();
                long end = System.nanoTime() + moment;
                while (System.nanoTime() < end) {
                    sink++;
                }
            }
        });
        while (rounds.get() < WARM_UP) {
            Thread.sleep(1);
        }
        for (int i = 0; i < threads; i++) {
            crew.start("tries-" + i, () -> {
                for (int tries = 0; !lock.tryLock(); tries++) {
                    if (rounds.get() >= ROUNDS || had.get() >= enough) {
                        return;
                    }
                    if (tries < spins) {
                        Thread.onSpinWait();
                    } else {
                        Thread.sleep(1);
                    }
                }
                lock.unlock();
                if (rounds.get() < ROUNDS) {
                    had.incrementAndGet();
                }
            });
        }
        crew.join();
        System.out.println(what + ": " + had + " have had it after " + rounds + " rounds");
        Check.that(had.get() >= enough, what + ": " + had + " have had it");
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "PolledLock", "child").exited(0).has("rounds");
            return;
        }
        poll("sleeps", 8, 0, 8, 50_000, () -> Thread.sleep(1));
        poll("spins", 8, 1000, 8, 50_000, () -> {
            for (int i = 0; i < 3000; i++) {
                Thread.onSpinWait();
                sink++;
            }
        });
        poll("in step", 20, 0, 5, 200_000, () -> {
            for (int i = 0; i < 4; i++) {
                Thread.sleep(1);
            }
        });
    }
}
