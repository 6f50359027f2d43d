/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * What the drivers of the applications share. A driver's main() calls run(): it does the work, every answer goes through check() or
 * equal(), and main() returns, so that the VM ends only when the application has stopped all of its threads. A failed check, an exception
 * that nobody caught in any thread, or too few threads that became coroutines end the VM with status 1; what hangs is ended, with a thread
 * dump, by make/apps.sh. Rejected: JUnit, which would start and end the VM for us and hide the threads that an application leaves behind.
 */
package wisp.apps;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

public final class App {
    public interface Body {
        void run() throws Throwable;
    }

    public interface Worker {
        void run(int index) throws Throwable;
    }

    private static final AtomicInteger checks = new AtomicInteger();
    private static final AtomicReference<Throwable> failure = new AtomicReference<>();
    private static final List<Process> children = new CopyOnWriteArrayList<>();
    private static volatile int javaThreads, kernelThreads;

    private App() { }

    /** Runs a driver and prints its one line; the VM ends with status 1 at the first failure. */
    public static void run(Body body) {
        long start = System.nanoTime();
        Logger.getLogger("").setLevel(Level.WARNING);
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> fail(new AssertionError("uncaught in thread " + t.getName(), e)));
        Thread sampler = new Thread(App::sample, "apps-sampler");
        sampler.setDaemon(true);
        sampler.start();
        try {
            checkMode();
            body.run();
        } catch (Throwable e) {
            fail(e);
        }
        System.out.printf("done: %d checks, %d ms, at most %d Java threads on %d kernel threads%n", checks.get(),
                (System.nanoTime() - start) / 1_000_000, javaThreads, kernelThreads);
        System.out.flush();
    }

    private static void fail(Throwable e) {
        if (failure.compareAndSet(null, e)) {
            e.printStackTrace(System.out);
            System.out.println("FAILED: " + e);
            System.out.flush();
            children.forEach(Process::destroyForcibly);
            Runtime.getRuntime().halt(1);
        }
    }

    /** Is -XX:+UseWisp2 among the options of this VM? */
    public static boolean flag() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-XX:+UseWisp2");
    }

    /** Starts a process that ends at the latest when this VM fails. */
    public static Process start(ProcessBuilder command) throws IOException {
        Process p = command.start();
        children.add(p);
        return p;
    }

    /** With the flag on a new thread must be a coroutine, without it there must be none: otherwise the run shows nothing. */
    private static void checkMode() throws Throwable {
        boolean expected = flag();
        Class<?> task;
        try {
            task = Class.forName("com.alibaba.wisp.engine.WispTask");
        } catch (ClassNotFoundException e) {
            check(!expected, "the flag is on but there is no engine");
            return;
        }
        crew(1, "mode", i -> equal(task.getMethod("current").invoke(null) != null, expected, "a started thread is a coroutine"));
    }

    public static void check(boolean ok, String what) {
        checks.incrementAndGet();
        if (!ok) {
            throw new AssertionError(what);
        }
    }

    public static void equal(Object actual, Object expected, String what) {
        checks.incrementAndGet();
        if (!Objects.equals(actual, expected)) {
            throw new AssertionError(what + ": " + brief(actual) + " instead of " + brief(expected));
        }
    }

    private static String brief(Object value) {
        String s = String.valueOf(value);
        return s.length() <= 200 ? s : s.substring(0, 200) + "... (" + s.length() + " characters)";
    }

    /**
     * Runs worker(0) to worker(n-1), each in a thread of its own, and waits for all of them. What one of them throws ends the VM at once,
     * as the others may wait for it.
     */
    public static void crew(int n, String name, Worker worker) throws Throwable {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int index = i;
            threads.add(new Thread(() -> {
                try {
                    worker.run(index);
                } catch (Throwable e) {
                    System.out.println("failure in " + Thread.currentThread().getName() + ": " + e);
                    fail(e);
                }
            }, name + "-" + i));
        }
        for (Thread t : threads) {
            t.start();
        }
        for (Thread t : threads) {
            t.join();
        }
    }

    /** Prints what is being worked, with the time, so that the log of a hang tells how far it came. */
    public static void phase(String what) {
        System.out.printf("%tT %s%n", System.currentTimeMillis(), what);
        System.out.flush();
    }

    public static int freePort() throws Exception {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return s.getLocalPort();
        }
    }

    /** A text of n characters that depends on the seed, to compare with what comes back. */
    public static String text(int seed, int n) {
        StringBuilder s = new StringBuilder(n);
        for (int x = seed * 31 + 7; s.length() < n; x = x * 1103515245 + 12345) {
            s.append((char) ('a' + ((x >>> 16) & 0x7fff) % 26));
        }
        return s.toString();
    }

    private static void sample() {
        while (true) {
            String[] tasks = new File("/proc/self/task").list();
            javaThreads = Math.max(javaThreads, ManagementFactory.getThreadMXBean().getThreadCount());
            kernelThreads = Math.max(kernelThreads, tasks == null ? 0 : tasks.length);
            LockSupport.parkNanos(100_000_000);
        }
    }
}
