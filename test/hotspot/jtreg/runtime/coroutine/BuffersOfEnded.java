/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that live for one task, each of which allocates little: what is left of its allocation buffer serves the next ones, so that
 *          thousands of them need hardly a collection; each with its collector, and the heap verified at each collection while
 *          threads end. Collections are counted with one carrier, because each carrier keeps a buffer. What a thread has
 *          allocated counts for that thread only. Catches: a buffer of 1 MB for each of 1,000 threads, and a buffer that two
 *          threads have, or none.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm/timeout=300 BuffersOfEnded
 */

import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import wisptest.Check;
import wisptest.Vm;

public class BuffersOfEnded {
    static final int THREADS = 1_000, BUFFER_MB = 1, YOUNG_MB = 64, COLLECTIONS = 4;
    static final String[][] COLLECTORS = {
        {"-XX:+UseSerialGC"}, {"-XX:+UseParallelGC", "-XX:+ZeroTLAB"}, {"-XX:+UseG1GC", "-XX:G1HeapRegionSize=4m"}, {"-XX:+UseConcMarkSweepGC"}
    };
    static final ThreadMXBean THREADS_BEAN = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            for (String[] collector : COLLECTORS) {
                child(collector, "few", "-Xmn" + YOUNG_MB + "m", "-XX:TLABSize=" + BUFFER_MB + "m", "-XX:-ResizeTLAB",
                      "-Dcom.alibaba.wisp.carrierEngines=1");
                child(collector, "verified", "-Xmn8m", "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyBeforeGC", "-XX:+VerifyAfterGC");
            }
            child(new String[] {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"}, "verified", "-XX:TLABSize=1m");
            return;
        }
        if (args[0].equals("few")) {
            fewCollections();
        } else {
            verified();
        }
        System.out.println("as expected");
    }

    static void child(String[] collector, String what, String... options) throws Exception {
        String[] all = new String[collector.length + options.length + 3];
        System.arraycopy(collector, 0, all, 0, collector.length);
        System.arraycopy(options, 0, all, collector.length, options.length);
        all[all.length - 3] = "-Xmx256m";
        all[all.length - 2] = "BuffersOfEnded";
        all[all.length - 1] = what;
        Vm.java(all).exited(0).has("as expected");
    }

    static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    static void fewCollections() throws Exception {
        AtomicInteger wrong = new AtomicInteger();
        AtomicLong most = new AtomicLong();
        long before = collections();
        for (int i = 0; i < THREADS; i++) {
            Thread t = new Thread(() -> {
                long id = Thread.currentThread().getId(), start = THREADS_BEAN.getThreadAllocatedBytes(id);
                sink = new byte[1_000];
                sink = new byte[1_000];
                long allocated = THREADS_BEAN.getThreadAllocatedBytes(id) - start;
                most.accumulateAndGet(allocated, Math::max);
                if (allocated < 2_000) {
                    wrong.incrementAndGet();
                }
            });
            t.start();
            t.join();
        }
        long collections = collections() - before;
        System.out.println(collections + " collections, a thread has allocated " + most + " bytes at most");
        Check.equal(0, wrong.get(), "threads that have allocated less than they did");
        // The first of them runs interpreted code that allocates more.
        Check.that(most.get() < BUFFER_MB * 1_000_000 / 2, "a thread has allocated " + most + " bytes, what others did");
        if (Vm.wispOn()) {
            Check.that(collections <= COLLECTIONS, collections + " collections for " + THREADS + " threads that allocate 2 KB each");
        }
    }

    /** Threads that end while others allocate, and collections at any time. */
    static void verified() throws Exception {
        final int starters = 4, each = 2_000;
        CountDownLatch ended = new CountDownLatch(starters * each);
        AtomicLong sum = new AtomicLong();
        for (int i = 0; i < starters; i++) {
            new Thread(() -> {
                for (int k = 0; k < each; k++) {
                    int n = k;
                    new Thread(() -> {
                        byte[][] kept = new byte[8][];
                        for (int j = 0; j < 64; j++) {
                            kept[j % 8] = new byte[n % 700 + 1];
                            kept[j % 8][n % 700] = (byte) j;
                            if (j == n % 64) {
                                Thread.yield();
                            }
                        }
                        int here = 0;
                        for (int j = 0; j < 8; j++) {
                            here += kept[j][n % 700];
                        }
                        sum.addAndGet(here);
                        ended.countDown();
                    }).start();
                    if (k % 50 == 0) {
                        Thread.yield();
                    }
                }
            }).start();
        }
        ended.await();
        Check.equal((56L + 57 + 58 + 59 + 60 + 61 + 62 + 63) * starters * each, sum.get(), "what the threads have found in their arrays");
        Check.that(collections() > 0, "there was no collection to verify the heap at");
    }
}
