/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @key stress
 * @summary What the VM does to threads while they are parked, all at a time and for a number of seconds: their stacks are scanned
 *          and moved objects patched, they are deoptimized, their methods redefined, their classes unloaded, exceptions and stack
 *          overflows unwind them, their monitors are inflated and deflated, they are dumped and walked. Every frame has values of
 *          all kinds that must be there when the thread goes on. `make stress` runs it with each collector and compiler.
 * @library /test/lib
 * @run main/othervm/timeout=300 VmStress 20
 */

// Protocol. main() is a kernel thread: it starts a group of threads for each activity and waits until the time is over. Each thread calls its
// activity again and again and counts the calls. An activity ends by itself in a bounded time: no wait in it depends on a thread of another
// activity. At the end all threads must end within HANG_SECONDS; a thread dump is printed otherwise and the exit status is 3. Each activity
// must have been called at least once, so that a stress run in which nothing ran does not count as passed.
// With VmStressAgent as -javaagent methods are redefined, too.

import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import wisptest.Check;

public class VmStress {
    static final int HANG_SECONDS = Integer.getInteger("vmstress.hang", 240);

    interface Activity {
        void once(Random random) throws Throwable;
    }

    static volatile boolean over;
    static volatile long deadline;
    static final AtomicReference<Throwable> failure = new AtomicReference<>();
    static Instrumentation instrumentation;                   // set by the agent

    // ---- Values that a frame holds while its thread is away

    /** A chain whose sum tells whether all of it is still what it was. */
    static final class Node {
        final Node next;
        final long value;
        final byte[] payload;

        Node(Node next, long value) {
            this.next = next;
            this.value = value;
            this.payload = new byte[(int) (value & 63)];
        }

        static Node chain(int length, long seed) {
            Node n = null;
            for (int i = 0; i < length; i++) {
                n = new Node(n, seed + i);
            }
            return n;
        }

        static long sum(Node n) {
            long s = 0;
            for (; n != null; n = n.next) {
                Check.equal((long) n.payload.length, n.value & 63, "length of a payload");
                s += n.value;
            }
            return s;
        }
    }

    /** Leaves the carrier in one of the ways there are. */
    public static void away(Random random) {
        switch (random.nextInt(8)) {
            case 0: LockSupport.parkNanos(1 + random.nextInt(100_000)); break;
            case 1: LockSupport.parkUntil(System.currentTimeMillis() + random.nextInt(2)); break;
            case 2:
                try {
                    Thread.sleep(0, 1 + random.nextInt(500_000));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                break;
            case 3: {
                Object o = new Object();
                synchronized (o) {
                    o.hashCode();                            // the header is displaced: inflates
                    try {
                        o.wait(1);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                break;
            }
            case 4: {
                Thread self = Thread.currentThread();
                Thread t = new Thread(() -> LockSupport.unpark(self), "waker");
                t.start();
                LockSupport.park();
                break;
            }
            default: Thread.yield();
        }
    }

    /** Recursion with locals of each kind, away at the bottom and on the way back. */
    static double frames(int depth, Random random, int i, long l, float f, double d, Object o) {
        Node chain = Node.chain(4, l);
        String s = "s" + i;
        double below = 0;
        if (depth > 0) {
            below = frames(depth - 1, random, i + 1, l * 3 + 1, f + 0.5f, d * 1.5, s);
        } else {
            away(random);
        }
        if ((depth & 7) == 3) {
            away(random);
        }
        Check.equal("s" + i, s, "a string");
        Check.equal(Node.sum(chain), 4 * l + 6, "a chain");
        Check.that(o == null || o.hashCode() != 1, "an argument");
        return below + i + f + d;
    }

    static void frames(Random random) {
        int depth = 1 + random.nextInt(30);
        double got = frames(depth, random, 1, 7, 1.5f, 2.5, null);
        double expected = 0;
        int i = 1;
        float f = 1.5f;
        double d = 2.5;
        double[] parts = new double[depth + 1];
        for (int k = 0; k <= depth; k++, i++, f += 0.5f, d *= 1.5) {
            parts[k] = i + f + d;
        }
        for (int k = depth; k >= 0; k--) {
            expected += parts[k];
        }
        Check.that(Math.abs(got - expected) <= Math.abs(expected) * 1e-6, "sum of the frames: " + got + ", not " + expected);
    }

    // ---- Exceptions through frames that were away

    static final class Marked extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int mark;

        Marked(int mark) {
            super("marked " + mark);
            this.mark = mark;
        }
    }

    private static final Object[] exceptionLocks = {new Object(), new Object(), new Object()};

    static int throwing(int depth, Random random, int mark, int[] unwound) {
        try {
            synchronized (exceptionLocks[mark % 3]) {
                if (depth == 0) {
                    away(random);
                    if (random.nextInt(3) == 0) {
                        int[] none = null;
                        return none[0];                      // by a signal
                    }
                    throw new Marked(mark);
                }
                return throwing(depth - 1, random, mark, unwound) + 1;
            }
        } finally {
            unwound[0]++;
        }
    }

    static void exceptions(Random random) {
        int[] unwound = new int[1];
        int mark = random.nextInt(1000);
        int depth = random.nextInt(12);
        try {
            throwing(depth, random, mark, unwound);
            throw new AssertionError("no exception came through");
        } catch (Marked e) {
            Check.equal(mark, e.mark, "the mark");
        } catch (NullPointerException e) {
            // thrown below as well
        }
        Check.equal(depth + 1, unwound[0], "frames that were unwound");
        for (Object lock : exceptionLocks) {
            Check.that(!Thread.holdsLock(lock), "a lock is held after an exception");
        }
    }

    // ---- Stack overflow, in a thread of its own with a small stack

    static int overflow(int depth, Object lock, ReentrantLock reserved) {
        synchronized (lock) {
            if ((depth & 15) == 0) {
                reserved.lock();                             // its methods have a reserved zone
                reserved.unlock();
            }
            return overflow(depth + 1, lock, reserved) + 1;
        }
    }

    static void overflows(Random random) throws Exception {
        AtomicReference<Throwable> bad = new AtomicReference<>();
        Thread t = new Thread(null, () -> {
            try {
                Object lock = new Object();
                for (int round = 0; round < 2; round++) {
                    ReentrantLock reserved = new ReentrantLock();
                    boolean overflown = false;
                    try {
                        overflow(0, lock, reserved);
                    } catch (StackOverflowError e) {
                        overflown = true;
                    }
                    Check.that(overflown, "a stack overflow");
                    Check.that(!Thread.holdsLock(lock), "the monitor was left");
                    away(random);
                }
            } catch (Throwable e) {
                bad.set(e);
            }
        }, "overflow", random.nextBoolean() ? 300_000 : 0);
        t.start();
        t.join();
        if (bad.get() != null) {
            throw new AssertionError("overflow", bad.get());
        }
    }

    // ---- Monitors: inflated by rivals and waiters, deflated when unused

    static final class Cell {
        int count;
        boolean turn;
    }

    static void monitors(Random random) throws Exception {
        Cell cell = new Cell();
        int threads = 2 + random.nextInt(3);
        int rounds = 5 + random.nextInt(20);
        Thread[] rivals = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            long seed = random.nextLong();
            rivals[i] = new Thread(() -> {
                Random own = new Random(seed);
                for (int k = 0; k < rounds; k++) {
                    synchronized (cell) {
                        int before = cell.count;
                        if (own.nextInt(4) == 0) {
                            away(own);
                        }
                        if (own.nextInt(4) == 0) {
                            synchronized (cell) {
                                System.identityHashCode(cell);
                            }
                        }
                        if (cell.count != before) {
                            fail(new AssertionError("two owners of a monitor"));
                        }
                        cell.count++;
                        cell.notifyAll();
                    }
                }
            }, "rival");
        }
        for (Thread t : rivals) {
            t.start();
        }
        synchronized (cell) {
            while (cell.count < threads * rounds && failure.get() == null) {
                cell.wait(1000);
            }
        }
        for (Thread t : rivals) {
            t.join();
        }
        Check.equal(threads * rounds, cell.count, "entries");
    }

    static void handOver(Random random) throws Exception {
        SynchronousQueue<Node> queue = new SynchronousQueue<>();
        int messages = 10 + random.nextInt(30);
        Thread t = new Thread(() -> {
            try {
                for (int i = 0; i < messages; i++) {
                    queue.put(Node.chain(3, i));
                }
            } catch (InterruptedException e) {
                fail(e);
            }
        }, "producer");
        t.start();
        for (int i = 0; i < messages; i++) {
            Check.equal(3L * i + 3, Node.sum(queue.take()), "a message");
        }
        t.join();
    }

    // ---- Classes that come and go; their code is on parked stacks

    /** Loaded by this program's loader. */
    public interface Work {
        long run(long x, Random random);
    }

    /** Loaded again and again, each time by a new loader. */
    public static final class Payload implements Work {
        static final Object marker = new Object();
        private static final long factor;

        static {
            Thread.yield();                                  // away in a class initializer
            factor = 3;
        }

        @Override
        public long run(long x, Random random) {
            Object mine = marker;
            long y = 0;
            for (int i = 0; i < 200; i++) {
                y += factor * i;
            }
            away(random);
            Check.that(mine == marker, "a static of an unloadable class");
            Runnable lambda = () -> away(random);
            lambda.run();
            return x * factor + y;
        }
    }

    static final class OneClass extends ClassLoader {
        private final byte[] bytes;
        private final String name;

        OneClass(String name, byte[] bytes) {
            super(VmStress.class.getClassLoader());
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            if (!wanted.equals(name)) {
                return super.loadClass(wanted, resolve);
            }
            synchronized (getClassLoadingLock(wanted)) {
                Class<?> c = findLoadedClass(wanted);
                return c != null ? c : defineClass(wanted, bytes, 0, bytes.length);
            }
        }
    }

    static byte[] bytesOf(Class<?> c) {
        String file = c.getName().substring(c.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream in = c.getResourceAsStream(file)) {
            return in.readAllBytes();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static final byte[] payload = bytesOf(Payload.class);

    static void unloading(Random random) throws Exception {
        Class<?> c = new OneClass(Payload.class.getName(), payload).loadClass(Payload.class.getName());
        Work work = (Work) c.getDeclaredConstructor().newInstance();
        c = null;
        int threads = 1 + random.nextInt(3);
        Thread[] users = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            long seed = random.nextLong();
            Work same = work;
            users[i] = new Thread(() -> Check.equal(3L * seed + 59_700, same.run(seed, new Random(seed)), "work of an unloadable class"));
            users[i].setUncaughtExceptionHandler((t, e) -> fail(e));
        }
        work = null;
        for (Thread t : users) {
            t.start();
        }
        for (Thread t : users) {
            t.join();
        }
    }

    // ---- Deoptimization: a class that overrides what was inlined

    public static class Base {
        public int kind() {
            return 1;
        }
    }

    public static class Late extends Base {
        @Override
        public int kind() {
            return 2;
        }
    }

    static final byte[] late = bytesOf(Late.class);
    static volatile Base current = new Base();
    static volatile boolean rare;

    static long inlined(int rounds, Random random, boolean leave) {
        long sum = 0;
        Node keep = Node.chain(3, rounds);
        for (int i = 0; i < rounds; i++) {
            Base b = current;
            sum += b.kind();
            if (rare) {
                sum += keep.value & 0;
            }
            if (leave && i == rounds / 2) {
                away(random);
                Check.that(b.kind() == 1 || b.kind() == 2, "a kind");
            }
        }
        Check.equal(3L * rounds + 3, Node.sum(keep), "a chain in a frame that was deoptimized");
        return sum;
    }

    static void deoptimization(Random random) throws Exception {
        for (int i = 0; i < 20; i++) {
            inlined(100, random, i % 5 == 0);
        }
        if (random.nextInt(4) == 0) {
            Class<?> c = new OneClass(Late.class.getName(), late).loadClass(Late.class.getName());
            Base b = (Base) c.getDeclaredConstructor().newInstance();
            Base before = current;
            current = b;
            inlined(200, random, true);
            current = before;
            rare = !rare;
        }
    }

    // ---- Redefinition of a method that threads are in

    /** The agent changes the string; an invocation that began before gives the one of before. */
    public static final class Changing {
        public static String version(Random random) {
            String now = "version-A";
            away(random);
            return inner(random) == 5 ? now : "lost";
        }

        static int inner(Random random) {
            int five = 5;
            away(random);
            return five;
        }
    }

    static final byte[] changing = bytesOf(Changing.class);
    static char version = 'A';

    static void redefined(Random random) {
        String got = Changing.version(random);
        Check.that(got.startsWith("version-") && got.length() == 9, "a version: " + got);
    }

    static void redefine(Random random) throws Exception {
        if (instrumentation == null) {
            away(random);
            return;
        }
        version = (char) ('A' + random.nextInt(26));
        byte[] copy = changing.clone();
        byte[] text = "version-A".getBytes("US-ASCII");
        int replaced = 0;
        for (int i = 0; i + text.length <= copy.length; i++) {
            int k = 0;
            while (k < text.length && copy[i + k] == text[k]) {
                k++;
            }
            if (k == text.length) {
                copy[i + k - 1] = (byte) version;
                replaced++;
            }
        }
        Check.that(replaced == 1, "the string occurs once in the class file: " + replaced);
        instrumentation.redefineClasses(new ClassDefinition(Changing.class, copy));
        if (random.nextInt(4) == 0) {
            instrumentation.retransformClasses(Changing.class);
        }
        Thread.sleep(20);
    }

    // ---- Linkage, natives of the JDK, reflection on the stack

    public static long reflected(Random random, long x) {
        away(random);
        return x + 1;
    }

    static void natives(Random random) throws Throwable {
        long x = random.nextInt(1000);
        Object got = VmStress.class.getMethod("reflected", Random.class, long.class).invoke(null, random, x);
        Check.equal(x + 1, (Long) got, "by reflection");
        MethodHandle handle = MethodHandles.lookup().findStatic(VmStress.class, "reflected", MethodType.methodType(long.class, Random.class, long.class));
        handle = MethodHandles.insertArguments(handle, 1, x);
        Check.equal(x + 1, (long) handle.invoke(random), "by a method handle");
        long privileged = java.security.AccessController.doPrivileged((java.security.PrivilegedAction<Long>) () -> {
            away(random);
            return x + 2;
        });
        Check.equal(x + 2, privileged, "privileged");
    }

    // ---- What looks at all threads

    /** With this option OpenJDK 11 takes a monitor for deadlocked whose owner held it before somebody waited for it, coroutines or not. */
    static final boolean HEAVY_MONITORS = ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-XX:+UseHeavyMonitors");

    static void observers(Random random) throws Exception {
        switch (random.nextInt(5)) {
            case 0:
            case 1:
                Check.that(!Thread.getAllStackTraces().isEmpty(), "stack traces");
                break;
            case 2:
                for (ThreadInfo info : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
                    Check.that(info == null || info.getThreadState() != null, "a state");
                }
                break;
            case 3:
                long[] deadlocked = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
                Check.that(deadlocked == null || HEAVY_MONITORS, "no deadlock");
                break;
            default:
                System.gc();
        }
        Thread.sleep(100);
    }

    // ---- Garbage of all sizes and ages

    static void garbage(Random random) {
        List<Object> kept = new ArrayList<>();
        WeakReference<Object> weak = new WeakReference<>(new Object());
        for (int i = 0; i < 40; i++) {
            kept.add(random.nextInt(30) == 0 ? new byte[300_000] : Node.chain(random.nextInt(40), i));
            if (i % 10 == 0) {
                away(random);
                weak.get();
            }
        }
    }

    // ---- Running it

    static void fail(Throwable e) {
        if (failure.compareAndSet(null, e)) {
            e.printStackTrace();
        }
        over = true;
    }

    static boolean timeIsUp() {
        Runtime r = Runtime.getRuntime();
        return over || System.nanoTime() - deadline > 0 ||
               !collected && r.maxMemory() - r.totalMemory() + r.freeMemory() < r.maxMemory() / 4;
    }

    static final boolean collected = !ManagementFactory.getGarbageCollectorMXBeans().isEmpty();

    static Group group(String name, int threads, Activity body) {
        Group g = new Group();
        g.name = name;
        g.body = body;
        g.threads = new Thread[threads];
        return g;
    }

    static final class Group {
        String name;
        Activity body;
        Thread[] threads;
        final AtomicLong calls = new AtomicLong();

        void start(long seed) {
            for (int i = 0; i < threads.length; i++) {
                long own = seed * 31 + name.hashCode() + i;
                threads[i] = new Thread(() -> {
                    Random random = new Random(own);
                    try {
                        do {
                            body.once(random);
                            calls.incrementAndGet();
                        } while (!timeIsUp());
                    } catch (Throwable e) {
                        fail(e);
                    }
                }, name + "-" + i);
                threads[i].start();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
        System.out.println("seed " + seed);
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<Group> groups = List.of(
            group("frames", 12, VmStress::frames), group("exceptions", 4, VmStress::exceptions),
            group("overflows", 2, VmStress::overflows), group("monitors", 4, VmStress::monitors),
            group("hand-over", 4, VmStress::handOver), group("unloading", 3, VmStress::unloading),
            group("deoptimization", 3, VmStress::deoptimization), group("redefined", 6, VmStress::redefined),
            group("redefine", 1, VmStress::redefine), group("natives", 3, VmStress::natives),
            group("observers", 1, VmStress::observers), group("garbage", 4, VmStress::garbage));
        for (Group g : groups) {
            g.start(seed);
        }
        CountDownLatch ended = new CountDownLatch(1);
        Thread guard = new Thread(() -> {
            try {
                if (!ended.await(seconds + HANG_SECONDS, TimeUnit.SECONDS)) {
                    System.out.println("hang: threads have not ended " + HANG_SECONDS + " s after their time");
                    Thread.getAllStackTraces().forEach((t, trace) -> {
                        System.out.println(t + " " + t.getState());
                        for (StackTraceElement e : trace) {
                            System.out.println("    " + e);
                        }
                    });
                    Runtime.getRuntime().halt(3);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "hang-guard");
        guard.setDaemon(true);
        guard.start();
        StringBuilder line = new StringBuilder();
        for (Group g : groups) {
            for (Thread t : g.threads) {
                t.join();
            }
            line.append(g.name).append(' ').append(g.calls.get()).append("  ");
        }
        ended.countDown();
        System.out.println(line);
        if (failure.get() != null) {
            throw new AssertionError("failed: " + failure.get(), failure.get());
        }
        for (Group g : groups) {
            Check.that(g.calls.get() > 0, g.name + " was called");
        }
        System.out.println("ok");
    }
}
