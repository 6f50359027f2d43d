/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/*
 * Parks many threads and waits, so that a script can look at the memory of the process from outside. Defends "10,000 parked
 * coroutines cost at most 24 KB each outside the Java heap".
 *
 * Usage: Parked plain|virtual THREADS; prints "parked 0", waits for a line on standard input, parks the threads, prints
 * "parked N", waits for another line.
 */
public class Parked {
    private static volatile boolean over;

    public static void main(String[] args) throws Exception {
        ThreadFactory factory = args[0].equals("virtual") ? virtual() : Thread::new;
        int n = Integer.parseInt(args[1]);
        // One thread first: what the first one costs is not what each one costs.
        Thread first = factory.newThread(() -> { });
        first.start();
        first.join();
        System.out.println("parked 0");
        System.in.read();
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = factory.newThread(() -> {
                while (!over) {
                    LockSupport.park(threads);
                }
            });
            threads[i].start();
        }
        for (Thread t : threads) {
            while (t.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        System.out.println("parked " + n);
        System.in.read();
        Runtime.getRuntime().halt(0);
    }

    private static ThreadFactory virtual() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }
}
