/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What ThreadMXBean and the recorder tell of parks and sleeps, whose native methods are not upstream's for coroutines, is what they
 *          tell of a kernel thread that does the same: how often and how long it has waited, its state meanwhile and afterwards, and
 *          the events. Catches: a park that finds a permit and is not counted, a state that stays, an event that is missing.
 * @library /test/lib
 * @modules jdk.jfr jdk.management
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel* WaitCounts
 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import wisptest.Check;

public class WaitCounts {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static final Object BLOCKER = new Object();

    /** What a thread tells of itself, and others of it, while it waits in each way. */
    static List<String> story(String name) throws Exception {
        List<String> lines = new ArrayList<>();
        Thread t = new Thread(() -> {
            Thread me = Thread.currentThread();
            note(lines, "at first", me);
            LockSupport.unpark(me);
            LockSupport.park();
            note(lines, "there was a permit", me);
            LockSupport.parkNanos(-1);
            LockSupport.parkUntil(1);
            LockSupport.parkNanos(BLOCKER, 3_000_000);
            note(lines, "parks with a time", me);
            LockSupport.park(BLOCKER);
            note(lines, "parked", me);
            sleep(3);
            sleep(0);
            note(lines, "slept", me);
            me.interrupt();
            LockSupport.park();
            note(lines, "interrupted before", me);
            sleep(1000);
            note(lines, "and has not slept", me);
            sleep(100_000);
            note(lines, "interrupted in its sleep", me);
            LockSupport.park();                 // an interrupt is a permit, too
            LockSupport.parkNanos(100_000_000_000L);
            note(lines, "interrupted in its park", me);
        }, name);
        t.start();
        whenIn(lines, t, Thread.State.WAITING, BLOCKER, 4, "park");
        LockSupport.unpark(t);
        whenIn(lines, t, Thread.State.TIMED_WAITING, null, 8, "sleep");
        t.interrupt();
        whenIn(lines, t, Thread.State.TIMED_WAITING, null, 10, "park");
        t.interrupt();
        t.join();
        return lines;
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Check.equal("sleep interrupted", e.getMessage(), "the message");
            Check.that(!Thread.currentThread().isInterrupted(), "an InterruptedException clears the flag");
        }
    }

    static void note(List<String> lines, String what, Thread t) {
        ThreadInfo info = BEAN.getThreadInfo(t.getId());
        synchronized (lines) {
            lines.add(what + ": " + info.getThreadState() + ", waited " + info.getWaitedCount() + ", measured " + (info.getWaitedTime() >= 0) +
                      (what.equals("slept") ? ", long enough " + (info.getWaitedTime() >= 5) : ""));
        }
    }

    /** Waits until it is in the wait of that number: one that has been interrupted is still in its sleep when it has cleared the flag. */
    static void whenIn(List<String> lines, Thread t, Thread.State state, Object blocker, long number, String method) throws InterruptedException {
        Check.await(() -> {
            ThreadInfo info = BEAN.getThreadInfo(t.getId(), 10);
            StackTraceElement[] trace = info == null ? new StackTraceElement[0] : info.getStackTrace();
            return info != null && info.getThreadState() == state && LockSupport.getBlocker(t) == blocker && trace.length > 2 &&
                   trace[0].getMethodName().equals(method) && info.getWaitedCount() == number;
        });
        ThreadInfo info = BEAN.getThreadInfo(t.getId(), 10);
        synchronized (lines) {
            lines.add("seen: " + info.getThreadState() + " " + info.getStackTrace()[0] + " " + t.getState() + " native " + info.isInNative());
        }
    }

    static List<String> events(Path file, String name) throws Exception {
        List<String> lines = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            String type = event.getEventType().getName();
            if (event.getThread() != null && name.equals(event.getThread().getJavaName()) && type.matches("jdk.Thread(Park|Sleep)")) {
                boolean sleep = type.endsWith("Sleep");
                lines.add(type + " " + (sleep ? event.getLong("time") : event.getClass("parkedClass") == null ? "none" : event.getClass("parkedClass").getName()));
            }
        }
        return lines;
    }

    public static void main(String[] args) throws Exception {
        BEAN.setThreadContentionMonitoringEnabled(true);
        List<String> kernel = story("kernel"), coroutine = story("coroutine");
        coroutine.forEach(System.out::println);
        Check.equal(String.join("\n", kernel), String.join("\n", coroutine), "what is told of a coroutine");

        Path file = Files.createTempFile(Path.of("."), "waits", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ThreadPark").withoutThreshold();
            recording.enable("jdk.ThreadSleep").withoutThreshold();
            recording.start();
            Check.equal(String.join("\n", story("kernel-recorded")), String.join("\n", story("coroutine-recorded")), "what is told of a recorded one");
            recording.stop();
            recording.dump(file);
        }
        List<String> expected = events(file, "kernel-recorded"), events = events(file, "coroutine-recorded");
        Check.that(expected.size() > 8, "only these events of a kernel thread: " + expected);
        Check.equal(String.join("\n", expected), String.join("\n", events), "the events");
    }
}
