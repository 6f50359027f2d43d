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
 * An object that is published by a race shows its final fields as its constructor left them, also when the constructor changed its carrier.
 */
@JCStressTest
@State
@Outcome(id = {"-1", "3"}, expect = Expect.ACCEPTABLE, desc = "no object yet, or all of its final fields")
@Outcome(expect = Expect.FORBIDDEN, desc = "a final field without its value")
public class FinalFields {
    private static final class Pair {
        final int one;
        final int two;

        Pair() {
            one = 1;
            Thread.yield();
            two = 2;
        }
    }

    private Pair pair;

    @Actor
    public void writer() {
        pair = new Pair();
    }

    @Actor
    public void reader(I_Result r) {
        Pair p = pair;
        r.r1 = p == null ? -1 : p.one + p.two;
    }
}
