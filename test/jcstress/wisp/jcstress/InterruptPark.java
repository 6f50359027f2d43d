/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.jcstress;

import java.util.concurrent.locks.LockSupport;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/*
 * An interrupt ends a park, is not lost to an unpark at the same time, and counts once.
 */
@JCStressTest
@State
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "interrupted once")
@Outcome(expect = Expect.FORBIDDEN, desc = "does not see what was written before the interrupt, or is interrupted twice")
public class InterruptPark {
    private volatile Thread waiter;
    private int data;

    @Actor
    public void parks(II_Result r) {
        waiter = Thread.currentThread();
        while (!Thread.interrupted()) {
            LockSupport.park(this);
        }
        r.r1 = data;
        r.r2 = Thread.interrupted() ? 1 : 0;
    }

    @Actor
    public void interrupts() {
        Thread t;
        while ((t = waiter) == null) {
            Thread.yield();
        }
        LockSupport.unpark(t);
        data = 1;
        t.interrupt();
    }
}
