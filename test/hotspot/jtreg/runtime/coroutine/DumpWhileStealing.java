/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread dumps in a loop while coroutines change their carriers, start, end and are stolen: each dump has every thread
 *          that lives all the time exactly once, and Wisp.dump counts it once. Catches: a dump that looks up a coroutine's carrier
 *          twice and prints it below both or none, and one that walks the stack of a thread that has ended.
 * @library /test/lib
 * @modules java.management
 * @run main DumpWhileStealing
 */

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class DumpWhileStealing {
    static final int PARKED = 500, BUSY = 24, DUMPS = 15;
    static final CountDownLatch go = new CountDownLatch(1);
    static volatile boolean stop;

    static String command(String operation, String... args) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), operation, new Object[] {args},
            new String[] {String[].class.getName()});
    }

    static void together() throws InterruptedException {
        go.await();
    }

    public static void main(String[] args) throws Exception {
        Crew crew = new Crew();
        for (int i = 0; i < PARKED; i++) {
            crew.start("stable-" + i, DumpWhileStealing::together);
        }
        for (int i = 0; i < BUSY; i += 2) {
            SynchronousQueue<Integer> queue = new SynchronousQueue<>();
            crew.start("stable-" + (PARKED + i), () -> {
                for (int k = 0; !stop; k++) {
                    queue.put(k);
                    Thread.yield();
                }
                queue.put(-1);
            });
            crew.start("stable-" + (PARKED + i + 1), () -> {
                while (queue.take() >= 0) {
                    Thread.yield();
                }
            });
        }
        crew.start("starter", () -> {
            while (!stop) {
                Thread t = new Thread(Thread::yield, "short");
                t.start();
                t.join();
            }
        });
        for (int i = 0; i < PARKED; i++) {
            Check.awaitState(crew.threads().get(i), Thread.State.WAITING);
        }
        for (int d = 0; d < DUMPS; d++) {
            String dump = d % 3 == 0 ? command("threadPrint", "-l") : command("threadPrint");
            Map<String, Integer> seen = new HashMap<>();
            Matcher m = Pattern.compile("\"(stable-\\d+)\" #\\d+ (active|(daemon )?prio)=").matcher(dump);
            while (m.find()) {
                seen.merge(m.group(1), 1, Integer::sum);
            }
            for (int i = 0; i < PARKED + BUSY; i++) {
                Check.equal(1, seen.get("stable-" + i), "entries of stable-" + i + " in dump " + d);
            }
            if (Vm.wispOn()) {
                String groups = command("wispDump");
                m = Pattern.compile("(\\d+) threads: \\d+ in LockSupport.park\n(    .*\n)+(\tat .*\n)*\tat DumpWhileStealing.together").matcher(groups);
                Check.that(m.find(), "no group of the parked threads in\n" + groups);
                Check.equal(PARKED, Integer.parseInt(m.group(1)), "threads of the group");
            }
        }
        stop = true;
        go.countDown();
        crew.join();
    }
}
