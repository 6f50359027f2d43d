/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A profiler looks for libjvm's thread-specific key by the address of the VM's thread, which Thread.eetop has, and by that key for the
 *          thread that a signal has interrupted. It finds the coroutine's, whichever carrier runs it, and not the carrier's.
 * @library /test/lib
 * @modules java.base/java.lang:+open
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=1 ThreadKey
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=3 ThreadKey
 * @run main/othervm/native -XX:-UseWisp2 ThreadKey
 */

import java.lang.reflect.Field;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;

public class ThreadKey {
    static final int THREADS = 20, ROUNDS = 200;

    static native int keyOf(long thread);

    public static void main(String[] args) throws Throwable {
        System.loadLibrary("ThreadKey");
        Field eetop = Thread.class.getDeclaredField("eetop");
        eetop.setAccessible(true);
        int key = keyOf(eetop.getLong(Thread.currentThread()));
        Check.that(key >= 0, "no key");
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            crew.start("thread-" + i, () -> {
                for (int j = 0; j < ROUNDS; j++) {
                    Check.equal(key, keyOf(eetop.getLong(Thread.currentThread())), "the key");
                    if (j % 2 == 0) {
                        Thread.yield();
                    } else {
                        LockSupport.parkNanos(10_000);
                    }
                }
            });
        }
        crew.join();
        Check.equal(key, keyOf(eetop.getLong(Thread.currentThread())), "the key");
    }
}
