/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Wisp.status tells how many threads wait for descriptors, wherever their waits have begun and end: on carriers that
 *          were made while others were blocked, and have ended since. Catches: a wait that is counted once only, or twice, and
 *          what a carrier has counted that is lost when it ends.
 * @library /test/lib
 * @run main/othervm WaiterCount
 */

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class WaiterCount {
    static final int READERS = 60, BLOCKED = 12;

    static int waiters() {
        Matcher m = Pattern.compile("Event pump: (-?\\d+) coroutines wait").matcher(Vm.diagnostic("wispStatus"));
        Check.that(m.find(), "Wisp.status does not tell how many wait for descriptors");
        return Integer.parseInt(m.group(1));
    }

    static void awaitWaiters(int expected, String when) throws InterruptedException {
        for (int i = 0; waiters() != expected; i++) {
            Check.that(i < 3000, waiters() + " wait for descriptors " + when + ", not " + expected);
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            System.out.println("Nobody counts without the flag.");
            return;
        }
        Crew crew = new Crew();
        Path dir = Files.createTempDirectory(Path.of("."), "waiters");
        int before = waiters();
        int threads = Vm.kernelThreads();

        try (ServerSocket server = new ServerSocket(0, READERS, InetAddress.getLoopbackAddress())) {
            List<Socket> ours = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                Socket theirs = new Socket(server.getInetAddress(), server.getLocalPort());
                ours.add(server.accept());
                crew.start("reader-" + i, () -> {
                    for (int n = 0; theirs.getInputStream().read() >= 0; n++) {
                        Check.that(n < BLOCKED, "more bytes than were sent");
                    }
                    theirs.close();
                });
            }
            awaitWaiters(before + READERS, "at the beginning");

            // Each takes one carrier more from those that the waits have begun on, and the next ones begin on another one.
            List<Path> pipes = new ArrayList<>();
            for (int i = 0; i < BLOCKED; i++) {
                Path pipe = dir.resolve("pipe-" + i);
                Check.equal(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor(), "exit status of mkfifo");
                pipes.add(pipe);
                crew.start("blocked-" + i, () -> new FileInputStream(pipe.toFile()).close());
                int held = i + 1 - Vm.carriers();
                Check.await(() -> Vm.heldKernelThreads() >= held);
                for (Socket s : ours) {
                    s.getOutputStream().write(i);
                }
                awaitWaiters(before + READERS, "while carriers are blocked");
            }
            for (Path pipe : pipes) {
                new FileOutputStream(pipe.toFile()).close();
                Files.delete(pipe);
            }
            Check.await(() -> Vm.heldKernelThreads() == 0);

            // The spare ones end after some seconds, all but two.
            for (int i = 0; Vm.kernelThreads() > threads + 4; i++) {
                Check.that(i < 3000, Vm.kernelThreads() + " kernel threads stay, there were " + threads);
                Thread.sleep(10);
            }
            awaitWaiters(before + READERS, "after carriers have ended");
            for (Socket s : ours) {
                s.close();
            }
        }
        crew.join();
        Files.delete(dir);
        awaitWaiters(before, "at the end");
    }
}
