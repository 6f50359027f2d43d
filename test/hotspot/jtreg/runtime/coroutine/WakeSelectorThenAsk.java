/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread puts a task into the queue of an event loop, wakes its selector, and asks afterwards to be told of the task's end, as
 *          those do who write to a channel of Netty. Catches: who wakes a selector gives way to it, once in a time slice or as the two wake
 *          each other, as the owner of a lock does to those whom it could shut out; the task is at its end then before the other one has asked
 *          (Spring Cloud Gateway, whose pooled connections were closed under those who had them then).
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 WakeSelectorThenAsk
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;

public class WakeSelectorThenAsk {
    static final int ROUNDS = 300;
    static final int MOST_EARLY = 30;                                   // of these: of who is interrupted just then
    static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(12);        // a waker gives way once in a time slice at least

    static volatile boolean stop;

    static class Task {
        volatile boolean atItsEnd;
        volatile Thread asker;

        void end() {
            atItsEnd = true;
            LockSupport.unpark(asker);
        }
    }

    static void await(Task task) {
        task.asker = Thread.currentThread();
        while (!task.atItsEnd) {
            LockSupport.park(task);
        }
    }

    // How often a task was at its end before its writer could ask.
    static int early(Selector selector, Queue<Task> queue, long pause) {
        int early = 0;
        for (int i = 0; i < ROUNDS; i++) {
            if (pause > 0) {
                LockSupport.parkNanos(pause);
            }
            Task task = new Task();
            queue.add(task);
            selector.wakeup();
            if (task.atItsEnd) {
                early++;
            } else {
                await(task);
            }
        }
        return early;
    }

    static void loop(Selector selector, Queue<Task> queue) {
        try {
            while (!stop) {
                selector.select();
                for (Task task = queue.poll(); task != null; task = queue.poll()) {
                    task.end();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String... args) throws Exception {
        Selector selector = Selector.open();
        Queue<Task> queue = new ConcurrentLinkedQueue<>();
        Thread loop = new Thread(() -> loop(selector, queue), "loop");
        loop.start();
        int[] early = new int[2];
        Thread writer = new Thread(() -> {
            early[0] = early(selector, queue, PAUSE);
            early[1] = early(selector, queue, 0);
        }, "writer");
        writer.start();
        writer.join();
        stop = true;
        selector.wakeup();
        loop.join();
        selector.close();
        System.out.println("too late of " + ROUNDS + ": " + early[0] + " with pauses, " + early[1] + " without");
        Check.that(early[0] <= MOST_EARLY, early[0] + " of " + ROUNDS + " that write after a pause asked too late");
        Check.that(early[1] <= MOST_EARLY, early[1] + " of " + ROUNDS + " that write again and again asked too late");
    }
}
