/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that has no stack left wakes a selector, at each distance from the end of its stack, and does so again when it has. Catches: the
 *          first wake-up is noted and does not come, so that all that follow are thought to be one too many, and who selects stays there.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew
 * @run main/othervm -Xint DeepWakeup
 */

import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;

import wisptest.Check;
import wisptest.Crew;

public class DeepWakeup {
    static final int OFFSETS = 64;

    /** Frame by frame, until there is enough of it. */
    static void withoutStack(Selector selector) {
        try {
            withoutStack(selector);
        } catch (StackOverflowError e) {
            // now there is a little
        }
        try {
            selector.wakeup();
        } catch (StackOverflowError e) {
            // there is a little more in the frame above
        }
    }

    /** Frames that are larger than those by one local variable, so that these begin somewhere else. */
    static void begin(Selector selector, int frames) {
        if (frames > 0) {
            int next = frames - 1;
            begin(selector, next);
        } else {
            withoutStack(selector);
        }
    }

    public static void main(String[] args) throws Throwable {
        for (int i = 0; i < OFFSETS; i++) {
            int frames = i;
            try (Selector selector = Selector.open()) {
                CountDownLatch selects = new CountDownLatch(1);
                Crew crew = new Crew();
                crew.start("selects", () -> {
                    selects.countDown();
                    Check.equal(0, selector.select(), "keys");
                });
                crew.start("wakes", () -> {
                    selects.await();
                    begin(selector, frames);
                    selector.wakeup();
                });
                crew.join();
            }
        }
    }
}
