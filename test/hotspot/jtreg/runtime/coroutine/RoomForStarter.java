/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The main thread starts threads for a second and more, without a pause, so that a carrier makes room for it. Meanwhile nobody
 *          is forgotten: neither those in the global queue, as all are with small run queues, nor who sleeps, nor who waits
 *          behind threads that compute, nor who is woken by main again and again. And the carrier does make room.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm RoomForStarter
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import wisptest.Check;
import wisptest.Vm;

public class RoomForStarter {
    static final int STARTS = 200_000, WOKEN_MIN = 20;
    static final AtomicLong latest = new AtomicLong();       // of those that have been started: ns until they ran
    static volatile boolean stopped;
    static volatile int sink;

    static long roomMillis() {
        Matcher m = Pattern.compile("made room for starters for (\\d+) ms").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "Wisp.status does not tell for how long a carrier has made room");
        return Long.parseLong(m.group(1));
    }

    static Thread computes() {
        Thread t = new Thread(() -> {
            while (!stopped) {
                sink++;
            }
        });
        t.start();
        return t;
    }

    static Thread sleeps(AtomicLong late) {
        Thread t = new Thread(() -> {
            while (!stopped) {
                long due = System.nanoTime() + 1_000_000;
                LockSupport.parkNanos(1_000_000);
                late.accumulateAndGet(System.nanoTime() - due, Math::max);
            }
        });
        t.start();
        return t;
    }

    static Thread isWoken(AtomicLong times) {
        Thread t = new Thread(() -> {
            while (!stopped) {
                LockSupport.park();
                times.incrementAndGet();
            }
        });
        t.start();
        return t;
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("RoomForStarter", "child", "plain").exited(0).has("done");
            Vm.java("RoomForStarter", "child", "computing").exited(0).has("done");
            Vm.java("RoomForStarter", "child", "waking").exited(0).has("done");
            Vm.java("-XX:+UnlockDiagnosticVMOptions", "-XX:WispRunQueueCapacity=4",
                    "RoomForStarter", "child", "waking").exited(0).has("done");
            return;
        }
        AtomicLong late = new AtomicLong(), times = new AtomicLong();
        Thread sleeper = sleeps(late), woken = isWoken(times);
        Thread computing = args[1].equals("computing") ? computes() : null;
        boolean wakes = args[1].equals("waking");
        CountDownLatch ended = new CountDownLatch(STARTS);
        long begin = System.nanoTime();
        for (int i = 0; i < STARTS; i++) {
            long started = System.nanoTime();
            new Thread(() -> {
                latest.accumulateAndGet(System.nanoTime() - started, Math::max);
                ended.countDown();
            }).start();
            if (wakes && i % 16 == 0) {
                LockSupport.unpark(woken);
            }
        }
        long took = System.nanoTime() - begin;
        ended.await();
        stopped = true;
        LockSupport.unpark(woken);
        sleeper.join();
        woken.join();
        if (computing != null) {
            computing.join();
        }
        System.out.printf("%s: %d ms, at latest after %d us, sleeper late by %d us, woken %d times%n", args[1], took / 1_000_000,
                          latest.get() / 1000, late.get() / 1000, times.get());
        // Of the whole series, and it is a long one.
        Check.that(latest.get() < took / 2, "somebody waited for most of the series");
        Check.that(late.get() < took / 2, "a timer was late for most of the series");
        Check.that(!wakes || times.get() > WOKEN_MIN, "who is woken again and again ran " + times + " times");
        int carriers = Vm.carriers();
        if (Vm.wispOn()) {
            long room = roomMillis();
            System.out.println("room for " + room + " ms");
            // Not if starts take so long that carriers have little to do.
            boolean expected = args[1].equals("plain") && took / STARTS < 30_000 && carriers > 1 && carriers <= 8 &&
                               carriers == Runtime.getRuntime().availableProcessors();
            Check.that(!expected || room > 0, "no carrier has made room");
            Check.that(carriers > 1 || room == 0, "the only carrier has made room");
        }
        System.out.println("done");
    }
}
