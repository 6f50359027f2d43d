/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Synchronizers that spin before they block, hundreds of times, hand over from one coroutine to another one of the same carrier,
 *          which cannot run meanwhile. They park at once. Catches: they spin, until the loop yields, which takes as long as
 *          some tens of parks.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm wisptest.Crew
 * @run main/othervm HandOverWithoutSpinning
 */

import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.StampedLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class HandOverWithoutSpinning {
    static final int ROUNDS = 5_000;

    interface Half { void once(int round) throws Exception; }

    static int shared;

    static long count(String what) {
        Matcher m = Pattern.compile("(\\d+) " + what).matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "Wisp.status does not tell " + what);
        return Long.parseLong(m.group(1));
    }

    static void pair(String what, Half one, Half other) throws Exception {
        double parks = 0;
        for (int pass = 0; pass < 2; pass++) {              // the first one is for the compilers
            long before = Vm.wispOn() ? count("parks") : 0;
            Crew crew = new Crew();
            for (Half half : new Half[] { one, other }) {
                crew.start(what, () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        half.once(i);
                    }
                });
            }
            crew.join();
            parks = Vm.wispOn() ? (count("parks") - before) / (double) ROUNDS : 1;
        }
        System.out.printf("%s: %.3f parks for a round%n", what, parks);
        Check.that(parks > 0.4, what + ": only " + parks + " parks for a round");
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate",
                    "HandOverWithoutSpinning", "child").exited(0).has("StampedLock");
            return;
        }
        SynchronousQueue<Integer> queue = new SynchronousQueue<>();
        pair("SynchronousQueue", queue::put, i -> Check.equal(i, queue.take(), "what was handed over"));
        LinkedTransferQueue<Integer> transfers = new LinkedTransferQueue<>();
        pair("LinkedTransferQueue", transfers::transfer, i -> Check.equal(i, transfers.take(), "what was handed over"));
        Exchanger<Integer> exchanger = new Exchanger<>();
        Half exchange = i -> Check.equal(i, exchanger.exchange(i), "what was exchanged");
        pair("Exchanger", exchange, exchange);
        Phaser phaser = new Phaser(2);
        Half advance = i -> phaser.arriveAndAwaitAdvance();
        pair("Phaser", advance, advance);
        StampedLock lock = new StampedLock();
        Half locked = i -> {
            long stamp = lock.writeLock();
            shared++;
            Thread.yield();                                 // to the other one, which wants the lock
            lock.unlockWrite(stamp);
        };
        pair("StampedLock", locked, locked);
        Check.equal(4 * ROUNDS, shared, "what the lock has kept");
    }
}
