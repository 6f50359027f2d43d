/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The main thread, which stays a kernel thread, and started threads wake each other through everything that blocks:
 *          park and unpark, monitors, wait and notify, queues, join in both directions, interrupt. Catches: a wake-up that only
 *          works between threads of one kind, and one that is lost when the carriers are idle or all of them are busy; an
 *          interrupt that also ends the wait after the one that it is for. Runs in a VM of its own, since the harness runs a test's main
 *          method on a started thread.
 * @library /test/lib
 * @run main MainInterop
 */

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class MainInterop {
    static final int ROUNDS = 3_000;
    static volatile int turn;               // even: main's, odd: the other's

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Vm.java("MainInterop", "child").exited(0).has("all done");
            return;
        }
        Check.equal("main", Thread.currentThread().getName(), "the child's main thread");
        park();
        monitor();
        waitNotify();
        queues();
        join();
        interrupt();
        interruptedOnce();
        System.out.println("all done");
    }

    static void park() throws Exception {
        Thread main = Thread.currentThread();
        Crew crew = new Crew();
        turn = 0;
        Thread other = crew.start("parker", () -> {
            for (int i = 0; i < ROUNDS; i++) {
                while (turn % 2 == 0) {
                    LockSupport.park();
                }
                turn++;
                LockSupport.unpark(main);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            turn++;
            LockSupport.unpark(other);
            while (turn % 2 != 0) {
                LockSupport.park();
            }
        }
        crew.join();
        Check.equal(2 * ROUNDS, turn, "turns of park and unpark");
    }

    /** Each side keeps the monitor until the other side is really blocked on it. */
    static void monitor() throws Exception {
        Thread main = Thread.currentThread();
        Object lock = new Object();
        CyclicBarrier held = new CyclicBarrier(2);
        Crew crew = new Crew();
        Thread other = crew.create("locker", 0, () -> {
            for (int i = 0; i < 50; i++) {
                held.await();                       // main holds it
                synchronized (lock) {
                    Check.that(Thread.holdsLock(lock), "a monitor that was entered is held");
                }
                synchronized (lock) {
                    held.await();                   // we hold it
                    Check.awaitState(main, Thread.State.BLOCKED);
                }
            }
        });
        other.start();
        for (int i = 0; i < 50; i++) {
            synchronized (lock) {
                held.await();
                Check.awaitState(other, Thread.State.BLOCKED);
            }
            held.await();
            synchronized (lock) {
                Check.that(Thread.holdsLock(lock), "a monitor that was entered is held");
            }
        }
        crew.join();
    }

    static void waitNotify() throws Exception {
        Object lock = new Object();
        Crew crew = new Crew();
        turn = 0;
        crew.start("waiter", () -> alternate(lock, 1));
        alternate(lock, 0);
        crew.join();
        Check.equal(2 * ROUNDS, turn, "turns of wait and notify");
    }

    static void alternate(Object lock, int mine) throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            synchronized (lock) {
                while (turn % 2 != mine) {
                    lock.wait();
                }
                turn++;
                lock.notify();
            }
        }
    }

    static void queues() throws Exception {
        Crew crew = new Crew();
        SynchronousQueue<Integer> there = new SynchronousQueue<>();
        LinkedBlockingQueue<Integer> back = new LinkedBlockingQueue<>(1);
        Exchanger<Integer> exchanger = new Exchanger<>();
        crew.start("echo", () -> {
            for (int i = 0; i < ROUNDS; i++) {
                back.put(there.take() + 1);
            }
            for (int i = 0; i < ROUNDS; i++) {
                Check.equal(-i, exchanger.exchange(i), "exchanged value");
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            there.put(i);
            Check.equal(i + 1, back.take(), "echoed value");
        }
        for (int i = 0; i < ROUNDS; i++) {
            Check.equal(i, exchanger.exchange(-i), "exchanged value");
        }
        crew.join();
    }

    static void join() throws Exception {
        Thread main = Thread.currentThread();
        for (int i = 0; i < 300; i++) {
            int[] written = new int[1];
            Thread t = new Thread(() -> written[0] = 1);
            t.start();
            t.join();
            Check.equal(1, written[0], "what a joined thread wrote");
            Check.equal(Thread.State.TERMINATED, t.getState(), "state after join");
        }
        Crew crew = new Crew();
        Thread joiner = crew.start("timed joiner of main", () -> {
            main.join(20);
            Check.that(main.isAlive(), "main is alive");
            main.join();                            // ended by interrupt: main cannot end first
        });
        Check.awaitState(joiner, Thread.State.WAITING);
        joiner.interrupt();
        Check.throwing(AssertionError.class, "join that was interrupted", crew::join);
    }

    static void interrupt() throws Exception {
        Thread main = Thread.currentThread();
        Crew crew = new Crew();
        Object lock = new Object();
        for (int kind = 0; kind < 3; kind++) {
            int k = kind;
            crew.start("interrupter", () -> {
                Check.awaitState(main, Thread.State.WAITING, Thread.State.TIMED_WAITING);
                main.interrupt();
            });
            if (k == 0) {
                while (!Thread.interrupted()) {
                    LockSupport.park();
                }
            } else {
                Check.throwing(InterruptedException.class, "blocking in main", () -> {
                    if (k == 1) {
                        Thread.sleep(1_000_000);
                    } else {
                        synchronized (lock) {
                            lock.wait();
                        }
                    }
                });
                Check.that(!Thread.interrupted(), "the exception cleared the interrupt");
            }
            crew.join();
        }
    }

    /**
     * Who is interrupted in its sleep, and then waits for an object, is not woken by what is left of the interrupt. Java allows it, and
     * with kernel threads it happens now and then; here who interrupts is slower, as it has to wake a carrier.
     */
    static void interruptedOnce() throws Exception {
        AtomicInteger early = new AtomicInteger();
        for (int i = 0; i < 300; i++) {
            Object lock = new Object();
            Thread sleeper = new Thread(() -> {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                    long began = System.nanoTime();
                    synchronized (lock) {
                        try {
                            lock.wait(5);
                        } catch (InterruptedException again) {
                            early.incrementAndGet();
                        }
                    }
                    if (System.nanoTime() - began < 4_000_000) {
                        early.incrementAndGet();
                    }
                }
            });
            sleeper.start();
            Check.awaitState(sleeper, Thread.State.TIMED_WAITING);
            sleeper.interrupt();
            sleeper.join();
        }
        // Who sees the flag before it waits at all may still be faster than the interrupt. With upstream's order 58 were.
        Check.that(early.get() < 30 || !Vm.wispOn(), early + " of 300 waits ended early");
    }
}
