/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary -Xlog:wisp tells the decisions of the start with their reasons, at info; which threads stay kernel threads and why, at
 *          debug; which become coroutines, at trace. Without it nothing is printed.
 * @library /test/lib
 * @run main/othervm -XX:+UseWisp2 Logging
 */

import java.util.regex.Pattern;
import wisptest.Check;
import wisptest.Vm;

public class Logging {
    static void has(String text, String regex) {
        Check.that(Pattern.compile(regex, Pattern.MULTILINE).matcher(text).find(), "no \"" + regex + "\" in the log");
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            for (String name : new String[] {"plain", "excluded-1"}) {
                Thread t = new Thread(() -> { }, name);
                t.start();
                t.join();
            }
            return;
        }
        String log = Vm.java("-XX:+UseWisp2", "-Xlog:wisp=trace", "-Dcom.alibaba.wisp.carrierEngines=3",
                             "-Dcom.alibaba.wisp.stacksize=512k", "-Dcom.alibaba.wisp.threadAsWisp.black=name:excluded-*",
                             "Logging", "child").exited(0).output;
        has(log, "\\[info *\\]\\[wisp *\\] available processors: \\d+, from ");
        has(log, "\\[info *\\]\\[wisp *\\] carriers: 3, from -Dcom.alibaba.wisp.carrierEngines$");
        has(log, "\\[info *\\]\\[wisp *\\] stack size: 524288 bytes, from -D");
        has(log, "\\[info *\\]\\[wisp *\\] exclude list, from -D.*: name:excluded-\\*$");
        has(log, "\\[info *\\]\\[wisp *\\] time slice: \\d+ ms");
        has(log, "\\[info *\\]\\[wisp *\\] event pump: epoll");
        has(log, "\\[info *\\]\\[wisp *\\] counted loops poll");
        has(log, "\\[trace *\\]\\[wisp *\\] thread \"plain\" is a coroutine");
        has(log, "\\[debug *\\]\\[wisp *\\] thread \"excluded-1\" is a kernel thread: on the exclude list");

        String quiet = Vm.java("-XX:+UseWisp2", "-Dcom.alibaba.wisp.threadAsWisp.black=name:excluded-*", "Logging", "child").exited(0).output;
        Check.that(!quiet.contains("[wisp"), "something is logged by default");
        String all = Vm.java("-XX:+UseWisp2", "-Xlog:wisp*", "-XX:ActiveProcessorCount=2", "-XX:-UseCountedLoopSafepoints", "Logging", "child")
                       .exited(0).output;
        has(all, "available processors: 2, from -XX:ActiveProcessorCount");
        has(all, "carriers: ");
        has(all, "counted loops do not poll.*by -XX:UseCountedLoopSafepoints");
    }
}
