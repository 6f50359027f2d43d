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
import com.alibaba.wisp.engine.WispTask;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
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

    static long sum(MBeanServer server, ObjectName name, String attribute) throws Exception {
        long sum = 0;
        for (Object value : (Object[]) server.getAttribute(name, attribute)) {
            sum += (Long) value;
        }
        return sum;
    }

    static void atLeast(long least, long[] before, int i, MBeanServer server, ObjectName name, String attribute) throws Exception {
        long delta = sum(server, name, attribute) - before[i];
        Check.that(delta >= least, attribute + " has grown by " + delta + ", not by " + least);
    }

    /** What sleeping, a pipe and 8 short tasks do to each attribute. */
    static void realValues(MBeanServer server, ObjectName name, WispCounterMXBean proxy) throws Exception {
        String[] counts = {"CreateTaskCount", "CompleteTaskCount", "ParkCount", "UnparkCount", "TimeOutCount", "WaitSocketIOCount",
                           "SelectableIOCount", "EventLoopCount"};
        String[] times = {"WaitTimeTotal", "RunningTimeTotal", "TotalBlockingTime", "TotalExecutionTime", "TotalEnqueueTime",
                          "TotalWaitSocketIOTime"};
        for (String attribute : times) {
            Check.equal(0L, sum(server, name, attribute), attribute + " while times are not measured");
        }
        server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "wispProfile", new Object[] {new String[] {"on"}},
                      new String[] {String[].class.getName()});
        long[] before = new long[counts.length];
        for (int i = 0; i < counts.length; i++) {
            before[i] = sum(server, name, counts[i]);
        }
        sleepALot();
        Pipe pipe = Pipe.open();
        CountDownLatch about = new CountDownLatch(1);
        Thread reader = new Thread(() -> {
            try {
                about.countDown();
                pipe.source().read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        reader.start();
        about.await();
        while (sum(server, name, "WaitSocketIOCount") == before[5]) {
            Thread.sleep(1);
        }
        Thread.sleep(5);
        pipe.sink().write(ByteBuffer.allocate(1));
        reader.join();
        atLeast(9, before, 0, server, name, counts[0]);
        Check.await(() -> {
            try {
                return sum(server, name, "CompleteTaskCount") >= before[1] + 9;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        atLeast(400, before, 2, server, name, counts[2]);
        atLeast(400, before, 3, server, name, counts[3]);
        atLeast(400, before, 4, server, name, counts[4]);
        for (int i = 5; i < counts.length; i++) {
            atLeast(1, before, i, server, name, counts[i]);
        }
        for (String attribute : times) {
            Check.that(sum(server, name, attribute) > 0, attribute + " while times are measured");
        }
        Check.that(sum(server, name, "TotalBlockingTime") >= 400_000_000L, "400 sleeps of 1 ms");
        Check.that(sum(server, name, "TotalWaitSocketIOTime") >= 4_000_000L, "a read of 5 ms");
        long longest = 0;
        for (long id = 0; id < proxy.getSwitchCount().size(); id++) {
            longest = Math.max(longest, proxy.getWispCounterData(id).getMaxWaitSocketIOTime());
        }
        Check.that(longest >= 4_000_000L, "the longest read: " + longest);
        Check.equal(0L, sum(server, name, "LazyUnparkCount"), "LazyUnparkCount");
    }

    static void conversion(WispCounterMXBean proxy) throws Exception {
        boolean[] coroutine = new boolean[1];
        Check.that(proxy.isConversionEnabled(), "conversion is on at first");
        for (boolean on : new boolean[] {false, true}) {
            if (on) {
                proxy.resumeConversion();
            } else {
                proxy.stopConversion();
            }
            Check.equal(on, proxy.isConversionEnabled(), "ConversionEnabled");
            Thread t = new Thread(() -> coroutine[0] = WispTask.current() != null);
            t.start();
            t.join();
            Check.equal(on, coroutine[0], "a new thread is a coroutine");
        }
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
        realValues(server, name, proxy);
        conversion(proxy);

        List<? extends WispCounterMXBean> beans = ManagementFactory.getPlatformMXBeans(WispCounterMXBean.class);
        Check.that(beans.size() == 1 && beans.get(0).getObjectName().equals(name), "platform MXBean");
        WispCounter counter = WispEngine.getWispCounter(0);
        Check.that(counter.toString().contains("executions="), "toString " + counter);
    }
}
