/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A kernel thread, the main thread of a program, starts coroutines one after the other, which lets carriers nap, and many, for
 *          which one of two carriers makes room, while others hand something over to each other, sleep, and, in the second half,
 *          exchange messages. Nothing waits for ever.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm StartedByMain
 */

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import wisptest.Check;
import wisptest.Vm;

public class StartedByMain {
    static final int ROUNDS = 50, STARTS = 600;           // a series is longer than 128, and its starter seldom blocks
    static final int LONG_ROUNDS = 4, MANY_STARTS = 12_000;    // a long one: more than 1,024
    static final AtomicInteger failures = new AtomicInteger();
    static volatile boolean stopped;

    interface Turn {
        void run() throws Exception;
    }

    static Thread start(Turn turn) {
        Thread t = new Thread(() -> {
            try {
                turn.run();
            } catch (Throwable e) {
                e.printStackTrace();
                failures.incrementAndGet();
            }
        });
        t.start();
        return t;
    }

    static Thread repeat(AtomicLong turns, Turn turn) {
        return start(() -> {
            while (!stopped) {
                turn.run();
                turns.incrementAndGet();
            }
        });
    }

    /** Starts many threads at a time; a third of them hand something over by way of one that is there all the time. */
    static void rounds(SynchronousQueue<Integer> there, SynchronousQueue<Integer> back) throws InterruptedException {
        rounds(ROUNDS, STARTS, there, back);
        rounds(LONG_ROUNDS, MANY_STARTS, there, back);
    }

    static void rounds(int rounds, int starts, SynchronousQueue<Integer> there, SynchronousQueue<Integer> back) throws InterruptedException {
        for (int i = 0; i < rounds; i++) {
            CountDownLatch ended = new CountDownLatch(starts);
            for (int k = 0; k < starts; k++) {
                int number = k % 6;
                start(() -> {
                    if (number == 0) {
                        there.put(number);
                    } else if (number == 1) {
                        Check.equal(0, back.take(), "what comes back");
                    }
                    ended.countDown();
                });
            }
            ended.await();
        }
    }

    static void work() throws Exception {
        SynchronousQueue<Integer> there = new SynchronousQueue<>(), back = new SynchronousQueue<>();
        AtomicLong slept = new AtomicLong(), answered = new AtomicLong();
        Thread between = start(() -> {
            for (int i = 0; i >= 0; ) {
                i = there.take();
                back.put(i);
            }
        });
        Thread sleeper = repeat(slept, () -> Thread.sleep(1));
        rounds(there, back);

        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort()), server = listener.accept();
        Thread echo = start(() -> {
            for (int b; (b = server.getInputStream().read()) >= 0; ) {
                server.getOutputStream().write(b);
            }
        });
        Thread asks = repeat(answered, () -> {
            client.getOutputStream().write(1);
            Check.equal(1, client.getInputStream().read(), "answer");
        });
        rounds(there, back);

        there.put(-1);
        Check.equal(-1, back.take(), "the last one");
        stopped = true;
        between.join();
        sleeper.join();
        asks.join();
        client.close();
        echo.join();
        System.out.println(2 * (ROUNDS + LONG_ROUNDS) + " rounds, " + slept + " sleeps, " + answered + " answers, " + failures + " failures");
        Check.that(slept.get() > 0 && answered.get() > 0, "others got on meanwhile");
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("StartedByMain", "child").exited(0).has(" rounds, ").has(" 0 failures");
            Vm.java("-XX:ActiveProcessorCount=2", "StartedByMain", "child").exited(0).has(" rounds, ").has(" 0 failures");
            return;
        }
        try {
            work();                                          // on the kernel thread of this VM
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);                    // others may wait for ever
        }
    }
}
