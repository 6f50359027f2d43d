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
 * Volatile accesses are in one order for all threads: of two that write their own field and then read the other's, one at least sees the
 * other's write, with a switch between the two as well.
 */
@JCStressTest
@State
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "some order of the four accesses")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "no order of the four accesses")
public class VolatileOrder {
    private volatile int x;
    private volatile int y;

    @Actor
    public void one(II_Result r) {
        x = 1;
        r.r1 = y;
    }

    @Actor
    public void other(II_Result r) {
        y = 1;
        Thread.yield();
        r.r2 = x;
    }
}
