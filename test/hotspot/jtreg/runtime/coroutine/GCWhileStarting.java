/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Garbage collections and other safepoints while threads are being started: there are always threads that exist but
 *          have not run yet, queued behind others. Catches: a safepoint that waits for a thread which waits for a carrier that
 *          has stopped for the safepoint (hang), and a collector that reads fields that a thread fills only when it first runs
 *          (crash), among them the allocation buffer of a thread that never ran.
 * @library /test/lib
 * @run main GCWhileStarting
 */

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;

public class GCWhileStarting {
    static final int THREADS = 3_000;
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger collections = new AtomicInteger();
        Crew helpers = new Crew();
        helpers.start("collector", () -> {
            while (!stop.get()) {
                System.gc();
                collections.incrementAndGet();
                Thread.yield();
            }
        });
        helpers.start("other safepoints", () -> {
            while (!stop.get()) {
                Thread.getAllStackTraces();
                Thread.yield();
            }
        });
        Crew crew = new Crew();
        for (int i = 0; i < THREADS || collections.get() < 10; i++) {
            int k = i;
            crew.start("starter-" + i, () -> {
                Object[] keep = new Object[20];
                for (int j = 0; j < keep.length; j++) {
                    keep[j] = new int[] {k, j};
                }
                Thread child = new Thread(ran::incrementAndGet);        // started by a thread that has just been mounted
                child.start();
                sink = new byte[1000];
                child.join();
                for (int j = 0; j < keep.length; j++) {
                    int[] pair = (int[]) keep[j];
                    Check.that(pair[0] == k && pair[1] == j, "an object changed under a collection");
                }
                ran.incrementAndGet();
            });
            if (crew.threads().size() == 1000) {
                crew.join();
            }
            if (i % 100 == 0) {
                System.gc();                                            // from the thread that starts the others, too
            }
        }
        crew.join();
        stop.set(true);
        helpers.join();
        System.out.println(ran + " threads, " + collections + " collections beside them");
        Check.that(ran.get() >= 2 * THREADS, "threads that ran: " + ran);
    }
}
