/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary LockSupport.parkUntil and Condition.awaitUntil: as many as there are wait for times of the wall clock, and end in time, by an unpark and
 *          by an interrupt. With WISP_TEST_SETS_CLOCK=1 in the environment, as root on a machine whose clock nobody minds, the clock is set two minutes
 *          forward and back, and forward again: who waits for a time that is passed then ends at once, and nobody else does. Catches: a
 *          time that is turned into one of the monotonic clock when the wait begins; a step that only those see who are not idle, or one of them.
 * @library /test/lib
 * @run main/othervm/timeout=300 WallClock
 */

import java.util.Date;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;
import wisptest.Crew;

public class WallClock {
    static final int WAITERS = 50;
    static final int STEP = 120;                         // seconds
    static final int REST = 10_000;                      // ms that are left after a step
    static final long FAR = 24L * 60 * 60 * 1000;

    /** Until a time, in a loop, as it may end early. */
    static void parkUntil(long time) {
        while (System.currentTimeMillis() < time) {
            LockSupport.parkUntil(time);
            Check.that(!Thread.interrupted(), "interrupted");
        }
    }

    static void awaitUntil(long time) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        lock.lock();
        try {
            while (condition.awaitUntil(new Date(time))) {
                Check.that(System.currentTimeMillis() < time, "no end");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Threads that wait, and are known to; a latch that counts those whose wait has ended. */
    static Crew waiters(long time, CountDownLatch ended) throws InterruptedException {
        Crew crew = new Crew();
        for (int i = 0; i < WAITERS; i++) {
            boolean park = i % 2 == 0;
            crew.start("waits-" + i, () -> {
                if (park) {
                    parkUntil(time);
                } else {
                    awaitUntil(time);
                }
                Check.that(System.currentTimeMillis() >= time, "early");
                ended.countDown();
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
        }
        return crew;
    }

    static void inTime() throws Exception {
        CountDownLatch ended = new CountDownLatch(WAITERS);
        Crew crew = waiters(System.currentTimeMillis() + 300, ended);
        ended.await();
        crew.join();
    }

    static void otherEnds() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        Crew crew = new Crew();
        long far = System.currentTimeMillis() + FAR;
        for (int i = 0; i < WAITERS; i++) {
            crew.start("ends-" + i, () -> {
                LockSupport.parkUntil(far);
                ended.incrementAndGet();
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.TIMED_WAITING);
        }
        Check.equal(0, ended.get(), "ended by nobody");
        for (int i = 0; i < WAITERS; i++) {
            Thread t = crew.threads().get(i);
            if (i % 2 == 0) {
                LockSupport.unpark(t);
            } else {
                t.interrupt();
            }
        }
        crew.join();
        Check.equal(WAITERS, ended.get(), "ended");
    }

    static void step(int seconds) throws Exception {
        long time = System.currentTimeMillis() / 1000 + seconds;
        Check.equal(0, new ProcessBuilder("date", "-s", "@" + time).inheritIO().start().waitFor(), "date");
    }

    static void steps() throws Exception {
        CountDownLatch ended = new CountDownLatch(WAITERS), later = new CountDownLatch(WAITERS);
        long now = System.currentTimeMillis(), start = System.nanoTime();
        Crew crew = waiters(now + STEP / 2 * 1000, ended);
        Crew longer = waiters(now + STEP * 1000 + REST, later);
        boolean forward = false;
        try {
            forward = true;
            step(STEP);
            ended.await();
            crew.join();
            step(-STEP);
            forward = false;
            Check.that(later.getCount() == WAITERS, "who waits for a later time has ended");
            forward = true;
            step(STEP);
            longer.join();
        } finally {
            if (forward) {
                step(-STEP);
            }
        }
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        System.out.println("steps: " + seconds + " s");
        Check.that(seconds < STEP / 3, "it took " + seconds + " s");
    }

    public static void main(String[] args) throws Exception {
        inTime();
        otherEnds();
        if ("1".equals(System.getenv("WISP_TEST_SETS_CLOCK"))) {
            steps();
        }
    }
}
