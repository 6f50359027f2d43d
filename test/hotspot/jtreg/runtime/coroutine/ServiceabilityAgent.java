/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary jhsdb walks the threads of a process: each parked thread has its own frames, although a computing one has the registers of
 *          the OS thread that they ran on, and the list goes on behind the carriers. Catches: a class of threads that the agent
 *          does not know, which ends its list; the stack of the mounted coroutine printed for every coroutine.
 * @library /test/lib
 * @run main ServiceabilityAgent
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wisptest.Check;

public class ServiceabilityAgent {
    static final int PARKED = 4;

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        String bin = System.getProperty("java.home") + "/bin/";
        List<String> command = new ArrayList<>(List.of(bin + "java", "-cp", System.getProperty("java.class.path")));
        for (String option : System.getProperty("test.java.opts", "").split(" ")) {
            if (!option.isEmpty()) {
                command.add(option);
            }
        }
        command.addAll(List.of("ServiceabilityAgent", "child"));
        Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            Check.equal((int) '!', child.getInputStream().read(), "the child's first character");
            Path file = Files.createTempFile(Path.of(""), "jhsdb", ".txt");
            Process jhsdb = new ProcessBuilder(bin + "jhsdb", "jstack", "--pid", Long.toString(child.pid()))
                .redirectErrorStream(true).redirectOutput(file.toFile()).start();
            jhsdb.waitFor();
            String output = Files.readString(file);
            if (output.contains("Operation not permitted") || output.contains("ptrace(PTRACE_ATTACH")) {
                System.out.println("Attaching is not allowed here; nothing was tested.");
                return;
            }
            look(output);
        } finally {
            child.destroyForcibly();
        }
    }

    static void look(String output) {
        try {
            Check.that(!output.contains("Unable to deduce type of thread"), "every thread is of a known type");
            Check.that(output.contains("No deadlocks found"), "deadlock detection went through the threads");
            for (int i = 0; i < PARKED; i++) {
                String thread = section(output, "parked-" + i);
                Check.that(thread.contains("ServiceabilityAgent.recurse"), "frames of parked-" + i);
                Check.that(thread.contains("java.lang.Thread.sleep"), "top frame of parked-" + i);
                Check.that(!thread.contains("ServiceabilityAgent.compute"), "no frames of another thread in parked-" + i);
            }
            String computing = section(output, "computing");
            Check.that(!computing.contains("ServiceabilityAgent.recurse"), "no frames of another thread in computing");
        } catch (AssertionError e) {
            System.out.println(output);
            throw e;
        }
    }

    static String section(String output, String thread) {
        int from = output.indexOf("\"" + thread + "\"");
        Check.that(from >= 0, "thread " + thread + " is listed");
        int to = output.indexOf("\n\"", from);
        return output.substring(from, to < 0 ? output.length() : to);
    }

    static void recurse(int depth) {
        if (depth > 0) {
            recurse(depth - 1);
            return;
        }
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static volatile long sum;

    static void compute() {
        for (;;) {
            sum++;
        }
    }

    static void child() throws Exception {
        for (int i = 0; i < PARKED; i++) {
            int depth = 3 + i;
            daemon("parked-" + i, () -> recurse(depth));
        }
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            if (t.getName().startsWith("parked-")) {
                Check.awaitState(t, Thread.State.TIMED_WAITING);
            }
        }
        daemon("computing", ServiceabilityAgent::compute);
        System.out.print('!');
        System.out.flush();
        System.in.read();
    }

    static void daemon(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }
}
