/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads touch pages that take long to come, as those of a mapped file that has to be read: in Java code, and in the VM, which copies
 *          them. While one waits for its page, threads that have used up time slices, and one that sleeps, go on; and many wait for theirs at the
 *          same time. Catches: a carrier that keeps its queue while the kernel lets it wait for memory.
 * @library /test/lib
 * @modules java.management/sun.management
 * @run main/othervm/native/timeout=300 -Dcom.alibaba.wisp.carrierEngines=1 -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0
 *      -XX:-UseBiasedLocking PageFaults
 */

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import sun.management.ManagementFactoryHelper;
import wisptest.Check;
import wisptest.Crew;

public class PageFaults {
    static final int PAGE = 4096, PAGES = 4096;
    static final int READERS = 40, PAGES_EACH = 40, PAGE_MILLIS = 10;
    static final int ROUNDS = 8, MAX_ROUNDS = 100, LONG_MILLIS = 500;

    /** Memory whose pages come one by one, so many ms after they have been touched first; null: the kernel does not let us. */
    static native ByteBuffer map(int pages);
    static native void setDelay(int millis);

    /** How many threads have waited at the same time, at most, since it was asked last. */
    static native int mostWaiting();

    static volatile int wakeUps, computed;
    static volatile boolean done;
    static volatile int next;

    static int touch(ByteBuffer memory, int page, boolean copies) {
        ByteBuffer one = memory.duplicate();
        one.position(page * PAGE);
        if (copies) {
            byte[] b = new byte[64];
            one.get(b);
            return b[0];
        }
        return one.get();
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("PageFaults");
        ByteBuffer memory = map(PAGES);
        if (memory == null) {
            System.out.println("Skipped: userfaultfd is not available here");
            return;
        }
        goOn(memory);
        manyAtOnce(memory);
    }

    static long safepoints() {
        return ManagementFactoryHelper.getHotspotRuntimeMBean().getSafepointCount();
    }

    /** The best of the rounds counts, of those without a safepoint: it waits for the page, too. */
    static void goOn(ByteBuffer memory) throws Exception {
        setDelay(LONG_MILLIS);
        Crew crew = new Crew();
        CountDownLatch running = new CountDownLatch(1);
        crew.start("computes", () -> {
            while (!done) {
                computed++;
            }
        });
        Thread sleeps = crew.create("sleeps", 0, () -> {
            running.countDown();
            while (!done) {
                Thread.sleep(1);
                wakeUps++;
            }
        });
        Check.await(() -> computed > 100_000);
        long start = System.nanoTime();
        int before = computed;
        Check.await(() -> System.nanoTime() - start > 200_000_000);
        int fifth = (int) ((computed - before) * (LONG_MILLIS / 5 * 1_000_000.0) / (System.nanoTime() - start));
        int[] most = new int[4];
        boolean begins = true;
        for (int i = 0; i < ROUNDS; ) {
            if (i == ROUNDS / 2 && begins) {
                for (int j = 1; j < 4; j += 2) {
                    System.out.println("additions, and nobody sleeps: " + most[j]);
                    Check.that(most[j] >= fifth, "additions, and nobody sleeps: " + most[j]);
                    most[j] = 0;
                }
                sleeps.start();
                running.await();
            }
            boolean copies = i % 2 == 1;
            int[] seen = new int[2];
            long safepoints = safepoints();
            Crew one = new Crew();
            one.start("touches-" + next, () -> {
                int wakeUpsBefore = wakeUps, computedBefore = computed;
                touch(memory, next++, copies);
                seen[0] = wakeUps - wakeUpsBefore;
                seen[1] = computed - computedBefore;
            });
            one.join();
            begins = safepoints == safepoints() || next >= MAX_ROUNDS;
            if (begins) {
                int place = copies ? 2 : 0;
                most[place] = Math.max(most[place], seen[0]);
                most[place + 1] = Math.max(most[place + 1], seen[1]);
                i++;
            }
        }
        done = true;
        crew.join();
        for (int i = 0; i < 4; i++) {
            String what = (i % 2 == 0 ? "wake-ups" : "additions") + (i < 2 ? " while Java code" : " while the VM") + " waits for a page";
            System.out.println(what + ": " + most[i]);
            Check.that(most[i] >= (i % 2 == 0 ? 20 : fifth), what + ": " + most[i]);
        }
    }

    static void manyAtOnce(ByteBuffer memory) throws Exception {
        setDelay(PAGE_MILLIS);
        mostWaiting();
        Crew crew = new Crew();
        for (int i = 0; i < READERS; i++) {
            int first = MAX_ROUNDS + i * PAGES_EACH;
            crew.start("reads-" + i, () -> {
                for (int j = 0; j < PAGES_EACH; j++) {
                    touch(memory, first + j, false);
                }
            });
        }
        crew.join();
        int most = mostWaiting();
        System.out.println("threads that wait for a page at the same time: " + most);
        Check.that(most >= READERS / 2, "threads that wait for a page at the same time: " + most);
    }
}
