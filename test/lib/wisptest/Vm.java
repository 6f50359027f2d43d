/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisptest;

import com.sun.management.HotSpotDiagnosticMXBean;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/** What the tests must know about the VM they run in, and a way to run another one with the same options. */
public final class Vm {
    private Vm() { }

    /** Whether Thread.start() makes coroutines in this VM; false on a JDK that does not know the flag. */
    public static boolean wispOn() {
        try {
            return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                                                         .getVMOption("UseWisp2").getValue());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    public static int carriers() {
        return Integer.getInteger("com.alibaba.wisp.carrierEngines", Runtime.getRuntime().availableProcessors());
    }

    /** The kernel threads of this process, from the kernel, but those of compilers and collectors: the VM adds and ends these as it needs them. */
    public static int kernelThreads() {
        int count = 0;
        for (String id : new File("/proc/self/task").list()) {
            try {
                String name = Files.readString(Paths.get("/proc/self/task", id, "comm"));
                count += name.startsWith("C1 ") || name.startsWith("C2 ") || name.startsWith("GC Thread") || name.startsWith("G1 ") ? 0 : 1;
            } catch (IOException e) {
                // has ended since
            }
        }
        return count;
    }

    /**
     * How long the kernel threads of this process have waited for a processor so far, all added up, but those that have ended. If the kernel does
     * not tell, 0.
     */
    public static long waitedForProcessorsNanos() {
        long sum = 0;
        for (String id : new File("/proc/self/task").list()) {
            try {
                sum += Long.parseLong(Files.readString(Paths.get("/proc/self/task", id, "schedstat")).split(" ")[1]);
            } catch (IOException e) {
                // has ended since
            }
        }
        return sum;
    }

    /** Memory that is resident in mappings for which huge pages are refused: of this process, the stacks of coroutines only. */
    public static long stackKB() throws IOException {
        long sum = 0, resident = 0;
        for (String line : Files.readAllLines(Paths.get("/proc/self/smaps"))) {
            if (line.startsWith("Rss:")) {
                resident = Long.parseLong(line.replaceAll("[^0-9]", ""));
            } else if (line.startsWith("VmFlags:") && line.contains(" nh")) {
                sum += resident;
            }
        }
        return sum;
    }

    /** How many kernel threads a process with any number of coroutines may have. */
    public static int kernelThreadLimit() {
        return Math.max(100, 2 * carriers() + 60);      // each carrier may have a spare
    }

    /** Runs a command of jcmd in this VM, by the name of its operation. */
    public static String diagnostic(String operation, String... args) {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), operation, new Object[] {args}, new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new AssertionError(e);
        }
    }

    /** What a thread dump says of a thread that lives, from its name to the blank line; empty if it has ended. */
    public static String threadEntry(Thread t) {
        String dump = diagnostic("threadPrint");
        int at = dump.indexOf("\"" + t.getName() + "\" #" + t.getId() + " ");
        return at < 0 ? "" : dump.substring(at, dump.indexOf("\n\n", at));
    }

    private static long status(String pattern) {
        Matcher m = Pattern.compile(pattern).matcher(diagnostic("wispStatus"));
        Check.that(m.find(), "Wisp.status does not tell " + pattern);
        return Long.parseLong(m.group(1));
    }

    /** How often a coroutine has been preempted, or its carrier's queue given to another one, so far. */
    public static long preemptionsAndHandOffs() {
        return status("(\\d+) preemptions") + status("(\\d+) hand-offs");
    }

    /** The kernel threads that threads in native code or with pins hold. */
    public static int heldKernelThreads() {
        return (int) status("held by native code or pins: (\\d+)");
    }

    /** Waits until they are fewer: who loads a class holds one for a moment, and those that stay are held by what is blocked. */
    public static void awaitHeldBelow(int limit, String who) throws InterruptedException {
        int held = heldKernelThreads();
        for (int i = 0; held >= limit; i++) {
            Check.that(i < 500, who + " hold " + held + " kernel threads");
            Thread.sleep(10);
            held = heldKernelThreads();
        }
    }

    public static final class Result {
        public final int exit;
        public final String output;

        Result(int exit, String output) {
            this.exit = exit;
            this.output = output;
        }

        public Result exited(int expected) {
            Check.that(exit == expected, "the child exited with " + exit + ", not " + expected);
            return this;
        }

        public Result has(String text) {
            Check.that(output.contains(text), "the child's output lacks: " + text);
            return this;
        }

        public Result hasNot(String text) {
            Check.that(!output.contains(text), "the child's output should not have: " + text);
            return this;
        }
    }

    /** Makes the command line of a child of java's arguments. */
    public interface Command {
        List<String> of(String... args);
    }

    /** The command line of a java process with this test's JDK, class path and VM options. */
    public static List<String> command(String... args) {
        String jdk = System.getProperty("test.jdk", System.getProperty("java.home"));
        List<String> command = new ArrayList<>();
        command.add(jdk + "/bin/java");
        for (String property : new String[] {"test.vm.opts", "test.java.opts"}) {
            for (String option : System.getProperty(property, "").split("\\s+")) {
                if (!option.isEmpty()) {
                    command.add(option);
                }
            }
        }
        command.add("-cp");
        command.add(System.getProperty("test.class.path", System.getProperty("java.class.path")));
        command.addAll(Arrays.asList(args));
        return command;
    }

    /** Runs a java process to its end; its output, both streams in one, is also this test's output. */
    public static Result java(String... args) throws Exception {
        return run(command(args));
    }

    /** What to do with a child once it has printed a text. */
    public static final class When {
        final String text;
        final Consumer<Process> action;

        public When(String text, Consumer<Process> action) {
            this.text = text;
            this.action = action;
        }
    }

    /** The same for any command, with something to do while it runs: the actions come in their order, each after its text. */
    public static Result run(List<String> command, When... actions) throws Exception {
        System.out.println("$ " + String.join(" ", command));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);           // when the harness gives up on us, the child must not stay
        StringBuilder output = new StringBuilder();
        byte[] buffer = new byte[8192];
        int done = 0;
        for (int n; (n = process.getInputStream().read(buffer)) > 0; ) {
            String part = new String(buffer, 0, n, StandardCharsets.UTF_8);
            output.append(part);
            System.out.print(part);
            while (done < actions.length && output.indexOf(actions[done].text) >= 0) {
                actions[done++].action.accept(process);
            }
        }
        int exit = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(killer);
        System.out.println("exit " + exit);
        return new Result(exit, output.toString());
    }

    /** Sends a signal by number. */
    public static void kill(Process process, int signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
