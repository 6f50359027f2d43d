/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary Which setting decides on the stack of a coroutine: the Thread's own stackSize, else stacksize, else -Xss. Measured as
 *          the depth of a recursion until StackOverflowError, relative to a thread with a stackSize of 1 MB.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine
 * @run main StackSizes
 */

import com.alibaba.wisp.engine.WispTask;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wisptest.Check;
import wisptest.Vm;

public class StackSizes {
    public static class Child {
        static int depth;

        static void recurse() {
            depth++;
            recurse();
        }

        static long depthWith(long stackSize) throws Exception {
            Thread t = new Thread(null, () -> {
                Check.that(WispTask.current() != null, "no coroutine");
                depth = 0;
                try {
                    recurse();
                } catch (StackOverflowError e) {
                    // the depth is known
                }
            }, "deep", stackSize);
            t.start();
            t.join();
            return depth;
        }

        /** Prints the default stack's size, in KB, by proportion: the guard and shadow zones of about 100 KB hold no frames. */
        public static void main(String[] args) throws Exception {
            long reserved = 100 << 10;
            long one = 1 << 20;
            System.out.println("sizes " + ((one - reserved) * depthWith(0) / depthWith(one) + reserved >> 10)
                + " " + ((one - reserved) * depthWith(4 * one) / depthWith(one) + reserved >> 10));
        }
    }

    static void child(int expectedKB, String... options) throws Exception {
        List<String> args = new ArrayList<>();
        args.add("-XX:+UseWisp2");
        args.add("-Xint");                              // all frames of one size
        args.addAll(Arrays.asList(options));
        args.add("StackSizes$Child");
        String output = Vm.java(args.toArray(new String[0])).exited(0).output.trim();
        String[] words = output.split(" ");
        Check.equal("sizes", words[0], "output");
        near(expectedKB, Integer.parseInt(words[1]), "without a size of its own, " + args);
        near(4096, Integer.parseInt(words[2]), "with a size of its own, " + args);
    }

    static void near(int expected, int actual, String what) {
        Check.that(Math.abs(actual - expected) <= expected / 8, what + ": expected about " + expected + " KB, got " + actual);
    }

    public static void main(String[] args) throws Exception {
        child(1024);
        child(2048, "-Xss2m");
        child(512, "-Dcom.alibaba.wisp.stacksize=512k");
        child(512, "-Dcom.alibaba.wisp.stacksize=524288", "-Xss2m");
        child(3072, "-Dcom.alibaba.wisp.stacksize=3m", "-XX:ThreadStackSize=512");
    }
}
