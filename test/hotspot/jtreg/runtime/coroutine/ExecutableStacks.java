/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A library is loaded that wants executable stacks, as one with code on the stack does, while threads are parked, and others compute, start and
 *          end. All of them, those that begin later, and the stacks that they have from others, run such code, and overflow their stacks as before,
 *          in a part of it, too, that is reserved. Catches: code on the stack of a coroutine ends the VM; guards that are closed for good by what the
 *          VM does for the stacks of kernel threads then, so that an overflow is not handled, but comes again and again (hang).
 * @library /test/lib
 * @modules java.base/jdk.internal.vm.annotation
 * @run main/othervm/native/timeout=300 -XX:+UnlockDiagnosticVMOptions -XX:-RestrictReservedStack ExecutableStacks
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.internal.vm.annotation.ReservedStackAccess;
import wisptest.Check;
import wisptest.Crew;

public class ExecutableStacks {
    static final int THREADS = 20, STARTERS = 3, LATER = 60;

    static native int plusOne(int n);

    static int depth(int n) {
        return 1 + depth(n + 1);
    }

    @ReservedStackAccess
    static int reserved(int n) {
        return depth(n);
    }

    interface Overflow {
        int run(int n);
    }

    static void use(int i) {
        Check.equal(i + 1, plusOne(i), "what the code on the stack returns");
        for (Overflow overflow : new Overflow[] {ExecutableStacks::depth, ExecutableStacks::reserved}) {
            try {
                overflow.run(0);
                throw new AssertionError("no overflow");
            } catch (StackOverflowError expected) {
            }
        }
        Check.equal(i + 1, plusOne(i), "the same after overflows");
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch parked = new CountDownLatch(THREADS), loaded = new CountDownLatch(1);
        AtomicBoolean done = new AtomicBoolean();
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int n = i;
            crew.start("parked-" + i, () -> {
                parked.countDown();
                loaded.await();
                use(n);
            });
        }
        parked.await();
        for (int i = 0; i < STARTERS; i++) {             // stacks that end, and begin again, at the time
            crew.start("starts-" + i, () -> {
                while (!done.get()) {
                    Crew one = new Crew();
                    one.start("short", () -> {
                        if (loaded.getCount() == 0) {
                            Check.equal(2, plusOne(1), "what the code on the stack returns");
                        }
                    });
                    one.join();
                }
            });
        }
        try {
            System.loadLibrary("ExecutableStacks");
        } catch (UnsatisfiedLinkError e) {
            Check.that(e.getMessage().contains("executable stack"), e.toString());
            System.out.println("Skipped: the C library loads no such library any more: " + e.getMessage());
            System.exit(0);
        }
        loaded.countDown();
        for (int i = 0; i < LATER; i++) {
            int n = i;
            crew.start("later-" + i, () -> use(n));
        }
        done.set(true);
        crew.join();
    }
}
