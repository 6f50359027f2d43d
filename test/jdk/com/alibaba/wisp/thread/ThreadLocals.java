/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What belongs to a thread stays with it however often it parks and moves: ThreadLocal, InheritableThreadLocal,
 *          ThreadLocalRandom, the context class loader, the inherited access control context, currentThread, holdsLock, and the
 *          end clears it. Catches: a value kept by the carrier, a current thread that is cached across a park, an end that
 *          leaves values behind for the next thread.
 * @library /test/lib
 * @run main ThreadLocals
 */

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class ThreadLocals {
    static final AtomicInteger initialized = new AtomicInteger();
    static final ThreadLocal<Integer> plain = new ThreadLocal<>();
    static final ThreadLocal<int[]> initial = ThreadLocal.withInitial(() -> {
        initialized.incrementAndGet();
        Thread.yield();
        return new int[1];
    });
    static final InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>() {
        @Override
        protected String childValue(String parent) {
            return parent + "'";
        }
    };

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        int n = 300;
        for (int i = 0; i < n; i++) {
            int k = i;
            crew.start("local-" + i, () -> one(k));
        }
        crew.join();
        Check.equal(n, initialized.get(), "initial values");
        collected();
    }

    static void one(int k) throws Exception {
        Thread me = Thread.currentThread();
        Check.that(plain.get() == null, "a value from nowhere");
        plain.set(k);
        inherited.set("v" + k);
        ClassLoader loader = new URLClassLoader(new URL[0], null);
        me.setContextClassLoader(loader);
        Object lock = new Object();
        synchronized (lock) {
            for (int i = 0; i < 30; i++) {
                initial.get()[0]++;
                switch ((i + k) % 3) {
                    case 0: Thread.yield(); break;
                    case 1: LockSupport.parkNanos(1000); break;
                    default: ThreadLocalRandom.current().nextInt(); break;
                }
                Check.equal(k, plain.get(), "a thread local after a park");
                Check.that(Thread.currentThread() == me, "currentThread after a park");
                Check.that(me.getContextClassLoader() == loader, "context class loader after a park");
                Check.that(Thread.holdsLock(lock), "a monitor after a park");
                Check.equal(i + 1, initial.get()[0], "counter");
            }
        }
        String[] seen = new String[3];
        Thread child = new Thread(() -> {
            seen[0] = inherited.get();
            Thread.yield();
            seen[1] = inherited.get();
            seen[2] = String.valueOf(plain.get());
            Check.that(Thread.currentThread().getContextClassLoader() == loader, "inherited context class loader");
        });
        child.start();
        child.join();
        Check.equal("v" + k + "'", seen[0], "inherited value");
        Check.equal("v" + k + "'", seen[1], "inherited value after a yield");
        Check.equal("null", seen[2], "a value that is not inherited");
    }

    /** The values of ended threads can be collected. */
    static void collected() throws Exception {
        WeakReference<?>[] refs = new WeakReference<?>[50];
        Crew crew = new Crew();
        ThreadLocal<Object> local = new ThreadLocal<>();
        CountDownLatch all = new CountDownLatch(refs.length);
        for (int i = 0; i < refs.length; i++) {
            int k = i;
            crew.start("collected-" + i, () -> {
                Object o = new byte[10_000];
                local.set(o);
                refs[k] = new WeakReference<>(o);
                all.countDown();
                all.await();
            });
        }
        crew.join();
        Check.await(() -> {
            System.gc();
            return Arrays.stream(refs).allMatch(r -> r.get() == null);
        });
        Check.that(local.get() == null, "no value here");
    }
}
