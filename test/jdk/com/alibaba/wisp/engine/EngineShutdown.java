/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary The end of a created engine: shutdown() lets tasks go on and takes no new ones, shutdownNow() interrupts all, also
 *          those that are just starting, awaitTermination() returns when the last task has ended and not before.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine
 * @run main/othervm -XX:+UseWisp2 EngineShutdown
 */

import com.alibaba.wisp.engine.WispEngine;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;

public class EngineShutdown {
    public static void main(String[] args) throws Exception {
        idle();
        orderly();
        interrupting();
        racing();
        fromATask();
    }

    static WispEngine create() {
        return WispEngine.createEngine(2, Thread::new);
    }

    static void rejects(WispEngine engine) {
        Check.throwing(RejectedExecutionException.class, "a task after the end", () -> engine.execute(() -> { }));
        Check.throwing(RejectedExecutionException.class, "a call after the end", () -> engine.submit(() -> 1));
    }

    static void idle() throws Exception {
        WispEngine engine = create();
        Check.that(!engine.isShutdown() && !engine.isTerminated(), "a new engine is up");
        Check.that(!engine.awaitTermination(0, TimeUnit.SECONDS), "no time to wait");
        engine.shutdown();
        engine.shutdown();
        Check.that(engine.isShutdown() && engine.isTerminated(), "an engine without tasks ends at once");
        Check.that(engine.awaitTermination(0, TimeUnit.SECONDS), "nothing to wait for");
        rejects(engine);
    }

    static void orderly() throws Exception {
        WispEngine engine = create();
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            engine.execute(() -> {
                try {
                    release.await();
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                ended.incrementAndGet();
            });
        }
        engine.shutdown();
        rejects(engine);
        Check.that(engine.isShutdown() && !engine.isTerminated(), "tasks still run");
        long start = System.nanoTime();
        Check.that(!engine.awaitTermination(50, TimeUnit.MILLISECONDS), "tasks still run");
        Check.that(System.nanoTime() - start >= 50_000_000L, "returned before the time was up");
        CountDownLatch waiting = new CountDownLatch(2);
        boolean[] seen = new boolean[2];
        Thread[] waiters = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int n = i;
            waiters[i] = new Thread(() -> {
                waiting.countDown();
                try {
                    seen[n] = engine.awaitTermination(1, TimeUnit.DAYS) && ended.get() == 10;
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            waiters[i].start();
        }
        waiting.await();
        release.countDown();
        for (int i = 0; i < 2; i++) {
            waiters[i].join();
            Check.that(seen[i], "waiter " + i);
        }
        Check.that(engine.isTerminated(), "terminated");
    }

    static void interrupting() throws Exception {
        WispEngine engine = create();
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch running = new CountDownLatch(10);
        for (int i = 0; i < 10; i++) {
            engine.execute(() -> {
                running.countDown();
                try {
                    Thread.sleep(TimeUnit.DAYS.toMillis(1));
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                }
            });
        }
        running.await();
        Check.equal(0, engine.shutdownNow().size(), "tasks that wait");
        Check.that(engine.awaitTermination(1, TimeUnit.DAYS), "terminated");
        Check.equal(10, interrupted.get(), "interrupted tasks");
        rejects(engine);

        Thread self = Thread.currentThread();
        self.interrupt();
        Check.throwing(InterruptedException.class, "an interrupted waiter", () -> engine.awaitTermination(1, TimeUnit.DAYS));
        Check.that(!self.isInterrupted(), "the status is cleared");
    }

    /** shutdownNow() against execute(): whoever was accepted is interrupted, or it never ends. */
    static void racing() throws Exception {
        for (int round = 0; round < 200; round++) {
            WispEngine engine = create();
            CountDownLatch first = new CountDownLatch(1 + round % 3);
            Thread submitter = new Thread(() -> {
                try {
                    for (int i = 0; i < 50; i++) {
                        engine.execute(() -> {
                            first.countDown();
                            try {
                                Thread.sleep(TimeUnit.DAYS.toMillis(1));
                            } catch (InterruptedException e) {
                                // the end
                            }
                        });
                        if (i % 5 == 4) {
                            Thread.yield();     // with one carrier, let the tasks begin
                        }
                    }
                } catch (RejectedExecutionException e) {
                    // the end
                }
            });
            submitter.start();
            first.await();
            engine.shutdownNow();
            submitter.join();
            Check.that(engine.awaitTermination(1, TimeUnit.DAYS), "terminated");
        }
    }

    static void fromATask() throws Exception {
        WispEngine engine = create();
        CountDownLatch done = new CountDownLatch(1);
        engine.execute(() -> {
            engine.shutdownNow();
            Check.that(Thread.interrupted(), "a task that shuts its engine down is interrupted, too");
            Check.that(!engine.isTerminated(), "it still runs");
            done.countDown();
        });
        done.await();
        Check.that(engine.awaitTermination(1, TimeUnit.DAYS), "terminated");
    }
}
