/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/** What the benchmarks of the flag off and of computations both measure; each returns a number that depends on all of its work. */
final class Workloads {
    private static Node kept;
    private static int plain;

    private Workloads() { }

    private static final class Node {
        final Node left, right;

        Node(int depth) {
            left = depth == 0 ? null : new Node(depth - 1);
            right = depth == 0 ? null : new Node(depth - 1);
        }

        int size() {
            return left == null ? 1 : 1 + left.size() + right.size();
        }
    }

    /** Short-lived trees beside a longer-lived one; a thousand are enough for a young collection or two. */
    static long allocate(int shortLived) {
        kept = new Node(15);
        long n = 0;
        for (int i = 0; i < shortLived; i++) {
            n += new Node(12).size();
        }
        return n + kept.size();
    }

    private static synchronized void step() {
        plain++;
    }

    /** Nobody else wants these locks. */
    static long uncontended() {
        ReentrantLock lock = new ReentrantLock();
        StringBuffer text = new StringBuffer();
        Object[] monitors = new Object[64];
        Arrays.setAll(monitors, i -> new Object());
        plain = 0;
        for (int i = 0; i < 100_000; i++) {
            step();
            lock.lock();
            plain ^= i;
            lock.unlock();
            synchronized (monitors[i & 63]) {
                plain += i;
            }
            text.append((char) i);
        }
        return plain + text.length();
    }
}
