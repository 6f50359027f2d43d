/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary An interrupt that comes as a thread begins to select, or to read from a channel, ends that. Catches: who interrupts has looked
 *          already whether there is something to wake the thread from, and the thread whether it has been interrupted. Without the flag that
 *          happens, too, once in 160,000 times; a carrier that is woken gets the CPU of who interrupts, and it was once in 2,000.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm InterruptAtOnce
 */

import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class InterruptAtOnce {
    static final int SELECTIONS = 20_000, READS = 3_000;

    static void selections() throws Exception {
        Crew crew = new Crew();
        AtomicInteger ended = new AtomicInteger();
        try (Selector selector = Selector.open()) {
            Thread t = crew.start("selects", () -> {
                for (int i = 0; i < SELECTIONS; i++) {
                    do {
                        selector.select();
                    } while (!Thread.interrupted());
                    ended.incrementAndGet();
                }
            });
            interrupt(t, ended, SELECTIONS);
            crew.join();
        }
    }

    static void reads() throws Exception {
        Crew crew = new Crew();
        AtomicInteger ended = new AtomicInteger();
        Thread t = crew.start("reads", () -> {
            for (int i = 0; i < READS; i++) {
                Pipe pipe = Pipe.open();
                Check.throwing(ClosedByInterruptException.class, "read", () -> pipe.source().read(ByteBuffer.allocate(1)));
                Check.that(Thread.interrupted(), "the interrupt is gone");
                pipe.sink().close();
                ended.incrementAndGet();
            }
        });
        interrupt(t, ended, READS);
        crew.join();
    }

    /** As soon as the one before has done its work. */
    static void interrupt(Thread t, AtomicInteger ended, int times) throws InterruptedException {
        for (int n = 1; n <= times; n++) {
            t.interrupt();
            for (int looks = 0; ended.get() < n; looks++) {
                if (looks > 100_000) {
                    Check.that(t.isAlive(), "it has ended");
                    Thread.sleep(1);                     // it hangs: the harness gives up
                }
                Thread.onSpinWait();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            System.out.println("skipped: it may hang without the flag");
            return;
        }
        selections();
        reads();
        Crew crew = new Crew();
        crew.start("interrupts", () -> {
            selections();
            reads();
        });
        crew.join();
    }
}
