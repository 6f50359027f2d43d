/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A started thread overflows its stack again and again, catches the error, parks, moves on and overflows again: in
 *          interpreted and compiled recursion, through reflection, in synchronized methods and with big frames, alone and many
 *          threads at once; and a stack that was used by a thread that overflowed serves the next one. Catches: guard zones that
 *          are missing, that are not restored after an overflow, or that belong to the carrier (a crash), a monitor that stays
 *          locked, an overflow that is noticed too early.
 * @library /test/lib
 * @run main StackOverflow
 */

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class StackOverflow {
    static final int MIN_DEPTH = 100;
    static final long SIZE = 400 * 1024;

    int depth;

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 2; round++) {
            Crew crew = new Crew();
            for (int i = 0; i < 8; i++) {
                int k = i;
                crew.create("overflows-" + i, SIZE, () -> new StackOverflow().all(k == 0)).start();
            }
            crew.join();
        }
        endsByOverflow();
    }

    void all(boolean slowToo) throws Exception {
        for (int i = 0; i < 6; i++) {
            overflow("simple", this::simple);
            overflow("numbers", () -> numbers(1, 2.0, 3, 4f));
            overflow("big frames", () -> bigFrame(1));
            if (slowToo && i % 3 == 0) {
                overflow("reflection", this::reflective);
            }
            Object lock = this;
            overflow("synchronized", this::locked);
            Check.that(!Thread.holdsLock(lock), "the monitor is still held after the overflow");
            LockSupport.parkNanos(1000);
            Thread.yield();
        }
    }

    void overflow(String what, Runnable recursion) {
        depth = 0;
        boolean thrown = false;
        try {
            recursion.run();
        } catch (StackOverflowError e) {
            thrown = true;
        }
        Check.that(thrown, what + ": no StackOverflowError");
        Check.that(depth > MIN_DEPTH, what + ": overflow at depth " + depth);
    }

    void simple() {
        depth++;
        simple();
    }

    double numbers(int a, double b, long c, float d) {
        depth++;
        return numbers(a + 1, b * 1.5, c + a, d - 1) + a + b + c + d;
    }

    /** Frames so big that compiled code must touch several pages at once. */
    long bigFrame(long x) {
        depth++;
        long a = x + 1, b = a * 3, c = b ^ a, d = c + b, e = d * 5, f = e - c, g = f ^ d, h = g + e, i = h * 7, j = i - f;
        long k = j ^ g, l = k + h, m = l * 11, n = m - j, o = n ^ k, p = o + l, q = p * 13, r = q - n, s = r ^ o, t = s + p;
        long result = bigFrame(t);
        return result + a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t;
    }

    synchronized void locked() {
        depth++;
        locked();
    }

    /** Native and generated frames between ours. */
    public void reflective() {
        depth++;
        try {
            Method m = StackOverflow.class.getMethod("reflective");
            m.invoke(this);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof StackOverflowError) {
                throw (StackOverflowError) e.getCause();
            }
            throw new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Threads that do not catch it: the handler runs, the thread ends, its stack is used again by the next one. */
    static void endsByOverflow() throws Exception {
        for (int i = 0; i < 20; i++) {
            Throwable[] seen = new Throwable[1];
            StackOverflow o = new StackOverflow();
            Thread t = new Thread(o::simple);
            t.setUncaughtExceptionHandler((thread, e) -> seen[0] = e);
            t.start();
            t.join();
            Check.that(seen[0] instanceof StackOverflowError, "the handler got " + seen[0]);
            Check.that(o.depth > MIN_DEPTH, "overflow at depth " + o.depth);
        }
    }
}
