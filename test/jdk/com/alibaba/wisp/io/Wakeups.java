/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Selector.wakeup: before, during and between selections, several at once, together with ready channels, by interrupts and by
 *          closing; with coroutines and kernel threads that select and wake. Catches one that is lost, one that is seen twice, and,
 *          with one carrier, one that goes through the selector's pipe where both are coroutines.
 * @modules java.base java.management jdk.management
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel-* Wakeups
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel-* -Dcom.alibaba.wisp.carrierEngines=1 Wakeups
 */

import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Wakeups {
    static final int ROUNDS = 20_000;
    static final long MILLIS = 50;
    static final String[] KINDS = {"coroutine", "kernel"};

    public static void main(String[] args) throws Exception {
        for (String kind : KINDS) {
            Crew crew = new Crew();
            crew.start(kind + "-meaning", Wakeups::meaning);
            crew.join();
            for (String waker : KINDS) {
                during(kind, waker);
                closing(kind, waker);
                byTurns(kind, waker);
            }
        }
        hops();
        for (String kind : KINDS) {
            inALoop(kind);
        }
        if (Vm.wispOn() && Vm.carriers() == 1) {
            writes();
        }
    }

    /** Nothing wakes the selector any more: a selection lasts as long as it may. */
    static void sleeps(Selector selector, String after) throws Exception {
        long start = System.nanoTime();
        Check.equal(0, selector.select(MILLIS), "keys " + after);
        Check.that(System.nanoTime() - start >= MILLIS * 1_000_000, "woken twice " + after);
    }

    static void meaning() throws Exception {
        try (Selector selector = Selector.open()) {
            selector.wakeup().wakeup();
            Check.equal(0, selector.select(), "keys");
            sleeps(selector, "after two wake-ups and a selection");
            selector.wakeup();
            Check.equal(0, selector.select(1_000_000), "keys");
            sleeps(selector, "after a wake-up and a selection with a time-out");
            selector.wakeup();
            Check.equal(0, selector.selectNow(), "keys");
            sleeps(selector, "after a wake-up and selectNow");

            Thread.currentThread().interrupt();
            Check.equal(0, selector.select(), "keys");
            Check.that(Thread.interrupted(), "the interrupt status is kept");
            sleeps(selector, "after an interrupt");

            Pipe pipe = Pipe.open();
            pipe.source().configureBlocking(false);
            SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
            pipe.sink().write(ByteBuffer.allocate(1));
            selector.wakeup();
            Check.equal(1, selector.select(), "keys of a selection that was woken");
            selector.selectedKeys().clear();
            Check.equal(1, pipe.source().read(ByteBuffer.allocate(2)), "bytes");
            sleeps(selector, "after a wake-up with a key");

            // The other way round: the key first.
            pipe.sink().write(ByteBuffer.allocate(1));
            Check.equal(1, selector.select(), "keys");
            selector.selectedKeys().clear();
            selector.wakeup();
            Check.equal(1, selector.select(1_000_000), "keys of a selection that was woken");
            selector.selectedKeys().clear();
            Check.equal(1, pipe.source().read(ByteBuffer.allocate(2)), "bytes");

            // Woken while it handles the keys: that is for the next selection, also if the handling fails.
            pipe.sink().write(ByteBuffer.allocate(1));
            Check.equal(1, selector.select(k -> selector.wakeup()), "keys with an action");
            Check.equal(1, pipe.source().read(ByteBuffer.allocate(2)), "bytes");
            Check.equal(0, selector.select(), "keys after an action that wakes");
            sleeps(selector, "after an action that wakes");
            pipe.sink().write(ByteBuffer.allocate(1));
            selector.wakeup();
            Check.throwing(IllegalStateException.class, "an action that fails", () -> selector.select(k -> {
                throw new IllegalStateException();
            }));
            Check.equal(1, pipe.source().read(ByteBuffer.allocate(2)), "bytes");
            Check.equal(0, selector.select(), "keys after an action that fails");
            sleeps(selector, "after an action that fails");
            key.cancel();
            sleeps(selector, "after a key with a wake-up");
            pipe.source().close();
            pipe.sink().close();
        }
    }

    static void awaitSelecting(Thread thread) throws Exception {
        Check.awaitFrame(thread, Vm.wispOn() && thread.getName().startsWith("coroutine") ? "takeEvents0" : "select");
    }

    /** A selection that goes on is woken, and another one is interrupted. */
    static void during(String kind, String wakerKind) throws Exception {
        try (Selector selector = Selector.open()) {
            AtomicInteger selections = new AtomicInteger();
            Crew crew = new Crew();
            Thread selecting = crew.start(kind + "-selects", () -> {
                Check.equal(0, selector.select(), "keys");
                sleeps(selector, "after a selection that was woken");
                selections.incrementAndGet();
                Check.equal(0, selector.select(), "keys");
                Check.that(Thread.interrupted(), "the interrupt status is kept");
                sleeps(selector, "after a selection that was interrupted");
            });
            awaitSelecting(selecting);
            crew.start(wakerKind + "-wakes", selector::wakeup);
            crew.start(wakerKind + "-interrupts", () -> {
                Check.await(() -> selections.get() == 1);
                awaitSelecting(selecting);
                selecting.interrupt();
            });
            crew.join();
        }
    }

    static void closing(String kind, String wakerKind) throws Exception {
        Selector selector = Selector.open();
        Crew crew = new Crew();
        Thread selecting = crew.start(kind + "-selects", () -> {
            try {
                selector.select();
            } catch (ClosedSelectorException e) {
                // As in upstream, it depends on who is first.
            }
        });
        awaitSelecting(selecting);
        crew.start(wakerKind + "-closes", selector::close);
        crew.join();
        Check.that(!selector.isOpen(), "it is closed");
        Check.equal(selector, selector.wakeup(), "what a wake-up of a closed one returns");
    }

    /** A selector that is used by a coroutine and a kernel thread by turns, and woken in between and meanwhile. */
    static void hops() throws Exception {
        try (Selector selector = Selector.open()) {
            SynchronousQueue<Integer> turns = new SynchronousQueue<>();
            SynchronousQueue<Integer> back = new SynchronousQueue<>();
            Crew crew = new Crew();
            crew.start("kernel-selects", () -> {
                for (int round; (round = turns.take()) >= 0; back.put(round)) {
                    turn(selector, round);
                }
            });
            crew.start("coroutine-selects", () -> {
                for (int round = 0; round < ROUNDS / 10; round++) {
                    turn(selector, round);
                    turns.put(round);
                    Check.equal(round, back.take(), "round");
                }
                turns.put(-1);
                sleeps(selector, "after all");
            });
            crew.join();
        }
    }

    static void turn(Selector selector, int round) throws Exception {
        Crew crew = new Crew();
        if (round % 4 == 0) {
            selector.wakeup();
        } else {
            crew.start(KINDS[round % 2] + "-wakes", selector::wakeup);
        }
        Check.equal(0, round % 3 == 0 ? selector.select(1_000_000) : selector.select(), "keys");
        crew.join();
        selector.selectNow();
    }

    /**
     * An event loop: three threads hand in work, wake it and wait until that is done, and a fourth writes to a pipe that it
     * reads. A wake-up that is lost ends the test by its time limit.
     */
    static void inALoop(String kind) throws Exception {
        try (Selector selector = Selector.open()) {
            Pipe pipe = Pipe.open();
            pipe.source().configureBlocking(false);
            pipe.source().register(selector, SelectionKey.OP_READ);
            AtomicInteger[] work = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
            Semaphore[] done = {new Semaphore(0), new Semaphore(0), new Semaphore(0)};
            Crew crew = new Crew();
            crew.start(kind + "-loop", () -> {
                ByteBuffer buffer = ByteBuffer.allocate(64);
                int total = 0;
                int bytes = 0;
                for (int round = 0; total < 3 * ROUNDS || bytes < ROUNDS; round++) {
                    for (int i = 0; i < work.length; i++) {
                        int n = work[i].getAndSet(0);
                        total += n;
                        done[i].release(n);
                    }
                    if (total == 3 * ROUNDS && bytes == ROUNDS) {
                        break;
                    }
                    int keys = round % 5 == 0 ? selector.selectNow() : round % 2 == 0 ? selector.select() : selector.select(1_000_000);
                    if (keys > 0) {
                        selector.selectedKeys().clear();
                        buffer.clear();
                        bytes += pipe.source().read(buffer);
                    }
                }
            });
            for (int i = 0; i < work.length; i++) {
                int who = i;
                crew.start(KINDS[i % 2] + "-waker-" + i, () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        work[who].incrementAndGet();
                        selector.wakeup();
                        done[who].acquire();
                    }
                });
            }
            crew.start("coroutine-writer", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    pipe.sink().write(ByteBuffer.allocate(1));
                    if (i % 8 == 0) {
                        Thread.yield();
                    }
                }
            });
            crew.join();
            pipe.source().close();
            pipe.sink().close();
        }
    }

    /** One that wakes, whose turn it is: nobody else can make good for one that is lost. */
    static void byTurns(String kind, String wakerKind) throws Exception {
        try (Selector selector = Selector.open()) {
            Semaphore turn = new Semaphore(0);
            Crew crew = new Crew();
            crew.start(kind + "-selects", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    Check.equal(0, selector.select(), "keys");
                    turn.release();
                }
            });
            crew.start(wakerKind + "-wakes", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    selector.wakeup();
                    turn.acquire();
                }
            });
            crew.join();
        }
    }

    /** Two coroutines that take turns on one carrier: nothing is written for it. */
    static void writes() throws Exception {
        try (Selector selector = Selector.open()) {
            Crew crew = new Crew();
            Semaphore turn = new Semaphore(0);
            Thread selecting = crew.start("coroutine-selects", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    Check.equal(0, selector.select(), "keys");
                    turn.release();
                }
            });
            awaitSelecting(selecting);
            crew.start("coroutine-wakes", () -> {
                long before = writeCalls();
                for (int i = 0; i < ROUNDS; i++) {
                    selector.wakeup();
                    turn.acquire();
                }
                long calls = writeCalls() - before;
                System.out.println(calls + " writes for " + ROUNDS + " wake-ups");
                Check.that(calls < ROUNDS / 10, calls + " writes for " + ROUNDS + " wake-ups");
            });
            crew.join();
        }
    }

    static long writeCalls() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/self/io"))) {
            if (line.startsWith("syscw:")) {
                return Long.parseLong(line.substring("syscw:".length()).trim());
            }
        }
        throw new AssertionError("/proc/self/io without syscw");
    }
}
