/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.management.internal;

import com.alibaba.management.WispCounterData;
import com.alibaba.management.WispCounterMXBean;
import com.alibaba.wisp.engine.WispCounter;
import com.alibaba.wisp.engine.WispEngine;
import java.lang.management.ManagementPermission;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/*
 * The implementation of WispCounterMXBean.
 *
 * Protocol: no state; every call asks the engine. Only made in a VM with coroutines.
 *
 * Rejected: a snapshot shared by the attributes of one query (JMX does not tell which
 * calls belong together).
 */
final class WispCounters implements WispCounterMXBean {
    private static <T> List<T> each(Function<WispCounter, T> attribute) {
        return WispEngine.getManagedEngineCounters().values().stream().map(attribute).collect(Collectors.toList());
    }

    @Override
    public ObjectName getObjectName() {
        try {
            return ObjectName.getInstance(NAME);
        } catch (MalformedObjectNameException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public List<Boolean> getRunningStates() {
        return each(WispCounter::isRunning);
    }

    @Override
    public List<Long> getSwitchCount() {
        return each(WispCounter::getExecutionCount);
    }

    @Override
    public List<Long> getExecutionCount() {
        return each(WispCounter::getExecutionCount);
    }

    @Override
    public List<Long> getEnqueueCount() {
        return each(WispCounter::getEnqueueCount);
    }

    @Override
    public List<Long> getQueueLength() {
        return each(WispCounter::getTaskQueueLength);
    }

    @Override
    public List<Long> getNumberOfRunningTasks() {
        return each(WispCounter::getRunningTaskCount);
    }

    @Override
    public List<Long> getCreateTaskCount() {
        return each(WispCounter::getCreatedTaskCount);
    }

    @Override
    public List<Long> getCompleteTaskCount() {
        return each(WispCounter::getCompletedTaskCount);
    }

    @Override
    public List<Long> getParkCount() {
        return each(WispCounter::getParkCount);
    }

    @Override
    public List<Long> getUnparkCount() {
        return each(WispCounter::getUnparkCount);
    }

    @Override
    public List<Long> getLazyUnparkCount() {
        return each(c -> 0L);
    }

    @Override
    public List<Long> getUnparkInterruptSelectorCount() {
        return each(WispCounter::getPollInterruptCount);
    }

    @Override
    public List<Long> getSelectableIOCount() {
        return each(WispCounter::getEventCount);
    }

    @Override
    public List<Long> getTimeOutCount() {
        return each(WispCounter::getTimeoutCount);
    }

    @Override
    public List<Long> getEventLoopCount() {
        return each(WispCounter::getPollCount);
    }

    @Override
    public List<Long> getWaitSocketIOCount() {
        return each(WispCounter::getWaitSocketIOCount);
    }

    @Override
    public List<Long> getWaitTimeTotal() {
        return each(WispCounter::getTotalEnqueueTime);
    }

    @Override
    public List<Long> getRunningTimeTotal() {
        return each(WispCounter::getTotalExecutionTime);
    }

    @Override
    public List<Long> getTotalEnqueueTime() {
        return each(WispCounter::getTotalEnqueueTime);
    }

    @Override
    public List<Long> getTotalExecutionTime() {
        return each(WispCounter::getTotalExecutionTime);
    }

    @Override
    public List<Long> getTotalBlockingTime() {
        return each(WispCounter::getTotalBlockingTime);
    }

    @Override
    public List<Long> getTotalWaitSocketIOTime() {
        return each(WispCounter::getTotalWaitSocketIOTime);
    }

    private static WispCounterData data(long id) {
        WispCounter counter = WispEngine.getWispCounter(id);
        return counter == null ? null : new WispCounterData(counter);
    }

    @Override
    public WispCounterData getWispCounterData(long id) {
        return data(id);
    }

    @Override
    public WispCounterData getWispCounter(long id) {
        return data(id);
    }

    @Override
    public boolean isConversionEnabled() {
        return WispEngine.enableThreadAsWisp();
    }

    @Override
    public void stopConversion() {
        convert(false);
    }

    @Override
    public void resumeConversion() {
        convert(true);
    }

    private static void convert(boolean on) {
        SecurityManager security = System.getSecurityManager();
        if (security != null) {
            security.checkPermission(new ManagementPermission("control"));
        }
        WispEngine.convertThreads(on);
    }
}
