/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The stack size that a Thread is given counts: the bigger it is the deeper recursion goes; 0 and tiny values mean the
 *          default and the minimum; -Xss sets the default of started threads. Also with many threads of mixed sizes at once, so
 *          that a stack is not handed to a thread that asked for a bigger one. Catches: one size for all, a pool that mixes
 *          sizes, -Xss without effect.
 * @library /test/lib
 * @run main/othervm -Xint StackSize
 */

import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class StackSize {
    static final long K = 1024;
    static final long M = 1024 * K;

    int depth;

    void recurse() {
        depth++;
        recurse();
    }

    int measure() {
        depth = 0;
        try {
            recurse();
        } catch (StackOverflowError e) {
            return depth;
        }
        throw new AssertionError("no StackOverflowError");
    }

    static int depthWith(long size) throws Exception {
        int[] result = new int[1];
        Crew crew = new Crew();
        crew.create("size " + size, size, () -> result[0] = new StackSize().measure()).start();
        crew.join();
        System.out.println("stack size " + size + ": depth " + result[0]);
        return result[0];
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.out.println("default depth=" + depthWith(0));
            return;
        }
        // From small to big: a thread may get more than it asked for, when a bigger stack is at hand.
        int small = depthWith(512 * K);
        int big = depthWith(4 * M);
        int bigger = depthWith(24 * M);
        Check.that(big > 3 * small, "4 MB is hardly deeper than 512 KB");
        Check.that(bigger > 4 * big, "24 MB is hardly deeper than 4 MB");
        depthWith(1);
        depthWith(K);
        depthWith(200 * K + 1);
        Check.that(depthWith(0) > small / 4, "the default is very small");
        mixed(small);
        defaultSize();
    }

    static void mixed(int small) throws Exception {
        for (int round = 0; round < 2; round++) {
            Crew crew = new Crew();
            CountDownLatch all = new CountDownLatch(20);
            for (int i = 0; i < 20; i++) {
                long size = i % 2 == 0 ? 4 * M : 512 * K;
                crew.create("mixed-" + i, size, () -> {
                    all.countDown();
                    all.await();
                    int d = new StackSize().measure();
                    Thread.yield();
                    if (size == 4 * M) {
                        Check.that(d > 2 * small, "a thread with 4 MB overflowed at " + d);
                    }
                }).start();
            }
            crew.join();
        }
    }

    static void defaultSize() throws Exception {
        int small = childDepth("-Xss512k");
        int big = childDepth("-Xss4m");
        Check.that(big > 3 * small, "-Xss4m gives depth " + big + ", -Xss512k " + small);
    }

    static int childDepth(String option) throws Exception {
        String marker = "default depth=";
        String out = Vm.java("-Xint", option, "StackSize", "child").exited(0).has(marker).output;
        return Integer.parseInt(out.substring(out.indexOf(marker) + marker.length()).trim());
    }
}
