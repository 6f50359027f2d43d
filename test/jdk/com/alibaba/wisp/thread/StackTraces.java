/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Stack traces of parked and of running threads: getStackTrace shows where a thread waits, with the frames of its own
 *          that lead there and none of the scheduler's; getAllStackTraces has every thread exactly once; exceptions and
 *          StackWalker see the same frames before and after a park; dumps go on while threads start, park, move and end.
 *          Catches: an empty or a foreign stack for a thread that is not mounted, frames that change across a park, a crash when
 *          the thread that is walked gets mounted.
 * @library /test/lib
 * @run main StackTraces
 */

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import wisptest.Check;
import wisptest.Crew;

public class StackTraces {
    static final CountDownLatch go = new CountDownLatch(1);

    static int deep(int n) throws InterruptedException {
        if (n == 0) {
            go.await();
            return 0;
        }
        return deep(n - 1) + 1;
    }

    public static void main(String[] args) throws Exception {
        parked();
        acrossPark();
        whileMoving();
    }

    static void parked() throws Exception {
        Crew crew = new Crew();
        int n = 200;
        for (int i = 0; i < n; i++) {
            int k = i;
            crew.start("deep-" + i, () -> Check.equal(k % 50, deep(k % 50), "depth"));
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING);
        }
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        for (int i = 0; i < n; i++) {
            Thread t = crew.threads().get(i);
            Check.that(all.containsKey(t), t.getName() + " is missing in getAllStackTraces");
            for (StackTraceElement[] stack : new StackTraceElement[][] {t.getStackTrace(), all.get(t)}) {
                String text = Arrays.toString(stack);
                long frames = Arrays.stream(stack).filter(e -> e.getMethodName().equals("deep")).count();
                Check.equal((long) i % 50 + 1, frames, "frames of deep in " + text);
                Check.equal("park", stack[0].getMethodName(), "top frame of " + text);
                Check.equal("java.lang.Thread", stack[stack.length - 1].getClassName(), "bottom frame of " + text);
                Check.equal("run", stack[stack.length - 1].getMethodName(), "bottom frame of " + text);
                Check.that(!text.contains("com.alibaba.wisp"), "a frame of the scheduler in " + text);
            }
        }
        Check.equal(n, (int) all.keySet().stream().filter(t -> t.getName().startsWith("deep-")).count(), "threads of ours");
        Thread main = Thread.currentThread();
        Check.that(all.containsKey(main), "the thread that asks is missing");
        Check.that(Check.hasFrame(all.get(main), "parked"), "the stack of the thread that asks");
        Check.that(Check.hasFrame(main.getStackTrace(), "parked"), "the own stack");
        go.countDown();
        crew.join();
        Check.equal(0, crew.threads().size(), "threads left");
    }

    static String frames() {
        return StackWalker.getInstance().walk(s -> s.map(f -> f.getMethodName()).collect(Collectors.joining(" ")));
    }

    static void walk(int n) throws Exception {
        if (n > 0) {
            walk(n - 1);
            return;
        }
        String before = frames();
        for (int i = 0; i < 20; i++) {
            LockSupport.parkNanos(1000);
            Thread.yield();
            Check.equal(before, frames(), "frames after a park");
        }
        StackTraceElement[] ex = new Throwable().getStackTrace();
        Check.equal(21L, Arrays.stream(ex).filter(e -> e.getMethodName().equals("walk")).count(), "frames in an exception");
        // Lazily walked, with a park in the middle of the walk.
        long seen = StackWalker.getInstance().walk(s -> s.peek(f -> Thread.yield()).filter(f -> f.getMethodName().equals("walk")).count());
        Check.equal(21L, seen, "frames of a walk that was interrupted by switches");
    }

    static void acrossPark() throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < 40; i++) {
            crew.start("walks-" + i, () -> walk(20));
        }
        crew.join();
    }

    static void whileMoving() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger ended = new AtomicInteger();
        Crew crew = new Crew();
        for (int i = 0; i < 10; i++) {
            crew.start("mover-" + i, () -> {
                while (!stop.get()) {
                    Thread t = new Thread(ended::incrementAndGet);
                    t.start();
                    LockSupport.parkNanos(1000);
                    t.join();
                }
            });
        }
        while (ended.get() == 0) {
            Thread.yield();
        }
        for (int i = 0; i < 30; i++) {
            for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
                Check.that(e.getKey() != null && e.getValue() != null, "an entry without a thread or a stack");
            }
            for (Thread t : crew.threads()) {
                StackTraceElement[] stack = t.getStackTrace();
                if (stack.length > 0) {
                    Check.equal("run", stack[stack.length - 1].getMethodName(), "bottom frame of " + Arrays.toString(stack));
                }
            }
        }
        stop.set(true);
        crew.join();
    }
}
