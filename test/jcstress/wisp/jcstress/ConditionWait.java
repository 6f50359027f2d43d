/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.jcstress;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/*
 * java.util.concurrent on top of park: a signal is not lost to the end of a timed wait, and the lock hands over what was written under it.
 */
@JCStressTest
@State
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "signalled, and sees what was written under the lock")
@Outcome(expect = Expect.FORBIDDEN, desc = "does not see what was written under the lock")
public class ConditionWait {
    private volatile boolean waiting;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean ready;
    private int data;

    @Actor
    public void waits(I_Result r) {
        lock.lock();
        try {
            waiting = true;
            if (!ready) {
                changed.await(20, TimeUnit.MICROSECONDS);
            }
            while (!ready) {
                changed.await();
            }
            r.r1 = data;
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted by nobody", e);
        } finally {
            lock.unlock();
        }
    }

    @Actor
    public void signals() {
        while (!waiting) {
            Thread.yield();
        }
        lock.lock();
        try {
            data = 1;
            ready = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
