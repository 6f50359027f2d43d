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
 * The counters of one carrier at one moment. Times are zero unless they are measured, see
 * {@link WispCounterMXBean}.
 *
 * @see WispCounterMXBean#getWispCounterData(long)
 */
public final class WispCounterData {
    private final long executionCount;
    private final long enqueueCount;
    private final long taskQueueLength;
    private final long runningTaskCount;
    private final long timerCount;
    private final long timeoutCount;
    private final long stealCount;
    private final long failedStealCount;
    private final long createdTaskCount;
    private final long completedTaskCount;
    private final long parkCount;
    private final long unparkCount;
    private final long yieldCount;
    private final long preemptionCount;
    private final long pinnedParkCount;
    private final long pollCount;
    private final long eventCount;
    private final long waitSocketIOCount;
    private final long totalEnqueueTime;
    private final long totalExecutionTime;
    private final long totalBlockingTime;
    private final long totalWaitSocketIOTime;
    private final long maxEnqueueTime;
    private final long maxExecutionTime;
    private final long maxBlockingTime;
    private final long maxWaitSocketIOTime;
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
        timeoutCount = counter.getTimeoutCount();
        stealCount = counter.getStealCount();
        failedStealCount = counter.getFailedStealCount();
        createdTaskCount = counter.getCreatedTaskCount();
        completedTaskCount = counter.getCompletedTaskCount();
        parkCount = counter.getParkCount();
        unparkCount = counter.getUnparkCount();
        yieldCount = counter.getYieldCount();
        preemptionCount = counter.getPreemptionCount();
        pinnedParkCount = counter.getPinnedParkCount();
        pollCount = counter.getPollCount();
        eventCount = counter.getEventCount();
        waitSocketIOCount = counter.getWaitSocketIOCount();
        totalEnqueueTime = counter.getTotalEnqueueTime();
        totalExecutionTime = counter.getTotalExecutionTime();
        totalBlockingTime = counter.getTotalBlockingTime();
        totalWaitSocketIOTime = counter.getTotalWaitSocketIOTime();
        maxEnqueueTime = counter.getMaxEnqueueTime();
        maxExecutionTime = counter.getMaxExecutionTime();
        maxBlockingTime = counter.getMaxBlockingTime();
        maxWaitSocketIOTime = counter.getMaxWaitSocketIOTime();
        running = counter.isRunning();
    }

    private WispCounterData(CompositeData data) {
        executionCount = (Long) data.get("executionCount");
        enqueueCount = (Long) data.get("enqueueCount");
        taskQueueLength = (Long) data.get("taskQueueLength");
        runningTaskCount = (Long) data.get("runningTaskCount");
        timerCount = (Long) data.get("timerCount");
        timeoutCount = (Long) data.get("timeoutCount");
        stealCount = (Long) data.get("stealCount");
        failedStealCount = (Long) data.get("failedStealCount");
        createdTaskCount = (Long) data.get("createdTaskCount");
        completedTaskCount = (Long) data.get("completedTaskCount");
        parkCount = (Long) data.get("parkCount");
        unparkCount = (Long) data.get("unparkCount");
        yieldCount = (Long) data.get("yieldCount");
        preemptionCount = (Long) data.get("preemptionCount");
        pinnedParkCount = (Long) data.get("pinnedParkCount");
        pollCount = (Long) data.get("pollCount");
        eventCount = (Long) data.get("eventCount");
        waitSocketIOCount = (Long) data.get("waitSocketIOCount");
        totalEnqueueTime = (Long) data.get("totalEnqueueTime");
        totalExecutionTime = (Long) data.get("totalExecutionTime");
        totalBlockingTime = (Long) data.get("totalBlockingTime");
        totalWaitSocketIOTime = (Long) data.get("totalWaitSocketIOTime");
        maxEnqueueTime = (Long) data.get("maxEnqueueTime");
        maxExecutionTime = (Long) data.get("maxExecutionTime");
        maxBlockingTime = (Long) data.get("maxBlockingTime");
        maxWaitSocketIOTime = (Long) data.get("maxWaitSocketIOTime");
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
     * How many of its timers had fired.
     *
     * @return a count
     */
    public long getTimeoutCount() {
        return timeoutCount;
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
     * How many tasks had been started for the carrier.
     *
     * @return a count
     */
    public long getCreatedTaskCount() {
        return createdTaskCount;
    }

    /**
     * How many tasks had ended on the carrier.
     *
     * @return a count
     */
    public long getCompletedTaskCount() {
        return completedTaskCount;
    }

    /**
     * How often tasks had left the carrier to wait for something.
     *
     * @return a count
     */
    public long getParkCount() {
        return parkCount;
    }

    /**
     * How often the carrier had gone on with a task that had waited.
     *
     * @return a count
     */
    public long getUnparkCount() {
        return unparkCount;
    }

    /**
     * How often tasks had given way to others.
     *
     * @return a count
     */
    public long getYieldCount() {
        return yieldCount;
    }

    /**
     * How often tasks had been preempted.
     *
     * @return a count
     */
    public long getPreemptionCount() {
        return preemptionCount;
    }

    /**
     * How often tasks had waited without leaving their kernel thread.
     *
     * @return a count
     */
    public long getPinnedParkCount() {
        return pinnedParkCount;
    }

    /**
     * How often the carrier had asked the event pump for events.
     *
     * @return a count
     */
    public long getPollCount() {
        return pollCount;
    }

    /**
     * How many events of descriptors it had got.
     *
     * @return a count
     */
    public long getEventCount() {
        return eventCount;
    }

    /**
     * How often tasks had waited for descriptors.
     *
     * @return a count
     */
    public long getWaitSocketIOCount() {
        return waitSocketIOCount;
    }

    /**
     * How long tasks had waited for the carrier.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalEnqueueTime() {
        return totalEnqueueTime;
    }

    /**
     * How long tasks had been on the carrier.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalExecutionTime() {
        return totalExecutionTime;
    }

    /**
     * How long tasks had been away to wait for something.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalBlockingTime() {
        return totalBlockingTime;
    }

    /**
     * How long tasks had waited for descriptors.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalWaitSocketIOTime() {
        return totalWaitSocketIOTime;
    }

    /**
     * The longest time for which a task had waited for the carrier.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxEnqueueTime() {
        return maxEnqueueTime;
    }

    /**
     * The longest time for which a task had been on the carrier.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxExecutionTime() {
        return maxExecutionTime;
    }

    /**
     * The longest time for which a task had waited for something.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxBlockingTime() {
        return maxBlockingTime;
    }

    /**
     * The longest time for which a task had waited for a descriptor.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxWaitSocketIOTime() {
        return maxWaitSocketIOTime;
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
