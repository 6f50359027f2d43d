/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that computes for ever wakes another one for each piece of work, which is short, so that wake-ups of carriers seem to be of no
 *          use. While a carrier is idle the other one runs there: it sees the first one go on, in most turns of some round, as others may want the
 *          processors. Catches: the two take turns on one carrier, at least every other time.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm ComputingProducer
 */

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

import wisptest.Check;
import wisptest.Vm;

public class ComputingProducer {
    static final int TURNS = 2_000, ROUNDS = 100, MOST = TURNS * 3 / 4;
    static final long PIECE_NANOS = 20_000, LONGEST_NANOS = 20_000;

    static volatile long beats;                  // of the producer
    static volatile int wanted;
    static final int[] together = new int[ROUNDS];   // by the consumer

    static void produce(Thread consumer) {
        for (int i = 0; i < ROUNDS * TURNS; i++) {
            for (long end = System.nanoTime() + PIECE_NANOS; System.nanoTime() < end; ) {
                beats++;
            }
            wanted = i + 1;
            LockSupport.unpark(consumer);
        }
    }

    static void consume() {
        for (int done = 0; done < ROUNDS * TURNS; ) {
            while (wanted == done) {
                LockSupport.park();
            }
            done = wanted;
            long before = beats;
            for (long end = System.nanoTime() + LONGEST_NANOS; System.nanoTime() < end; ) {
                if (beats != before) {
                    together[(done - 1) / TURNS]++;
                    break;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {                  // main of another VM is no coroutine, whose timers would wake a carrier now and then
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=2", "ComputingProducer", "child").exited(0);
            return;
        }
        Thread consumer = new Thread(ComputingProducer::consume);
        Thread producer = new Thread(() -> produce(consumer));
        consumer.start();
        producer.start();
        producer.join();
        consumer.join();
        System.out.println(Arrays.toString(together));
        Check.that(Arrays.stream(together).max().getAsInt() >= MOST, "not together in most turns of any round");
    }
}
