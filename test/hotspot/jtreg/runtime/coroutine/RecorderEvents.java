/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The flight recorder: the scheduler's own events (pinned, preempted, queued, handed off, stolen), and events and samples
 *          of threads, which must name the thread that did it. Catches: samples and events of the carrier instead of the thread;
 *          a thread without start or end event, or with two; a sampler that crashes or hangs on threads that switch all the time.
 * @library /test/lib
 * @modules jdk.jfr
 * @run main/othervm/native RecorderEvents
 */

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class RecorderEvents {
    static {
        System.loadLibrary("RecorderEvents");
    }

    static native void callBack(Runnable r);
    static native void block(int millis);

    static volatile boolean over;
    static volatile long sink;
    static volatile Object garbage;

    static void hogA() {
        for (long x = 0; !over; x++) {
            sink = x * 31;
        }
    }

    static void hogB() {
        for (long x = 0; !over; x++) {
            sink = x * 37;
        }
    }

    static void yielder() {
        while (!over) {
            Thread.yield();
        }
    }

    static void blocker() {
        for (int i = 0; i < 20; i++) {
            block(20);
        }
    }

    static void parker() {
        callBack(() -> LockSupport.parkNanos(30_000_000));
    }

    static void waiter(Object lock) throws InterruptedException {
        synchronized (lock) {
            lock.wait(30);
        }
    }

    public static void main(String[] args) throws Exception {
        Recording recording = new Recording();
        for (String event : new String[] {"CoroutinePinned", "CoroutinePreempt", "CoroutineHandOff", "CoroutineSteal", "JavaMonitorWait",
                                          "JavaMonitorEnter", "ThreadPark", "ThreadSleep", "SocketRead"}) {
            recording.enable("jdk." + event).withThreshold(Duration.ZERO).withStackTrace();
        }
        // Without those that have only yielded to each other, of which there are millions.
        recording.enable("jdk.CoroutineQueued").withThreshold(Duration.ofNanos(100_000));
        recording.enable("jdk.ThreadStart");
        recording.enable("jdk.ThreadEnd");
        recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
        recording.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(10));
        recording.enable("jdk.ThreadDump").with("period", "endChunk");
        recording.enable("jdk.ThreadAllocationStatistics").with("period", "endChunk");
        recording.enable("jdk.ThreadCPULoad").with("period", "endChunk");
        recording.start();
        Path file = Path.of("events.jfr");
        try {
            work();
            recording.stop();                     // while the threads are there
            recording.dump(file);
        } finally {
            over = true;
            recording.close();
        }
        check(file);
    }

    static void work() throws Exception {
        Crew crew = new Crew();
        long before = Vm.wispOn() ? steals() : 0;
        // All start on one carrier's queue, while the others have nothing to do.
        crew.start("producer", () -> {
            Crew shorts = new Crew();
            for (int i = 0; i < 200; i++) {
                shorts.start("short-" + i, () -> {
                    for (int j = 0; j < 100_000; j++) {
                        sink = j;
                    }
                    LockSupport.parkNanos(1);
                });
            }
            shorts.join();
            if (Vm.wispOn() && Vm.carriers() > 1) {
                // Who starts threads and computes until they have run leaves them to a carrier that steals; that one has to get a CPU first.
                while (steals() == before) {
                    AtomicInteger ran = new AtomicInteger();
                    Crew others = new Crew();
                    for (int i = 0; i < 20; i++) {
                        others.start("other-" + i, ran::incrementAndGet);
                    }
                    while (ran.get() < 20) { }           // no onSpinWait: that would give way
                    others.join();
                }
            }
        }).join();
        crew.start("hog-a", RecorderEvents::hogA);
        crew.start("hog-b", RecorderEvents::hogB);
        for (int i = 0; i < 4; i++) {
            crew.start("yielder-" + i, RecorderEvents::yielder);
        }
        Object lock = new Object();
        crew.start("waiter", () -> waiter(lock));
        crew.start("sleeper", () -> Thread.sleep(30));
        crew.start("blocker", RecorderEvents::blocker);
        crew.start("parker", RecorderEvents::parker);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        crew.start("owner", () -> {
            synchronized (free) {
                held.countDown();
                free.await();
            }
        });
        held.await();
        Thread enterer = crew.start("enterer", () -> {
            synchronized (free) {
                sink++;
            }
        });
        Check.awaitState(enterer, Thread.State.BLOCKED);
        free.countDown();
        try (ServerSocket server = new ServerSocket(0)) {
            Thread reader = crew.start("reader", () -> {
                try (Socket s = new Socket("localhost", server.getLocalPort())) {
                    s.getInputStream().read();
                }
            });
            Socket s = server.accept();
            Check.awaitFrame(reader, "read");
            Thread.sleep(5);
            s.getOutputStream().write(1);
            s.close();
            reader.join();
        }
        CountDownLatch allocated = new CountDownLatch(1);
        crew.start("allocator", () -> {
            for (int i = 0; i < 50; i++) {
                garbage = new byte[1_000_000];
            }
            allocated.countDown();
            while (!over) {                       // is there when the recording ends
                Thread.sleep(10);
            }
        });
        allocated.await();                        // on one carrier with threads that compute it takes a while
        Thread.sleep(3000);
        for (Thread t : crew.threads()) {
            String name = t.getName();
            if (!name.startsWith("hog") && !name.startsWith("yielder") && !name.startsWith("allocator")) {
                t.join();
            }
        }
        crew.check();
    }

    static long steals() {
        Matcher m = Pattern.compile("(\\d+) taken by other carriers").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "Wisp.status does not tell how many were stolen");
        return Long.parseLong(m.group(1));
    }

    static String thread(RecordedThread t) {
        return t == null ? "none" : t.getJavaName();
    }

    static boolean has(RecordedEvent e, String method) {
        return e.getStackTrace() != null && e.getStackTrace().getFrames().stream().anyMatch(f -> f.getMethod().getName().equals(method));
    }

    static void check(Path file) throws Exception {
        Map<String, Map<String, Integer>> seen = new TreeMap<>();   // events by name, then thread
        int samples = 0;
        long allocated = 0;                       // at the end of the last chunk
        for (RecordedEvent e : RecordingFile.readAllEvents(file)) {
            String type = e.getEventType().getName().replace("jdk.", "");
            String name = thread(e.getThread());
            switch (type) {
                case "ExecutionSample":
                    name = thread(e.getThread("sampledThread"));
                    if (e.getStackTrace() == null) {
                        break;                    // upstream's sampler commits late: the stack trace is in the chunk that ended in between
                    }
                    RecordedFrame top = e.getStackTrace().getFrames().get(0);
                    if (top.getMethod().getName().startsWith("hog")) {
                        samples++;
                        Check.equal(top.getMethod().getName().equals("hogA") ? "hog-a" : "hog-b", name, "thread of a sample in " + top.getMethod().getName());
                    }
                    break;
                case "NativeMethodSample":
                    name = thread(e.getThread("sampledThread"));
                    break;
                case "ThreadStart":
                case "ThreadAllocationStatistics":
                    name = thread(e.getThread("thread"));
                    break;
                case "CoroutineHandOff":
                    name = thread(e.getThread("coroutine"));
                    break;
                case "ThreadDump":
                    Check.that(e.getString("result").contains("\"hog-a\""), "the thread dump lacks a thread");
                    break;
                case "CoroutinePinned":
                    Check.that(has(e, "parker"), "stack of a pinned park: " + e);
                    Check.equal("native code on the stack", e.getString("reason"), "reason of a pinned park");
                    break;
                case "CoroutinePreempt":
                    Check.that(!name.startsWith("Wisp"), "preempted: " + name);
                    break;
                default:
            }
            Check.that(!type.endsWith("Sample") || !name.startsWith("Wisp"), "a sample of " + name);
            if (type.equals("ThreadAllocationStatistics") && name.equals("allocator")) {
                allocated = Math.max(allocated, e.getLong("allocated"));
            }
            seen.computeIfAbsent(type, k -> new TreeMap<>()).merge(name, 1, Integer::sum);
        }
        seen.forEach((type, threads) -> System.out.println(type + " " + (threads.size() > 30 ? threads.size() + " threads" : threads)));
        Check.that(allocated >= 50_000_000 && allocated < 60_000_000, "allocated bytes: " + allocated);
        for (int i = 0; i < 200; i++) {
            once(seen, "ThreadStart", "short-" + i);
            once(seen, "ThreadEnd", "short-" + i);
        }
        once(seen, "JavaMonitorWait", "waiter");
        once(seen, "ThreadSleep", "sleeper");
        some(seen, "JavaMonitorEnter", "enterer");
        some(seen, "SocketRead", "reader");
        some(seen, "ThreadPark", "short-0");
        some(seen, "ThreadAllocationStatistics", "allocator");
        some(seen, "ThreadCPULoad", "hog-a");
        some(seen, "ExecutionSample", "hog-a");
        some(seen, "NativeMethodSample", "blocker");
        Check.that(samples > 20, "samples of threads that compute: " + samples);
        if (Vm.wispOn()) {
            once(seen, "CoroutinePinned", "parker");
            Check.that(seen.getOrDefault("CoroutineQueued", Map.of()).keySet().stream().anyMatch(t -> t.startsWith("short-")), "nobody waited for a turn");
            if (Vm.carriers() <= 2) {              // else each hog may have a carrier of its own
                Map<String, Integer> preempted = seen.getOrDefault("CoroutinePreempt", Map.of());
                Check.that(preempted.containsKey("hog-a") || preempted.containsKey("hog-b"), "no hog was preempted: " + preempted);
            }
            if (Vm.carriers() <= 4) {
                some(seen, "CoroutineHandOff", "blocker");
            }
            if (Vm.carriers() > 1) {
                Check.that(!seen.getOrDefault("CoroutineSteal", Map.of()).isEmpty(), "no coroutine was stolen");
            }
        } else {
            Check.that(seen.keySet().stream().noneMatch(t -> t.startsWith("Coroutine")), "events of coroutines without the flag");
        }
    }

    static void once(Map<String, Map<String, Integer>> seen, String type, String thread) {
        Check.equal(1, seen.getOrDefault(type, Map.of()).getOrDefault(thread, 0), "number of " + type + " events of " + thread);
    }

    static void some(Map<String, Map<String, Integer>> seen, String type, String thread) {
        Check.that(seen.getOrDefault(type, Map.of()).containsKey(thread), "no " + type + " event of " + thread + ": " + seen.get(type));
    }
}
