/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The commands Wisp.status, Wisp.dump, Wisp.conversion and Wisp.profile: what they print, their arguments and help, bad
 *          arguments, and what they say in a VM without the flag. Catches: counts that do not match the threads that exist, groups
 *          that are not the largest first, a switch without effect.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine java.management
 * @run main/othervm -XX:+UseWisp2 Commands
 * @run main/othervm -XX:-UseWisp2 Commands off
 */

import com.alibaba.wisp.engine.WispEngine;
import com.alibaba.wisp.engine.WispTask;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import wisptest.Check;
import wisptest.Crew;

public class Commands {
    static final CountDownLatch go = new CountDownLatch(1);

    static String command(String operation, String... args) throws Exception {
        String answer = (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), operation, new Object[] {args},
            new String[] {String[].class.getName()});
        System.out.println("$ " + operation + " " + String.join(" ", args) + "\n" + answer);
        return answer;
    }

    static Matcher has(String text, String regex) {
        Matcher m = Pattern.compile(regex, Pattern.MULTILINE).matcher(text);
        Check.that(m.find(), "no \"" + regex + "\" in\n" + text);
        return m;
    }

    static boolean converts() throws Exception {
        boolean[] coroutine = new boolean[1];
        Thread t = new Thread(() -> coroutine[0] = WispTask.current() != null);
        t.start();
        t.join();
        return coroutine[0];
    }

    static void many() throws InterruptedException {
        go.await();
    }

    static void few() throws InterruptedException {
        go.await();
    }

    static void help() throws Exception {
        for (String name : new String[] {"Wisp.status", "Wisp.dump", "Wisp.conversion", "Wisp.profile"}) {
            has(command("help"), "^" + Pattern.quote(name) + "$");
            has(command("help", name), "Impact: (Low|Medium)");
        }
        has(command("help", "Wisp.dump"), "-depth : \\[optional\\]");
        has(command("help", "Wisp.status"), "-verbose : \\[optional\\]");
        has(command("help", "Wisp.conversion"), "on\\|off : \\[optional\\]");
    }

    public static void main(String[] args) throws Exception {
        help();
        if (args.length > 0) {
            for (String operation : new String[] {"wispStatus", "wispDump", "wispConversion", "wispProfile"}) {
                has(command(operation), "^Wisp is off: this VM runs without -XX:\\+UseWisp2");
            }
            return;
        }
        Crew crew = new Crew();
        for (int i = 0; i < 40; i++) {
            crew.start("many-" + i, Commands::many);
        }
        for (int i = 0; i < 5; i++) {
            crew.start("few-" + i, Commands::few);
        }
        for (Thread t : crew.threads()) {
            Check.awaitState(t, Thread.State.WAITING);
        }

        int carriers = WispEngine.current().getWispCarrierIds().size();
        String status = command("wispStatus");
        Check.equal(carriers, Integer.parseInt(has(status, "^Wisp2: (\\d+) run queue").group(1)), "run queues");
        has(status, "conversion on, profile off");
        Check.that(Integer.parseInt(has(status, "^Threads: \\d+ coroutines .*?(\\d+) in LockSupport.park").group(1)) >= 45, "parked");
        Check.that(Integer.parseInt(has(status, "(\\d+) coroutines, of which \\d+ have ended").group(1)) >= 45, "started");
        for (int i = 0; i < carriers; i++) {
            has(status, "^ +" + i + "  WispCarrier-\\d+ +\\d+  (busy|sleeping|polling) ");
        }
        has(status, "^Scheduler: [1-9]\\d* switches, [1-9]\\d* parks, ");
        has(status, "^Kernel threads held by native code or pins: \\d+; spare carriers: \\d+");
        has(status, "^Timers: ");
        has(status, "^Event pump: ");
        has(command("wispStatus", "-verbose"), "starts=[1-9]");

        String dump = command("wispDump");
        Matcher large = has(dump, "^40 threads: 40 in LockSupport.park\n    \"many-\\d+\" #\\d+: parked: LockSupport.park for <");
        has(dump, "^    and 37 more\n(\tat .*\n)+\tat Commands.many\\(Commands.java:\\d+\\)");
        Matcher small = has(dump, "^5 threads: 5 in LockSupport.park\n    \"few-");
        Check.that(large.start() < small.start(), "the larger group is not first");
        has(dump, "kernel thread, ");
        dump = command("wispDump", "-groups=1", "-names=0", "-depth=1");
        has(dump, "^45 threads: 45 in LockSupport.park\n\tat jdk.internal.misc.Unsafe.park");
        has(dump, "more; see -depth");
        has(dump, "\\d+ threads with other stacks; see -groups");
        has(command("wispDump", "-depth=0"), "Bad value: -depth is 1 to 1024");

        has(command("wispConversion"), "^Conversion is on: new threads are coroutines");
        Check.that(converts(), "conversion is on at first");
        has(command("wispConversion", "off"), "^Conversion is off: new threads are kernel threads");
        Check.that(!converts() && !WispEngine.enableThreadAsWisp(), "conversion is off");
        has(command("wispStatus"), "[1-9]\\d* conversion is off");
        has(command("wispConversion", "sometimes"), "Bad value \"sometimes\": write on or off");
        has(command("wispConversion", "on"), "^Conversion is on");
        Check.that(converts(), "conversion is on again");

        has(command("wispProfile"), "^Profile is off");
        has(command("wispProfile", "on"), "^Profile is on");
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        t.start();
        t.join();
        has(command("wispStatus"), "^Profile of \\d+\\.\\d s: running \\d+\\.\\d+ s, ");
        long parked = 0;
        for (long id : WispEngine.current().getWispCarrierIds()) {
            parked += WispEngine.getWispCounter(id).getTotalBlockingTime();
        }
        // Counted from when it leaves its carrier, and the kernel may have stopped that since the sleep began.
        Check.that(parked >= 10_000_000, "the sleep of 20 ms is not counted: " + parked);
        has(command("wispProfile", "off"), "^Profile is off");

        // What was counted before does not belong to the next one.
        has(command("wispProfile", "on"), "^Profile is on");
        Matcher profile = has(command("wispStatus"), "^Profile of \\d+\\.\\d s: running (\\d+\\.\\d+) s, waiting for a carrier (\\d+\\.\\d+) s, parked (\\d+\\.\\d+) s");
        Check.that(Double.parseDouble(profile.group(3)) < parked / 1e9, "parked since the profile began: " + profile.group(3));
        has(command("wispProfile", "off"), "^Profile is off");

        try {
            command("wispDump", "-nonsense=1");
            throw new AssertionError("an unknown argument is accepted");
        } catch (RuntimeMBeanException e) {
            Check.that(e.getCause() instanceof IllegalArgumentException, "cause " + e.getCause());
        }
        go.countDown();
        crew.join();
    }
}
