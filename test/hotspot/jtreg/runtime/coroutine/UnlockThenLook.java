/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread hands a job to another one while it has the monitor of the job, which the other one wants at its end; behind the
 *          unlock it asks by a method whether the job still runs, and acts on the answer, without a lock. So do Arthas's HTTP interface and many
 *          others; with kernel threads the answer is nearly always still true then. Catches: who gives way to whom it has woken with the
 *          unlock does so at the next poll of interpreted code, which is where that method returns, so that each answer is wrong.
 *          Also when the thread has computed for long before.
 * @library /test/lib
 * @run main/othervm -Xint -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate UnlockThenLook
 * @run main/othervm -Xint -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 UnlockThenLook
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;

public class UnlockThenLook {
    static final int ROUNDS = 150;
    static final int MOST_WRONG = 30;                                   // of these; without the flag and with it none, as a rule
    static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(12);        // a waker gives way once in a time slice at least
    static final long WORK = TimeUnit.MICROSECONDS.toNanos(20);
    static final long HOLD = TimeUnit.MICROSECONDS.toNanos(100);        // by then the job is at its end and wants the monitor
    static final long COMPUTING = TimeUnit.MILLISECONDS.toNanos(25);

    static volatile long sink;

    static void compute(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
            sink++;
        }
    }

    static class Job {
        volatile boolean running = true;
        final CountDownLatch ended = new CountDownLatch(1);

        synchronized void begin(ExecutorService pool) {
            pool.execute(() -> {
                compute(WORK);
                end();
                ended.countDown();
            });
            compute(HOLD);
        }

        synchronized void end() {
            running = false;
        }

        boolean isRunning() {
            return running;
        }
    }

    static int wrongAnswers(ExecutorService pool, long computing) throws InterruptedException {
        int wrong = 0;
        for (int i = 0; i < ROUNDS; i++) {
            LockSupport.parkNanos(PAUSE);
            compute(computing);
            Job job = new Job();
            job.begin(pool);
            if (job.isRunning()) {
                if (!job.running) {
                    wrong++;
                }
            }
            job.ended.await();
        }
        return wrong;
    }

    public static void main(String... args) throws Exception {
        ExecutorService pool = Executors.newScheduledThreadPool(1);
        int[] wrong = new int[2];
        Thread starter = new Thread(() -> {
            try {
                wrong[0] = wrongAnswers(pool, 0);
                wrong[1] = wrongAnswers(pool, COMPUTING);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "starter");
        starter.start();
        starter.join();
        pool.shutdown();
        System.out.println("wrong answers of " + ROUNDS + ": " + wrong[0] + ", and " + wrong[1] + " of who has computed");
        Check.that(wrong[0] <= MOST_WRONG, wrong[0] + " wrong answers of " + ROUNDS);
        Check.that(wrong[1] <= MOST_WRONG, wrong[1] + " wrong answers of " + ROUNDS + " to who has computed");
    }
}
