/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary No memory for another stack: start() throws the OutOfMemoryError that it always threw, with the same message, the
 *          thread stays new and can be started later, its group does not keep it, and everything else goes on. Both for one
 *          stack that can never exist and for many that fill the address space that the process is allowed. Catches: a crash, another error or message, a
 *          thread that counts as started, address space that does not come back.
 * @library /test/lib
 * @run main StackExhaustion
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class StackExhaustion {
    static final String MESSAGE = "unable to create native thread: possibly out of memory or process/resource limits reached";

    static volatile boolean stopped;

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            run("StackExhaustion", "child");
            // The usual size, and a carrier that never sleeps, so that it keeps the stacks of those that have ended last.
            run("-XX:ThreadStackSize=262144", "-Dcom.alibaba.wisp.carrierEngines=1", "StackExhaustion", "child", "busy");
            return;
        }
        if (args.length == 1) {
            impossible();
            fill(256L << 20);
            fill(256L << 20);
        } else {
            Crew busy = new Crew();
            for (int i = 0; i < 2; i++) {
                busy.start("busy-" + i, () -> {
                    while (!stopped) {
                        Thread.yield();
                    }
                });
            }
            fill(0);
            fill(0);
            stopped = true;
            busy.join();
        }
        System.out.println("all done");
    }

    static void run(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -v 10000000; exec \"$0\" \"$@\""));
        command.addAll(Vm.command(args));
        command.addAll(4, List.of("-Xmx256m", "-Xlog:disable"));
        Vm.run(command).exited(0).has("all done");
    }

    static void impossible() throws Exception {
        ThreadGroup group = new ThreadGroup("impossible");
        for (int i = 0; i < 5; i++) {
            Thread t = new Thread(group, () -> { }, "huge", 1L << 47);
            OutOfMemoryError e = Check.throwing(OutOfMemoryError.class, "start with an impossible stack", t::start);
            Check.equal(MESSAGE, e.getMessage(), "message");
            Check.equal(Thread.State.NEW, t.getState(), "state after the failed start");
            Check.that(!t.isAlive(), "alive after the failed start");
            Check.equal(0, group.activeCount(), "threads in the group");
            Check.throwing(OutOfMemoryError.class, "second start", t::start);
            t.join();
        }
        runs();
    }

    static void fill(long size) throws Exception {
        Crew crew = new Crew();
        CountDownLatch go = new CountDownLatch(1);
        int started = 0;
        Thread refused = null;
        for (int i = 0; i < 300; i++) {
            Thread t = crew.create("large-" + i, size, go::await);
            try {
                t.start();
                started++;
            } catch (OutOfMemoryError e) {
                Check.equal(MESSAGE, e.getMessage(), "message");
                refused = t;
                break;
            }
        }
        System.out.println(started + " stacks of 256 MB");
        Check.that(refused != null, "300 stacks of 256 MB in an address space of 10 GB");
        runs();                             // the others are not harmed
        go.countDown();
        for (Thread t : crew.threads()) {
            t.join();
        }
        Check.that(started > 0, "not one stack of 256 MB");
        refused.start();                    // there is room again
        refused.join();
        Check.equal(Thread.State.TERMINATED, refused.getState(), "state of the thread that was refused first");
        crew.join();
        runs();
    }

    static void runs() throws Exception {
        Crew crew = new Crew();
        int[] ran = new int[1];
        crew.create("small", 512L << 10, () -> ran[0] = 1).start();
        crew.join();
        Check.equal(1, ran[0], "a thread started after the error");
    }
}
