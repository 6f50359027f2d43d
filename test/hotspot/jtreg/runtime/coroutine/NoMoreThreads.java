/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The process may not have more kernel threads, and all it has are blocked in native code: Thread.start() throws what it
 *          throws without the flag; threads that were started go on when a kernel thread comes free or the limit is raised; the
 *          log says so once, and how many kernel threads are held. Catches: a crash or an endless wait of a starter, a log that is flooded.
 * @library /test/lib
 * @run main/othervm/native NoMoreThreads
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NoMoreThreads {
    static native void block();
    static native int blocked();
    static native void release();
    static native void limit(int n);

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        String library = System.getProperty("test.nativepath", System.getProperty("java.library.path")) + "/libBlockedInNative.so";
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + library));
        command.addAll(Vm.command("-Djava.library.path=" + library.replaceAll("/[^/]*$", ""), "-Xlog:wisp,os+thread=off",
                                  "NoMoreThreads", "child"));
        String output = Vm.run(command).exited(0).has("all have ended").output;
        String warning = "no spare carrier can be created";
        int warnings = output.split(warning, -1).length - 1;
        if (Vm.wispOn()) {
            Check.that(warnings >= 1 && warnings <= 3, "warnings: " + warnings);
            Check.that(output.contains("kernel threads are held by native code or pins"), "the log lacks the number of held threads");
        }
    }

    static OutOfMemoryError startUntilRefused(Crew crew) throws Exception {
        for (int i = 0; ; i++) {
            try {
                crew.start("blocked-" + i, NoMoreThreads::block);
            } catch (OutOfMemoryError e) {
                crew.threads().remove(crew.threads().size() - 1);      // created, but not started
                return e;
            }
            Thread.sleep(2);
        }
    }

    static void child() throws Exception {
        System.loadLibrary("BlockedInNative");
        Crew crew = new Crew();
        Crew early = new Crew();
        CountDownLatch go = new CountDownLatch(1);
        early.start("early", go::await);

        limit(80);
        OutOfMemoryError e = startUntilRefused(crew);
        System.out.println("after " + crew.threads().size() + " threads: " + e.getMessage());
        Check.equal("unable to create native thread: possibly out of memory or process/resource limits reached", e.getMessage(), "message");
        int n = crew.threads().size();
        Check.await(() -> blocked() >= 60);
        go.countDown();                     // it is in a queue that nobody serves

        // With a higher limit all run, and another one can be started.
        limit(-1);
        Check.await(() -> blocked() == n);
        early.join();
        boolean[] ran = new boolean[1];
        crew.start("late", () -> ran[0] = true).join();
        Check.that(ran[0], "the thread that was started late has not run");
        release();
        crew.join();

        // At the limit again: this time a native call returns.
        limit(80);
        startUntilRefused(crew);
        release();
        while (crew.threads().stream().anyMatch(Thread::isAlive)) {
            release();                      // those that come late
            Thread.sleep(1);
        }
        crew.join();
        System.out.println("all have ended");
    }
}
