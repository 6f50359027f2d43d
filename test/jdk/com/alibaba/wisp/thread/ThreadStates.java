/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread.getState shows all six states in every way of getting there, isAlive agrees, and starting twice is refused.
 *          Catches: a state that is the carrier's, that stays NEW, or that is RUNNABLE for a thread that waits in a queue of
 *          the scheduler's own making.
 * @library /test/lib
 * @run main ThreadStates
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class ThreadStates {
    static final Object lock = new Object();
    static final AtomicBoolean go = new AtomicBoolean();

    static void is(Thread t, Thread.State state) throws InterruptedException {
        Check.awaitState(t, state);
        for (int i = 0; i < 5; i++) {
            Check.equal(state, t.getState(), "state of " + t.getName());
            Check.equal(state != Thread.State.NEW && state != Thread.State.TERMINATED, t.isAlive(), t.getName() + " is alive");
            Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        crew.start("from a started thread", ThreadStates::all);
        crew.join();
        all();
    }

    static void all() throws Exception {
        go.set(false);
        Crew crew = new Crew();
        Thread t = crew.create("new", 0, () -> {
            Check.equal(Thread.State.RUNNABLE, Thread.currentThread().getState(), "own state");
            while (!go.get()) {
                Thread.yield();
            }
        });
        is(t, Thread.State.NEW);
        t.start();
        is(t, Thread.State.RUNNABLE);
        Check.throwing(IllegalThreadStateException.class, "second start", t::start);
        go.set(true);
        t.join();
        is(t, Thread.State.TERMINATED);
        Check.throwing(IllegalThreadStateException.class, "start after the end", t::start);
        go.set(false);

        Thread parked = crew.start("parks", () -> {
            while (!go.get()) {
                LockSupport.park();
            }
        });
        Thread timed = crew.start("parks with a timeout", () -> {
            while (!go.get()) {
                LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1));
            }
        });
        Thread sleeps = crew.start("sleeps", () -> Check.throwing(InterruptedException.class, "sleep", () -> Thread.sleep(1L << 40)));
        Thread waits = crew.start("waits", () -> {
            synchronized (lock) {
                while (!go.get()) {
                    lock.wait();
                }
            }
        });
        Thread waitsTimed = crew.start("waits with a timeout", () -> {
            synchronized (lock) {
                while (!go.get()) {
                    lock.wait(1L << 40);
                }
            }
        });
        Thread joins = crew.start("joins", () -> parked.join());
        Thread joinsTimed = crew.start("joins with a timeout", () -> parked.join(1L << 40));
        ReentrantLock held = new ReentrantLock();
        held.lock();
        Thread locks = crew.start("locks", () -> {
            held.lock();
            held.unlock();
        });
        is(parked, Thread.State.WAITING);
        is(timed, Thread.State.TIMED_WAITING);
        is(sleeps, Thread.State.TIMED_WAITING);
        is(waits, Thread.State.WAITING);
        is(waitsTimed, Thread.State.TIMED_WAITING);
        is(joins, Thread.State.WAITING);
        is(joinsTimed, Thread.State.TIMED_WAITING);
        is(locks, Thread.State.WAITING);
        held.unlock();

        Thread blocked;
        synchronized (lock) {
            blocked = crew.start("blocked", () -> {
                synchronized (lock) {
                    Check.that(Thread.holdsLock(lock), "entered");
                }
            });
            is(blocked, Thread.State.BLOCKED);
            go.set(true);
            lock.notifyAll();                       // those that waited now want the monitor back
            is(waits, Thread.State.BLOCKED);
            is(waitsTimed, Thread.State.BLOCKED);
            is(blocked, Thread.State.BLOCKED);
        }
        LockSupport.unpark(parked);
        LockSupport.unpark(timed);
        sleeps.interrupt();
        crew.join();

        // In native code of the JDK, and ready but waiting for a carrier: both RUNNABLE.
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch running = new CountDownLatch(30);
        for (int i = 0; i < 30; i++) {
            crew.start("runnable-" + i, () -> {
                running.countDown();
                while (!stop.get()) {
                    Thread.yield();
                }
            });
        }
        running.await();
        for (Thread r : crew.threads()) {
            Check.equal(Thread.State.RUNNABLE, r.getState(), "state of a thread that only yields");
        }
        stop.set(true);
        crew.join();
    }
}
