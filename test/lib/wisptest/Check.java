/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisptest;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Assertions, and waiting for a condition. Nothing here has a time limit: the harness's timeout is the only guard against a hang. */
public final class Check {
    private Check() { }

    public interface Code {
        void run() throws Throwable;
    }

    public static void that(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    public static void equal(Object expected, Object actual, String what) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(what + ": expected " + expected + ", got " + actual);
        }
    }

    /** Runs code that must throw exactly the given type, and returns what it threw. */
    public static <T extends Throwable> T throwing(Class<T> type, String what, Code code) {
        try {
            code.run();
        } catch (Throwable t) {
            if (t.getClass() == type) {
                return type.cast(t);
            }
            throw new AssertionError(what + ": expected " + type.getName() + ", got " + t, t);
        }
        throw new AssertionError(what + ": " + type.getName() + " was not thrown");
    }

    /** Waits for something that has no event to wait for, such as another thread's state. */
    public static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(1);
        }
    }

    public static void awaitState(Thread thread, Thread.State... states) throws InterruptedException {
        await(() -> {
            Thread.State now = thread.getState();
            if (now == Thread.State.TERMINATED && !Arrays.asList(states).contains(now)) {
                throw new AssertionError(thread.getName() + " ended before it was seen in " + Arrays.toString(states));
            }
            return Arrays.asList(states).contains(now);
        });
    }

    /** Waits until a frame of the given method is on the thread's stack. */
    public static void awaitFrame(Thread thread, String method) throws InterruptedException {
        await(() -> {
            if (thread.getState() == Thread.State.TERMINATED) {
                throw new AssertionError(thread.getName() + " ended before it was seen in " + method);
            }
            return hasFrame(thread.getStackTrace(), method);
        });
    }

    /** The same, until it is in a native method that was called there: past what Java code looks at before a call that blocks. */
    public static void awaitNative(Thread thread, String method) throws InterruptedException {
        await(() -> isNative(thread.getStackTrace(), method));
    }

    public static boolean isNative(StackTraceElement[] stack, String below) {
        return hasFrame(stack, below) && stack[0].isNativeMethod() && !stack[0].getMethodName().equals("currentThread");
    }

    public static boolean hasFrame(StackTraceElement[] stack, String method) {
        return Arrays.stream(stack).anyMatch(e -> e.getMethodName().equals(method));
    }
}
