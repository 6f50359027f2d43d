/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary Tasks of the root engine and of created engines: they are coroutines, also when submitted from an OS thread and while
 *          Thread.start() converts nothing; current() and WispTask name the right engine and thread; the factory decides on
 *          the threads; an exception that escapes a task goes to the uncaught-exception handler and harms nobody else.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine
 * @run main/othervm -XX:+UseWisp2 EngineTasks
 * @run main/othervm -XX:+UseWisp2 -Dcom.alibaba.wisp.allThreadAsWisp=false EngineTasks
 * @run main/othervm -XX:+UseWisp2 -Dcom.alibaba.wisp.enableThreadAsWisp=false EngineTasks
 */

import com.alibaba.wisp.engine.WispEngine;
import com.alibaba.wisp.engine.WispTask;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;

public class EngineTasks {
    static final boolean CONVERTING = WispEngine.enableThreadAsWisp()
        && !"false".equals(System.getProperty("com.alibaba.wisp.allThreadAsWisp"));

    /** Runs code as a task of the engine and hands on what it throws. */
    static void in(WispEngine engine, Check.Code code) throws Exception {
        engine.submit(() -> {
            try {
                code.run();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable t) {
                throw new AssertionError(t);
            }
            return null;
        }).get();
    }

    public static void main(String[] args) throws Exception {
        Check.that(WispEngine.transparentWispSwitch(), "transparentWispSwitch");
        threads();
        root();
        created();
        factories();
        executor();
        exceptions();
        tasks();
        many();
    }

    static void threads() throws Exception {
        boolean[] coroutine = new boolean[1];
        Thread t = new Thread(() -> coroutine[0] = WispTask.current() != null);
        t.start();
        t.join();
        Check.equal(CONVERTING, coroutine[0], "a plain thread is a coroutine");
    }

    static void root() throws Exception {
        WispEngine root = WispEngine.current();
        Check.that(root == WispEngine.current(), "current() is always the same");
        SynchronousQueue<Object> results = new SynchronousQueue<>();
        WispEngine.dispatch(() -> {
            try {
                results.put(WispTask.current());
                results.put(Thread.currentThread());
                results.put(WispEngine.current());
                WispEngine.dispatch(() -> {
                    try {
                        results.put(WispTask.current());
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
            } catch (InterruptedException | NullPointerException e) {
                throw new AssertionError(e);
            }
        });
        WispTask task = (WispTask) results.take();
        Thread thread = (Thread) results.take();
        Check.that(task.getThreadWrapper() == thread, "getThreadWrapper");
        Check.that(thread.isDaemon(), "a task of the root engine is a daemon");
        Check.that(thread.getName().startsWith("WispTask-"), "name " + thread.getName());
        Check.that(results.take() == root, "current() in a task");
        Check.that(!results.take().equals(task), "the task of a task is another one");

        Check.throwing(UnsupportedOperationException.class, "shutdown of the root", root::shutdown);
        Check.throwing(UnsupportedOperationException.class, "shutdownNow of the root", root::shutdownNow);
        Check.that(!root.isShutdown() && !root.isTerminated(), "the root is up");
        Check.that(!root.awaitTermination(10, java.util.concurrent.TimeUnit.MILLISECONDS), "the root terminated");
        Check.throwing(NullPointerException.class, "dispatch(null)", () -> WispEngine.dispatch(null));
    }

    static void created() throws Exception {
        WispEngine root = WispEngine.current();
        WispEngine one = WispEngine.createEngine(1, Thread::new);
        WispEngine two = WispEngine.createEngine(1024, Thread::new);
        in(one, () -> {
            Check.that(WispTask.current() != null, "a task is a coroutine");
            Check.that(WispEngine.current() == one, "current() in a task of the first engine");
            in(two, () -> Check.that(WispEngine.current() == two, "current() in a task of the second engine"));
            CountDownLatch done = new CountDownLatch(1);
            WispEngine[] seen = new WispEngine[2];
            WispEngine.dispatch(() -> {
                seen[0] = WispEngine.current();
                done.countDown();
            });
            done.await();
            Check.that(seen[0] == one, "dispatch() stays in the engine");
            Thread t = new Thread(() -> seen[1] = WispEngine.current());
            t.start();
            t.join();
            Check.that(seen[1] == root, "a plain thread belongs to the root");
        });
        Check.that(WispEngine.current() == root, "current() outside");
        for (int size : new int[] {0, -1, 1025, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            Check.throwing(IllegalArgumentException.class, "size " + size, () -> WispEngine.createEngine(size, Thread::new));
        }
        Check.throwing(NullPointerException.class, "no factory", () -> WispEngine.createEngine(1, null));
        List<Long> ids = one.getWispCarrierIds();
        Check.equal(ids, root.getWispCarrierIds(), "carriers are shared");
        Check.equal(Integer.getInteger("com.alibaba.wisp.carrierEngines", Runtime.getRuntime().availableProcessors()),
                    ids.size(), "carriers");
        Check.equal(new HashSet<>(ids), WispEngine.getManagedEngineCounters().keySet(), "counters");
        for (long id : ids) {
            Check.that(WispEngine.getWispCounter(id) != null, "no counter for " + id);
        }
        Check.that(WispEngine.getWispCounter(-1) == null && WispEngine.getWispCounter(ids.size()) == null
                   && WispEngine.getWispCounter(1L << 32) == null, "counters of no carrier");
    }

    static void factories() throws Exception {
        ThreadGroup group = new ThreadGroup("of the factory");
        ClassLoader loader = new ClassLoader() { };
        AtomicInteger made = new AtomicInteger();
        ThreadFactory factory = r -> {
            Thread t = new Thread(group, r, "mine-" + made.getAndIncrement());
            t.setDaemon(true);
            t.setPriority(7);
            t.setContextClassLoader(loader);
            return t;
        };
        WispEngine engine = WispEngine.createEngine(2, factory);
        Check.equal(0, made.get(), "threads before the first task");
        for (int i = 0; i < 3; i++) {
            String name = "mine-" + i;
            in(engine, () -> {
                Thread t = Thread.currentThread();
                Check.equal(name, t.getName(), "name");
                Check.equal(name, WispTask.current().getName(), "name of the task");
                Check.that(t.isDaemon() && t.getThreadGroup() == group && t.getPriority() == 7
                           && t.getContextClassLoader() == loader, "what the factory has set");
            });
        }
        Check.equal(3, made.get(), "threads");

        WispEngine none = WispEngine.createEngine(1, r -> null);
        Check.throwing(RejectedExecutionException.class, "a factory without thread", () -> none.execute(() -> { }));
        WispEngine failing = WispEngine.createEngine(1, r -> {
            throw new IllegalStateException("on purpose");
        });
        Check.throwing(IllegalStateException.class, "a factory that fails", () -> failing.execute(() -> { }));
        WispEngine started = WispEngine.createEngine(1, r -> Thread.currentThread());
        Check.throwing(IllegalThreadStateException.class, "a thread that runs", () -> started.execute(() -> { }));
        for (WispEngine e : new WispEngine[] {none, failing, started}) {
            e.shutdown();
            Check.that(e.isTerminated(), "a task that never started keeps the engine alive");
        }

        boolean[] coroutine = new boolean[1];
        WispEngine wrapping = WispEngine.createEngine(1, r -> new Thread(() -> r.run()));
        in(wrapping, () -> {
            coroutine[0] = WispTask.current() != null;
            Check.that(WispEngine.current() == wrapping, "current() below a wrapper");
        });
        Check.equal(CONVERTING, coroutine[0], "a wrapped task is a coroutine");
    }

    static void executor() throws Exception {
        WispEngine engine = WispEngine.createEngine(2, Thread::new);
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int n = i;
            calls.add(() -> {
                Thread.sleep(n % 3);
                return n;
            });
        }
        int sum = 0;
        for (Future<Integer> f : engine.invokeAll(calls)) {
            sum += f.get();
        }
        Check.equal(1225, sum, "invokeAll");
        Check.equal("x", engine.invokeAny(Arrays.asList(() -> "x")), "invokeAny");
        Exception e = Check.throwing(ExecutionException.class, "a call that fails",
                                     () -> engine.submit(() -> {
                                         throw new java.io.IOException("on purpose");
                                     }).get());
        Check.equal(java.io.IOException.class, e.getCause().getClass(), "cause");
    }

    static void exceptions() throws Exception {
        SynchronousQueue<Object> caught = new SynchronousQueue<>();
        Thread.UncaughtExceptionHandler handler = (t, x) -> {
            try {
                caught.put(t);
                caught.put(x);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch survivors = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            WispEngine.dispatch(() -> {
                try {
                    end.await();
                    survivors.countDown();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        WispEngine engine = WispEngine.createEngine(1, r -> {
            Thread t = new Thread(r);
            t.setUncaughtExceptionHandler(handler);
            return t;
        });
        Error[] errors = {new StackOverflowError("on purpose"), new AssertionError("on purpose"), new OutOfMemoryError("on purpose")};
        for (Error error : errors) {
            Thread[] thrower = new Thread[1];
            WispEngine.dispatch(() -> {
                thrower[0] = Thread.currentThread();
                thrower[0].setUncaughtExceptionHandler(handler);
                throw error;
            });
            Object t = caught.take();
            Check.that(caught.take() == error && t == thrower[0], "what the handler got for " + error);
            engine.execute(() -> {
                throw error;
            });
            caught.take();
            Check.that(caught.take() == error, "what the handler got");
        }
        end.countDown();
        survivors.await();
        engine.shutdown();
        Check.that(engine.awaitTermination(1, java.util.concurrent.TimeUnit.DAYS), "failed tasks do not count as alive");
    }

    static void tasks() throws Exception {
        List<WispTask> list = new ArrayList<>();
        WispEngine engine = WispEngine.createEngine(1, Thread::new);
        for (int i = 0; i < 2; i++) {
            in(engine, () -> {
                WispTask one = WispTask.current();
                WispTask two = WispTask.current();
                Check.that(one.equals(two) && one.hashCode() == two.hashCode() && one.compareTo(two) == 0, "views of one task");
                Check.that(!one.equals(null) && !one.equals(Thread.currentThread()), "other objects");
                Thread.currentThread().setName("renamed");
                Check.equal("renamed", one.getName(), "name");
                Check.that(one.toString().contains("\"renamed\""), "toString " + one);
                list.add(one);
            });
        }
        Check.that(!list.get(0).equals(list.get(1)), "two tasks");
        Check.that(list.get(0).compareTo(list.get(1)) < 0 && list.get(1).compareTo(list.get(0)) > 0, "order");
    }

    static void many() throws Exception {
        WispEngine engine = WispEngine.createEngine(3, r -> {
            Thread t = new Thread(r);
            t.setDaemon(true);
            return t;
        });
        int n = 2000;
        AtomicInteger ran = new AtomicInteger();
        Set<Thread> threads = java.util.concurrent.ConcurrentHashMap.newKeySet();
        CountDownLatch done = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            engine.execute(() -> {
                ran.incrementAndGet();
                threads.add(Thread.currentThread());
                Thread.yield();
                done.countDown();
            });
        }
        done.await();
        Check.equal(n, ran.get(), "tasks");
        Check.equal(n, threads.size(), "threads");
        engine.shutdown();
        Check.that(engine.awaitTermination(1, java.util.concurrent.TimeUnit.DAYS) && engine.isTerminated(), "terminated");
    }
}
