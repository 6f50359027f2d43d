/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary Without the flag there are no coroutines: the queries say false, the rest says what to do, nothing is registered, no
 *          thread of the engine runs, and the settings are not even read.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine java.management
 * @run main/othervm -XX:-UseWisp2 FlagOff
 * @run main/othervm -XX:-UseWisp2 -Dcom.alibaba.wisp.carrierEngines=0 -Dcom.alibaba.wisp.transparentWispSwitch=true
 *                   -Dcom.alibaba.wisp.enableThreadAsWisp=true -Dcom.alibaba.wisp.config=/nonexistent FlagOff
 */

import com.alibaba.wisp.engine.WispEngine;
import com.alibaba.wisp.engine.WispTask;
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
import wisptest.Check;

public class FlagOff {
    static void refused(String what, Check.Code code) {
        String message = Check.throwing(UnsupportedOperationException.class, what, code).getMessage();
        Check.that(message.contains("-XX:+UseWisp2"), "the message does not say what to do: " + message);
    }

    @SuppressWarnings("deprecation")
    public static void main(String[] args) throws Exception {
        Check.that(!WispEngine.transparentWispSwitch(), "transparentWispSwitch");
        Check.that(!WispEngine.enableThreadAsWisp(), "enableThreadAsWisp");
        Check.that(!WispEngine.isTransparentAsync(), "isTransparentAsync");
        Check.that(!WispEngine.isShiftThreadModel(), "isShiftThreadModel");
        Check.that(WispTask.current() == null, "a task");
        refused("current", WispEngine::current);
        refused("dispatch", () -> WispEngine.dispatch(() -> { }));
        refused("createEngine", () -> WispEngine.createEngine(1, Thread::new));
        refused("createEngine with a bad size", () -> WispEngine.createEngine(0, Thread::new));
        refused("getWispCounter", () -> WispEngine.getWispCounter(0));
        refused("getManagedEngineCounters", WispEngine::getManagedEngineCounters);
        Check.that(!ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName("com.alibaba.management:type=WispCounter")),
                   "the MXBean is registered");
        boolean[] coroutine = new boolean[1];
        Thread t = new Thread(() -> coroutine[0] = WispTask.current() != null);
        t.start();
        t.join();
        Check.that(!coroutine[0], "a thread is a coroutine");
    }
}
