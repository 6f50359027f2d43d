/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisptest;

import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Threads whose failures are the test's failures. */
public final class Crew {
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    public Thread start(String name, Check.Code body) {
        Thread t = create(name, 0, body);
        t.start();
        return t;
    }

    /** A thread that the caller starts. */
    public Thread create(String name, long stackSize, Check.Code body) {
        Thread t = new Thread(null, () -> run(name, body), name, stackSize);
        threads.add(t);
        return t;
    }

    private void run(String name, Check.Code body) {
        try {
            body.run();
        } catch (Throwable e) {
            if (failure.compareAndSet(null, e)) {
                System.err.println("Failure in " + name + ":");
                e.printStackTrace();
            }
        }
    }

    /** Waits for all of them; the first failure ends the wait, since the others may then never end. */
    public void join() throws InterruptedException {
        for (Thread t : threads) {
            while (t.isAlive()) {
                check();
                t.join(100);
            }
        }
        check();
        threads.clear();
    }

    public void check() {
        Throwable e = failure.get();
        if (e != null) {
            throw new AssertionError("a thread failed: " + e, e);
        }
    }

    /** Of all of them, in nanoseconds, while they live. */
    public long cpuTime(ThreadMXBean beans) {
        long sum = 0;
        for (Thread t : threads) {
            sum += beans.getThreadCpuTime(t.getId());
        }
        return sum;
    }

    /** Until they have used so much, in nanoseconds, or one has failed. */
    public void awaitCpuTime(ThreadMXBean beans, long nanos) throws InterruptedException {
        while (cpuTime(beans) < nanos) {
            check();
            Thread.sleep(10);
        }
    }

    public List<Thread> threads() {
        return threads;
    }
}
