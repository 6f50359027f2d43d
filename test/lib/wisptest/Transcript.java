/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package wisptest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What some code sees, line by line, in four places: on the main thread, which is a kernel thread, and on a started one, in a VM with this test's
 * options and in one without the flag. All four must see the same. Both are children, since the harness's main thread is a coroutine, too.
 */
public final class Transcript {
    private static final String MARK = "| ", STARTED = MARK + "-- on a started thread";

    private Transcript() { }

    public interface Code {
        List<String> lines() throws Throwable;
    }

    /** In a child: what code sees on this thread, which is main, and on another one. */
    public static void print(Code code) throws Throwable {
        Check.equal("main", Thread.currentThread().getName(), "thread");
        print(code.lines());
        Crew crew = new Crew();
        crew.start("started", () -> {
            System.out.println(STARTED);
            print(code.lines());
        });
        crew.join();
    }

    private static void print(List<String> lines) {
        lines.forEach(l -> System.out.println(MARK + l));
    }

    /** In the test: runs children by a command, which gets the options of each, and whose output is what print prints. */
    public static void compare(Vm.Command command, String... args) throws Exception {
        List<String> stock = seen(command, "-XX:+IgnoreUnrecognizedVMOptions", args, "-XX:-UseWisp2");
        List<String> here = seen(command, "-XX:+IgnoreUnrecognizedVMOptions", args);
        int half = stock.indexOf(STARTED);
        Check.that(half > 0, "the child has seen nothing");
        same("without the flag, started", stock.subList(0, half), stock.subList(half + 1, stock.size()));
        same("with the flag", stock, here);
    }

    public static void compare(String... args) throws Exception {
        compare(Vm::command, args);
    }

    private static List<String> seen(Vm.Command command, String first, String[] args, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(Arrays.asList(more));
        all.addAll(Arrays.asList(args));
        return Vm.run(command.of(all.toArray(new String[0]))).exited(0).output.lines().filter(l -> l.startsWith(MARK)).collect(Collectors.toList());
    }

    private static void same(String where, List<String> expected, List<String> actual) {
        for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
            Check.equal(i < expected.size() ? expected.get(i) : null, i < actual.size() ? actual.get(i) : null, where + ", line " + i);
        }
    }
}
