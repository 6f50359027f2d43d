/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisptest;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Threads that only compute, until they are stopped. With one carrier they count how often another one of them runs than before.
 */
public final class Computing {
    private volatile boolean over;
    private volatile int running = -1;              // who ran last
    private volatile int turns;
    private final AtomicLongArray loops;

    /** Starts so many threads. */
    public Computing(Crew crew, int threads) {
        loops = new AtomicLongArray(threads);
        for (int i = 0; i < threads; i++) {
            int self = i;
            crew.start("computing-" + i, () -> {
                while (!over) {
                    if (running != self) {
                        running = self;
                        turns++;
                    }
                    loops.lazySet(self, loops.get(self) + 1);
                }
            });
        }
    }

    /** The current thread computes for so many nanoseconds, those without a CPU included. */
    public static void compute(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) { }
    }

    /** How often another one of them has had its turn; by anybody, with one carrier. */
    public int turns() {
        return turns;
    }

    /** How far one of them has come; by anybody. */
    public long loops(int thread) {
        return loops.get(thread);
    }

    /** They end at their next turns. */
    public void stop() {
        over = true;
    }
}
