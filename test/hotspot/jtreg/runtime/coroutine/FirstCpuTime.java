/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The first query of a thread's CPU time knows what the thread has used until then, near enough, as with kernel
 *          threads: of one that computes at a stretch, in bursts of a few milliseconds, in turns with another one that uses three
 *          times as much, in native calls, and of one whose carrier has lost its queue meanwhile. Catches: times that count from
 *          the first query on.
 * @modules jdk.management
 * @run main/othervm FirstCpuTime stretch
 * @run main/othervm FirstCpuTime bursts
 * @run main/othervm FirstCpuTime turns
 * @run main/othervm FirstCpuTime calls
 * @run main/othervm FirstCpuTime lost
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 FirstCpuTime stretch
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 FirstCpuTime bursts
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 FirstCpuTime turns
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 FirstCpuTime lost
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.zip.CRC32;

public class FirstCpuTime {
    static final long MILLI = 1_000_000;
    /** CPU time of the whole process; compilers with asserts alone take half a second. */
    static final long WORK = (System.getProperty("jdk.debug").equals("release") ? 1500 : 3000) * MILLI;

    static volatile long sink;

    /** CPU time of the process, which asks for no thread's. */
    static long processTime() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    static void compute(int steps) {
        long x = sink | 1;
        for (int i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    static void stretch() {
        for (long end = processTime() + WORK; processTime() < end; ) {
            compute(1_000_000);
        }
    }

    static void bursts() throws InterruptedException {
        for (long end = processTime() + WORK; processTime() < end; Thread.sleep(7)) {
            compute(3_000_000);                      // some milliseconds
        }
    }

    static void calls() {
        byte[] block = new byte[1 << 20];
        CRC32 sum = new CRC32();
        for (long end = processTime() + WORK; processTime() < end; ) {
            sum.update(block, 0, block.length);
        }
    }

    /** A thread that uses three times as much as its partner, which it takes turns with. */
    static void turns(SynchronousQueue<Integer> to, SynchronousQueue<Integer> from) throws InterruptedException {
        for (long end = processTime() + WORK; processTime() < end; ) {
            compute(90_000);                         // less than a tick of sysmon by far
            to.put(30_000);
            from.take();
        }
        to.put(0);
    }

    static void partner(SynchronousQueue<Integer> from, SynchronousQueue<Integer> to) throws InterruptedException {
        for (int steps; (steps = from.take()) > 0; to.put(steps)) {
            compute(steps);
        }
    }

    /** What waits in its queue makes sysmon take that from a thread that is in native code for long: a child that it waits for. */
    static void lost(CountDownLatch handedOff) throws Exception {
        Thread other = new Thread(() -> {
            for (int i = 0; i < 50; i++) {
                compute(200_000);
                Thread.yield();
            }
            handedOff.countDown();
        });
        other.start();
        new java.io.FileInputStream("/proc/self/status").close();
        Process child = new ProcessBuilder("sh", "-c", "sleep 0.2; echo").start();
        child.getInputStream().read();               // blocks its kernel thread
        stretch();
        other.join();
    }

    interface Work {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        long[] used = new long[1], all = new long[1];
        SynchronousQueue<Integer> there = new SynchronousQueue<>(), back = new SynchronousQueue<>();
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        Work work;
        double least = 0.6, most = 1.1;              // what else the process does is compilation, as a rule
        Throwable[] failure = new Throwable[1];
        switch (args[0]) {
            case "stretch": work = FirstCpuTime::stretch; break;
            case "bursts":  work = FirstCpuTime::bursts; break;
            case "calls":   work = FirstCpuTime::calls; break;
            case "lost":    work = () -> lost(new CountDownLatch(1)); break;
            case "turns":
                work = () -> turns(there, back);
                least = 0.35;                        // half of what switches take is the partner's, much in debug builds
                most = 0.9;
                Thread partner = new Thread(() -> {
                    try {
                        partner(there, back);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                partner.setDaemon(true);
                partner.start();
                break;
            default: throw new IllegalArgumentException(args[0]);
        }
        Thread worker = new Thread(() -> {
            long before = processTime();
            try {
                work.run();
                used[0] = bean.getCurrentThreadCpuTime();
            } catch (Throwable t) {
                failure[0] = t;
            }
            all[0] = processTime() - before;
        });
        worker.start();
        worker.join();
        if (failure[0] != null) {
            throw new RuntimeException(failure[0]);
        }
        System.out.println(args[0] + ": " + used[0] / MILLI + " ms of " + all[0] / MILLI + " that the process has used");
        if (used[0] < all[0] * least || used[0] > all[0] * most) {
            throw new RuntimeException("the first query of CPU time knows of " + used[0] / MILLI + " ms where the process has used "
                + all[0] / MILLI + "; expected " + least + " to " + most + " of that");
        }
    }
}
