/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary java.util.concurrent on coroutines with contention: ReentrantLock fair and not, conditions, ReadWriteLock, StampedLock,
 *          Semaphore, barriers, Phaser, Exchanger, FutureTask, CompletableFuture, ForkJoinPool with a blocked join, timed
 *          acquires that expire. Several of them spin or yield before they park. Catches: a spinning thread that never lets the
 *          owner run (hang with one carrier), a permit that is lost when a timeout meets a release, two owners at once.
 * @library /test/lib
 * @run main Locks
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import wisptest.Check;
import wisptest.Crew;

public class Locks {
    public static void main(String[] args) throws Exception {
        exclusive(new ReentrantLock(false));
        exclusive(new ReentrantLock(true));
        exclusive(new ReentrantReadWriteLock().writeLock());
        exclusive(new StampedLock().asWriteLock());
        readersAndWriters();
        semaphore();
        conditions();
        barriers();
        exchanger();
        futures();
        pools();
    }

    static void exclusive(Lock lock) throws Exception {
        int[] count = new int[1];
        Crew crew = new Crew();
        for (int i = 0; i < 20; i++) {
            int k = i;
            crew.start("exclusive-" + i, () -> {
                for (int done = 0; done < 80; ) {
                    if (k % 2 == 0) {
                        lock.lock();
                    } else if (!lock.tryLock(50, TimeUnit.MICROSECONDS)) {
                        continue;
                    }
                    try {
                        int before = count[0];
                        if (done % 20 == 0) {
                            Thread.yield();
                        }
                        count[0] = before + 1;
                        done++;
                    } finally {
                        lock.unlock();
                    }
                }
            });
        }
        crew.join();
        Check.equal(1600, count[0], "steps under " + lock);
    }

    static void readersAndWriters() throws Exception {
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock(true);
        StampedLock stamped = new StampedLock();
        int[] pair = new int[2];
        int[] stampedPair = new int[2];
        Crew crew = new Crew();
        for (int i = 0; i < 15; i++) {
            boolean writer = i % 5 == 0;
            crew.start((writer ? "writer-" : "reader-") + i, () -> {
                for (int j = 0; j < 100; j++) {
                    if (writer) {
                        rw.writeLock().lock();
                        pair[0]++;
                        Thread.yield();
                        pair[1]++;
                        rw.writeLock().unlock();
                        long s = stamped.writeLock();
                        stampedPair[0]++;
                        Thread.yield();
                        stampedPair[1]++;
                        stamped.unlockWrite(s);
                    } else {
                        rw.readLock().lock();
                        int seen = pair[0];
                        Thread.yield();
                        Check.equal(seen, pair[1], "a pair under the read lock");
                        rw.readLock().unlock();
                        long s = stamped.readLock();
                        seen = stampedPair[0];
                        Thread.yield();
                        Check.equal(seen, stampedPair[1], "a pair under the stamped read lock");
                        stamped.unlockRead(s);
                    }
                }
            });
        }
        crew.join();
        Check.equal(300, pair[0], "writes");
        Check.equal(300, stampedPair[0], "stamped writes");
    }

    static void semaphore() throws Exception {
        Semaphore s = new Semaphore(3);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger expired = new AtomicInteger();
        Crew crew = new Crew();
        for (int i = 0; i < 30; i++) {
            crew.start("semaphore-" + i, () -> {
                for (int done = 0; done < 30; ) {
                    if (!s.tryAcquire(100, TimeUnit.MICROSECONDS)) {
                        expired.incrementAndGet();
                        continue;
                    }
                    Check.that(inside.incrementAndGet() <= 3, "more than three inside");
                    Thread.yield();
                    inside.decrementAndGet();
                    s.release();
                    done++;
                }
            });
        }
        crew.join();
        Check.equal(3, s.availablePermits(), "permits at the end; " + expired + " expired");
    }

    /** A bounded buffer with two conditions. */
    static void conditions() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition notFull = lock.newCondition();
        Condition notEmpty = lock.newCondition();
        int[] size = new int[1];
        long[] sums = new long[2];
        Crew crew = new Crew();
        for (int i = 0; i < 10; i++) {
            boolean producer = i % 2 == 0;
            crew.start((producer ? "producer-" : "consumer-") + i, () -> {
                for (int j = 0; j < 500; j++) {
                    lock.lock();
                    try {
                        if (producer) {
                            while (size[0] == 4) {
                                notFull.await();
                            }
                            size[0]++;
                            sums[0]++;
                            notEmpty.signal();
                        } else {
                            while (size[0] == 0) {
                                if (j % 2 == 0) {
                                    notEmpty.await();
                                } else {
                                    notEmpty.awaitNanos(20_000);
                                }
                            }
                            size[0]--;
                            sums[1]++;
                            notFull.signal();
                        }
                    } finally {
                        lock.unlock();
                    }
                }
            });
        }
        crew.join();
        Check.equal(sums[0], sums[1], "produced and consumed");
        Check.equal(2500L, sums[0], "produced");
    }

    static void barriers() throws Exception {
        int n = 30;
        AtomicInteger trips = new AtomicInteger();
        CyclicBarrier barrier = new CyclicBarrier(n, trips::incrementAndGet);
        Phaser phaser = new Phaser(n);
        Crew crew = new Crew();
        for (int i = 0; i < n; i++) {
            crew.start("barrier-" + i, () -> {
                for (int j = 0; j < 50; j++) {
                    barrier.await();
                    Check.equal(j + 1, trips.get(), "trips at the barrier");
                    Check.equal(j, phaser.arriveAndAwaitAdvance() - 1, "phase");
                }
            });
        }
        crew.join();
    }

    static void exchanger() throws Exception {
        List<Exchanger<Integer>> exchangers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            exchangers.add(new Exchanger<>());
        }
        AtomicInteger sum = new AtomicInteger();
        Crew crew = new Crew();
        for (int i = 0; i < 8; i++) {
            int k = i;
            crew.start("exchanger-" + i, () -> {
                int mine = k;
                for (int j = 0; j < 200; j++) {
                    mine = exchangers.get(k / 2).exchange(mine);
                }
                sum.addAndGet(mine);
            });
        }
        crew.join();
        Check.equal(28, sum.get(), "sum of what was exchanged");
    }

    static void futures() throws Exception {
        Crew crew = new Crew();
        for (int r = 0; r < 80; r++) {
            FutureTask<Integer> task = new FutureTask<>(() -> 42);
            crew.start("gets", () -> Check.equal(42, task.get(), "result"));
            crew.start("gets too", () -> Check.equal(42, task.get(1, TimeUnit.DAYS), "result"));
            crew.start("runs", task::run);
        }
        crew.join();
        CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Integer> one = CompletableFuture.supplyAsync(() -> {
                Thread.yield();
                return 1;
            });
            all = all.thenCombineAsync(one, Integer::sum);
        }
        Check.equal(500, all.get(), "sum of futures");
    }

    static class Fib extends RecursiveTask<Integer> {
        final int n;

        Fib(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 2) {
                return n;
            }
            Fib a = new Fib(n - 1);
            a.fork();
            return new Fib(n - 2).compute() + a.join();
        }
    }

    static void pools() throws Exception {
        ForkJoinPool fork = new ForkJoinPool(4);
        Check.equal(1597, fork.invoke(new Fib(17)), "fork and join");
        fork.shutdown();
        Check.that(fork.awaitTermination(1, TimeUnit.DAYS), "the ForkJoinPool ends");

        ExecutorService pool = Executors.newCachedThreadPool();
        Future<?>[] futures = new Future<?>[100];
        for (int i = 0; i < futures.length; i++) {
            int k = i;
            futures[i] = pool.submit(() -> {
                Thread.sleep(k % 10);
                return k;
            });
        }
        for (int i = 0; i < futures.length; i++) {
            Check.equal(i, futures[i].get(), "result of a pool");
        }
        pool.shutdown();
        Check.that(pool.awaitTermination(1, TimeUnit.DAYS), "the pool ends");

        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(2);
        AtomicInteger ticks = new AtomicInteger();
        Future<?> periodic = timer.scheduleAtFixedRate(ticks::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
        Check.await(() -> ticks.get() >= 20);
        periodic.cancel(true);
        timer.shutdownNow();
        Check.that(timer.awaitTermination(1, TimeUnit.DAYS), "the scheduled pool ends");
    }
}
