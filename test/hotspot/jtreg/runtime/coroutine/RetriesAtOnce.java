/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that give up what others wait for, wake these, and take it again at once. First transactions that lock two rows each:
 *          who would complete a deadlock gives up its row, wakes who waits for that while it still holds the lock of the table, and
 *          tries again, as databases and their clients do. Then pairs of which one yields each time it has a monitor, and the other one
 *          wants that now and then. Catches: those who are woken find what they waited for taken each time that they come to run, so that the
 *          same deadlocks come back for ever, or the second one of a pair gets the monitor after many thousand turns of the first.
 *          Counts turns, not time.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate RetriesAtOnce
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 RetriesAtOnce
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class RetriesAtOnce {
    static final int THREADS = 30;
    static final int ROWS = 20;
    static final int TRANSACTIONS = 100;        // of each thread
    static final long MOST_RETRIES = 3_000_000; // of all; a hundredth of it is usual
    static final int PAIRS = 4;
    static final int ENTRIES = 300;
    static final long MOST_TURNS = 4_000;       // of the first of a pair while the second wants the monitor, on average

    static class Transaction {
        CountDownLatch granted = new CountDownLatch(0);
        Transaction waitsFor;
        final List<Transaction> waiting = new ArrayList<>();
        final List<Integer> rows = new ArrayList<>();
    }

    static final ReentrantLock table = new ReentrantLock();
    static final Transaction[] owners = new Transaction[ROWS];

    /** False: whoever has the row waits for this one. */
    static boolean lock(Transaction t, int row) throws InterruptedException {
        for (;;) {
            table.lock();
            try {
                Transaction owner = owners[row];
                if (owner == null || owner == t) {
                    if (owner == null) {
                        owners[row] = t;
                        t.rows.add(row);
                    }
                    return true;
                }
                for (Transaction other = owner; other != null; other = other.waitsFor) {
                    if (other == t) {
                        return false;
                    }
                }
                t.waitsFor = owner;
                owner.waiting.add(t);
                t.granted = new CountDownLatch(1);
            } finally {
                table.unlock();
            }
            t.granted.await();
        }
    }

    static void end(Transaction t) {
        table.lock();
        try {
            for (int row : t.rows) {
                owners[row] = null;
            }
            t.rows.clear();
            for (Transaction other : t.waiting) {
                other.waitsFor = null;
                other.granted.countDown();
            }
            t.waiting.clear();
        } finally {
            table.unlock();
        }
    }

    static void transactions() throws Exception {
        AtomicLong retries = new AtomicLong();
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int first = i % ROWS;
            crew.start("client-" + i, () -> {
                Transaction t = new Transaction();
                for (int n = 0; n < TRANSACTIONS; n++) {
                    for (;;) {
                        boolean locked = lock(t, first);
                        Thread.yield();
                        boolean done = locked && lock(t, n % ROWS);
                        end(t);
                        if (done) {
                            break;
                        }
                        if (retries.incrementAndGet() > MOST_RETRIES) {
                            System.out.println("more than " + MOST_RETRIES + " retries");
                            System.exit(1);     // the others would go on for ever
                        }
                    }
                }
            });
        }
        crew.join();
        System.out.println(retries + " retries");
    }

    static void monitors() throws Exception {
        Crew crew = new Crew();
        AtomicLong turns = new AtomicLong();
        for (int i = 0; i < PAIRS; i++) {
            Pair pair = new Pair();
            crew.start("yields-" + i, () -> {
                long waited = 0;
                while (!pair.over) {
                    synchronized (pair) {
                        if (pair.wanted) {
                            waited++;
                        }
                        Thread.yield();
                    }
                }
                turns.addAndGet(waited);
            });
            crew.start("wants-" + i, () -> {
                for (int n = 0; n < ENTRIES; n++) {
                    Thread.sleep(1);
                    pair.wanted = true;
                    synchronized (pair) {
                        pair.wanted = false;
                    }
                }
                pair.over = true;
            });
        }
        crew.join();
        long average = turns.get() / (PAIRS * ENTRIES);
        System.out.println(average + " turns while the other one waited");
        Check.that(average <= MOST_TURNS, average + " turns of a thread that yields with a monitor, before another one gets it");
    }

    static class Pair {
        volatile boolean wanted;
        volatile boolean over;
    }

    public static void main(String[] args) throws Exception {
        transactions();
        monitors();
    }
}
