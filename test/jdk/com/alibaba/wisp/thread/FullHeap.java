/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The Java heap is full, and the thread that is going to free it waits behind others that block their kernel threads: the carriers
 *          that take over need no memory then. Catches a spare carrier whose java.lang.Thread is made when it is needed.
 * @library /test/lib
 * @build wisptest.Vm
 * @run main/othervm FullHeap
 */

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

import wisptest.Vm;

public class FullHeap {
    static final int BLOCKED = 20;
    static final long GUARD = 20_000_000_000L;           // ns

    static volatile boolean go, freed;
    static volatile Object[] memory;

    static void await() {
        while (!go) {
            LockSupport.park();
        }
    }

    static void block(FileInputStream in, byte[] buffer) {
        await();
        try {
            in.read(buffer, 0, 1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static Object[] all() {
        Object[] list = null;
        for (int size = 1 << 20; size >= 2; ) {
            try {
                Object[] more = new Object[size];
                more[0] = list;
                list = more;
            } catch (OutOfMemoryError e) {
                size /= 2;
            }
        }
        return list;
    }

    /** The current thread's own loop, which allocates when a method is called for the first time. */
    static void awaitFreed(long limit) {
        long start = System.nanoTime();
        while (!freed && System.nanoTime() - start < limit) {
            Thread.yield();
        }
    }

    static void go(Thread[] threads) {
        for (Thread t : threads) {
            LockSupport.unpark(t);
        }
    }

    /** Nothing here, from the point on when it takes all memory, may allocate. */
    static boolean isFreed() {
        FileInputStream in = new FileInputStream(FileDescriptor.in);
        Thread[] threads = new Thread[BLOCKED + 1];
        for (int i = 0; i < BLOCKED; i++) {
            byte[] buffer = new byte[1];
            threads[i] = new Thread(() -> block(in, buffer));
        }
        threads[BLOCKED] = new Thread(() -> {
            await();
            memory = null;
            freed = true;
        });
        for (Thread t : threads) {
            t.setDaemon(true);
            t.start();
        }
        for (Thread t : threads) {
            while (t.getState() != Thread.State.WAITING) {
                Thread.yield();
            }
        }
        go(threads);                                     // which go on waiting
        awaitFreed(1_000_000);
        memory = all();
        go = true;
        go(threads);
        awaitFreed(GUARD);
        return freed;
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Vm.java("-Xmx60m", "FullHeap", "child").exited(0);
        } else {
            Runtime.getRuntime().halt(isFreed() ? 0 : 1);
        }
    }
}
