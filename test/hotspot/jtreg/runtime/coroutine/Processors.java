/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The number of processors changes, by more than this machine has: that of the carriers follows it, and sleepers that are
 *          in the queues of carriers that rest then are woken, although nothing else happens in the process. Catches: carriers that
 *          stay as many as they were, a deadline that nobody has read (the join of the sleepers does not end).
 * @library /test/lib
 * @modules java.management jdk.management
 * @run main/othervm/native Processors
 */

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Processors {
    static native void set(int n);
    static volatile boolean followed;

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            try {
                child();
            } catch (Throwable e) {         // the other threads would not end
                e.printStackTrace();
                System.exit(1);
            }
            return;
        }
        if (!Vm.wispOn()) {
            System.out.println("Skipped: without the flag nothing follows the processors.");
            return;
        }
        String library = System.getProperty("test.nativepath", System.getProperty("java.library.path")) + "/libProcessors.so";
        List<String> java = Vm.command("-XX:-UseContainerSupport", "-Djava.library.path=" + library.replaceAll("/[^/]*$", ""));
        java.removeIf(option -> option.startsWith("-Dcom.alibaba.wisp.carrierEngines="));
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + library));
        command.addAll(java);
        command.addAll(List.of("Processors", "child"));
        Vm.run(command).exited(0).has("all were woken");
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

    static void child() throws Exception {
        System.loadLibrary("Processors");
        Check.equal(4, carriers(), "carriers at the start");
        for (int processors : new int[] {3, 1, 4}) {
            Crew sleepers = new Crew();
            CountDownLatch asleep = new CountDownLatch(8);
            for (int i = 0; i < 8; i++) {
                sleepers.start("sleeper-" + i, () -> {
                    asleep.countDown();
                    Thread.sleep(4_500);
                });
            }
            asleep.await();
            // Sysmon counts processors when it is awake.
            Crew busy = new Crew();
            followed = false;
            busy.start("busy", () -> {
                while (!followed) {
                    Thread.onSpinWait();
                }
            });
            set(processors);
            Check.await(() -> carriers() == processors);
            followed = true;
            busy.join();
            sleepers.join();
            System.out.println(processors + " carriers");
        }
        System.out.println("all were woken");
    }
}
