/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary With ten thousands of threads the VM does not stop everybody once a second, and look at each stack, because nearly all
 *          ObjectMonitors that exist are in use; and a thread that inflates one monitor takes one, not 32 of 256 bytes.
 * @library /test/lib
 * @modules java.management/sun.management
 * @build wisptest.Check
 * @run main/othervm -XX:NativeMemoryTracking=summary -Xss256k CleanupPauses
 */

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.ObjectName;

import sun.management.ManagementFactoryHelper;

import wisptest.Check;

public class CleanupPauses {
    static final int THREADS = 24_000, WAITING = 4_000, SECONDS = 5;

    /** What the VM has allocated for itself, monitors among it, in KB. */
    static long internalKB() throws Exception {
        String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
            new Object[] { new String[] { "summary" } }, new String[] { String[].class.getName() });
        Matcher m = Pattern.compile("Internal \\(reserved=\\d+KB, committed=(\\d+)KB\\)").matcher(text);
        Check.that(m.find(), text);
        return Long.parseLong(m.group(1));
    }

    public static void main(String[] args) throws Throwable {
        CountDownLatch done = new CountDownLatch(1);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                try {
                    done.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            threads[i].start();
        }

        for (Thread t : threads) {
            Check.awaitState(t, Thread.State.WAITING);
        }

        // Monitors in use by threads that wait, so that no pause can reclaim them. 3 KB are for what each thread has.
        long before = internalKB();
        Thread[] waiting = new Thread[WAITING];
        for (int i = 0; i < WAITING; i++) {
            Object monitor = new Object();
            waiting[i] = new Thread(() -> {
                synchronized (monitor) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException e) {
                        // the end
                    }
                }
            });
            waiting[i].start();
        }
        for (Thread t : waiting) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        long kilobytes = internalKB() - before;
        System.out.println(kilobytes + " KB for " + WAITING + " monitors");
        Check.that(kilobytes < 5 * WAITING, kilobytes + " KB for " + WAITING + " monitors");

        // A collection or another operation of the VM may pause, too: not in each of three windows.
        long pauses = SECONDS;
        for (int i = 0; i < 3 && pauses >= SECONDS - 1; i++) {
            long count = ManagementFactoryHelper.getHotspotRuntimeMBean().getSafepointCount();
            Thread.sleep(SECONDS * 1000);
            pauses = ManagementFactoryHelper.getHotspotRuntimeMBean().getSafepointCount() - count;
            System.out.println(pauses + " pauses in " + SECONDS + " seconds");
        }
        Check.that(pauses < SECONDS - 1, pauses + " pauses in " + SECONDS + " seconds");

        done.countDown();
        for (Thread t : threads) {
            t.join();
        }
        for (Thread t : waiting) {
            t.interrupt();
            t.join();
        }
    }
}
