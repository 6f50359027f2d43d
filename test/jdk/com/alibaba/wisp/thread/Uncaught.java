/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Exceptions that nobody catches: the thread's own handler, the group's, the default one, in this order; a handler that
 *          throws or blocks; the message on standard error without any handler, and the exit code. Other threads go on, whoever
 *          joins is woken. Catches: a handler that is not called or is called on another thread, an exception that takes the
 *          carrier or its neighbours down, a thread that ends without releasing what waits for it.
 * @library /test/lib
 * @run main Uncaught
 */

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Uncaught {
    static class Expected extends RuntimeException {
        Expected(String message) {
            super(message);
        }
    }

    static final Set<String> handled = Collections.synchronizedSet(new HashSet<>());

    static void handle(String handler, Thread t, Throwable e) {
        Check.that(Thread.currentThread() == t, "the handler runs on " + Thread.currentThread() + " for " + t);
        Check.that(t.isAlive(), "alive while its handler runs");
        Check.equal(t.getName(), e.getMessage(), "the exception of this thread");
        handled.add(handler + " " + t.getName());
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child(args[0]);
            return;
        }
        neighbours();
        // In a child, because the harness has a thread group that takes every exception for a failure.
        Vm.java("Uncaught", "handlers").exited(0).has("all handlers");
        Vm.java("Uncaught", "thread").exited(0)
            .has("Exception in thread \"fails\" Uncaught$Expected: fails").has("at Uncaught.fail(").has("joined and going on");
        Vm.java("Uncaught", "main").exited(1)
            .has("Exception in thread \"main\" Uncaught$Expected: main").has("the other one ends");
        Vm.java("Uncaught", "handler throws").exited(0)
            .has("Exception: Uncaught$Expected thrown from the UncaughtExceptionHandler in thread \"fails\"").has("going on");
    }

    static void fail() {
        LockSupport.parkNanos(1000);
        throw new Expected(Thread.currentThread().getName());
    }

    static void handlers() throws Exception {
        ThreadGroup group = new ThreadGroup("own group") {
            @Override
            public void uncaughtException(Thread t, Throwable e) {
                handle("group", t, e);
            }
        };
        Thread own = new Thread(group, Uncaught::fail, "own handler");
        own.setUncaughtExceptionHandler((t, e) -> handle("own", t, e));
        Thread inGroup = new Thread(group, Uncaught::fail, "in the group");
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> handle("default", t, e));
        Thread plain = new Thread(new ThreadGroup("plain group"), Uncaught::fail, "plain");
        Thread blocks = new Thread(Uncaught::fail, "handler blocks");
        CountDownLatch go = new CountDownLatch(1);
        blocks.setUncaughtExceptionHandler((t, e) -> {
            try {
                go.await();
                Thread.sleep(1);
                synchronized (go) {
                    go.wait(1);
                }
            } catch (InterruptedException x) {
                throw new AssertionError(x);
            }
            handle("blocking", t, e);
        });
        Thread error = new Thread(() -> {
            throw new Error("error");
        }, "error");
        for (Thread t : new Thread[] {own, inGroup, plain, blocks, error}) {
            t.start();
        }
        Check.awaitState(blocks, Thread.State.WAITING);
        go.countDown();
        for (Thread t : new Thread[] {own, inGroup, plain, blocks, error}) {
            t.join();
            Check.equal(Thread.State.TERMINATED, t.getState(), "state of " + t.getName());
        }
        Thread.setDefaultUncaughtExceptionHandler(before);
        Set<String> expected = Set.of("own own handler", "group in the group", "default plain", "blocking handler blocks");
        Check.that(handled.containsAll(expected), "handlers called: " + handled);
        System.out.println("all handlers");
    }

    /** Failing threads among others that wait, on the same carriers. */
    static void neighbours() throws Exception {
        AtomicInteger called = new AtomicInteger();
        Crew crew = new Crew();
        int n = 200;
        CountDownLatch allFailed = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            crew.start("neighbour-" + i, () -> {
                allFailed.await();
                Thread.yield();
            });
            Thread t = new Thread(() -> {
                Object lock = new Object();
                synchronized (lock) {
                    fail();
                }
            }, "failing-" + i);
            t.setUncaughtExceptionHandler((x, e) -> {
                called.incrementAndGet();
                allFailed.countDown();
            });
            t.start();
        }
        crew.join();
        Check.equal(n, called.get(), "handler calls");
    }

    static void child(String what) throws Exception {
        if (what.equals("main")) {
            new Thread(() -> {
                LockSupport.parkNanos(50_000_000);
                System.out.println("the other one ends");
            }).start();
            throw new Expected("main");
        }
        if (what.equals("handlers")) {
            handlers();
            return;
        }
        Thread t = new Thread(Uncaught::fail, "fails");
        if (what.equals("handler throws")) {
            t.setUncaughtExceptionHandler((x, e) -> {
                throw new Expected("again");
            });
        }
        t.start();
        t.join();
        System.out.println("joined and going on");
    }
}
