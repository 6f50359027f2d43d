/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that computes for ever wakes another one for each piece of work, which is short, so that wake-ups of carriers seem to be of no
 *          use. While a carrier is idle the other one runs there: it sees the first one go on, in most turns of one round at least, of up to 40,000:
 *          other processes may want the processors. Catches: the two take turns on one carrier, at least every other time.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm ComputingProducer
 */

import java.util.concurrent.locks.LockSupport;

import wisptest.Check;
import wisptest.Vm;

public class ComputingProducer {
    static final int TURNS = 200, MOST = TURNS * 3 / 4, ROUNDS = 40_000;
    static final long PIECE_NANOS = 20_000, LONGEST_NANOS = 20_000;

    static volatile long beats;                  // of the producer
    static volatile int wanted, done;
    static volatile boolean end;                 // by the consumer: a round was as it should be
    static int best;                             // by the consumer

    static void produce(Thread consumer) {
        for (int i = 1; i <= ROUNDS * TURNS && !end; i++) {
            for (long until = System.nanoTime() + PIECE_NANOS; System.nanoTime() < until; ) {
                beats++;
            }
            wanted = i;
            LockSupport.unpark(consumer);
        }
    }

    static void consume() {
        int round = 0, together = 0;
        while (!end && done < ROUNDS * TURNS) {
            while (wanted == done) {
                LockSupport.park();
            }
            done = wanted;
            if (done / TURNS != round) {
                round = done / TURNS;
                together = 0;
            }
            long before = beats;
            for (long until = System.nanoTime() + LONGEST_NANOS; System.nanoTime() < until; ) {
                if (beats != before) {
                    together++;
                    break;
                }
            }
            best = Math.max(best, together);
            end = best >= MOST;
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {                  // main of another VM is no coroutine, whose timers would wake a carrier now and then
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=2", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff", "ComputingProducer", "child").exited(0);
            return;
        }
        Thread consumer = new Thread(ComputingProducer::consume);
        Thread producer = new Thread(() -> produce(consumer));
        consumer.start();
        producer.start();
        producer.join();
        consumer.join();
        System.out.println("at best " + best + " of " + TURNS + " turns, after " + done);
        Check.that(best >= MOST, "not together in most turns of any round");
    }
}
