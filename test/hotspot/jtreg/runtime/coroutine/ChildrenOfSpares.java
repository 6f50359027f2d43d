/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Processes that want to be killed when their parent ends (PR_SET_PDEATHSIG): to the kernel that is the thread that has started them. They are
 *          started by threads that have blocked a kernel thread each just before, and sleep then, while there is nothing to do for most of
 *          these. Catches: a carrier that ends while such a process is there, whose thread goes on.
 * @library /test/lib
 * @run main/othervm/timeout=300 ChildrenOfSpares
 */

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;

public class ChildrenOfSpares {
    static final int THREADS = 8;
    static final int IDLE = 16_000;                      // ms: a spare ends after five seconds, if it does

    public static void main(String[] args) throws Exception {
        if (!Files.isExecutable(Paths.get("/usr/bin/setpriv"))) {
            System.out.println("Skipped: no setpriv, which tells the kernel what a process wants.");
            return;
        }
        Path pipe = Paths.get("ChildrenOfSpares.pipe").toAbsolutePath();
        Check.equal(0, new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor(), "mkfifo");
        List<Process> children = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch started = new CountDownLatch(THREADS), done = new CountDownLatch(1);
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            crew.start("starts-" + i, () -> {
                FileInputStream in = new FileInputStream(pipe.toFile());    // waits for a writer
                children.add(new ProcessBuilder("setpriv", "--pdeathsig", "KILL", "sleep", "600").start());
                started.countDown();
                done.await();
                in.close();
            });
        }
        for (Thread t : crew.threads()) {
            Check.awaitFrame(t, "open0");
        }
        FileOutputStream out = new FileOutputStream(pipe.toFile());
        started.await();
        Thread.sleep(IDLE);
        long alive = children.stream().filter(Process::isAlive).count();
        children.forEach(Process::destroyForcibly);
        done.countDown();
        crew.join();
        out.close();
        Check.equal((long) THREADS, alive, "processes that are alive");
    }
}
