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
 * Plain writes before and after a switch to another carrier are seen by whoever sees the volatile write that follows them, also when the
 * reader changes its carrier between its reads.
 */
@JCStressTest
@State
@Outcome(id = {"-1, -1", "1, 2"}, expect = Expect.ACCEPTABLE, desc = "nothing yet, or both writes")
@Outcome(expect = Expect.FORBIDDEN, desc = "a write before the volatile write is missing")
public class VolatileHandOver {
    private int first;
    private int second;
    private volatile boolean published;

    @Actor
    public void writer() {
        first = 1;
        Thread.yield();
        second = 2;
        published = true;
    }

    @Actor
    public void reader(II_Result r) {
        r.r1 = r.r2 = -1;
        if (published) {
            r.r1 = first;
            Thread.yield();
            r.r2 = second;
        }
    }
}
