/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that has no stack left tries to connect a socket, in a program that has only sockets, and others can do so afterwards.
 *          Catches a class that is initialized there, for the first time, and is in no state to be used since.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew
 * @run main/othervm DeepConnect
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import wisptest.Check;
import wisptest.Crew;

public class DeepConnect {
    static InetAddress here;
    static int port, tries;
    static boolean done;

    static boolean answers() throws IOException {
        try (Socket s = new Socket(here, port)) {
            s.getOutputStream().write(5);
            return s.getInputStream().read() == 5;
        }
    }

    /** Frame by frame, until there is enough of it. */
    static void withoutStack() {
        try {
            withoutStack();
        } catch (StackOverflowError e) {
            // now there is a little
        }
        if (!done) {
            try {
                tries++;
                done = answers();
            } catch (Throwable e) {
                // there is a little more in the frame above
            }
        }
    }

    public static void main(String[] args) throws Throwable {
        here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 0, here)) {
            port = server.getLocalPort();
            Thread serves = new Thread(() -> {
                for (;;) {
                    try (Socket s = server.accept()) {
                        s.getOutputStream().write(s.getInputStream().read());
                    } catch (IOException e) {
                        if (server.isClosed()) {
                            return;
                        }
                    }
                }
            });
            serves.start();
            Check.that(answers(), "no answer in main");
            Crew crew = new Crew();
            crew.start("without stack", DeepConnect::withoutStack);
            crew.join();
            System.out.println(tries + " tries");
            crew.start("afterwards", () -> Check.that(answers(), "no answer afterwards"));
            crew.join();
            server.close();
            serves.join();
        }
    }
}
