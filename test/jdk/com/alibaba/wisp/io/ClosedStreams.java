/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A program that is started with its standard streams closed, as some daemons are, talks over sockets and closes System.out and
 *          System.err, which opens /dev/null in their place. Catches: a descriptor of the event pump that has the number of a standard
 *          stream, so that whoever writes to that writes to the pump, and closing it ends all events (hang).
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm ClosedStreams
 */

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wisptest.Check;
import wisptest.Vm;

public class ClosedStreams {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child(Path.of(args[0]));
            return;
        }
        for (String closed : new String[] {"2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
            Path result = Path.of("result");
            List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" " + closed, "sh"));
            command.addAll(Vm.command("ClosedStreams", result.toString()));
            Vm.run(command).exited(0);
            Check.equal("done", Files.readString(result), "the child's result with " + closed);
            Files.delete(result);
        }
    }

    /** Upstream has files of its own at these numbers, which must stay; so only those streams are closed that belong to nobody. */
    static void child(Path result) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread echo = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    for (int b; (b = socket.getInputStream().read()) >= 0; ) {
                        socket.getOutputStream().write(b);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            echo.start();
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                for (int i = 0; i < 100; i++) {
                    if (i == 50) {              // both sides have waited, and the other one does now
                        Check.awaitFrame(echo, "read");
                        closeUnlessInUse(1, System.out);
                        closeUnlessInUse(2, System.err);
                    }
                    socket.getOutputStream().write(i);
                    Check.equal(i, socket.getInputStream().read(), "the echo");
                }
            }
            echo.join();
        }
        Files.writeString(result, "done");
    }

    static void closeUnlessInUse(int number, PrintStream stream) {
        String target;
        try {
            target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + number)).toString();
        } catch (IOException e) {
            target = "closed";
        }
        if (!target.endsWith("/modules") && !target.endsWith(".jar")) {
            stream.println("to nobody");
            stream.close();
        }
    }
}
