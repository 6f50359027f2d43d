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
 * Rejected: leaving out attributes that are not measured (a query for a fixed set of
 * attributes would fail), and registering the bean in a VM without coroutines (that
 * VM has upstream's set of platform MBeans).
 */

/**
 * Counters of the carriers that run coroutines. Registered in the platform MBean
 * server as {@value #NAME} if the VM was started with {@code -XX:+UseWisp2}.
 *
 * <p>Each attribute is a list with one element per carrier, in the order of
 * {@link com.alibaba.wisp.engine.WispEngine#getWispCarrierIds()}. Attributes that are
 * described as not measured are lists of zeros.
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
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getWaitTimeTotal();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getRunningTimeTotal();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getCompleteTaskCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getCreateTaskCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getParkCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getUnparkCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getLazyUnparkCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getUnparkInterruptSelectorCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getSelectableIOCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getTimeOutCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getEventLoopCount();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getTotalBlockingTime();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getTotalExecutionTime();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getTotalEnqueueTime();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getTotalWaitSocketIOTime();

    /**
     * Not measured.
     *
     * @return zeros
     */
    List<Long> getWaitSocketIOCount();

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
}
