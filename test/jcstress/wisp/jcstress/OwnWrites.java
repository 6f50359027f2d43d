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
 * A thread sees its own plain writes, and stays itself, on whichever carrier it continues. The rival's writes go to the neighbouring field
 * so that the cache line moves.
 */
@JCStressTest
@State
@Outcome(id = "3, 3", expect = Expect.ACCEPTABLE, desc = "each sees its own writes and itself")
@Outcome(expect = Expect.FORBIDDEN, desc = "an own write is missing, or another thread was current")
public class OwnWrites {
    private int left;
    private int right;

    @Actor
    public void left(II_Result r) {
        Thread self = Thread.currentThread();
        left = 1;
        Thread.yield();
        left += 1;
        Thread.yield();
        r.r1 = left + (self == Thread.currentThread() ? 1 : 0);
    }

    @Actor
    public void right(II_Result r) {
        Thread self = Thread.currentThread();
        right = 1;
        Thread.yield();
        right += 1;
        Thread.yield();
        r.r2 = right + (self == Thread.currentThread() ? 1 : 0);
    }
}
