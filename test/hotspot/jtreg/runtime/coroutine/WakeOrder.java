/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Main, which is a kernel thread, wakes another thread, and does something behind that: as a rule it goes on before that one runs, as it
 *          does when both are kernel threads. Nothing says that it must, but programs have been tried with kernel threads. Catches: the carrier
 *          that is woken has a shorter time slice, and takes main's processor in the middle of the call: the woken thread is first in
 *          97 of a hundred.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm WakeOrder
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import wisptest.Check;
import wisptest.Vm;

public class WakeOrder {
    static final int ROUNDS = 500;

    static volatile boolean asked;
    static volatile boolean goneOn;
    static volatile boolean seen;
    static volatile int answers;

    static void answer() {
        seen = goneOn;
        answers++;
    }

    /** How often the one that is woken comes first. */
    static int overtaken(Runnable wakes) throws InterruptedException {
        int overtaken = 0;
        for (int i = 0; i < ROUNDS; i++) {
            goneOn = false;
            int before = answers;
            Thread.sleep(1);                             // the carriers sleep
            wakes.run();
            goneOn = true;
            while (answers == before) {
                Thread.sleep(1);
            }
            overtaken += seen ? 0 : 1;
        }
        return overtaken;
    }

    /** The best of a few times, as something else may have the processors. */
    static void check(String how, Runnable wakes) throws InterruptedException {
        int least = ROUNDS;
        for (int i = 0; i < 20 && least >= ROUNDS / 2; i++) {
            least = Math.min(least, overtaken(wakes));
        }
        System.out.println(how + ": " + least + " of " + ROUNDS + " ran before their waker went on");
        Check.that(least < ROUNDS / 2, how + ": " + least);
    }

    static Thread daemon(Check.Code body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        t.setDaemon(true);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=2", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "WakeOrder", "child").exited(0).has("a queue");
            return;
        }
        Thread parked = daemon(() -> {
            while (true) {
                LockSupport.park();
                if (asked) {
                    asked = false;
                    answer();
                }
            }
        });
        check("unpark", () -> {
            asked = true;
            LockSupport.unpark(parked);
        });
        Object monitor = new Object();
        CountDownLatch waits = new CountDownLatch(1);    // a notification before the first wait would be lost
        daemon(() -> {
            synchronized (monitor) {
                waits.countDown();
                while (true) {
                    monitor.wait();
                    answer();
                }
            }
        });
        waits.await();
        check("notify", () -> {
            synchronized (monitor) {
                monitor.notify();
            }
        });
        LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        daemon(() -> {
            while (true) {
                queue.take();
                answer();
            }
        });
        check("a queue", () -> queue.add(1));
    }
}
