/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread.sleep: it lasts as long as it was told, in milliseconds and nanoseconds; an unpark does not end it and its
 *          permit stays; a permit from before does not shorten it; an interrupt ends it, also one from before, and is cleared;
 *          sleep(0) gives way; bad arguments; a monitor stays held. Catches: sleep built on the permit of park, sleepers in the
 *          wrong order or forgotten among many.
 * @library /test/lib
 * @run main Sleep
 */

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class Sleep {
    public static void main(String[] args) throws Exception {
        arguments();
        duration();
        permits();
        interrupts();
        zero();
        holding();
        many();
    }

    static void arguments() throws Exception {
        Crew crew = new Crew();
        crew.start("arguments", () -> {
            Check.throwing(IllegalArgumentException.class, "negative", () -> Thread.sleep(-1));
            Check.throwing(IllegalArgumentException.class, "too many nanoseconds", () -> Thread.sleep(1, 1_000_000));
            Check.throwing(IllegalArgumentException.class, "negative nanoseconds", () -> Thread.sleep(1, -1));
            Thread.sleep(0, 0);
            Thread.sleep(0, 1);
            Thread.sleep(0, 999_999);
            Thread.sleep(1, 500_000);
        });
        crew.join();
    }

    static void slept(long millis, long start) {
        long took = System.nanoTime() - start;
        Check.that(took >= TimeUnit.MILLISECONDS.toNanos(millis) - 500_000, "sleep(" + millis + ") took " + took + " ns");
    }

    static void duration() throws Exception {
        Crew crew = new Crew();
        for (int millis : new int[] {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144}) {
            crew.start("sleeps " + millis, () -> {
                long start = System.nanoTime();
                Thread.sleep(millis);
                slept(millis, start);
                start = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(millis);
                slept(millis, start);
            });
        }
        crew.join();
    }

    static void permits() throws Exception {
        Crew crew = new Crew();
        Thread sleeper = crew.start("unparked sleeper", () -> {
            long start = System.nanoTime();
            Thread.sleep(60);
            slept(60, start);
            // All the unparks left one permit.
            LockSupport.park();
            LockSupport.unpark(Thread.currentThread());
            start = System.nanoTime();
            Thread.sleep(20);
            slept(20, start);
            LockSupport.park();
        });
        Check.awaitState(sleeper, Thread.State.TIMED_WAITING, Thread.State.WAITING);     // on a slow machine the sleep may be over
        for (int i = 0; i < 20; i++) {
            LockSupport.unpark(sleeper);
            Thread.yield();
        }
        crew.join();
    }

    static void interrupts() throws Exception {
        Crew crew = new Crew();
        crew.start("interrupted before", () -> {
            Thread.currentThread().interrupt();
            InterruptedException e =
                Check.throwing(InterruptedException.class, "sleep of an interrupted thread", () -> Thread.sleep(100_000));
            Check.equal("sleep interrupted", e.getMessage(), "message");
            Check.that(!Thread.currentThread().isInterrupted(), "the exception clears the interrupt");
            Thread.currentThread().interrupt();
            Check.throwing(InterruptedException.class, "sleep(0) of an interrupted thread", () -> Thread.sleep(0));
            Check.that(!Thread.interrupted(), "the exception clears the interrupt");
        });
        for (int i = 0; i < 50; i++) {
            Thread t = crew.start("interrupted during-" + i, () -> {
                Check.throwing(InterruptedException.class, "interrupted sleep", () -> Thread.sleep(100_000));
                Check.that(!Thread.currentThread().isInterrupted(), "the exception clears the interrupt");
                Thread.sleep(1);
            });
            if (i % 2 == 0) {
                Check.awaitState(t, Thread.State.TIMED_WAITING);
            }
            t.interrupt();                              // or perhaps before it sleeps
        }
        crew.join();
        // The interrupt meets the end of the sleep: it is either thrown or still set.
        for (int i = 0; i < 100; i++) {
            Thread t = crew.start("race-" + i, () -> {
                boolean thrown = false;
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    thrown = true;
                }
                while (!thrown && !Thread.interrupted()) {
                    Thread.yield();
                }
            });
            LockSupport.parkNanos(700_000 + i * 5_000);
            t.interrupt();
        }
        crew.join();
    }

    /** Two threads that hand a flag to each other with nothing but sleep(0) must both get on. */
    static void zero() throws Exception {
        Crew crew = new Crew();
        AtomicBoolean flag = new AtomicBoolean();
        for (int i = 0; i < 2; i++) {
            boolean mine = i == 0;
            crew.start("zero-" + i, () -> {
                for (int j = 0; j < 200; j++) {
                    while (flag.get() != mine) {
                        Thread.sleep(0);
                    }
                    flag.set(!mine);
                }
            });
        }
        crew.join();
    }

    static void holding() throws Exception {
        Crew crew = new Crew();
        Object lock = new Object();
        int[] inside = new int[1];
        for (int i = 0; i < 10; i++) {
            crew.start("holding-" + i, () -> {
                synchronized (lock) {
                    Check.equal(1, ++inside[0], "threads in the monitor before sleep");
                    Thread.sleep(2);
                    Check.equal(0, --inside[0], "threads in the monitor after sleep");
                }
            });
        }
        crew.join();
    }

    static void many() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 1000; i++) {
            int millis = (i * 37) % 300;
            crew.start("many-" + i, () -> {
                long start = System.nanoTime();
                Thread.sleep(millis);
                slept(millis, start);
            });
        }
        crew.join();
    }
}
