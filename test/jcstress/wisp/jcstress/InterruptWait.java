/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/*
 * A waiter that is notified and interrupted at the same time returns and stays interrupted, or throws and is not interrupted any more; the
 * interrupt is neither lost nor delivered twice.
 */
@JCStressTest
@State
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "notified; the interrupt is pending")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "interrupted; nothing is pending")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "the interrupt is lost")
@Outcome(id = "1, 1", expect = Expect.FORBIDDEN, desc = "interrupted twice")
public class InterruptWait {
    private volatile Thread waiter;
    private volatile boolean interrupted;
    private boolean ready;

    @Actor
    public void waits(II_Result r) {
        synchronized (this) {
            waiter = Thread.currentThread();
            try {
                while (!ready) {
                    wait();
                }
            } catch (InterruptedException e) {
                r.r1 = 1;
            }
        }
        while (!interrupted) {
            Thread.yield();
        }
        r.r2 = Thread.interrupted() ? 1 : 0;
    }

    @Actor
    public void interruptsAndNotifies() {
        Thread t;
        while ((t = waiter) == null) {
            Thread.yield();
        }
        t.interrupt();
        interrupted = true;
        synchronized (this) {
            ready = true;
            notify();
        }
    }
}
