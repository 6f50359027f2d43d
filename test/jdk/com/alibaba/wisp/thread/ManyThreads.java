/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary 3,000 threads of one group end in any order while it is looked at: enumeration names those that are left, in the order
 *          of their starts; counts, stack traces and thread ids agree; interrupts and unparks reach the right one; an empty daemon
 *          group is destroyed, also when all of them end at once; a thread whose start fails stays usable; the process has few
 *          mappings. Catches: ends that are noted and never carried out; readers of the group or of the list of
 *          threads that see those that have ended.
 * @library /test/lib
 * @run main ManyThreads
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Vm;

public class ManyThreads {
    static final int THREADS = 3_000;
    static final int SOME = 1_500;
    static final ThreadMXBean MX = ManagementFactory.getThreadMXBean();

    static class Waiter extends Thread {
        final CountDownLatch up;
        volatile boolean go;

        Waiter(ThreadGroup group, int i, CountDownLatch up) {
            super(group, "waiter-" + i);
            this.up = up;
        }

        @Override
        public void run() {
            up.countDown();
            while (!go && !isInterrupted()) {
                LockSupport.park();
            }
        }

        void end(boolean interrupt) {
            if (interrupt) {
                interrupt();
            } else {
                go = true;
                LockSupport.unpark(this);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int order = 0; order < 3; order++) {
            round(order);
        }
        for (int i = 0; i < 20; i++) {
            together();
        }
        failedStart();
    }

    /** A group becomes small and empty while it is looked at; nobody fails in leaving it. */
    static void together() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        ThreadGroup group = new ThreadGroup("at once") {
            @Override
            public void uncaughtException(Thread t, Throwable e) {
                failures.incrementAndGet();
            }
        };
        group.setDaemon(true);
        CountDownLatch up = new CountDownLatch(SOME);
        CountDownLatch go = new CountDownLatch(1);
        Thread[] threads = new Thread[SOME];
        for (int i = 0; i < SOME; i++) {
            threads[i] = new Thread(group, () -> {
                up.countDown();
                while (go.getCount() > 0) {
                    LockSupport.park(go);
                }
            });
            threads[i].start();
        }
        up.await();
        Check.equal(SOME, group.activeCount(), "active threads of the group");
        Thread observer = new Thread(() -> {
            Thread[] found = new Thread[SOME];
            for (int last = SOME; last > 0; ) {
                int n = group.enumerate(found);
                if (n > last) {
                    failures.incrementAndGet();
                }
                last = n;
            }
        });
        observer.start();
        go.countDown();
        for (Thread t : threads) {
            LockSupport.unpark(t);
        }
        for (Thread t : threads) {
            t.join();
        }
        observer.join();
        Check.that(group.isDestroyed(), "a daemon group whose threads have all been joined is destroyed");
        Check.equal(0, failures.get(), "failures");
    }

    static void round(int order) throws Exception {
        ThreadGroup group = new ThreadGroup("large");
        group.setDaemon(true);
        int before = MX.getThreadCount();
        CountDownLatch up = new CountDownLatch(THREADS);
        List<Waiter> alive = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Waiter w = new Waiter(group, i, up);
            alive.add(w);
            w.start();
        }
        up.await();
        Check.that(MX.getThreadCount() >= before + THREADS, "thread count with all of them alive");
        if (Vm.wispOn() && markers()) {
            long mappings = Files.lines(Paths.get("/proc/self/maps")).count();
            Check.that(mappings < THREADS, "one mapping each or more: " + mappings);
        }

        List<Waiter> ends = new ArrayList<>(alive);
        if (order == 1) {
            Collections.reverse(ends);
        } else if (order == 2) {
            Collections.shuffle(ends, new Random(11));
        }
        int n = 0;
        for (Waiter w : ends) {
            w.end(n % 2 == 0);
            w.join();
            alive.remove(w);
            if (n++ % 500 == 0) {
                look(group, alive, w);
            }
        }
        Check.await(group::isDestroyed);
        // Other threads of the VM may have started meanwhile.
        Check.await(() -> MX.getThreadCount() < before + 50);
    }

    static void look(ThreadGroup group, List<Waiter> alive, Waiter ended) throws Exception {
        Thread[] found = new Thread[THREADS + 1];
        // A joined thread has left its group already: upstream's Thread.exit comes before the join ends.
        int n = group.enumerate(found);
        Check.equal(alive.size(), n, "enumerated");
        Check.that(Arrays.asList(found).subList(0, n).equals(alive), "enumeration in the order of the starts");
        Check.equal(alive.size(), group.activeCount(), "active threads of the group");
        Set<Thread> traced = Thread.getAllStackTraces().keySet();
        Check.that(traced.containsAll(alive) && !traced.contains(ended), "threads of getAllStackTraces");
        Check.that(MX.getThreadInfo(ended.getId()) == null, "information about a thread that has ended");
        if (!alive.isEmpty()) {
            Waiter first = alive.get(0);
            Check.equal(first.getName(), MX.getThreadInfo(first.getId()).getThreadName(), "thread by id");
            Check.throwing(IllegalThreadStateException.class, "destroy of a group with threads", group::destroy);
        }
        Check.equal(Thread.State.TERMINATED, ended.getState(), "state of a joined thread");
        LockSupport.unpark(ended);
        ended.interrupt();
    }

    /** No stack can have such a size: the start fails, and the Thread is not started after it. */
    static void failedStart() throws Exception {
        Thread t = new Thread(null, () -> { }, "too large", 1L << 48);
        for (int i = 0; i < 3; i++) {
            Check.throwing(OutOfMemoryError.class, "start with a stack of 256 TB", t::start);
            Check.equal(Thread.State.NEW, t.getState(), "state after a failed start");
        }
    }

    static boolean markers() {
        String[] version = System.getProperty("os.version").split("[^0-9]+");
        int major = Integer.parseInt(version[0]);
        return major > 6 || (major == 6 && Integer.parseInt(version[1]) >= 13);
    }
}
