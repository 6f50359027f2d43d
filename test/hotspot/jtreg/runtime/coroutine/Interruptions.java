/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Who waits now and then, for a timer, a socket or another thread, beside threads that only compute, interrupts one of these at
 *          once, and that one goes on afterwards. Measures the CPU time of those that compute meanwhile, as it does not pass while other programs
 *          have the CPU: it was a millisecond for each wait, and half of one for a timer. Likewise beside two that hold a lock for most of the
 *          time, and wait for it now and then, so that neither computes all the time: it was nine.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 Interruptions
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=2 Interruptions
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 Interruptions locked
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.SynchronousQueue;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Interruptions {
    static final int ROUNDS = 10, WAITS = 40;           // one round in which the CPU was there when it was needed is enough
    static final int WARM_UP = 20_000, UNITS = 20_000;
    static final int CARRIERS = Integer.getInteger("com.alibaba.wisp.carrierEngines", 2);

    static final long LATE = 400_000;                   // ns of CPU time, of all that compute
    static final long LATE_LOCKED = 1_000_000;          // with a lock: twice the time between two looks of sysmon, one for each way
    static final int LOCKED = 50;                       // units with the lock held
    static final Object lock = new Object();
    static long[][] units;                              // each in a cache line of its own
    static volatile boolean done, locked;
    static volatile long nanosOfUnit;

    static long unit(long x) {
        for (int i = 0; i < 500; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    static long computeLocked(int me, long x) {
        synchronized (lock) {
            for (int i = 0; i < LOCKED; i++) {
                x = unit(x);
            }
            units[me][0] += LOCKED;
        }
        return x;
    }

    static void compute(int me) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long x = me;
        for (int i = 0; i < WARM_UP; i++) {
            x = unit(x);
        }
        long start = threads.getCurrentThreadCpuTime();
        for (int i = 1; !done; i++) {
            if (!locked) {
                x = unit(x);
                units[me][0]++;
            } else if (i % LOCKED == 0) {
                x = computeLocked(me, x);
            }
            if (i % UNITS == 0) {                       // again and again, as it may be compiled once more
                long now = threads.getCurrentThreadCpuTime();
                nanosOfUnit = Math.max((now - start) / UNITS, 1);
                start = now;
            }
        }
        units[me][1] = x;                               // else the compiler might find that nobody needs it
    }

    static long unitsDone() {
        long sum = 0;
        for (long[] u : units) {
            sum += u[0];
        }
        return sum;
    }

    interface Wait {
        void await() throws Exception;
    }

    /** expected: of all that compute, which the wait takes by itself. */
    static void late(String what, long expected, Wait wait) throws Exception {
        long limit = locked ? LATE_LOCKED : LATE;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least > limit; round++) {
            long[] late = new long[WAITS];
            for (int i = 0; i < WAITS; i++) {
                Thread.sleep(1);
                long before = unitsDone();
                wait.await();
                late[i] = (unitsDone() - before) * nanosOfUnit - expected;
            }
            Arrays.sort(late);
            least = Math.min(least, late[WAITS / 2]);
        }
        System.out.println(what + ": " + least / 1000 + " us of CPU time, median");
        Check.that(least <= limit, what + ": others computed for " + least / 1000 + " us meanwhile");
    }

    static void measure() throws Exception {
        late("timer", CARRIERS * 1_000_000L, () -> Thread.sleep(1));
        SynchronousQueue<Integer> requests = new SynchronousQueue<>(), replies = new SynchronousQueue<>();
        Thread answers = new Thread(() -> {
            try {
                while (true) {
                    replies.put(requests.take());
                }
            } catch (InterruptedException end) {
            }
        });
        answers.start();
        late("thread", 0, () -> {
            requests.put(1);
            replies.take();
        });
        answers.interrupt();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            client.setTcpNoDelay(true);
            other.setTcpNoDelay(true);
            Crew crew = new Crew();
            crew.start("answers", () -> {
                for (int request; (request = other.getInputStream().read()) >= 0; ) {
                    other.getOutputStream().write(request);
                }
            });
            late("socket", 0, () -> {
                client.getOutputStream().write(1);
                Check.equal(1, client.getInputStream().read(), "answer");
            });
            client.shutdownOutput();
            crew.join();
        }
    }

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        locked = args.length > 0;
        int computing = locked ? 2 : CARRIERS;
        units = new long[computing][16];
        Crew crew = new Crew();
        for (int i = 0; i < computing; i++) {
            int me = i;
            crew.start("computes " + i, () -> compute(me));
        }
        Crew measuring = new Crew();
        measuring.start("measures", () -> {
            while (nanosOfUnit == 0) {
                Thread.sleep(1);
            }
            measure();
        });
        measuring.join();
        done = true;
        crew.join();
    }
}
