/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary One thread waits in the queue of another one that blocks in native code, and a second carrier has nothing to do: it takes
 *          the one that waits, also when there is one processor only. Catches: a carrier that looks too briefly to see that the
 *          queue does not move (the native call never ends then: hang).
 * @library /test/lib
 * @build BlockedInNative
 * @run main/othervm/native -Dcom.alibaba.wisp.carrierEngines=2 BehindNative
 * @run main/othervm/native -XX:ActiveProcessorCount=1 -Dcom.alibaba.wisp.carrierEngines=2 BehindNative
 */

import java.util.concurrent.CountDownLatch;
import wisptest.Crew;

public class BehindNative {
    public static void main(String[] args) throws Exception {
        System.loadLibrary("BlockedInNative");
        for (int round = 0; round < 50; round++) {
            Crew crew = new Crew();
            CountDownLatch ran = new CountDownLatch(1);
            crew.start("blocks", () -> {
                crew.start("behind", ran::countDown);
                BlockedInNative.block();
            });
            ran.await();
            while (BlockedInNative.blocked() == 0) {
                Thread.onSpinWait();
            }
            BlockedInNative.release();
            crew.join();
        }
    }
}
