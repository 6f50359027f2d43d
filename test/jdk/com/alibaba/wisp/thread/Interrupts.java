/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Interrupts as Java has them: who clears the flag and who does not, a thread that is not started or has ended, the
 *          blocking operations of java.util.concurrent, an interrupt of oneself, and storms of interrupts against waiting
 *          threads where every interrupt is either thrown or still set. Catches: an interrupt that does not reach a thread which
 *          is not mounted, one that is lost in a race with a wake-up, one that wakes the wrong operation.
 * @library /test/lib
 * @run main Interrupts
 */

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class Interrupts {
    public static void main(String[] args) throws Exception {
        flag();
        blockingOperations();
        uninterruptible();
        storm();
    }

    static void flag() throws Exception {
        Thread never = new Thread(() -> { });
        never.interrupt();
        Check.that(!never.isInterrupted(), "a thread that was not started is not interrupted");
        Crew crew = new Crew();
        crew.start("flag", () -> {
            Thread me = Thread.currentThread();
            Check.that(!me.isInterrupted() && !Thread.interrupted(), "not interrupted at the start");
            me.interrupt();
            Check.that(me.isInterrupted(), "interrupted");
            Check.that(me.isInterrupted(), "isInterrupted does not clear");
            Thread.yield();
            Check.that(me.isInterrupted(), "yield does not clear");
            synchronized (crew) {
                crew.notifyAll();
            }
            Check.that(Thread.interrupted(), "interrupted() tells");
            Check.that(!Thread.interrupted(), "interrupted() clears");
        });
        crew.join();
        Thread ended = new Thread(() -> Thread.currentThread().interrupt());
        ended.start();
        ended.join();
        Check.that(!ended.isInterrupted(), "an ended thread is not interrupted");
    }

    static void blockingOperations() throws Exception {
        ReentrantLock held = new ReentrantLock();
        held.lock();
        ReentrantLock own = new ReentrantLock();
        Condition condition = own.newCondition();
        Thread forever = new Thread(() -> {
            while (true) {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        forever.start();
        Object monitor = new Object();
        Check.Code[] operations = {
            () -> held.lockInterruptibly(),
            () -> held.tryLock(1, TimeUnit.DAYS),
            () -> {
                own.lock();
                try {
                    condition.await();
                } finally {
                    own.unlock();
                }
            },
            () -> new CountDownLatch(1).await(),
            () -> new CountDownLatch(1).await(1, TimeUnit.DAYS),
            () -> new Semaphore(0).acquire(),
            () -> new ArrayBlockingQueue<Object>(1).take(),
            () -> new SynchronousQueue<Object>().put(1),
            () -> new SynchronousQueue<Object>(true).poll(1, TimeUnit.DAYS),
            () -> new Exchanger<Object>().exchange(1),
            () -> new CyclicBarrier(2).await(),
            () -> new FutureTask<Object>(() -> 1).get(),
            () -> forever.join(),
            () -> Thread.sleep(1_000_000),
            () -> {
                synchronized (monitor) {
                    monitor.wait();
                }
            },
        };
        for (int before = 0; before < 2; before++) {
            boolean early = before == 1;
            Crew crew = new Crew();
            for (int i = 0; i < operations.length; i++) {
                int k = i;
                crew.start("operation-" + i, () -> {
                    if (early) {
                        Thread.currentThread().interrupt();
                    }
                    Check.throwing(InterruptedException.class, "operation " + k, operations[k]);
                    Check.that(!Thread.currentThread().isInterrupted(), "operation " + k + " clears the interrupt");
                });
            }
            if (!early) {
                for (Thread t : crew.threads()) {
                    Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING);
                }
                for (Thread t : crew.threads()) {
                    t.interrupt();
                }
            }
            crew.join();
        }
        held.unlock();
        forever.interrupt();
        forever.join();
    }

    /** Entering a monitor and ReentrantLock.lock do not end by an interrupt, and keep it. */
    static void uninterruptible() throws Exception {
        Object monitor = new Object();
        ReentrantLock lock = new ReentrantLock();
        AtomicBoolean inside = new AtomicBoolean();
        Crew crew = new Crew();
        Thread enters;
        Thread locks;
        lock.lock();
        synchronized (monitor) {
            enters = crew.start("enters", () -> {
                synchronized (monitor) {
                    Check.that(inside.get(), "entered while another held the monitor");
                    Check.that(Thread.interrupted(), "the interrupt is kept");
                }
            });
            locks = crew.start("locks", () -> {
                lock.lock();
                Check.that(inside.get(), "locked while another held the lock");
                Check.that(Thread.interrupted(), "the interrupt is kept");
                lock.unlock();
            });
            Check.awaitState(enters, Thread.State.BLOCKED);
            Check.awaitState(locks, Thread.State.WAITING);
            for (int i = 0; i < 20; i++) {
                enters.interrupt();
                locks.interrupt();
                Thread.sleep(1);
            }
            inside.set(true);
        }
        lock.unlock();
        crew.join();
    }

    static void storm() throws Exception {
        int n = 20;
        AtomicInteger seen = new AtomicInteger();
        AtomicBoolean[] acknowledged = new AtomicBoolean[n];
        Object monitor = new Object();
        Crew waiters = new Crew();
        int each = 50;
        for (int i = 0; i < n; i++) {
            int k = i;
            acknowledged[i] = new AtomicBoolean(true);
            waiters.start("stormed-" + i, () -> {
                for (int mine = 0; mine < each; ) {
                    boolean got = false;
                    try {
                        switch ((mine + k) % 4) {
                            case 0: Thread.sleep(1); break;
                            case 1:
                                synchronized (monitor) {
                                    monitor.wait(1);
                                    monitor.notify();
                                }
                                break;
                            case 2: new CountDownLatch(1).await(100, TimeUnit.MICROSECONDS); break;
                            default: Thread.yield(); break;
                        }
                    } catch (InterruptedException e) {
                        got = true;
                    }
                    if (got | Thread.interrupted()) {
                        seen.incrementAndGet();
                        mine++;
                        acknowledged[k].set(true);          // only now the next one is sent
                    }
                }
            });
        }
        int[] sent = new int[n];
        for (int total = 0; total < n * each; ) {
            for (int i = 0; i < n; i++) {
                if (sent[i] < each && acknowledged[i].compareAndSet(true, false)) {
                    sent[i]++;
                    total++;
                    waiters.threads().get(i).interrupt();
                }
            }
            waiters.check();
            Thread.yield();
        }
        waiters.join();
        Check.equal(n * each, seen.get(), "interrupts seen");
    }
}
