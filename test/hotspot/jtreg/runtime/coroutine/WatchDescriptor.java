/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A program that counts its descriptors finds no more of them when all carriers have computed for a while, and sysmon has watched
 *          the event pump meanwhile, than before.
 * @library /test/lib
 * @run main/othervm WatchDescriptor
 */

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Paths;
import wisptest.Check;
import wisptest.Crew;

public class WatchDescriptor {
    static final int COMPUTING = 2 * Runtime.getRuntime().availableProcessors();
    static final int ROUNDS = 100;                      // in which a thread waits 1 ms beside them

    static volatile boolean done;
    static volatile long sink;

    static int signals() throws IOException {
        int count = 0;
        for (String number : new File("/proc/self/fd").list()) {
            try {
                count += Files.readSymbolicLink(Paths.get("/proc/self/fd", number)).toString().startsWith("anon_inode:") ? 1 : 0;
            } catch (IOException e) {
                // closed since, the listing's own one among them
            }
        }
        return count;
    }

    public static void main(String[] args) throws Throwable {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Crew waiting = new Crew();
            waiting.start("accepts", () -> {
                try {
                    server.accept().close();
                } catch (SocketException closed) {
                    // at the end
                }
            });
            int before = signals();
            Crew computing = new Crew();
            for (int i = 0; i < COMPUTING; i++) {
                computing.start("computes " + i, () -> {
                    for (long x = 0; !done; x++) {
                        sink = x;
                    }
                });
            }
            Crew measuring = new Crew();
            measuring.start("sleeps", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    Thread.sleep(1);
                }
            });
            measuring.join();
            done = true;
            computing.join();
            Check.equal(before, signals(), "descriptors of the VM");
            server.close();
            waiting.join();
        }
    }
}
