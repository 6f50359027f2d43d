/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads do everything that can suspend them in random order: park, unpark, timed parks, sleep, yield, monitors with
 *          recursion, wait, notify, locks, interrupts, threads that come and go, class loading, collections. What each operation
 *          gave or took is counted, and the sums must fit at the end. The seed is printed; pass it as the first argument to get
 *          the same decisions. Catches: what only a mixture shows: a wake-up that reaches the wrong wait, a state that one kind
 *          of wait leaves behind for the next.
 * @library /test/lib
 * @run main/timeout=240 RandomMix
 */

import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class RandomMix {
    static final int THREADS = 48;
    static final int OPERATIONS = 600;
    static final int PLACES = 6;

    static final Object[] monitors = new Object[PLACES];
    static final int[] monitorCount = new int[PLACES];
    static final ReentrantLock[] locks = new ReentrantLock[PLACES];
    static final int[] lockCount = new int[PLACES];
    static final AtomicLong entered = new AtomicLong();
    static final AtomicLong locked = new AtomicLong();
    static final AtomicInteger children = new AtomicInteger();
    static final AtomicInteger childrenRan = new AtomicInteger();
    static final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>(3);
    static final AtomicLong put = new AtomicLong();
    static final AtomicLong taken = new AtomicLong();
    static Thread[] threads;

    public static void main(String[] args) throws Exception {
        long seed = args.length > 0 ? Long.parseLong(args[0]) : System.nanoTime();
        System.out.println("seed " + seed);
        for (int i = 0; i < PLACES; i++) {
            monitors[i] = new Object();
            locks[i] = new ReentrantLock(i % 2 == 0);
        }
        threads = new Thread[THREADS];
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int k = i;
            threads[i] = crew.create("mix-" + i, i % 3 == 0 ? 300_000 : 0, () -> mix(new Random(seed + k * 31L)));
        }
        for (Thread t : threads) {
            t.start();
        }
        crew.join();
        long sum = 0;
        long lockSum = 0;
        for (int i = 0; i < PLACES; i++) {
            sum += monitorCount[i];
            lockSum += lockCount[i];
            Check.that(!locks[i].isLocked(), "a lock is still held");
        }
        Check.equal(entered.get(), sum, "entries of monitors");
        Check.equal(locked.get(), lockSum, "locks");
        Check.equal(children.get(), childrenRan.get(), "threads started and run");
        Check.equal(put.get(), taken.get() + queue.size(), "messages");
        System.out.println(entered + " entries, " + locked + " locks, " + children + " threads, " + taken + " messages");
    }

    static void mix(Random random) throws Exception {
        for (int i = 0; i < OPERATIONS; i++) {
            try {
                operation(random, 0);
            } catch (InterruptedException e) {
                // somebody else's operation
            }
        }
        Thread.interrupted();
    }

    static void operation(Random random, int depth) throws InterruptedException {
        Thread other = threads[random.nextInt(THREADS)];
        int place = random.nextInt(PLACES);
        switch (random.nextInt(18)) {
            case 0: LockSupport.parkNanos(random.nextInt(200_000)); break;
            case 1: LockSupport.parkUntil(System.currentTimeMillis() + random.nextInt(2)); break;
            case 2:
                LockSupport.unpark(Thread.currentThread());
                LockSupport.park();
                break;
            case 3:
            case 4: LockSupport.unpark(other); break;
            case 5: Thread.yield(); break;
            case 6: Thread.sleep(0, random.nextInt(999_999)); break;
            case 7: other.interrupt(); break;
            case 8: enter(random, place, depth); break;
            case 9: enter(random, place, depth); break;
            case 10:
                synchronized (monitors[place]) {
                    synchronized (monitors[place]) {
                        monitors[place].wait(1);
                        Check.that(Thread.holdsLock(monitors[place]), "held after wait");
                    }
                }
                break;
            case 11:
                synchronized (monitors[place]) {
                    if (random.nextBoolean()) {
                        monitors[place].notify();
                    } else {
                        monitors[place].notifyAll();
                    }
                }
                break;
            case 12:
                if (locks[place].tryLock(random.nextInt(300), TimeUnit.MICROSECONDS)) {
                    try {
                        lockCount[place]++;
                        locked.incrementAndGet();
                        if (depth < 2 && random.nextInt(4) == 0) {
                            operation(random, 2);
                        }
                    } finally {
                        locks[place].unlock();
                    }
                }
                break;
            case 13: {
                Thread t = new Thread(() -> {
                    if (random.nextInt(2) == 0) {
                        Thread.yield();
                    }
                    childrenRan.incrementAndGet();
                });
                children.incrementAndGet();
                t.start();
                boolean interrupted = false;
                while (t.isAlive()) {
                    try {
                        t.join();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                break;
            }
            case 14:
                if (queue.offer(1, random.nextInt(200), TimeUnit.MICROSECONDS)) {
                    put.incrementAndGet();
                }
                break;
            case 15:
                if (queue.poll(random.nextInt(200), TimeUnit.MICROSECONDS) != null) {
                    taken.incrementAndGet();
                }
                break;
            case 16:
                other.getState();
                if (random.nextInt(20) == 0) {
                    Check.that(other.getStackTrace() != null, "a stack trace");
                }
                break;
            default:
                if (random.nextInt(200) == 0) {
                    System.gc();
                }
                break;
        }
    }

    static void enter(Random random, int place, int depth) throws InterruptedException {
        synchronized (monitors[place]) {
            int before = ++monitorCount[place];
            entered.incrementAndGet();
            if (random.nextInt(3) == 0) {
                Thread.yield();
            } else if (random.nextInt(3) == 0) {
                LockSupport.parkNanos(20_000);
            }
            Check.equal(before, monitorCount[place], "a count that only the owner changes");
            if (depth == 0 && random.nextInt(5) == 0) {
                // Nested: only to a higher place, so that there is no deadlock, and without giving the monitor up.
                int next = place + 1 + random.nextInt(PLACES);
                if (next < PLACES) {
                    enter(random, next, 1);
                }
            }
        }
    }
}
