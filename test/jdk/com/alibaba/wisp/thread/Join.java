/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread.join: of a thread that runs, has ended, was never started; with timeouts that expire, with one that does not;
 *          by many at once; of a thread that ends by an exception; interrupted; bad arguments; and what the ended thread wrote
 *          is seen. Catches: an end that wakes only some of the joiners or none (hang), a join that returns before the end, a
 *          timed join that never returns.
 * @library /test/lib
 * @run main Join
 */

import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;

public class Join {
    static int written;

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        crew.start("from a started thread", Join::all);
        crew.join();
        all();
    }

    static void all() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Thread never = new Thread(() -> { });
        never.join();
        never.join(1_000_000);
        Check.equal(Thread.State.NEW, never.getState(), "state of a thread that was never started");

        Thread slow = new Thread(() -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            written = 42;
        });
        slow.start();
        long start = System.nanoTime();
        slow.join(10);
        slow.join(0, 500_000);
        slow.join(1, 1);
        Check.that(System.nanoTime() - start >= 10_000_000, "timed joins returned early");
        Check.that(slow.isAlive(), "alive after timed joins");
        Check.throwing(IllegalArgumentException.class, "negative timeout", () -> slow.join(-1));
        Check.throwing(IllegalArgumentException.class, "bad nanoseconds", () -> slow.join(1, 1_000_000));

        Thread.currentThread().interrupt();
        Check.throwing(InterruptedException.class, "join of an interrupted thread", slow::join);
        Check.that(!Thread.interrupted(), "the exception clears the interrupt");

        Crew joiners = new Crew();
        for (int i = 0; i < 100; i++) {
            int k = i;
            joiners.start("joiner-" + i, () -> {
                if (k % 3 == 0) {
                    slow.join(1_000_000);
                } else {
                    slow.join();
                }
                Check.that(!slow.isAlive(), "alive after join");
                Check.equal(42, written, "what the thread wrote");
                Check.equal(Thread.State.TERMINATED, slow.getState(), "state after join");
            });
        }
        Thread impatient = joiners.start("interrupted joiner",
                                         () -> Check.throwing(InterruptedException.class, "interrupted join", slow::join));
        for (Thread t : joiners.threads()) {
            Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING);
        }
        impatient.interrupt();
        impatient.join();
        go.countDown();
        joiners.join();
        slow.join();
        slow.join(1);
        written = 0;

        Thread fails = new Thread(() -> {
            throw new IllegalStateException("on purpose");
        });
        fails.setUncaughtExceptionHandler((t, e) -> Thread.yield());
        fails.start();
        fails.join();
        Check.that(!fails.isAlive(), "alive after it failed");
        Check.throwing(IllegalThreadStateException.class, "second start", fails::start);

        // A chain of joins, started from its end.
        Thread[] chain = new Thread[200];
        for (int i = 0; i < chain.length; i++) {
            Thread before = i == 0 ? new Thread(() -> { }) : chain[i - 1];
            chain[i] = new Thread(() -> {
                try {
                    before.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            chain[i].start();
        }
        chain[chain.length - 1].join();
        for (Thread t : chain) {
            Check.that(!t.isAlive(), "a link is alive although the last one ended");
        }

        // A thread can wait for itself with a timeout, and notices an interrupt there.
        Thread.currentThread().join(1);
    }
}
