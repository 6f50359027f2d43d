/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A kernel thread, the main thread of a program, starts coroutines one after the other, which lets carriers nap, while others
 *          hand something over to each other, sleep, and exchange messages. Nothing waits for ever, and a nap does not make those wait.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm StartedByMain
 */

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;

import wisptest.Check;
import wisptest.Vm;

public class StartedByMain {
    static final int STARTS = 60_000;
    static volatile boolean stopped;

    interface Turn {
        void run() throws Exception;
    }

    static Thread residents(AtomicLong turns, Turn turn) {
        Thread t = new Thread(() -> {
            try {
                while (!stopped) {
                    turn.run();
                    turns.incrementAndGet();
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        t.start();
        return t;
    }

    static void work() throws Exception {
        SynchronousQueue<Integer> there = new SynchronousQueue<>(), back = new SynchronousQueue<>();
        AtomicLong handed = new AtomicLong(), slept = new AtomicLong(), answered = new AtomicLong(), unused = new AtomicLong();
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort()), server = listener.accept();
        Thread echo = residents(unused, () -> {
            int b = server.getInputStream().read();
            if (b >= 0) {
                server.getOutputStream().write(b);
            }
        });
        Thread partner = residents(unused, () -> {
            Integer i = there.take();
            back.put(i);
            if (i < 0) {
                stopped = true;
            }
        });
        Thread[] residents = {
            residents(slept, () -> Thread.sleep(1)),
            residents(answered, () -> {
                client.getOutputStream().write(1);
                Check.equal(1, client.getInputStream().read(), "answer");
            }),
        };
        for (int i = 0; i < STARTS / 6; i++) {
            // Six at a time, two of which hand something over to a third one.
            CountDownLatch ended = new CountDownLatch(6);
            for (int k = 0; k < 6; k++) {
                int number = k;
                new Thread(() -> {
                    try {
                        if (number == 0) {
                            there.put(number);
                        } else if (number == 1) {
                            Check.equal(0, back.take(), "what comes back");
                            handed.incrementAndGet();
                        }
                        ended.countDown();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }).start();
            }
            ended.await();
        }
        System.out.println(handed + " handed over, " + slept + " sleeps, " + answered + " answers");
        Check.equal((long) STARTS / 6, handed.get(), "handed over");
        Check.that(slept.get() > 0 && answered.get() > 0, "others got on meanwhile");
        for (Thread t : new Thread[] { partner, echo }) {
            Check.that(t.isAlive(), "resident");
        }
        there.put(-1);
        Check.equal(-1, back.take(), "the last one");
        partner.join();
        for (Thread t : residents) {
            t.join();
        }
        client.close();
        echo.join();
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            work();                                          // on the kernel thread of this VM
            return;
        }
        Vm.java("StartedByMain", "work").exited(0).has("handed over");
    }
}
