/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary The field WispEngine.shiftThreadModel, which programs set by reflection, stops and resumes the conversion of
 *          threads at run time; coroutines that exist go on, and tasks of the API are coroutines in any case.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine:+open
 * @run main/othervm -XX:+UseWisp2 StopConversion
 */

import com.alibaba.wisp.engine.WispEngine;
import com.alibaba.wisp.engine.WispTask;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;

public class StopConversion {
    static boolean converts() throws Exception {
        boolean[] coroutine = new boolean[1];
        Thread t = new Thread(() -> coroutine[0] = WispTask.current() != null);
        t.start();
        t.join();
        return coroutine[0];
    }

    @SuppressWarnings("deprecation")
    public static void main(String[] args) throws Exception {
        Field field = WispEngine.class.getDeclaredField("shiftThreadModel");
        Check.equal(boolean.class, field.getType(), "type");
        Check.that(Modifier.isStatic(field.getModifiers()) && Modifier.isPrivate(field.getModifiers())
                   && !Modifier.isFinal(field.getModifiers()), "modifiers");
        field.setAccessible(true);

        Check.that(field.getBoolean(null) && converts(), "conversion is on at first");
        CountDownLatch release = new CountDownLatch(1);
        boolean[] stillCoroutine = new boolean[1];
        Thread old = new Thread(() -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            stillCoroutine[0] = WispTask.current() != null;
        });
        old.start();
        for (int i = 0; i < 3; i++) {
            field.setBoolean(null, false);
            Check.that(!converts(), "conversion is off");
            Check.that(!WispEngine.enableThreadAsWisp() && !WispEngine.isShiftThreadModel(), "the queries say so");
            Check.that(WispEngine.transparentWispSwitch(), "the engine is on");
            boolean[] task = new boolean[1];
            WispEngine.current().submit(() -> task[0] = WispTask.current() != null).get();
            Check.that(task[0], "a task of the API is a coroutine");
            field.setBoolean(null, true);
            Check.that(converts() && WispEngine.enableThreadAsWisp(), "conversion is on again");
        }
        field.setBoolean(null, false);
        release.countDown();
        old.join();
        Check.that(stillCoroutine[0], "a coroutine goes on");
    }
}
