/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * A member of UPerf that counts the calls that it makes and those that arrive. In UPerf's package, as the results of members are visible
 * only there.
 */
package org.jgroups.tests.perf;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jgroups.Address;
import org.jgroups.View;

public class CountingUPerf extends UPerf {
    public final LongAdder getsReceived = new LongAdder(), putsReceived = new LongAdder();
    public final AtomicInteger wrong = new AtomicInteger();

    @Override
    public byte[] get(long key) {
        getsReceived.increment();
        return super.get(key);
    }

    @Override
    public void put(long key, byte[] value) {
        if (value == null || value.length != msg_size) {
            wrong.incrementAndGet();
        }
        putsReceived.increment();
    }

    public int viewSize() {
        View v = view;
        return v == null ? 0 : v.size();
    }

    /** Runs the test on all members; returns how many gets and puts they say they made, each with the number of members called. */
    public long[] benchmark(int members) {
        startBenchmark();
        // UPerf waits no longer than 1.2 times what a test takes; results that come later are there all the same.
        if (!results_coll.waitForAllResponses(120_000)) {
            throw new AssertionError("no results of " + results_coll.getMissing());
        }
        long[] calls = new long[2];
        Map<Address, PerfUtil.Results> results = results_coll.getResults();
        if (results.size() != members) {
            throw new AssertionError("results of " + results.keySet());
        }
        for (PerfUtil.Results r : results.values()) {
            calls[0] += r.num_gets;
            calls[1] += r.num_puts * anycast_count;
        }
        return calls;
    }

    public void leave() {
        stop();
    }
}
