/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Biased locking works with coroutines: a bias belongs to the thread, not to its carrier. Threads that
 *          take turns on few carriers lock objects biased to another one, which revokes, rebiases in bulk and forbids the bias;
 *          some hold a biased lock while they are parked. Catches: a bias that is taken for the current thread's because it is
 *          on the same kernel thread.
 * @library /test/lib
 * @run main/othervm BiasedLocks
 * @run main/othervm -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0 BiasedLocks
 * @run main/othervm -XX:-UseBiasedLocking BiasedLocks
 */

import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class BiasedLocks {
    static final int THREADS = 40, LOCKS = 100, ROUNDS = 30;

    static final class Counter {
        int value;

        synchronized void add() {
            value++;
        }

        synchronized void addSlowly() {
            int seen = value;
            LockSupport.parkNanos(1000);
            value = seen + 1;
        }
    }

    public static void main(String[] args) throws Exception {
        Counter[] counters = new Counter[LOCKS];
        for (int i = 0; i < LOCKS; i++) {
            counters[i] = new Counter();
        }
        Crew crew = new Crew();
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            crew.start("locks-" + t, () -> {
                Counter own = new Counter();                    // stays biased to this thread across all its parks
                for (int round = 0; round < ROUNDS; round++) {
                    for (int i = 0; i < LOCKS; i++) {
                        counters[(first + i) % LOCKS].add();
                        own.add();
                    }
                    counters[(first * 7 + round) % LOCKS].addSlowly();
                    Thread.yield();
                    synchronized (own) {
                        LockSupport.parkNanos(1000);
                        Check.that(Thread.holdsLock(own), "lost an own lock while parked");
                    }
                }
                Check.equal(ROUNDS * LOCKS, own.value, "own counter");
            });
        }
        crew.join();
        int sum = 0;
        for (Counter c : counters) {
            sum += c.value;
        }
        Check.equal(THREADS * ROUNDS * (LOCKS + 1), sum, "all counters");
    }
}
