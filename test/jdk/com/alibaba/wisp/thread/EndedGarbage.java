/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What only a thread refers to that has ended can be collected at once: in a heap that holds few such threads, of a class with a large
 *          field, one after the other; and in a group of more than a thousand, and of many more, in the order of their starts and not. Catches an
 *          ended thread that stays a root until the VM has taken it off its list, and one that stays in the array of its group; and what stands there
 *          instead and cannot be interrupted; a thread that is interrupted by its group after its end.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm EndedGarbage
 */

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class EndedGarbage {
    /** In a debug VM each interrupt looks at all threads. */
    static final int VERY_MANY = System.getProperty("jdk.debug").equals("release") ? 20_000 : 4_000;
    static final int MANY = 1200, SOME = 40, COLLECTIONS = 50, THREADS = 60, BYTES = 10 << 20;

    static class Large extends Thread {
        final byte[] field = new byte[BYTES];

        @Override
        public void run() {
            field[0] = 1;
        }
    }

    static void oneAfterTheOther() throws Exception {
        for (int i = 0; i < THREADS; i++) {
            Thread t = new Large();
            t.start();
            t.join();
        }
    }

    static List<WeakReference<Thread>> ended(ThreadGroup group, boolean inOrder) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SOME; i++) {
            threads.add(new Thread(group, () -> { }));
        }
        if (!inOrder) {
            Collections.reverse(threads);
        }
        List<WeakReference<Thread>> all = new ArrayList<>();
        for (Thread t : threads) {
            t.start();
            t.join();
            all.add(new WeakReference<>(t));
        }
        return all;
    }

    static int left(List<WeakReference<Thread>> threads) {
        int left = 0;
        for (WeakReference<Thread> t : threads) {
            left += t.get() != null ? 1 : 0;
        }
        return left;
    }

    /** There is no event for it: some collections may come before the VM has forgotten the last ones. */
    static void collected(List<WeakReference<Thread>> threads, String what) {
        for (int i = 0; i < COLLECTIONS && left(threads) > 0; i++) {
            System.gc();
        }
        Check.equal(0, left(threads), "threads that are still there, " + what);
    }

    static void largeGroup(int many) throws Throwable {
        ThreadGroup group = new ThreadGroup("large");
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            Thread t = new Thread(group, () -> {
                while (end.getCount() > 0) {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                    }
                }
            });
            all.add(t);
            t.start();
        }
        Crew crew = new Crew();
        crew.start("starts", () -> {
            collected(ended(group, true), "in the order of their starts");
            collected(ended(group, false), "in another one");
        });
        crew.join();
        group.interrupt();                               // while those that have ended are still among them
        Check.await(() -> interrupted.get() == many);
        Check.equal(many, group.activeCount(), "threads of the group");
        Thread[] list = new Thread[many + SOME];
        Check.equal(many, group.enumerate(list), "threads in the list");
        Check.equal(all, Arrays.asList(list).subList(0, many), "the list");
        end.countDown();
        for (Thread t : all) {
            t.join();
        }
        Check.equal(0, group.activeCount(), "threads of the group at the end");
        group.destroy();
    }

    static class Interrupted extends Thread {
        static final AtomicInteger ALIVE = new AtomicInteger(), ENDED = new AtomicInteger();
        final CountDownLatch end;

        Interrupted(ThreadGroup group, CountDownLatch end) {
            super(group, "interrupted");
            this.end = end;
        }

        @Override
        public void run() {
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException expected) {
                }
            }
        }

        @Override
        public void interrupt() {
            (isAlive() ? ALIVE : ENDED).incrementAndGet();
            super.interrupt();
        }
    }

    /** Where an entry cannot be found by the thread's id: those that have ended are not interrupted all the same. */
    static void interrupted() throws Throwable {
        ThreadGroup group = new ThreadGroup("reversed");
        CountDownLatch some = new CountDownLatch(1), others = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        List<Thread> early = new ArrayList<>();
        for (int i = 0; i < VERY_MANY; i++) {
            Thread t = new Interrupted(group, i % 1000 == 500 ? some : others);
            threads.add(t);
            if (i % 1000 == 500) {
                early.add(t);
            }
        }
        Collections.reverse(threads);
        for (Thread t : threads) {
            t.start();
        }
        some.countDown();
        for (Thread t : early) {
            t.join();
        }
        group.interrupt();
        Check.equal(VERY_MANY - early.size(), Interrupted.ALIVE.get(), "threads that were interrupted");
        Check.equal(0, Interrupted.ENDED.get(), "threads that were interrupted after their end");
        others.countDown();
        for (Thread t : threads) {
            t.join();
        }
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Xmx64m", "EndedGarbage", "after").exited(0);
            largeGroup(MANY);
            largeGroup(VERY_MANY);
            interrupted();
        } else {
            oneAfterTheOther();
            Crew crew = new Crew();
            crew.start("starts", EndedGarbage::oneAfterTheOther);
            crew.join();
        }
    }
}
