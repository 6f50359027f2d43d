/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The CPU quota of a container changes while the program runs: the number of carriers follows it, up and down, and not if
 *          it was set. Catches: carriers that stay as many as they were (the wait for them does not end), a thread or a timer
 *          that is left in the queue of a carrier that rests (hang). Needs two CPUs, and a control group of the cpu controller that
 *          may be written; says so and does nothing otherwise.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine java.management jdk.management
 * @run main CpuQuota
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class CpuQuota {
    static final int PERIOD = 100_000;
    static final int THREADS = 60;
    static volatile boolean over;

    /** The group that this process is in, of the cpu controller in its own hierarchy; null: there is none. */
    static Path group() throws IOException {
        String path = null;
        for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
            String[] fields = line.split(":", 3);
            if (List.of(fields[1].split(",")).contains("cpu")) {
                path = fields[2];
            }
        }
        Path root = Path.of("/sys/fs/cgroup/cpu");
        Path own = path == null ? null : root.resolve(path.substring(1));
        return own != null && Files.exists(own.resolve("cpu.cfs_quota_us")) ? own : null;
    }

    static void write(Path file, int value) {
        try {
            Files.writeString(file, Integer.toString(value));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            try {
                child(Path.of(args[0]), args[1].equals("follows"));
            } catch (Throwable e) {         // the other threads would not end
                e.printStackTrace();
                System.exit(1);
            }
            return;
        }
        Path own = group();
        if (!Vm.wispOn() || own == null || Runtime.getRuntime().availableProcessors() < 2) {
            System.out.println("Skipped: no flag, no cpu controller of control groups version 1, or a single CPU.");
            return;
        }
        Path group = own.resolve("wisp-quota-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
            write(group.resolve("cpu.cfs_period_us"), PERIOD);
            write(group.resolve("cpu.cfs_quota_us"), PERIOD);
        } catch (IOException | AssertionError e) {
            System.out.println("Skipped: " + e);
            return;
        }
        try {
            run(group, true);
            run(group, false, "-Dcom.alibaba.wisp.carrierEngines=2");
            run(group, false, "-XX:ActiveProcessorCount=2");
        } finally {
            while (!Files.deleteIfExists(group)) {
                Thread.sleep(10);
            }
        }
    }

    static void run(Path group, boolean follows, String... options) throws Exception {
        List<String> java = Vm.command(options);
        java.removeIf(option -> option.startsWith("-Dcom.alibaba.wisp.carrierEngines=") && !List.of(options).contains(option));
        List<String> command = new ArrayList<>(List.of("sh", "-c", "echo $$ > " + group + "/cgroup.procs && exec \"$0\" \"$@\""));
        command.addAll(java);
        command.addAll(List.of("CpuQuota", group.toString(), follows ? "follows" : "is fixed"));
        Vm.run(command).exited(0).has("all have come on");
    }

    /** The carriers that run, from the status. */
    static int carriers() {
        try {
            String status = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "wispStatus", new Object[] {new String[0]},
                new String[] {String[].class.getName()});
            Matcher m = Pattern.compile("Wisp2: (\\d+) run queue").matcher(status);
            Check.that(m.find(), status);
            return Integer.parseInt(m.group(1));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static void child(Path group, boolean follows) throws Exception {
        if (follows && Runtime.getRuntime().availableProcessors() != 1) {
            System.out.println("Skipped: the VM sees no quota. all have come on");
            return;
        }
        AtomicIntegerArray rounds = new AtomicIntegerArray(THREADS);
        Object lock = new Object();
        int[] guarded = new int[1];
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int me = i;
            crew.start("thread-" + i, () -> {
                while (!over) {
                    switch (me % 4) {
                        case 0:
                            Thread.sleep(1);
                            break;
                        case 1:
                            LockSupport.parkNanos(500_000);
                            synchronized (lock) {
                                guarded[0]++;
                                lock.notify();
                            }
                            break;
                        case 2:
                            synchronized (lock) {
                                lock.wait(1);
                            }
                            break;
                        default:
                            long end = System.nanoTime() + 20_000;
                            while (System.nanoTime() < end) {
                                Thread.onSpinWait();
                            }
                            Thread.yield();
                    }
                    rounds.incrementAndGet(me);
                }
            });
        }
        Path quota = group.resolve("cpu.cfs_quota_us");
        int start = carriers();
        Check.equal(follows ? 1 : 2, start, "carriers at the start");
        for (int round = 0; round < (follows ? 4 : 1); round++) {
            int processors = round % 2 == 0 ? 2 : 1;
            long begin = System.nanoTime();
            write(quota, processors * PERIOD);
            Check.await(() -> Runtime.getRuntime().availableProcessors() == processors || !follows);
            if (follows) {
                Check.await(() -> carriers() == processors);
                System.out.println(carriers() + " carriers after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
            }
            comeOn(rounds);
            System.out.println("all threads came on after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
        }
        if (!follows) {
            write(quota, PERIOD);
            long end = System.nanoTime() + 7_000_000_000L;      // longer than two looks at the number of processors
            while (System.nanoTime() < end) {
                Check.equal(2, carriers(), "carriers, although their number was set");
                Thread.sleep(100);
            }
            comeOn(rounds);
        }
        over = true;
        crew.join();
        // With everybody asleep, a timer that was set before must fire on time.
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        sleeper.start();
        sleeper.join();
        System.out.println("all have come on");
    }

    static void comeOn(AtomicIntegerArray rounds) throws Exception {
        int[] now = new int[THREADS];
        for (int i = 0; i < THREADS; i++) {
            now[i] = rounds.get(i);
        }
        for (int i = 0; i < THREADS; i++) {
            int me = i;
            Check.await(() -> rounds.get(me) >= now[me] + 20);
        }
    }
}
