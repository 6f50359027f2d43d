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
 * A thread sees what was written before its start, and who has joined it, or sees that it has ended, sees what it wrote. The unpark comes at
 * any time between its start and its end, and must not be lost.
 */
@JCStressTest
@State
@Outcome(id = {"2, -1", "2, 2"}, expect = Expect.ACCEPTABLE, desc = "joined; the other one sees it running, or its result")
@Outcome(expect = Expect.FORBIDDEN, desc = "a write of the thread that has ended is missing")
public class StartAndJoin {
    private int before;
    private int result;
    private volatile boolean go;
    private final Thread thread = new Thread(this::body);

    private void body() {
        while (!go) {
            LockSupport.park(this);
        }
        result = before + 1;
    }

    @Actor
    public void starts(II_Result r) {
        before = 1;
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted by nobody", e);
        }
        r.r1 = result;
    }

    @Actor
    public void unparks(II_Result r) {
        go = true;
        LockSupport.unpark(thread);
        r.r2 = thread.getState() == Thread.State.TERMINATED ? result : -1;
    }
}
