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
import org.openjdk.jcstress.infra.results.I_Result;

/*
 * The same with a time limit that ends at about the time of the unpark: of timer and unparker exactly one makes the thread runnable. Both
 * doing so runs it twice, none of them leaves it parked.
 */
@JCStressTest
@State
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "woken by one of them, and sees what was written before")
@Outcome(expect = Expect.FORBIDDEN, desc = "does not see what was written before the unpark")
public class TimedPark {
    private volatile Thread waiter;
    private volatile boolean done;
    private int data;

    @Actor
    public void parks(I_Result r) {
        waiter = Thread.currentThread();
        long nanos = 1_000;
        while (!done) {
            LockSupport.parkNanos(this, nanos);
            nanos += 7_000;
        }
        r.r1 = data;
    }

    @Actor
    public void unparks() {
        Thread t;
        while ((t = waiter) == null) {
            Thread.yield();
        }
        data = 1;
        Thread.yield();
        done = true;
        LockSupport.unpark(t);
    }
}
