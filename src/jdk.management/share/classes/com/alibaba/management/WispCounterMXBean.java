/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.management;

import java.lang.management.PlatformManagedObject;
import java.util.List;

/*
 * The scheduler's counters for JMX, under the name and with the attributes that
 * existing monitoring reads.
 *
 * Protocol: each attribute is read from the VM at the time of the call, so two
 * attributes are from two moments; getWispCounterData() is one snapshot.
 *
 * Rejected: leaving out the times while they are not measured (a query for a fixed set of
 * attributes would fail), starting to measure at the first read (an exporter that reads
 * everything would make each switch dearer for good), and registering the bean in a VM without coroutines (that
 * VM has upstream's set of platform MBeans).
 */

/**
 * Counters of the carriers that run coroutines. Registered in the platform MBean
 * server as {@value #NAME} if the VM was started with {@code -XX:+UseWisp2}.
 *
 * <p>Each attribute is a list with one element per carrier, in the order of
 * {@link com.alibaba.wisp.engine.WispEngine#getWispCarrierIds()}. Times are zero unless they
 * are measured, which takes two clock reads in each switch: with
 * {@code -Dcom.alibaba.wisp.profile=true}, and between {@code jcmd <pid> Wisp.profile on}
 * and {@code off}.
 *
 * @see com.alibaba.wisp.engine.WispCounter
 */
public interface WispCounterMXBean extends PlatformManagedObject {
    /** The name in the MBean server. */
    String NAME = "com.alibaba.management:type=WispCounter";

    /**
     * Whether each carrier has something to do.
     *
     * @return false for one that sleeps
     */
    List<Boolean> getRunningStates();

    /**
     * How often each carrier has switched to a task.
     *
     * @return counts
     */
    List<Long> getSwitchCount();

    /**
     * The same as {@link #getSwitchCount()}.
     *
     * @return counts
     */
    List<Long> getExecutionCount();

    /**
     * How many tasks have been queued for each carrier.
     *
     * @return counts
     */
    List<Long> getEnqueueCount();

    /**
     * How many tasks wait for each carrier now.
     *
     * @return numbers of tasks
     */
    List<Long> getQueueLength();

    /**
     * How many tasks run on each carrier or wait for it now.
     *
     * @return numbers of tasks
     */
    List<Long> getNumberOfRunningTasks();

    /**
     * How many tasks have been started for each carrier.
     *
     * @return counts
     */
    List<Long> getCreateTaskCount();

    /**
     * How many tasks have ended on each carrier.
     *
     * @return counts
     */
    List<Long> getCompleteTaskCount();

    /**
     * How often tasks have left each carrier to wait for something.
     *
     * @return counts
     */
    List<Long> getParkCount();

    /**
     * How often each carrier has gone on with a task that had waited.
     *
     * @return counts
     */
    List<Long> getUnparkCount();

    /**
     * There are no lazy wake-ups in this version.
     *
     * @return zeros
     */
    List<Long> getLazyUnparkCount();

    /**
     * How often each carrier slept in the event pump and was woken for another reason than
     * an event.
     *
     * @return counts
     */
    List<Long> getUnparkInterruptSelectorCount();

    /**
     * How many events of descriptors each carrier has got from the event pump.
     *
     * @return counts
     */
    List<Long> getSelectableIOCount();

    /**
     * How many timers of each carrier have fired.
     *
     * @return counts
     */
    List<Long> getTimeOutCount();

    /**
     * How often each carrier has asked the event pump for events.
     *
     * @return counts
     */
    List<Long> getEventLoopCount();

    /**
     * How often tasks have left each carrier to wait for a descriptor.
     *
     * @return counts
     */
    List<Long> getWaitSocketIOCount();

    /**
     * The same as {@link #getTotalEnqueueTime()}.
     *
     * @return nanoseconds, while times are measured
     */
    List<Long> getWaitTimeTotal();

    /**
     * The same as {@link #getTotalExecutionTime()}.
     *
     * @return nanoseconds, while times are measured
     */
    List<Long> getRunningTimeTotal();

    /**
     * How long tasks have waited for each carrier.
     *
     * @return nanoseconds, while times are measured
     */
    List<Long> getTotalEnqueueTime();

    /**
     * How long tasks have been on each carrier; elapsed, not CPU time.
     *
     * @return nanoseconds, while times are measured
     */
    List<Long> getTotalExecutionTime();

    /**
     * How long tasks have been away from each carrier to wait for something.
     *
     * @return nanoseconds, while times are measured
     */
    List<Long> getTotalBlockingTime();

    /**
     * How long tasks have waited for descriptors; part of {@link #getTotalBlockingTime()}.
     *
     * @return nanoseconds, while times are measured
     */
    List<Long> getTotalWaitSocketIOTime();

    /**
     * All counters of one carrier at one moment.
     *
     * @param id of the carrier
     * @return the counters, or null if there is no such carrier
     */
    WispCounterData getWispCounterData(long id);

    /**
     * The earlier name of {@link #getWispCounterData(long)}.
     *
     * @param id of the carrier
     * @return the counters, or null if there is no such carrier
     */
    WispCounterData getWispCounter(long id);

    /**
     * Whether {@link Thread#start()} makes coroutines at present.
     *
     * @return false after {@link #stopConversion()}, or if the settings say so
     */
    boolean isConversionEnabled();

    /**
     * Lets {@code Thread.start()} make kernel threads from now on. Coroutines go on.
     *
     * @throws SecurityException if a security manager denies
     *         {@code ManagementPermission("control")}
     */
    void stopConversion();

    /**
     * Lets {@code Thread.start()} make coroutines again, unless the other settings exclude a
     * thread. Kernel threads that exist go on.
     *
     * @throws SecurityException if a security manager denies
     *         {@code ManagementPermission("control")}
     */
    void resumeConversion();
}
