/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that wait in a loop, by Thread.onSpinWait() or by parks of a nanosecond, for one that shares their carrier. A kernel thread
 *          that is woken preempts such a loop, and sleeps in such a park for its timer slack. Catches: the loop goes on to
 *          the end of its time slice, at each turn; parks of a nanosecond use up the processor.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm SpinningWaits
 */

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.locks.LockSupport;

import wisptest.Check;
import wisptest.Vm;

public class SpinningWaits {
    static final int WARM_UP = 2_000, ROUNDS = 2_000, THREADS = 3;
    static volatile int turn;

    interface Wait { void once(); }

    /** Passes the turn round, and counts how often one waits once for it. */
    static class Member extends Thread {
        final int index;
        final Wait wait;
        long waits;

        Member(int index, Wait wait) {
            this.index = index;
            this.wait = wait;
        }

        @Override public void run() {
            for (int round = 0; round < WARM_UP + ROUNDS; round++) {
                int mine = round * THREADS + index;
                while (turn != mine) {
                    wait.once();
                    if (round >= WARM_UP) {
                        waits++;
                    }
                }
                turn = mine + 1;
            }
        }
    }

    static double waitsForTurn(Wait wait) throws Exception {
        turn = 0;
        Member[] members = new Member[THREADS];
        for (int i = 0; i < THREADS; i++) {
            members[i] = new Member(i, wait);
        }
        long waits = 0;
        for (Member member : members) {
            member.start();
        }
        for (Member member : members) {
            member.join();
            waits += member.waits;
        }
        return waits / (double) ROUNDS / THREADS;
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            for (String compiler : new String[] { "-XX:+TieredCompilation", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-Xint" }) {
                Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", compiler,
                        "SpinningWaits", "child").exited(0).has("for a turn");
            }
            return;
        }
        double spins = waitsForTurn(Thread::onSpinWait);
        double parks = waitsForTurn(() -> LockSupport.parkNanos(1));
        System.out.printf("%.1f spins and %.1f parks for a turn%n", spins, parks);
        if (Vm.wispOn()) {
            Check.that(spins < 2_000, "spun " + spins + " times for a turn");
            Check.that(parks < 20, "parked " + parks + " times for a turn");
        }
        long slack = Long.parseLong(Files.readAllLines(Paths.get("/proc/self/timerslack_ns")).get(0).trim());
        long begin = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            LockSupport.parkNanos(1);
        }
        long nanos = System.nanoTime() - begin;
        System.out.println(nanos + " ns for 1,000 parks of 1 ns, timer slack " + slack + " ns");
        Check.that(nanos > 500 * Math.min(slack, 1_000_000), "a park of 1 ns took " + nanos / 1_000 + " ns");
    }
}
