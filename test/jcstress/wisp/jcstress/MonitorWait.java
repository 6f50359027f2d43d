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
import org.openjdk.jcstress.infra.results.I_Result;

/*
 * A notify under the lock is not lost, whether the waiter is about to wait, waits, or enters the monitor again; and the lock hands over what
 * was written under it.
 */
@JCStressTest
@State
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "notified, and sees what was written under the lock")
@Outcome(expect = Expect.FORBIDDEN, desc = "does not see what was written under the lock")
public class MonitorWait {
    private volatile boolean waiting;
    private boolean ready;
    private int data;

    @Actor
    public void waits(I_Result r) {
        synchronized (this) {
            waiting = true;
            while (!ready) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted by nobody", e);
                }
            }
            r.r1 = data;
        }
    }

    @Actor
    public void notifies() {
        while (!waiting) {
            Thread.yield();
        }
        synchronized (this) {
            data = 1;
            ready = true;
            notify();
        }
    }
}
