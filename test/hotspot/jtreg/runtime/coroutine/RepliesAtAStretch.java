/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that hands replies on to others, and never waits for what they wait for, does so for all of them before one of
 *          them runs: it gives way to whom it has woken only where it could shut that one out, or seldom, to try. Fails if in
 *          more than half of the rounds somebody runs in between.
 * @library /test/lib
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -Dcom.alibaba.wisp.carrierEngines=1 RepliesAtAStretch
 */

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class RepliesAtAStretch {
    static final int WAITERS = 5;
    static final int ROUNDS = 600;

    static volatile boolean handingOn;
    static volatile boolean between;

    public static void main(String[] args) throws Throwable {
        if (!Vm.wispOn()) {
            return;
        }
        Semaphore[] replies = new Semaphore[WAITERS];
        Semaphore requests = new Semaphore(0), rounds = new Semaphore(1), other = new Semaphore(0);
        AtomicInteger left = new AtomicInteger();
        int[] interrupted = new int[1];
        Crew crew = new Crew();
        for (int i = 0; i < WAITERS; i++) {
            Semaphore reply = replies[i] = new Semaphore(0);
            crew.start("waiter-" + i, () -> {
                for (int n = 0; n < ROUNDS; n++) {
                    reply.acquire();
                    between |= handingOn;
                    if (left.decrementAndGet() == 0) {
                        rounds.release();
                    }
                }
            });
        }
        // So that the last waiter and the one who wakes it do not wake each other; and that one is not the first who is woken.
        crew.start("requester", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                rounds.acquire();
                other.release();
                requests.release();
            }
        });
        crew.start("other", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                other.acquire();
            }
        });
        crew.start("replier", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                requests.acquire();
                left.set(WAITERS);
                between = false;
                handingOn = true;
                for (Semaphore reply : replies) {
                    reply.release();
                }
                handingOn = false;
                if (between) {
                    interrupted[0]++;
                }
            }
        });
        crew.join();
        System.out.println("somebody ran in between in " + interrupted[0] + " of " + ROUNDS + " rounds");
        Check.that(interrupted[0] <= ROUNDS / 2, "somebody ran in between in " + interrupted[0] + " of " + ROUNDS + " rounds");
    }
}
