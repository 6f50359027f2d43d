/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What the VM needs and cannot have ends its start with one line: thread-local handshakes switched off, and a kernel
 *          without epoll or without eventfd (a library that is loaded first plays it). With the flag off nothing of this is asked
 *          for. Catches: a VM that starts and hangs or crashes later.
 * @library /test/lib
 * @run main/native Unsupported
 */

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wisptest.Check;
import wisptest.Vm;

public class Unsupported {
    public static class Hello {
        public static void main(String[] args) {
            System.out.println("hello");
        }
    }

    static Vm.Result run(String library, String missing, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        if (library != null) {
            command.addAll(Arrays.asList("env", "LD_PRELOAD=" + library, "MISSING_CALL=" + missing));
        }
        command.addAll(Vm.command(options));
        command.add("Unsupported$Hello");
        return Vm.run(command);
    }

    static void refused(Vm.Result result, String... parts) {
        result.exited(1).hasNot("hello").hasNot("A fatal error");
        Check.equal(1L, result.output.lines().count(), "lines of output");
        for (String part : parts) {
            result.has(part);
        }
    }

    public static void main(String[] args) throws Exception {
        refused(run(null, null, "-XX:+UseWisp2", "-XX:-ThreadLocalHandshakes"), "-XX:-ThreadLocalHandshakes");
        run(null, null, "-XX:-UseWisp2", "-XX:-ThreadLocalHandshakes").exited(0).has("hello");

        String library = System.getProperty("java.library.path").split(":")[0] + "/libUnsupported.so";
        for (String missing : new String[] {"epoll", "eventfd"}) {
            refused(run(library, missing, "-XX:+UseWisp2"), "epoll", "eventfd", "seccomp");
            run(library, missing, "-XX:-UseWisp2").exited(0).has("hello");
        }
        run(library, "nothing", "-XX:+UseWisp2").exited(0).has("hello");
    }
}
