/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisp.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/*
 * A monitor has one owner, also while the owner is off its carrier and continues on another one.
 */
@JCStressTest
@State
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both additions")
@Outcome(expect = Expect.FORBIDDEN, desc = "two owners at a time")
public class MonitorOwner {
    private int count;

    private void add() {
        synchronized (this) {
            int before = count;
            Thread.yield();
            count = before + 1;
        }
    }

    @Actor
    public void one() {
        add();
    }

    @Actor
    public void other() {
        add();
    }

    @Arbiter
    public void sum(I_Result r) {
        r.r1 = count;
    }
}
