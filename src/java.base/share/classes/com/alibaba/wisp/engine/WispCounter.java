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
 * fields).
 */

/**
 * What a carrier has done since the VM started: a snapshot, which does not change.
 * Counts are 0 or more. Times are in nanoseconds, and 0 unless they are measured, because
 * that takes two clock reads in each switch: they are measured with
 * {@code -Dcom.alibaba.wisp.profile=true}, and between {@code jcmd <pid> Wisp.profile on}
 * and {@code off}.
 *
 * @see WispEngine#getWispCounter(long)
 */
public final class WispCounter {
    // The order of RunQueue::Counter.
    private static final int SWITCHES = 0, WAITING = 1, TIMERS = 2, IDLE = 3;
    private static final int STEALS = 4, FAILED_STEALS = 5, STARTS = 6, ENDS = 7, PARKS = 8, UNPARKS = 9, YIELDS = 10,
        PREEMPTS = 11, PINNED_PARKS = 12, TIMEOUTS = 13, POLLS = 14, EVENTS = 15, POLL_INTERRUPTS = 16, DESCRIPTOR_WAITS = 17;
    private static final int QUEUED_NANOS = 18, RUN_NANOS = 19, PARKED_NANOS = 20, DESCRIPTOR_NANOS = 21;
    private static final int MAX_QUEUED_NANOS = 22, MAX_RUN_NANOS = 23, MAX_PARKED_NANOS = 24, MAX_DESCRIPTOR_NANOS = 25;

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
     * Returns how many of its timers have fired. One that is cancelled in time does not.
     *
     * @return a count
     */
    public long getTimeoutCount() {
        return values[TIMEOUTS];
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
     * Returns how many tasks have been started for the carrier.
     *
     * @return a count
     */
    public long getCreatedTaskCount() {
        return values[STARTS];
    }

    /**
     * Returns how many tasks have ended on the carrier.
     *
     * @return a count
     */
    public long getCompletedTaskCount() {
        return values[ENDS];
    }

    /**
     * Returns how often a task has left the carrier to wait for something.
     *
     * @return a count
     */
    public long getParkCount() {
        return values[PARKS];
    }

    /**
     * Returns how often the carrier has gone on with a task that had waited.
     *
     * @return a count
     */
    public long getUnparkCount() {
        return values[UNPARKS];
    }

    /**
     * Returns how often a task has given way to another one.
     *
     * @return a count
     */
    public long getYieldCount() {
        return values[YIELDS];
    }

    /**
     * Returns how often a task has been preempted, at the end of its time slice or, after it has used up one, for another task.
     *
     * @return a count
     */
    public long getPreemptionCount() {
        return values[PREEMPTS];
    }

    /**
     * Returns how often a task has waited without leaving its kernel thread, because of
     * native code on its stack.
     *
     * @return a count
     */
    public long getPinnedParkCount() {
        return values[PINNED_PARKS];
    }

    /**
     * Returns how often the carrier has asked the event pump for events.
     *
     * @return a count
     */
    public long getPollCount() {
        return values[POLLS];
    }

    /**
     * Returns how many events of descriptors it has got from there.
     *
     * @return a count
     */
    public long getEventCount() {
        return values[EVENTS];
    }

    /**
     * Returns how often the carrier slept in the event pump and was woken for another reason
     * than an event.
     *
     * @return a count
     */
    public long getPollInterruptCount() {
        return values[POLL_INTERRUPTS];
    }

    /**
     * Returns how often a task has left the carrier to wait for a descriptor.
     *
     * @return a count
     */
    public long getWaitSocketIOCount() {
        return values[DESCRIPTOR_WAITS];
    }

    /**
     * Returns how long tasks have waited for the carrier, all together.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalEnqueueTime() {
        return values[QUEUED_NANOS];
    }

    /**
     * Returns how long tasks have been on the carrier, all together. This is elapsed, not
     * CPU time.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalExecutionTime() {
        return values[RUN_NANOS];
    }

    /**
     * Returns how long tasks have been away from the carrier to wait for something, all
     * together.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalBlockingTime() {
        return values[PARKED_NANOS];
    }

    /**
     * Returns how long tasks have waited for descriptors, all together; part of {@link
     * #getTotalBlockingTime()}.
     *
     * @return nanoseconds, while times are measured
     */
    public long getTotalWaitSocketIOTime() {
        return values[DESCRIPTOR_NANOS];
    }

    /**
     * Returns the longest time for which a task has waited for the carrier.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxEnqueueTime() {
        return values[MAX_QUEUED_NANOS];
    }

    /**
     * Returns the longest time for which a task has been on the carrier without leaving it.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxExecutionTime() {
        return values[MAX_RUN_NANOS];
    }

    /**
     * Returns the longest time for which a task has waited for something.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxBlockingTime() {
        return values[MAX_PARKED_NANOS];
    }

    /**
     * Returns the longest time for which a task has waited for a descriptor.
     *
     * @return nanoseconds, while times are measured
     */
    public long getMaxWaitSocketIOTime() {
        return values[MAX_DESCRIPTOR_NANOS];
    }

    @Override
    public String toString() {
        return "WispCounter[executions=" + getExecutionCount() + ", queued=" + getTaskQueueLength()
            + ", timers=" + getTimerCount() + ", steals=" + getStealCount()
            + ", failed steals=" + getFailedStealCount() + ", running=" + isRunning() + "]";
    }
}
