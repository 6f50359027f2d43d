/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.micro;

/*
 * Measures nothing itself: the other thread of the benchmarks with two threads. It runs a step over and over until it is stopped; defends
 * that the figures contain no thread starts. JMH's own threads are made by Thread.start() too, so with -XX:+UseWisp2 both sides are
 * coroutines.
 */
abstract class Partner {
    volatile boolean over;
    final Thread thread = new Thread(this::loop, "partner");

    /** Blocks until it is its turn, or until it is over and a wake-up comes. */
    abstract void step() throws InterruptedException;

    private void loop() {
        try {
            while (!over) {
                step();
            }
        } catch (InterruptedException e) {
            if (!over) {
                throw new IllegalStateException(e);
            }
        }
    }

    final Partner start() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    final void stop() throws InterruptedException {
        over = true;
        thread.interrupt();
        thread.join();
    }
}
