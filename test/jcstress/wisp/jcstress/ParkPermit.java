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
 * A permit is never lost: who stores a flag and then unparks wakes a thread that has looked at the flag before it parks, wherever that thread
 * is between the two, and the thread sees what was written before. A lost permit shows as a test that does not end.
 */
@JCStressTest
@State
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "woken, and sees what was written before")
@Outcome(expect = Expect.FORBIDDEN, desc = "does not see what was written before the unpark")
public class ParkPermit {
    private volatile Thread waiter;
    private volatile boolean done;
    private int data;

    @Actor
    public void parks(I_Result r) {
        waiter = Thread.currentThread();
        while (!done) {
            LockSupport.park(this);
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
        done = true;
        LockSupport.unpark(t);
    }
}
