/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Native memory tracking counts the stacks of all threads, coroutines included: the number of threads, what is reserved,
 *          and of it only what is touched as committed. Catches: stacks that are missing, counted as committed as a whole, or
 *          stay when their threads have ended.
 * @library /test/lib
 * @modules java.management
 * @run main/othervm -XX:NativeMemoryTracking=summary NativeMemory
 */

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import wisptest.Check;
import wisptest.Crew;

public class NativeMemory {
    static final int N = 400;
    static final long STACK = 1024 * 1024;

    /** Threads; their stacks, reserved and committed, in bytes. */
    static long[] threads() throws Exception {
        String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
            new Object[] {new String[] {"summary", "scale=B"}}, new String[] {String[].class.getName()});
        Matcher m = Pattern.compile("\\(thread #(\\d+)\\)\\s+\\(stack: reserved=(\\d+)B?, committed=(\\d+)B?\\)").matcher(text);
        Check.that(m.find(), "no threads in " + text);
        return new long[] {Long.parseLong(m.group(1)), Long.parseLong(m.group(2)), Long.parseLong(m.group(3))};
    }

    public static void main(String[] args) throws Exception {
        long[] before = threads();
        for (int round = 0; round < 2; round++) {                   // the second one finds stacks in the pool
            Crew crew = new Crew();
            CountDownLatch there = new CountDownLatch(N);
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < N; i++) {
                crew.create("thread-" + i, STACK, () -> {
                    there.countDown();
                    go.await();
                }).start();
            }
            there.await();
            long[] with = threads();
            System.out.printf("before %d threads, reserved %d, committed %d; with %d more: %d, %d, %d%n",
                              before[0], before[1], before[2], N, with[0], with[1], with[2]);
            Check.that(with[0] - before[0] >= N && with[0] - before[0] < N + 50, "number of threads");
            if (round == 0) {
                Check.that(with[1] - before[1] >= N * STACK, "reserved for stacks");
            }
            Check.that(with[1] >= N * STACK && with[1] < 3 * N * STACK, "reserved for stacks");
            Check.that(with[2] < N * STACK / 2, "committed for stacks");
            go.countDown();
            crew.join();
            Check.await(() -> {
                try {
                    return threads()[0] < before[0] + 50;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
    }
}
