/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Class initialization: many threads wait for one initializer that parks until a thread that starts after them lets it
 *          go; the initializing thread uses its own class; an initializer that fails after a park; a superclass that is being
 *          initialized elsewhere; different ways in (static call, field, new, reflection, method handle). Catches: a wait for an
 *          initializer that keeps its carrier (hang with few carriers), an initializing thread that is not recognized after it
 *          was moved to another carrier (it would wait for itself), a wrong error for the threads that waited.
 * @library /test/lib
 * @run main ClassInit
 */

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class ClassInit {
    static final CountDownLatch slowGo = new CountDownLatch(1);
    static final CountDownLatch failGo = new CountDownLatch(1);
    static final CountDownLatch superGo = new CountDownLatch(1);
    static final AtomicInteger slowRuns = new AtomicInteger();

    static void initializerWaits(CountDownLatch latch) {
        try {
            for (int i = 0; i < 20; i++) {
                LockSupport.parkNanos(1000);        // several chances to move
                Thread.yield();
            }
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static class Slow {
        static int early;
        static Object created;
        static {
            slowRuns.incrementAndGet();
            initializerWaits(slowGo);
            Check.equal(0, Slow.early, "a field of the class, from its own initializer");
            created = new Slow();
            early = call();
        }
        int field = 7;
        static int call() {
            return 42;
        }
    }

    static class Failing {
        static {
            initializerWaits(failGo);
            if (failGo.getCount() == 0) {
                throw new IllegalStateException("on purpose");
            }
        }
        static void call() { }
    }

    static class Base {
        static final Thread by;
        static {
            initializerWaits(superGo);
            by = Thread.currentThread();
        }
    }

    static class Derived extends Base {
        static final Thread by = Thread.currentThread();
        static void call() { }
    }

    public static void main(String[] args) throws Exception {
        manyWaiters();
        failure();
        superclass();
        manyClasses();
    }

    static void manyWaiters() throws Exception {
        MethodHandle call = MethodHandles.lookup().findStatic(ClassInit.class, "viaHandle", MethodType.methodType(int.class));
        Crew crew = new Crew();
        AtomicInteger done = new AtomicInteger();
        Thread first = crew.start("initializer", Slow::call);
        Check.awaitFrame(first, "initializerWaits");
        AtomicInteger entered = new AtomicInteger();
        int n = 100;
        for (int i = 0; i < n; i++) {
            int k = i;
            crew.start("waiter-" + i, () -> {
                entered.incrementAndGet();
                switch (k % 5) {
                    case 0: Check.equal(42, Slow.call(), "static call"); break;
                    case 1: Check.equal(42, Slow.early, "static field"); break;
                    case 2: Check.equal(7, new Slow().field, "instance field"); break;
                    case 3: Class.forName("ClassInit$Slow"); break;
                    default: Check.equal(42, (int) call.invokeExact(), "method handle"); break;
                }
                Check.equal(42, Slow.early, "field after the initializer ran");
                done.incrementAndGet();
            });
        }
        Check.await(() -> entered.get() == n);
        Check.equal(0, done.get(), "threads that did not wait for the initializer");
        crew.start("lets go", slowGo::countDown);
        crew.join();
        Check.equal(1, slowRuns.get(), "runs of the initializer");
    }

    static int viaHandle() {
        return Slow.early;
    }

    static void failure() throws Exception {
        Crew crew = new Crew();
        AtomicInteger noClass = new AtomicInteger();
        AtomicInteger inInitializer = new AtomicInteger();
        int n = 50;
        for (int i = 0; i < n; i++) {
            crew.start("failing-" + i, () -> {
                try {
                    Failing.call();
                    throw new AssertionError("the class cannot be used");
                } catch (ExceptionInInitializerError e) {
                    Check.equal("on purpose", e.getCause().getMessage(), "the cause");
                    inInitializer.incrementAndGet();
                } catch (NoClassDefFoundError e) {
                    noClass.incrementAndGet();
                }
            });
        }
        crew.start("lets go", failGo::countDown);
        crew.join();
        Check.equal(1, inInitializer.get(), "threads that saw the exception of the initializer");
        Check.equal(n - 1, noClass.get(), "threads that waited and got NoClassDefFoundError");
    }

    /** One thread initializes the superclass, another the subclass, which waits for it while it marks itself "being initialized". */
    static void superclass() throws Exception {
        Crew crew = new Crew();
        Thread base = crew.start("base", () -> Check.that(Base.by == Thread.currentThread(), "base was initialized by this thread"));
        Check.awaitFrame(base, "initializerWaits");
        Thread derived = crew.start("derived", Derived::call);
        for (int i = 0; i < 30; i++) {
            crew.start("derived waiter-" + i, () -> Check.that(Derived.by == derived || Derived.by != null, "derived is initialized"));
        }
        crew.start("lets go", superGo::countDown);
        crew.join();
        Check.that(Base.by == base, "the superclass was initialized by its first user");
    }

    /** Initializers that depend on each other in a chain, entered from both ends by many threads. */
    static class C0 { static final int v; static { Thread.yield(); v = 1; } }
    static class C1 { static final int v; static { LockSupport.parkNanos(100_000); v = C0.v + 1; } }
    static class C2 { static final int v; static { Thread.yield(); v = C1.v + 1; } }
    static class C3 { static final int v; static { LockSupport.parkNanos(100_000); v = C2.v + 1; } }
    static class C4 { static final int v; static { Thread.yield(); v = C3.v + 1; } }

    static void manyClasses() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 50; i++) {
            int k = i;
            crew.start("chain-" + i, () -> {
                switch (k % 3) {
                    case 0: Check.equal(5, C4.v, "end of the chain"); break;
                    case 1: Check.equal(3, C2.v, "middle of the chain"); break;
                    default: Check.equal(1, C0.v, "start of the chain"); break;
                }
                Check.equal(15, C0.v + C1.v + C2.v + C3.v + C4.v, "the whole chain");
            });
        }
        crew.join();
    }
}
