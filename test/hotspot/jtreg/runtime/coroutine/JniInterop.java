/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Native code of a program beside coroutines: threads that it creates and attaches exchange messages with started
 *          threads; native methods that call back Java code which blocks, with a native mutex held, with thread-local variables,
 *          with a monitor entered by JNI, with local references; JNI functions that run class initializers, constructors and class
 *          loaders which block, with the mutex held; native calls that block their kernel thread while the other
 *          threads must go on. Catches: a thread that comes back to native code on another kernel thread, or another thread that
 *          runs on that kernel thread in between and finds the mutex its own; a blocking native call that stops the threads
 *          queued behind it (hang with few carriers); a misaligned stack.
 * @library /test/lib
 * @run main/native JniInterop
 */

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class JniInterop {
    static native void init();
    static native int callBack(int arg);
    static native int callBackLocked(int arg);
    static native int functionLocked(int function, Class<?> type, Object extra, byte[] bytes);
    static native int tryMutex();
    static native boolean monitor(Object lock, int arg);
    static native boolean references(int arg);
    static native int misalignment();
    static native void block(int fd);
    static native int openPipe(int[] fds);
    static native void release(int fd);
    static native void releaseLater(int fd, int millis);
    static native void startAttached(int n);
    static native int joinAttached(int n);

    static final int BRIEFLY = 1;
    static final int UNTIL_GO = 2;
    static final int COLLECT = 3;
    static final int RECURSE = 10;

    static volatile CountDownLatch go;
    static volatile CountDownLatch arrived;
    static final Object shared = new Object();

    /** Called from native code. */
    static void upcall(int what) throws Exception {
        switch (what) {
            case BRIEFLY:
                for (int i = 0; i < 5; i++) {
                    LockSupport.parkNanos(20_000);
                    Thread.yield();
                    synchronized (shared) {
                        shared.wait(0, 1);
                    }
                }
                Thread.sleep(1);
                break;
            case UNTIL_GO:
                arrived.countDown();
                go.await();
                break;
            case COLLECT:
                LockSupport.parkNanos(100_000);
                System.gc();
                Thread.yield();
                break;
            default:
                if (what > RECURSE) {
                    LockSupport.parkNanos(10_000);
                    Check.equal(0, callBack(what - 1), "a nested call back");
                    Thread.yield();
                }
                break;
        }
    }

    static final SynchronousQueue<Integer> toAttached = new SynchronousQueue<>();
    static final LinkedBlockingQueue<Integer> fromAttached = new LinkedBlockingQueue<>();
    static final Object attachedLock = new Object();
    static int attachedCount;

    /** Called from threads that native code has attached. */
    static void attached(int number) throws Exception {
        for (int i = 0; i < 20; i++) {
            fromAttached.put(toAttached.take() * 2);
            synchronized (attachedLock) {
                attachedCount++;
                attachedLock.notifyAll();
            }
        }
        Thread t = new Thread(() -> fromAttached.add(0));
        t.start();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("JniInterop");
        init();
        callBacks();
        heldMutex(() -> callBackLocked(UNTIL_GO));
        functions();
        pinnedMany();
        attachedThreads();
        blockingCalls();
        blockThenSleep();
    }

    static void callBacks() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 20; i++) {
            int k = i;
            crew.start("calls-" + i, () -> {
                Check.equal(0, misalignment(), "alignment of the stack in a native method");
                Check.equal(0, callBack(k % 2 == 0 ? BRIEFLY : COLLECT), "what changed across a call back");
                Check.equal(0, callBack(RECURSE + 5), "what changed across nested call backs");
                Object lock = new Object();
                Check.that(monitor(k % 2 == 0 ? lock : shared, COLLECT), "a monitor entered by JNI");
                Check.that(!Thread.holdsLock(lock), "a monitor left by JNI");
                Check.that(references(COLLECT), "local references across a call back");
                LockSupport.parkNanos(1000);
                Check.equal(0, misalignment(), "alignment of the stack after a park");
            });
        }
        crew.join();
    }

    /** While one thread holds a native mutex in a call back, others try it: each must find it busy, not its own. */
    static void heldMutex(IntSupplier holder) throws Exception {
        for (int round = 0; round < 3; round++) {
            Crew crew = new Crew();
            go = new CountDownLatch(1);
            arrived = new CountDownLatch(1);
            crew.start("holds the mutex", () -> Check.equal(0, holder.getAsInt(), "lock and unlock of a native mutex"));
            arrived.await();
            AtomicInteger busy = new AtomicInteger();
            int n = 30;
            for (int i = 0; i < n; i++) {
                crew.start("tries-" + i, () -> {
                    Check.equal(-1, tryMutex(), "a mutex that another thread holds");
                    Thread.yield();
                    Check.equal(-1, tryMutex(), "a mutex that another thread holds");
                    if (busy.incrementAndGet() == n) {
                        go.countDown();
                    }
                });
            }
            crew.join();
            Check.equal(0, tryMutex(), "the mutex is free again");
        }
    }

    /** Each is initialized in a call of a JNI function; a new one for each call, by a loader of its own. */
    static class Initialized {
        static {
            untilGo();
        }

        int field;
        static int staticField;

        void method() {
        }

        static void staticMethod() {
        }
    }

    static class Subclass extends Initialized {
    }

    static class Takes {
        void takes(Unknown unknown) {
        }
    }

    static class Unknown {
    }

    static class Thrown extends RuntimeException {
        Thrown(String message) {
            super(message);
            untilGo();
        }

        Thrown() {
        }

        @Override
        public void printStackTrace() {
            untilGo();
        }
    }

    public static void untilGo() {         // also called by classes of other loaders
        arrived.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Defines the classes of this test again, the one that it blocks for when it may go on. */
    static class Loader extends ClassLoader {
        private final String blocksFor;

        Loader(String blocksFor) {
            super(JniInterop.class.getClassLoader());
            this.blocksFor = blocksFor;
        }

        static byte[] bytes(String name) {
            try (InputStream in = JniInterop.class.getResourceAsStream(name + ".class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("JniInterop$")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                if (name.equals(blocksFor)) {
                    untilGo();
                }
                byte[] bytes = bytes(name);
                return defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    static final String[] FUNCTIONS = {"AllocObject", "GetMethodID", "GetStaticMethodID", "GetFieldID", "GetStaticFieldID",
        "FromReflectedMethod", "FromReflectedField", "CallStaticIntMethodV", "ToReflectedMethod", "DefineClass", "ThrowNew",
        "ExceptionDescribe", "NewObjectArray"};

    static int function(String name, Class<?> type, Object extra, byte[] bytes) {
        return functionLocked(List.of(FUNCTIONS).indexOf(name), type, extra, bytes);
    }

    static Class<?> fresh(String name, String blocksFor) throws ReflectiveOperationException {
        return Class.forName("JniInterop$" + name, false, new Loader(blocksFor));
    }

    /** The functions that may run Java code. */
    static void functions() throws Exception {
        for (String name : FUNCTIONS) {
            System.out.println(name);
            heldMutex(() -> {
                try {
                    switch (name) {
                        case "FromReflectedMethod":
                            return function(name, null, fresh("Initialized", "").getDeclaredMethod("method"), null);
                        case "FromReflectedField":
                            return function(name, null, fresh("Initialized", "").getDeclaredField("field"), null);
                        case "ToReflectedMethod":
                            return function(name, fresh("Takes", "JniInterop$Unknown"), null, null);
                        case "DefineClass":
                            return function(name, null, new Loader("JniInterop$Initialized"), Loader.bytes("JniInterop$Subclass"));
                        case "ThrowNew":
                            return function(name, Thrown.class, null, null);
                        case "ExceptionDescribe":
                            return function(name, null, new Thrown(), null);
                        default:
                            return function(name, fresh("Initialized", ""), null, null);
                    }
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    /** More threads than carriers blocked below native frames; the one that lets them go starts last. */
    static void pinnedMany() throws Exception {
        Crew crew = new Crew();
        int n = Math.min(Vm.carriers(), 16) + 4;
        go = new CountDownLatch(1);
        arrived = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            crew.start("pinned-" + i, () -> Check.equal(0, callBack(UNTIL_GO), "what changed across a call back"));
        }
        arrived.await();
        crew.start("lets go", () -> go.countDown());
        crew.join();
    }

    static void attachedThreads() throws Exception {
        int n = 12;
        startAttached(n);
        Crew crew = new Crew();
        crew.start("joins natively", () -> Check.equal(0, joinAttached(n), "attached threads that failed"));
        for (int i = 0; i < 3 * n; i++) {
            crew.start("sends-" + i, () -> {
                for (int j = 0; j < 20; j++) {
                    toAttached.put(1);
                }
            });
        }
        int sum = 0;
        for (int i = 0; i < 3 * n * 21; i++) {
            sum += fromAttached.take();
        }
        Check.equal(2 * 3 * n * 20, sum, "sum of the answers");
        synchronized (attachedLock) {
            while (attachedCount < 3 * n * 20) {
                attachedLock.wait();
            }
        }
        crew.join();
    }

    /** More threads than carriers blocked in the kernel; those queued behind them must run, and one of them releases all. */
    static void blockingCalls() throws Exception {
        int[] fds = new int[2];
        Check.equal(0, openPipe(fds), "pipe");
        int n = Math.min(Vm.carriers(), 16) + 2;
        Crew crew = new Crew();
        for (int i = 0; i < n; i++) {
            crew.start("blocks-" + i, () -> {
                block(fds[0]);
                Thread.yield();
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitFrame(t, "block");
        }
        crew.start("releases", () -> {
            for (int i = 0; i < n; i++) {
                release(fds[1]);
            }
        });
        crew.join();
    }

    /**
     * A thread that was so long in native code that its carrier went on without it, and that then sets a timer while nothing
     * else runs at all.
     */
    static void blockThenSleep() throws Exception {
        int[] fds = new int[2];
        Check.equal(0, openPipe(fds), "pipe");
        for (int round = 0; round < 3; round++) {
            Crew crew = new Crew();
            Thread t = crew.start("blocks, then sleeps", () -> {
                block(fds[0]);
                Thread.sleep(5);
                synchronized (fds) {
                    fds.wait(5);
                }
            });
            Check.awaitFrame(t, "block");
            for (int i = 0; i < Math.min(Vm.carriers(), 8) + 2; i++) {
                crew.start("runs meanwhile-" + i, () -> {
                    long end = System.nanoTime() + 10_000_000;
                    while (System.nanoTime() < end) {
                        Thread.yield();
                    }
                });
            }
            for (Thread other : crew.threads()) {
                if (other != t) {
                    other.join();
                }
            }
            releaseLater(fds[1], round * 250);
            t.join();                       // no timeout: nothing else may wake a carrier
            crew.join();
        }
    }
}
