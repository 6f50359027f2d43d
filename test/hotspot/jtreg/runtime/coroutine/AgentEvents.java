/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary An agent is told of each entry of a method, and its callback takes a monitor of the program, whose owner is preempted with it, again and
 *          again; of samples of allocations, while carriers are made; and of the end of each wait, and its callback has a native mutex then and
 *          calls Java code that sleeps; that a monitor is contended, and entered, and keeps a note in its kernel thread between. Catches: events on
 *          a carrier, which the agent cannot know, and where the callback keeps the owner of the monitor from running (hang); no events of
 *          coroutines; a callback that leaves its kernel thread, or shares it with another one; the second event is on another one than the first. A thread is
 *          interpreted for ever that starts another one as the last agent stops wanting entries.
 * @library /test/lib
 * @run main/othervm/native/timeout=300 -Dcom.alibaba.wisp.carrierEngines=1 -agentlib:AgentEvents AgentEvents
 * @run main/othervm/native/timeout=300 -agentlib:AgentEvents AgentEvents
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import wisptest.Check;
import wisptest.Crew;

public class AgentEvents {
    static native int tell(Object monitor, boolean on);
    static native int entries();
    static native int ofCarriers();
    static native int tellWaits(boolean on);
    static native int tellContended(boolean on);
    static native int tellSamples(boolean on);
    static native int waits();
    static native int bad();
    static native int samples();
    static native int contended();
    static native void block();

    static final int THREADS = 8, ROUNDS = 40, WORK = 20_000;
    static final Object LOCK = new Object();
    static volatile int sink;

    static void step() {
        sink++;
    }

    static void upcall() throws Exception {
        Thread.sleep(1);
    }

    /** Each holds up a carrier, so that there are more. */
    static void allocations() throws Exception {
        Crew crew = new Crew();
        Check.equal(0, tellSamples(true), "samples on");
        for (int t = 0; t < 8 * THREADS; t++) {
            crew.start("blocks-" + t, () -> {
                System.gc();                             // who has a buffer is sampled late
                block();
            });
        }
        crew.join();
        Check.equal(0, tellSamples(false), "samples off");
        Check.that(samples() >= THREADS, "samples of coroutines: " + samples());
        Check.equal(0, ofCarriers(), "samples of carriers");
    }

    static void ends() throws Exception {
        Crew crew = new Crew();
        Check.equal(0, tellWaits(true), "waits on");
        for (int t = 0; t < THREADS; t++) {
            crew.start("waits-" + t, () -> {
                Object own = new Object();
                for (int i = 0; i < ROUNDS; i++) {
                    synchronized (own) {
                        own.wait(1);
                    }
                }
            });
        }
        crew.join();
        Check.equal(0, tellWaits(false), "waits off");
        Check.that(waits() >= THREADS * ROUNDS, "events of waits: " + waits());
        Check.equal(0, bad(), "callbacks that have left their kernel thread");
    }

    static void contentions() throws Exception {
        Crew crew = new Crew();
        Check.equal(0, tellContended(true), "contended on");
        for (int t = 0; t < THREADS; t++) {
            crew.start("contends-" + t, () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    synchronized (LOCK) {
                        Thread.sleep(1);
                    }
                    Thread.yield();                      // or the same one has it again
                }
            });
        }
        crew.join();
        Check.equal(0, tellContended(false), "contended off");
        Check.that(contended() >= THREADS - 1, "events of monitors: " + contended());
        Check.equal(0, bad(), "monitors that are entered on another kernel thread than the event before told");
    }

    static volatile boolean off;
    static long random = 1;

    /** CPU time, the least of several. */
    static long loop() {
        ThreadMXBean beans = ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int r = 0; r < 5; r++) {
            long before = beans.getCurrentThreadCpuTime(), x = random;
            for (int i = 0; i < 1_000_000; i++) {
                x = x * 0x5DEECE66DL + 11;
            }
            random = x;
            least = Math.min(least, beans.getCurrentThreadCpuTime() - before);
        }
        return least;
    }

    /** Events of entries end while a thread starts another one, in which nothing is told of: it is compiled again afterwards, as all are. */
    static void modes() throws Exception {
        loop();                                          // compiled before it is timed
        for (int i = 0; i < 3 * ROUNDS; i++) {
            off = false;
            AtomicInteger started = new AtomicInteger();
            AtomicLong[] times = {new AtomicLong(), new AtomicLong()};
            Check.equal(0, tell(LOCK, true), "events on");
            Crew crew = new Crew();
            crew.start("starts", () -> {
                while (!off) {
                    new Thread(started::incrementAndGet).start();
                }
                times[0].set(loop());
            });
            while (started.get() < 5) {
                crew.check();
                Thread.yield();
            }
            Check.equal(0, tell(LOCK, false), "events off");
            off = true;
            crew.start("later", () -> times[1].set(loop()));
            crew.join();
            Check.that(times[0].get() < 6 * times[1].get(), "ns of a loop of who started others meanwhile, and of a later one: " +
                       times[0] + " " + times[1]);
        }
    }

    public static void main(String[] args) throws Exception {
        allocations();
        ends();
        contentions();
        Crew crew = new Crew();
        Check.equal(0, tell(LOCK, true), "events on");
        for (int t = 0; t < THREADS; t++) {
            crew.start("works-" + t, () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    synchronized (LOCK) {
                        for (int k = 0; k < WORK; k++) {
                            sink++;                      // interpreted, as events of entries want it: long enough to be preempted
                        }
                        step();
                    }
                    Thread.yield();
                }
            });
        }
        crew.join();
        Check.equal(0, tell(LOCK, false), "events off");
        System.out.println(entries() + " entries, " + ofCarriers() + " of carriers");
        Check.that(entries() >= THREADS * ROUNDS, "events of coroutines: " + entries());
        Check.equal(0, ofCarriers(), "events of carriers");
        modes();
    }
}
