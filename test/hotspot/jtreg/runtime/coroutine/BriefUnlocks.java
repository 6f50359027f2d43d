/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that holds a lock while it waits, and gives it up only to take it again, does not shut out others, with
 *          monitors and with ReentrantLock. Catches: whom it wakes runs only when it waits, that is, with the lock held
 *          again, each time: on one carrier for ever. Counts what the holder does, not time. Once more beside threads that wake each
 *          other all the time, and among which the holder hardly ever did; with an argument within so many rounds. The one that wants
 *          the lock has woken its holder once, which does not make the two ones that wake each other.
 * @library /test/lib
 * @comment WispAlwaysMigrate queues whoever is woken elsewhere, so that nobody could give way to him.
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 BriefUnlocks 400
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate BriefUnlocks
 */

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class BriefUnlocks {
    static final int WANTED = 10, ROUNDS = 4_000;
    static final Object monitor = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static final int PAIRS = 4;
    static volatile int rounds, taken;
    static volatile boolean over;

    interface Body {
        void run() throws Exception;
    }

    static void inMonitor(Body body) throws Exception {
        synchronized (monitor) {
            body.run();
        }
    }

    static void locked(Body body) throws Exception {
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }

    interface Kind {
        void run(Body body) throws Exception;
    }

    static void play(String name, int limit, Kind kind, Body wait) throws Exception {
        rounds = taken = 0;
        Crew crew = new Crew();
        Semaphore begin = new Semaphore(0);
        Thread holder = crew.start("holder", () -> {
            begin.acquire();
            while (taken < WANTED && rounds < ROUNDS) {
                kind.run(() -> {
                    rounds++;
                    wait.run();
                });
            }
        });
        crew.start("taker", () -> {
            Check.awaitState(holder, Thread.State.WAITING);
            begin.release();
            for (int seen = 0; taken < WANTED; seen = rounds) {
                int before = seen;
                Check.await(() -> rounds > before || rounds == ROUNDS);   // the holder has the lock
                kind.run(() -> taken++);
            }
        });
        crew.join();
        System.out.printf("%s: taken %d times in %d rounds%n", name, taken, rounds);
        Check.that(rounds < limit, name + ": the lock was taken " + taken + " times in " + rounds + " rounds of its holder");
    }

    /** Two threads that wake each other. */
    static void pair(Crew crew, String name) {
        Semaphore first = new Semaphore(1), second = new Semaphore(0);
        crew.start(name + "-first", () -> pass(first, second));
        crew.start(name + "-second", () -> pass(second, first));
    }

    static void pass(Semaphore own, Semaphore other) throws InterruptedException {
        while (!over) {
            own.acquire();
            other.release();
        }
        other.release();
    }

    public static void main(String[] args) throws Exception {
        play("monitor, sleep", ROUNDS, BriefUnlocks::inMonitor, () -> Thread.sleep(1));
        play("monitor, park", ROUNDS, BriefUnlocks::inMonitor, () -> LockSupport.parkNanos(1_000_000));
        play("ReentrantLock, sleep", ROUNDS, BriefUnlocks::locked, () -> Thread.sleep(1));
        play("ReentrantLock, park", ROUNDS, BriefUnlocks::locked, () -> LockSupport.parkNanos(1_000_000));
        int limit = args.length > 0 ? Integer.parseInt(args[0]) : ROUNDS;
        Crew others = new Crew();
        for (int i = 0; i < PAIRS; i++) {
            pair(others, "pair-" + i);
        }
        play("monitor, beside others", limit, BriefUnlocks::inMonitor, () -> Thread.sleep(1));
        play("ReentrantLock, beside others", limit, BriefUnlocks::locked, () -> Thread.sleep(1));
        over = true;
        others.join();
    }
}
