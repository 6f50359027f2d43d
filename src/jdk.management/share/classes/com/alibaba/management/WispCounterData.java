/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.management;

import com.alibaba.wisp.engine.WispCounter;
import javax.management.openmbean.CompositeData;

/*
 * WispCounter in the form that crosses a JMX connection.
 *
 * Protocol: immutable; from() is the inverse of the mapping that the MBean server
 * derives from the getters.
 *
 * Rejected: WispCounter itself with a from() method (java.base does not know the
 * types of JMX).
 */

/**
 * The counters of one carrier at one moment. What the scheduler does not measure is
 * not part of it.
 *
 * @see WispCounterMXBean#getWispCounterData(long)
 */
public final class WispCounterData {
    private final long executionCount;
    private final long enqueueCount;
    private final long taskQueueLength;
    private final long runningTaskCount;
    private final long timerCount;
    private final long stealCount;
    private final long failedStealCount;
    private final boolean running;

    /**
     * Copies the counters.
     *
     * @param counter where from
     */
    public WispCounterData(WispCounter counter) {
        executionCount = counter.getExecutionCount();
        enqueueCount = counter.getEnqueueCount();
        taskQueueLength = counter.getTaskQueueLength();
        runningTaskCount = counter.getRunningTaskCount();
        timerCount = counter.getTimerCount();
        stealCount = counter.getStealCount();
        failedStealCount = counter.getFailedStealCount();
        running = counter.isRunning();
    }

    private WispCounterData(CompositeData data) {
        executionCount = (Long) data.get("executionCount");
        enqueueCount = (Long) data.get("enqueueCount");
        taskQueueLength = (Long) data.get("taskQueueLength");
        runningTaskCount = (Long) data.get("runningTaskCount");
        timerCount = (Long) data.get("timerCount");
        stealCount = (Long) data.get("stealCount");
        failedStealCount = (Long) data.get("failedStealCount");
        running = (Boolean) data.get("running");
    }

    /**
     * Restores the counters on the client's side of a connection.
     *
     * @param data what the server sent, or null
     * @return the counters, or null
     * @throws javax.management.openmbean.InvalidKeyException if data is something else
     */
    public static WispCounterData from(CompositeData data) {
        return data == null ? null : new WispCounterData(data);
    }

    /**
     * How often the carrier has switched to a task.
     *
     * @return a count
     */
    public long getExecutionCount() {
        return executionCount;
    }

    /**
     * How many tasks have been queued for the carrier.
     *
     * @return a count
     */
    public long getEnqueueCount() {
        return enqueueCount;
    }

    /**
     * How many tasks waited for the carrier.
     *
     * @return a number of tasks
     */
    public long getTaskQueueLength() {
        return taskQueueLength;
    }

    /**
     * How many tasks ran on the carrier or waited for it.
     *
     * @return a number of tasks
     */
    public long getRunningTaskCount() {
        return runningTaskCount;
    }

    /**
     * How many timers of sleeping tasks the carrier kept.
     *
     * @return a number of timers
     */
    public long getTimerCount() {
        return timerCount;
    }

    /**
     * How many tasks the carrier had taken from others' queues.
     *
     * @return a count
     */
    public long getStealCount() {
        return stealCount;
    }

    /**
     * How often the carrier had tried that and found nothing.
     *
     * @return a count
     */
    public long getFailedStealCount() {
        return failedStealCount;
    }

    /**
     * Whether the carrier had something to do.
     *
     * @return false if it slept
     */
    public boolean isRunning() {
        return running;
    }
}
