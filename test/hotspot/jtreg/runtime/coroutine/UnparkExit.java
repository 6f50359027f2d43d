/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that end while others still touch them: unpark, interrupt, getState, getStackTrace, join with and without a
 *          timeout, setName, isAlive, wait on the Thread object. Thread ids and objects of ended threads stay valid, and nobody
 *          else is woken. Catches: an unpark or interrupt that reaches the memory of a thread that has just gone (crash), or a
 *          thread that got the same memory and loses or gains a permit (hang, or a park that returns for no reason).
 * @library /test/lib
 * @run main UnparkExit
 */

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class UnparkExit {
    static final int SLOTS = 16;
    static final int THREADS = 4_000;

    public static void main(String[] args) throws Exception {
        race();
        noStolenPermit();
    }

    static void race() throws Exception {
        AtomicReferenceArray<Thread> slots = new AtomicReferenceArray<>(SLOTS);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger ended = new AtomicInteger();
        Crew crew = new Crew();
        for (int p = 0; p < 4; p++) {
            crew.start("prodder-" + p, () -> {
                for (int i = 0; !stop.get(); i++) {
                    Thread t = slots.get(i % SLOTS);
                    if (t == null) {
                        Thread.yield();
                        continue;
                    }
                    switch (ThreadLocalRandom.current().nextInt(8)) {
                        case 0: t.interrupt(); break;
                        case 1: t.getState(); break;
                        case 2: t.getStackTrace(); break;
                        case 3: t.join(1); break;
                        case 4: t.setName("prodded"); break;
                        case 5:
                            synchronized (t) {
                                if (t.isAlive()) {
                                    t.wait(1);
                                }
                            }
                            break;
                        default: LockSupport.unpark(t); break;
                    }
                    if ((i & 31) == 0) {
                        Thread.yield();
                    }
                }
            });
        }
        for (int i = 0; i < THREADS; i++) {
            int k = i;
            Thread t = new Thread(() -> {
                if (k % 3 == 0) {
                    LockSupport.parkNanos(10_000);
                } else if (k % 3 == 1) {
                    Thread.yield();
                }
                ended.incrementAndGet();
            });
            slots.set(i % SLOTS, t);
            t.start();
            if (i >= SLOTS && i % 8 == 0) {
                slots.get((i + 1) % SLOTS).join();
            }
        }
        for (int i = 0; i < SLOTS; i++) {
            slots.get(i).join();
        }
        Check.await(() -> ended.get() == THREADS);
        stop.set(true);
        crew.join();
    }

    /** Unparks of ended threads must not become permits of the threads that come after them. */
    static void noStolenPermit() throws Exception {
        Thread[] dead = new Thread[50];
        for (int i = 0; i < dead.length; i++) {
            dead[i] = new Thread(() -> { });
            dead[i].start();
        }
        for (Thread t : dead) {
            t.join();
        }
        AtomicBoolean go = new AtomicBoolean();
        AtomicInteger returns = new AtomicInteger();
        Crew crew = new Crew();
        for (int i = 0; i < dead.length; i++) {
            crew.start("fresh-" + i, () -> {
                while (!go.get()) {
                    LockSupport.park();         // the first one may find a permit that the race left in recycled memory
                    returns.incrementAndGet();
                }
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        int before = returns.get();
        for (int r = 0; r < 20; r++) {
            for (Thread t : dead) {
                LockSupport.unpark(t);
                t.interrupt();
                Check.that(!t.isInterrupted(), "an ended thread is not interrupted");
                Check.that(!t.isAlive(), "an ended thread is not alive");
            }
            Thread.sleep(1);
        }
        for (Thread t : crew.threads()) {
            Check.equal(Thread.State.WAITING, t.getState(), "state of a thread that nobody unparked");
        }
        Check.equal(before, returns.get(), "returns from park while only ended threads were unparked");
        go.set(true);
        for (Thread t : crew.threads()) {
            LockSupport.unpark(t);
        }
        crew.join();
    }
}
