/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Errors that the VM notices by a signal, on threads that park and move between the errors: null dereference in
 *          compiled code, integer division by zero, a stack overflow, a safepoint poll. The signal handler finds the current
 *          thread in another way than ordinary code. Catches: a handler that takes the kernel thread's own thread, or the one
 *          that ran before, for the current one (a crash instead of an exception).
 * @library /test/lib
 * @run main ImplicitNull
 */

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class ImplicitNull {
    int field = 3;

    static int read(ImplicitNull n) {
        return n.field;
    }

    static int divide(int a, int b) {
        return a / b;
    }

    static int dive(int n) {
        return dive(n + 1) + 1;
    }

    static int caught(int kind, int i) {
        try {
            switch (kind) {
                case 0: return read((i & 1) == 0 ? null : new ImplicitNull());
                case 1: return divide(i, i & 1);
                default: return dive(0);
            }
        } catch (NullPointerException e) {
            return -1;
        } catch (ArithmeticException e) {
            return -2;
        } catch (StackOverflowError e) {
            return -3;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20_000; i++) {          // compiled without ever seeing null or zero
            read(new ImplicitNull());
            divide(i, 1);
        }
        AtomicBoolean stop = new AtomicBoolean();
        Crew polls = new Crew();
        polls.start("safepoints", () -> {
            while (!stop.get()) {
                System.gc();
                LockSupport.parkNanos(1_000_000);
            }
        });
        Crew crew = new Crew();
        for (int t = 0; t < 20; t++) {
            crew.create("signals-" + t, 300 * 1024, () -> {
                for (int i = 0; i < 200; i++) {
                    Check.equal((i & 1) == 0 ? -1 : 3, caught(0, i), "null dereference");
                    Thread.yield();
                    Check.equal((i & 1) == 0 ? -2 : i, caught(1, i), "division");
                    LockSupport.parkNanos(1_000);
                    if (i % 50 == 0) {
                        Check.equal(-3, caught(2, i), "stack overflow");
                    }
                    long sum = 0;
                    for (int j = 0; j < 10_000; j++) {
                        sum += j ^ i;
                    }
                    Check.that(sum > 0, "a loop with polls");
                }
            }).start();
        }
        crew.join();
        stop.set(true);
        polls.join();
    }
}
