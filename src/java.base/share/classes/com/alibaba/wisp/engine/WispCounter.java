/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

/*
 * A snapshot of the counters of one run queue.
 *
 * Protocol: immutable. The numbers are read one after the other while the carrier
 * runs, so they need not add up.
 *
 * Rejected: live objects that the scheduler updates (each switch would write Java
 * fields), and leaving out the getters of what is not measured (monitoring that
 * exists calls them).
 */

/**
 * What a carrier has done since the VM started: a snapshot, which does not change.
 * Counts are 0 or more. Times would be in nanoseconds; neither times nor the counts
 * that say so are measured, as that would cost a clock read in each switch: their
 * getters exist for monitoring code that reads them, and return 0.
 *
 * @see WispEngine#getWispCounter(long)
 */
public final class WispCounter {
    // The order in which WispCarrier.counters returns them.
    private static final int SWITCHES = 0;
    private static final int WAITING = 1;
    private static final int TIMERS = 2;
    private static final int STEALS = 3;
    private static final int FAILED_STEALS = 4;
    private static final int IDLE = 5;

    private final long[] values;

    private WispCounter(long[] values) {
        this.values = values;
    }

    static WispCounter of(int queue) {
        return new WispCounter(WispCarrier.counters(queue));
    }

    /**
     * Returns how often the carrier has switched to a task.
     *
     * @return a count
     */
    public long getExecutionCount() {
        return values[SWITCHES];
    }

    /**
     * Returns how many tasks have been queued for the carrier: those that it has
     * switched to, and those that wait for that.
     *
     * @return a count
     */
    public long getEnqueueCount() {
        return values[SWITCHES] + values[WAITING];
    }

    /**
     * Returns how many tasks can run and wait for the carrier.
     *
     * @return the present length of the queue
     */
    public long getTaskQueueLength() {
        return values[WAITING];
    }

    /**
     * Returns how many tasks run on the carrier or could run there. Tasks that wait for
     * something else are not included.
     *
     * @return the present number
     */
    public long getRunningTaskCount() {
        return values[WAITING] + (isRunning() ? 1 : 0);
    }

    /**
     * Whether the carrier has something to do.
     *
     * @return false if it sleeps
     */
    public boolean isRunning() {
        return values[IDLE] == 0;
    }

    /**
     * Returns how many timers of sleeping tasks the carrier keeps.
     *
     * @return the present number
     */
    public long getTimerCount() {
        return values[TIMERS];
    }

    /**
     * Returns how many tasks the carrier has taken from other carriers' queues.
     *
     * @return a count
     */
    public long getStealCount() {
        return values[STEALS];
    }

    /**
     * Returns how often the carrier tried that and found nothing.
     *
     * @return a count
     */
    public long getFailedStealCount() {
        return values[FAILED_STEALS];
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getCompletedTaskCount() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getUnparkCount() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getTotalEnqueueTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getTotalExecutionTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getTotalBlockingTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getTotalWaitSocketIOTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getWaitSocketIOCount() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getMaxEnqueueTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getMaxExecutionTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getMaxBlockingTime() {
        return 0;
    }

    /**
     * Not measured.
     *
     * @return 0
     */
    public long getMaxWaitSocketIOTime() {
        return 0;
    }

    @Override
    public String toString() {
        return "WispCounter[executions=" + getExecutionCount() + ", queued=" + getTaskQueueLength()
            + ", timers=" + getTimerCount() + ", steals=" + getStealCount()
            + ", failed steals=" + getFailedStealCount() + ", running=" + isRunning() + "]";
    }
}
