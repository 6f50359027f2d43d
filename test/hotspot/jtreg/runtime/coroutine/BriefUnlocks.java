/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that holds a lock while it waits, and gives it up only to take it again, does not shut out others, with
 *          monitors and with ReentrantLock. Catches: whom it wakes runs only when it waits, that is, with the lock held
 *          again, each time: on one carrier for ever. Counts what the holder does, not time.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 BriefUnlocks
 * @run main/othervm BriefUnlocks
 */

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class BriefUnlocks {
    static final int WANTED = 10, ROUNDS = 4_000;
    static final Object monitor = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static volatile int rounds, taken;

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

    static void play(String name, Kind kind, Body wait) throws Exception {
        rounds = taken = 0;
        Crew crew = new Crew();
        crew.start("holder", () -> {
            while (taken < WANTED && rounds < ROUNDS) {
                kind.run(() -> {
                    rounds++;
                    wait.run();
                });
            }
        });
        Check.await(() -> rounds > 0);
        crew.start("taker", () -> {
            while (taken < WANTED) {
                kind.run(() -> taken++);
            }
        });
        crew.join();
        System.out.printf("%s: taken %d times in %d rounds%n", name, taken, rounds);
        Check.that(rounds < ROUNDS, name + ": nobody got the lock until its holder had ended");
    }

    public static void main(String[] args) throws Exception {
        play("monitor, sleep", BriefUnlocks::inMonitor, () -> Thread.sleep(1));
        play("monitor, park", BriefUnlocks::inMonitor, () -> LockSupport.parkNanos(1_000_000));
        play("ReentrantLock, sleep", BriefUnlocks::locked, () -> Thread.sleep(1));
        play("ReentrantLock, park", BriefUnlocks::locked, () -> LockSupport.parkNanos(1_000_000));
    }
}
