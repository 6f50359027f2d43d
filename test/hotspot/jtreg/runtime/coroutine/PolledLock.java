/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier a thread sleeps while it has a lock, releases it, works for a moment, and takes it again; others try to take it and
 *          sleep when they cannot, as lock managers of databases do. They get it, as with kernel threads, whose timers interrupt that
 *          moment. Catches: timers that are fired only when the one that has the lock waits.
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
    static final int THREADS = 8, WARM_UP = 200, ROUNDS = 10_000;
    static volatile long sink;

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "PolledLock", "child").exited(0).has("rounds");
            return;
        }
        ReentrantLock lock = new ReentrantLock();
        AtomicInteger without = new AtomicInteger(THREADS);
        AtomicInteger rounds = new AtomicInteger();
        Crew crew = new Crew();
        crew.start("has it", () -> {
            while (without.get() > 0 && rounds.get() < ROUNDS) {
                lock.lock();
                Thread.sleep(1);
                lock.unlock();
                rounds.incrementAndGet();
                long end = System.nanoTime() + 50_000;
                while (System.nanoTime() < end) {
                    sink++;
                }
            }
        });
        while (rounds.get() < WARM_UP) {
            Thread.sleep(1);
        }
        for (int i = 0; i < THREADS; i++) {
            crew.start("tries-" + i, () -> {
                while (!lock.tryLock()) {
                    if (rounds.get() >= ROUNDS) {
                        return;
                    }
                    Thread.sleep(1);
                }
                lock.unlock();
                if (rounds.get() < ROUNDS) {
                    without.decrementAndGet();
                }
            });
        }
        crew.join();
        System.out.println(without + " without it after " + rounds + " rounds");
        Check.equal(0, without.get(), "threads that have not had it");
    }
}
