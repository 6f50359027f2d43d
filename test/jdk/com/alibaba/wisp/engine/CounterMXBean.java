/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary The counters in JMX: registered under the documented name, with all documented attributes, one element for each
 *          carrier; the numbers move when coroutines switch; a proxy gets the composite of one carrier.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine jdk.management java.management
 * @run main/othervm -XX:+UseWisp2 CounterMXBean
 */

import com.alibaba.management.WispCounterData;
import com.alibaba.management.WispCounterMXBean;
import com.alibaba.wisp.engine.WispCounter;
import com.alibaba.wisp.engine.WispEngine;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import wisptest.Check;

public class CounterMXBean {
    static final String[] ATTRIBUTES = {
        "RunningStates", "SwitchCount", "WaitTimeTotal", "RunningTimeTotal", "CompleteTaskCount", "CreateTaskCount", "ParkCount",
        "UnparkCount", "LazyUnparkCount", "UnparkInterruptSelectorCount", "SelectableIOCount", "TimeOutCount", "EventLoopCount",
        "QueueLength", "NumberOfRunningTasks", "TotalBlockingTime", "TotalExecutionTime", "ExecutionCount", "TotalEnqueueTime",
        "EnqueueCount", "TotalWaitSocketIOTime", "WaitSocketIOCount",
    };

    static long switches() {
        long sum = 0;
        for (WispCounter c : WispEngine.getManagedEngineCounters().values()) {
            sum += c.getExecutionCount();
        }
        return sum;
    }

    /** 8 tasks that park 50 times each; a yield would not do, as it returns at once when nobody waits for the carrier. */
    static void sleepALot() throws Exception {
        CountDownLatch done = new CountDownLatch(8);
        for (int i = 0; i < 8; i++) {
            WispEngine.dispatch(() -> {
                try {
                    for (int k = 0; k < 50; k++) {
                        Thread.sleep(1);
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                done.countDown();
            });
        }
        done.await();
    }

    public static void main(String[] args) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("com.alibaba.management:type=WispCounter");
        Check.that(server.isRegistered(name), "not registered");
        int carriers = WispEngine.current().getWispCarrierIds().size();
        for (String attribute : ATTRIBUTES) {
            Object[] values = (Object[]) server.getAttribute(name, attribute);
            Check.equal(carriers, values.length, "elements of " + attribute);
            Check.equal(attribute.equals("RunningStates") ? Boolean.class : Long.class, values[0].getClass(), "type of " + attribute);
        }

        long before = switches();
        sleepALot();
        long after = switches();
        Check.that(after >= before + 400, "switches: " + before + " before, " + after + " after 400 parks");

        WispCounterMXBean proxy = JMX.newMXBeanProxy(server, name, WispCounterMXBean.class);
        long sum = 0;
        for (long n : proxy.getSwitchCount()) {
            sum += n;
        }
        Check.that(sum >= after, "switches by JMX: " + sum + ", by the API before: " + after);
        for (long id = 0; id < carriers; id++) {
            long least = WispEngine.getWispCounter(id).getExecutionCount();
            WispCounterData data = proxy.getWispCounterData(id);
            Check.that(data.getExecutionCount() >= least && data.getEnqueueCount() >= data.getExecutionCount()
                       && data.getTaskQueueLength() >= 0 && data.getRunningTaskCount() >= data.getTaskQueueLength()
                       && data.getStealCount() >= 0 && data.getFailedStealCount() >= 0 && data.getTimerCount() >= 0, "data of " + id);
            Check.that(proxy.getWispCounter(id) != null, "the earlier name");
        }
        Check.that(proxy.getWispCounterData(-1) == null && proxy.getWispCounterData(carriers) == null, "data of no carrier");
        List<? extends WispCounterMXBean> beans = ManagementFactory.getPlatformMXBeans(WispCounterMXBean.class);
        Check.that(beans.size() == 1 && beans.get(0).getObjectName().equals(name), "platform MXBean");
        WispCounter counter = WispEngine.getWispCounter(0);
        Check.that(counter.toString().contains("executions="), "toString " + counter);
    }
}
