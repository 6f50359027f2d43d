/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Floating point and vector registers across parks: sums that live in registers, loops that the compiler vectorizes,
 *          mathematical functions with stubs of their own, formatting, from the first instruction of a thread on. Catches: a
 *          stack that is not aligned as compiled code and C code expect at the start of a thread (a crash at the first aligned
 *          store), a register that does not survive a switch, a rounding mode that leaks from one thread to another.
 * @library /test/lib
 * @run main FloatingPoint
 */

import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class FloatingPoint {
    static double mixed(double a, double b, double c, double d, double e, double f, double g, double h, int n, boolean park) {
        double s = 0;
        float t = 1.5f;
        for (int i = 0; i < n; i++) {
            s += a * b - c / d + e * f - g / h;
            t = t * 0.5f + i;
            a += 0.25; b -= 0.125; c *= 1.0001; d += s * 1e-12; e += t; f -= 0.5; g += 1; h += 0.75;
            if (park && i % 16 == 0) {
                if ((i & 16) == 0) {
                    Thread.yield();
                } else {
                    LockSupport.parkNanos(1);
                }
            }
        }
        return s + t;
    }

    static int vector(int[] a, int[] b) {
        for (int i = 0; i < a.length; i++) {
            b[i] = a[i] * 3 + b[i];
        }
        int sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += b[i];
        }
        return sum;
    }

    static double functions(double x) {
        return Math.sin(x) + Math.cos(x) * Math.tan(x) + Math.exp(x / 100) + Math.log(x + 1) + Math.pow(x, 0.3)
               + StrictMath.sin(x) + StrictMath.cbrt(x) + StrictMath.atan2(x, 2) + Math.sqrt(x) + Math.fma(x, 2.0, 1.0);
    }

    static void all(int k) {
        int[] a = new int[200];
        for (int round = 0; round < 10; round++) {
            double want = mixed(k, 2, 3, 4, 5, 6, 7, 8, 200, false);
            double got = mixed(k, 2, 3, 4, 5, 6, 7, 8, 200, true);
            Check.equal(want, got, "a sum across parks");
            int[] b = new int[200];
            for (int i = 0; i < a.length; i++) {
                a[i] = i + k;
                b[i] = i;
            }
            Check.equal(199 * 100 * 4 + 600 * k, vector(a, b), "a vector sum");
            double one = functions(k + round);
            Thread.yield();
            Check.equal(one, functions(k + round), "functions after a yield");
            Check.equal("1.50 0.333", String.format(java.util.Locale.ROOT, "%.2f %.3f", 1.5, 1 / 3.0), "formatting");
            Check.equal(0.1 + 0.2, Double.parseDouble("0.30000000000000004"), "parsing");
        }
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 60; i++) {
            int k = i;
            crew.start("float-" + i, () -> all(k));
        }
        crew.join();
        // Compiled by now: compiled code runs from a thread's first frames on.
        for (int i = 0; i < 60; i++) {
            int k = i;
            crew.create("float again-" + i, 256 * 1024 + k * 1000, () -> all(k)).start();
        }
        crew.join();
    }
}
