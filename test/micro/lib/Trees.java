/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/** Allocation for the benchmarks: short-lived trees beside a longer-lived one. */
final class Trees {
    private static Node kept;

    private Trees() { }

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

    /** A thousand short-lived ones are enough for a young collection or two. */
    static long build(int shortLived) {
        kept = new Node(15);
        long n = 0;
        for (int i = 0; i < shortLived; i++) {
            n += new Node(12).size();
        }
        return n + kept.size();
    }
}
