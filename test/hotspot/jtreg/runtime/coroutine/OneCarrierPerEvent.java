/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A message that one coroutine waits for wakes one carrier, not a second one that finds nothing to do: that doubles the
 *          CPU time of a service with little load. Counts how often the carriers have slept, by the kernel's counters.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysMigrate -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2
 *      -Dcom.alibaba.wisp.threadAsWisp.black=name:real* OneCarrierPerEvent
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;

import wisptest.Check;
import wisptest.Vm;

public class OneCarrierPerEvent {
    static final int MESSAGES = 400;

    /** How often the carriers have gone to sleep so far. */
    static long sleeps() throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Paths.get("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    if (new String(Files.readAllBytes(task.resolve("comm"))).startsWith("WispCarrier")) {
                        for (String line : Files.readAllLines(task.resolve("status"))) {
                            if (line.startsWith("voluntary_ctxt_switches:")) {
                                sum += Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
                            }
                        }
                    }
                } catch (NoSuchFileException e) {
                    // has ended meanwhile
                }
            }
        }
        return sum;
    }

    static void exchange(Socket socket, int messages) throws Exception {
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream();
        for (int i = 0; i < messages; i++) {
            out.write(i);
            Check.equal(i & 0xff, in.read(), "answer");
            Thread.sleep(2);                                 // the carriers go to sleep again
        }
    }

    public static void main(String[] args) throws Throwable {
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread echo = new Thread(() -> {
            try (Socket s = listener.accept()) {
                s.setTcpNoDelay(true);
                for (int b = s.getInputStream().read(); b >= 0; b = s.getInputStream().read()) {
                    s.getOutputStream().write(b);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        echo.start();
        long[] slept = new long[1];
        Throwable[] failure = new Throwable[1];
        Thread client = new Thread(() -> {
            try (Socket s = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
                s.setTcpNoDelay(true);
                exchange(s, 200);                            // warms up
                long before = sleeps();
                exchange(s, MESSAGES);
                slept[0] = sleeps() - before;
            } catch (Throwable t) {
                failure[0] = t;
            }
        }, "real");
        client.start();
        client.join();
        echo.join();
        if (failure[0] != null) {
            throw failure[0];
        }
        System.out.println(MESSAGES + " messages, the carriers slept " + slept[0] + " times");
        if (Vm.wispOn()) {
            // A carrier that loses its CPU for 2 ms finds the next message without having slept.
            Check.that(slept[0] >= MESSAGES / 2, "the echo was not on a coroutine, or the client was: " + slept[0]);
            Check.that(slept[0] < MESSAGES * 3 / 2, slept[0] + " sleeps of carriers for " + MESSAGES + " messages");
        }
    }
}
