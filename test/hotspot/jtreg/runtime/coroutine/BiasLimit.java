/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Objects are biased to the thread that enters them, as without coroutines, until there are more than 64 threads; from
 *          then on none is. Threads hold biased monitors then, once and three times, in interpreted frames and in compiled ones,
 *          parked and computing; others have objects biased to them that they do not hold. Nobody else gets in while a monitor is
 *          held, all who wait for it do afterwards, and classes of later make no biased objects. Whoever has chosen biased locking
 *          keeps it. Threads that an agent starts before main count. Catches: a monitor that is held and forgotten, which a second
 *          thread enters; a bias that is trusted for ever; biased locking that is turned on behind the limit, as the VM is initialized.
 * @library /test/lib
 * @modules java.instrument jdk.unsupported
 * @run main/othervm BiasLimit until-64
 * @run main/othervm -Xint BiasLimit until-64
 * @run main/othervm -XX:TieredStopAtLevel=1 BiasLimit until-64
 * @run main/othervm -XX:-TieredCompilation BiasLimit until-64
 * @run main/othervm -XX:+UseBiasedLocking BiasLimit always
 * @run main/othervm -XX:-UseBiasedLocking BiasLimit never
 * @run main/othervm BiasLimit agent
 */

import java.io.FileOutputStream;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import sun.misc.Unsafe;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BiasLimit {
    static final int HOLDERS = 30, LIMIT = 64, BIASED = 5, UNLOCKED = 1, WARM_UP = 20_000;
    static final Unsafe UNSAFE = unsafe();

    static final class Monitor {
        Thread owner;
        int entries;

        void enter(Runnable inside) {
            synchronized (this) {
                Check.that(owner == null, "two threads are in one monitor");
                owner = Thread.currentThread();
                inside.run();
                entries++;
                owner = null;
            }
        }

        void enterThreeTimes(Runnable inside) {
            synchronized (this) {
                again(inside);
            }
        }

        private synchronized void again(Runnable inside) {
            enter(inside);
        }
    }

    static final class Later {
    }

    /** An agent that starts too many threads before the VM has turned biased locking on. */
    public static void premain(String options) {
        for (int i = 0; i <= LIMIT; i++) {
            Thread t = new Thread(LockSupport::park);
            t.setDaemon(true);
            t.start();
        }
    }

    static void withAgent() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", "BiasLimit");
        new JarOutputStream(new FileOutputStream("agent.jar"), manifest).close();
        Vm.java("-javaagent:agent.jar", "BiasLimit", "child").exited(0).has("objects of classes from before: " + (Vm.wispOn() ? UNLOCKED : BIASED));
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("agent")) {
            withAgent();
            return;
        } else if (args[0].equals("child")) {
            System.out.println("objects of classes from before: " + pattern(new Object()));
            return;
        }
        boolean before = !args[0].equals("never");
        boolean after = before && (!Vm.wispOn() || args[0].equals("always"));
        Runnable nothing = () -> { };
        int[] calls = new int[3];
        Runnable[] several = { nothing, () -> calls[0]++, () -> calls[1]++, () -> calls[2]++ };   // else the real one deoptimizes, which revokes
        Monitor warm = new Monitor();
        for (int i = 0; i < WARM_UP; i++) {
            warm.enter(several[i % several.length]);
            warm.enterThreeTimes(several[i % several.length]);
        }
        Check.equal(before ? BIASED : UNLOCKED, pattern(new Monitor()), "pattern of a new object while there are few threads");

        Crew crew = new Crew();
        Monitor[] held = new Monitor[HOLDERS];
        Monitor[] left = new Monitor[HOLDERS];
        CountDownLatch ready = new CountDownLatch(HOLDERS), release = new CountDownLatch(1);
        for (int t = 0; t < HOLDERS; t++) {
            Monitor own = held[t] = new Monitor(), other = left[t] = new Monitor();
            boolean computes = t == 0, three = t % 2 == 0;
            Runnable inside = () -> {
                ready.countDown();
                while (computes && release.getCount() > 0) {
                    Thread.onSpinWait();
                }
                await(release);
            };
            crew.start("holds-" + t, () -> {
                other.enter(nothing);
                if (three) {
                    own.enterThreeTimes(inside);
                } else {
                    own.enter(inside);
                }
                for (int i = 0; i < 1000; i++) {
                    other.enter(nothing);
                    own.enter(nothing);
                }
            });
        }
        ready.await();
        // Not all, as some frame may be deoptimized meanwhile.
        Check.that(before ? biased(held) > HOLDERS / 2 : biased(held) == 0, biased(held) + " monitors that are held are biased");
        Check.that(before ? biased(left) > HOLDERS / 2 : biased(left) == 0, biased(left) + " that have been left are");

        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i <= LIMIT; i++) {
            crew.start("more-" + i, end::await);
        }
        Check.that(after ? biased(held) > HOLDERS / 2 : biased(held) == 0, biased(held) + " monitors that are held are still biased");
        Check.equal(after ? BIASED : UNLOCKED, pattern(new Monitor()), "pattern of a new object while there are many threads");
        Check.equal(after ? BIASED : UNLOCKED, pattern(new Later()), "the same of a class that is loaded then");

        Thread[] waiting = new Thread[HOLDERS];
        for (int t = 0; t < HOLDERS; t++) {
            Monitor own = held[t], other = left[t];
            waiting[t] = crew.start("enters-" + t, () -> {
                other.enter(nothing);
                own.enter(nothing);
            });
        }
        for (Thread thread : waiting) {
            Check.awaitState(thread, Thread.State.BLOCKED);
        }
        for (Monitor own : held) {
            Check.equal(0, own.entries, "entries while it is held");
        }
        release.countDown();
        end.countDown();
        crew.join();
        for (int t = 0; t < HOLDERS; t++) {
            Check.equal(1002, held[t].entries, "entries of a monitor that was held");
            Check.equal(1002, left[t].entries, "entries of one that was left");
        }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this", e);
        }
    }

    static int biased(Monitor[] monitors) {
        int n = 0;
        for (Monitor m : monitors) {
            n += pattern(m) == BIASED ? 1 : 0;
        }
        return n;
    }

    static int pattern(Object o) {
        return UNSAFE.getInt(o, 0L) & 7;
    }

    static Unsafe unsafe() {
        try {
            Field f = Unsafe.class.getDeclaredField("theUnsafe");
            f.setAccessible(true);
            return (Unsafe) f.get(null);
        } catch (ReflectiveOperationException e) {
            throw new Error(e);
        }
    }
}
