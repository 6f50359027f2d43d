/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier threads block in native code for what another one of them has, a byte in a pipe that is read as a file, as they do
 *          for a row lock of an embedded database, and yield while they have it. Who has lost its queue there keeps its kernel
 *          thread at a yield. Catches: it goes back to a queue, which it takes away from the others when it blocks next.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm NativeHandOver
 */

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NativeHandOver {
    static final int THREADS = 8, TURNS = 100, ROUNDS = 40;

    static String kernelThread() {
        try {
            return Paths.get("/proc/thread-self").toRealPath().getFileName().toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static void many(RandomAccessFile token) throws Throwable {
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            crew.start("holder-" + i, () -> {
                for (int n = 0; n < TURNS; n++) {
                    Check.equal(1, token.read(), "the token");
                    Thread.yield();
                    token.write(1);
                }
            });
        }
        token.write(1);
        crew.join();
        Check.equal(1, token.read(), "the token at the end");
    }

    /** How often the one who blocks is on the same kernel thread behind a yield. */
    static int stays(RandomAccessFile token) throws Throwable {
        Crew crew = new Crew();
        SynchronousQueue<Integer> next = new SynchronousQueue<>();
        AtomicInteger stayed = new AtomicInteger();
        crew.start("blocks", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                next.put(n);                             // the other one goes on when this one has lost the queue
                Check.equal(1, token.read(), "the token");
                String before = kernelThread();
                Thread.yield();
                if (kernelThread().equals(before)) {
                    stayed.incrementAndGet();
                }
            }
        });
        crew.start("has it", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                next.take();
                Thread.yield();                          // until the other one is in its call
                token.write(1);
            }
        });
        crew.join();
        return stayed.get();
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            Vm.java("-Dcom.alibaba.wisp.carrierEngines=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff",
                    "NativeHandOver", "child").exited(0).has("stayed");
            return;
        }
        Path pipe = Paths.get("token-" + ProcessHandle.current().pid());
        Check.equal(0, new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor(), "mkfifo");
        try (RandomAccessFile token = new RandomAccessFile(pipe.toFile(), "rw")) {
            many(token);
            int stayed = stays(token);
            System.out.println("stayed " + stayed + " times");
            // Sysmon asks it to leave when it looks between the call and the yield.
            Check.that(stayed > ROUNDS / 4, "stayed " + stayed + " times of " + ROUNDS);
        } finally {
            Files.delete(pipe);
        }
    }
}
