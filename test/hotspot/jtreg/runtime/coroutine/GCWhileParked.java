/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thousands of parked threads keep what only their stacks refer to, while collections move everything: locals of
 *          interpreted and compiled frames, monitors they hold, the object they wait on, what a caller further up holds. And what
 *          no stack refers to any more is collected, although the threads that had it are still parked. Catches: a stack that a
 *          collector does not see, or does not update, or sees more of than is live.
 * @library /test/lib
 * @run main GCWhileParked
 */

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class GCWhileParked {
    static final int THREADS = 2_000;
    static final CountDownLatch go = new CountDownLatch(1);

    static final class Node {
        final int value;
        final Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    /** Parks with a list in a local of each of several frames, and checks the lists on the way back. */
    static int frames(int depth, int seed) throws InterruptedException {
        Node list = null;
        for (int i = 0; i < 5; i++) {
            list = new Node(seed + i, list);
        }
        String text = "s" + seed;
        int below = depth > 0 ? frames(depth - 1, seed + 1) : block(seed);
        for (int i = 4; i >= 0; i--) {
            Check.equal(seed + i, list.value, "a value in a list on the stack");
            list = list.next;
        }
        Check.equal("s" + seed, text, "a string on the stack");
        return below + 1;
    }

    static int block(int seed) throws InterruptedException {
        Object lock = new Object();
        synchronized (lock) {
            int hash = lock.hashCode();
            switch (seed % 3) {
                case 0:
                    go.await();
                    break;
                case 1:
                    while (go.getCount() > 0) {
                        lock.wait(50);
                    }
                    break;
                default:
                    while (go.getCount() > 0) {
                        LockSupport.parkNanos(lock, 50_000_000);
                    }
                    break;
            }
            Check.equal(hash, lock.hashCode(), "hash of a locked object");
            Check.that(Thread.holdsLock(lock), "the monitor is held");
        }
        return 0;
    }

    static WeakReference<Object> dropped(int i) {
        return new WeakReference<>(new byte[1000 + i]);
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        List<WeakReference<Object>> dropped = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int k = i;
            crew.start("parked-" + i, () -> {
                WeakReference<Object> w = dropped(k);
                synchronized (dropped) {
                    dropped.add(w);
                }
                Check.equal(8, frames(7, k), "frames");
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING, Thread.State.TIMED_WAITING);
        }
        List<byte[]> garbage = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            for (int j = 0; j < 200; j++) {
                garbage.add(new byte[1000]);
            }
            garbage.clear();
            System.gc();
        }
        Check.await(() -> {
            System.gc();
            return dropped.stream().allMatch(w -> w.get() == null);
        });
        Check.equal(THREADS, dropped.size(), "threads that dropped something");
        go.countDown();
        crew.join();
    }
}
