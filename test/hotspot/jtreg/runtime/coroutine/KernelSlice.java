/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Carriers and sysmon ask the kernel for a short slice, so that a carrier that is woken does not wait until another thread
 *          has had its own. Neither the other threads of the VM nor child processes inherit it; the nice value stays.
 * @library /test/lib
 * @build wisptest.Check
 * @run main/othervm KernelSlice
 * @run main/othervm KernelSlice nice
 */

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

import wisptest.Check;

public class KernelSlice {
    static final long SHORT = 200_000, SHORTER = 100_000;    // ns; who has the shorter one preempts the other when it wakes up: sysmon

    /** The slice in nanoseconds; -1: the kernel does not tell. */
    static long slice(List<String> sched) {
        for (String line : sched) {
            if (line.startsWith("se.slice")) {
                return Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
            }
        }
        return -1;
    }

    static List<String> output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> lines = new ArrayList<>(List.of(new String(process.getInputStream().readAllBytes()).split("\n")));
        Check.equal(0, process.waitFor(), "exit of " + command[0]);
        return lines;
    }

    static boolean isNormal(List<String> sched) {
        for (String line : sched) {
            if (line.startsWith("policy")) {
                return line.substring(line.indexOf(':') + 1).trim().equals("0");
            }
        }
        return false;
    }

    static int nice(Path task) throws IOException {
        String stat = new String(Files.readAllBytes(task.resolve("stat")));
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16]);
    }

    public static void main(String[] args) throws Throwable {
        Path self = Paths.get("/proc/self");
        if (args.length > 0) {
            int nice = Math.min(nice(self) + 3, 19);
            List<String> command = new ArrayList<>(List.of("nice", "-n", "3", System.getProperty("java.home") + "/bin/java", "-XX:+UseWisp2",
                                                           "-cp", System.getProperty("java.class.path"), "KernelSlice"));
            List<String> lines = output(command.toArray(new String[0]));
            Check.that(lines.contains("nice " + nice) || lines.contains("skipped"), lines.toString());
            return;
        }
        List<String> child = output("cat", "/proc/self/sched");
        long usual = slice(child);
        if (usual < 0 || !isNormal(child) || System.getProperty("os.version").matches("[0-5]\\..*|6\\.([0-9]|1[01])(\\D.*)?")) {
            System.out.println("skipped");                   // this kernel has one slice for all, or does not tell
            return;
        }
        Check.that(usual > SHORT, "a child process has the slice of a carrier");
        int carriers = 0;
        boolean sysmon = false;
        int nice = nice(self);
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(self.resolve("task"))) {
            for (Path task : tasks) {
                String name;
                try {
                    name = new String(Files.readAllBytes(task.resolve("comm"))).trim();
                    boolean ours = name.matches("WispCarrier-.*|WispSysmon");
                    if (ours || name.equals("VM Thread")) {
                        long wanted = !ours || nice < 0 ? usual : name.equals("WispSysmon") ? SHORTER : SHORT;
                        for (int i = 0; ours && i < 1000 && slice(Files.readAllLines(task.resolve("sched"))) != wanted; i++) {
                            Thread.sleep(1);                 // a carrier that has just been created
                        }
                        Check.equal(wanted, slice(Files.readAllLines(task.resolve("sched"))), "slice of " + name);
                        Check.equal(nice, nice(task), "nice value of " + name);
                    }
                } catch (IOException e) {
                    continue;                                // has ended meanwhile
                }
                carriers += name.startsWith("WispCarrier-") ? 1 : 0;
                sysmon |= name.equals("WispSysmon");
            }
        }
        Check.that(carriers > 0 && sysmon, "carriers and sysmon");
        System.out.println("nice " + nice);
    }
}
