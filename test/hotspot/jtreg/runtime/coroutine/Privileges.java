/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What a kernel thread may do is inherited by the threads that it starts. A thread that is no coroutine gives up a capability, and what it starts
 *          has not got that, while all others keep it; the main thread does, as the launcher of a service does, and the threads of the
 *          service have not got it, on whatever carrier they run. Likewise that no program gets more privileges. Catches: threads
 *          that have what their starter has given up.
 * @library /test/lib
 * @run main/othervm/native Privileges
 */

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Privileges {
    /** Of the calling kernel thread: the capability is not effective any more. */
    static native void giveUp(int capability);

    /** Likewise: no program that is executed gets more. */
    static native void getNoMore();

    static final int THREADS = 20, ROUNDS = 10;
    static final int CHOWN = 0, KILL = 5;

    /** A line of what the kernel says of the current kernel thread. */
    static String status(String name) throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/thread-self/status"))) {
            if (line.startsWith(name + ":")) {
                return line.substring(name.length() + 1).trim();
            }
        }
        throw new AssertionError("no line " + name);
    }

    static void have(Crew crew, String capabilities, String noMore, int threads) {
        for (int i = 0; i < threads; i++) {
            crew.start("thread-" + i, () -> {
                for (int j = 0; j < ROUNDS; j++) {
                    Check.equal(capabilities, status("CapEff"), "capabilities in round " + j);
                    Check.equal(noMore, status("NoNewPrivs"), "no_new_privs in round " + j);
                    LockSupport.parkNanos(100_000);
                }
            });
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {                          // the harness runs this by a thread of its own
            Vm.java("-Dcom.alibaba.wisp.threadAsWisp.black=name:confined", "-Djava.library.path=" +
                    System.getProperty("test.nativepath", System.getProperty("java.library.path")), "Privileges", "child").exited(0);
            return;
        }
        System.loadLibrary("Privileges");
        Crew crew = new Crew();
        String all = status("CapEff"), noMore = status("NoNewPrivs");
        AtomicBoolean had = new AtomicBoolean();         // that capability
        crew.start("confined", () -> {
            giveUp(CHOWN);
            String less = status("CapEff");
            had.set(!less.equals(all));
            Crew own = new Crew();
            have(own, less, noMore, THREADS);
            own.join();
        });
        crew.join();
        boolean confined = Vm.wispOn() && Vm.diagnostic("wispStatus").contains("its starter has other privileges");
        have(crew, all, noMore, THREADS);
        crew.join();
        giveUp(KILL);
        String less = status("CapEff");
        System.out.println("capabilities: " + all + ", then " + less);
        have(crew, less, noMore, THREADS);
        crew.join();
        getNoMore();
        have(crew, less, "1", THREADS);
        crew.join();
        Check.that(confined || !Vm.wispOn() || !had.get(), "Wisp.status tells which threads are kernel threads");
    }
}
