/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Thread dumps by jstack, by jcmd and by SIGQUIT: every started thread is in them exactly once with its name, state,
 *          stack and locks, parked or running, also while threads start and end; deadlocks are found. With the flag on each
 *          coroutine also has its line with counters under a carrier. Catches: threads that a dump forgets or shows twice, a
 *          dump that crashes or hangs the VM, a deadlock that is not seen because its threads are not kernel threads.
 * @library /test/lib
 * @run main ThreadDump
 */

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class ThreadDump {
    static final int N = 30;
    static final String COROUTINE = " - Coroutine \\[0x[0-9a-f]+\\] \"%s\" #\\d+ active=(\\d+) steal=\\d+ steal_fail=\\d+ "
                                    + "preempt=\\d+ park=-?\\d+/-?\\d+";

    static final String LONG_NAME = "request " + "of many characters ".repeat(150) + "handled";

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        String jdk = System.getProperty("test.jdk", System.getProperty("java.home"));
        List<String> dumps = new ArrayList<>();
        Vm.Result child = Vm.run(Vm.command("ThreadDump", "child"), new Vm.When("ready\n", p -> {
            try {
                String pid = Long.toString(p.pid());
                dumps.add(Vm.run(List.of(jdk + "/bin/jstack", "-l", pid)).exited(0).output);
                for (int i = 0; i < 5; i++) {
                    dumps.add(Vm.run(List.of(jdk + "/bin/jcmd", pid, "Thread.print", "-l")).exited(0).output);
                }
                Vm.kill(p, 3);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }), new Vm.When("Found 1 deadlock.", p -> {
            try {
                p.getOutputStream().close();            // the child ends
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }));
        child.exited(0);
        dumps.add(child.output);
        Check.equal(7, dumps.size(), "dumps");
        for (String dump : dumps) {
            check(dump);
        }
    }

    static void check(String dump) {
        for (int i = 0; i < N; i++) {
            String name = "parked-" + i;
            Check.equal(1, count(dump, "\"" + name + "\" #"), "entries of " + name);
            String entry = dump.substring(dump.indexOf("\"" + name + "\" #"));
            entry = entry.substring(0, entry.indexOf("\n\n"));
            for (String part : new String[] {"WAITING (parking)", "at ThreadDump.deep(", "- locked <", "- parking to wait for"}) {
                Check.that(entry.contains(part), name + " lacks \"" + part + "\":\n" + entry);
            }
            Check.equal(6, count(entry, "at ThreadDump.deep\\("), "frames of " + name);
        }
        for (String part : new String[] {"\"blocked\" #", "BLOCKED (on object monitor)", "- waiting to lock <",
                                         "TIMED_WAITING (on object monitor)", "TIMED_WAITING (sleeping)",
                                         "Found one Java-level deadlock", "\"dead-0\"", "\"dead-1\"", "\"main\" #1"}) {
            Check.that(dump.contains(part), "the dump lacks " + part);
        }
        if (Vm.wispOn()) {
            for (String name : new String[] {"parked-7", "blocked", "dead-0"}) {
                Matcher m = Pattern.compile(String.format(COROUTINE, name)).matcher(dump);
                Check.that(m.find(), "no Coroutine line for " + name);
                Check.that(Integer.parseInt(m.group(1)) > 0, name + " was never mounted?");
                Check.that(!m.find(), "two Coroutine lines for " + name);
            }
            Check.that(dump.contains("\"WispCarrier-0\""), "the dump lacks the carriers");
            Check.equal(1, count(dump, LONG_NAME + "\" #\\d+ active="), "lines of a thread with a long name");
        }
    }

    static int count(String text, String regex) {
        Matcher m = Pattern.compile(regex).matcher(text);
        int n = 0;
        while (m.find()) {
            n++;
        }
        return n;
    }

    static synchronized int next() {
        return 1;
    }

    static int deep(int n, CountDownLatch go) throws InterruptedException {
        if (n == 0) {
            Object o = new Object();
            synchronized (o) {
                go.await();
                return o.hashCode();
            }
        }
        return deep(n - 1, go) + next();
    }

    static void child() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Crew crew = new Crew();
        crew.start(LONG_NAME, go::await);
        for (int i = 0; i < N; i++) {
            crew.start("parked-" + i, () -> deep(5, go));
        }
        Object held = new Object();
        CountDownLatch holding = new CountDownLatch(1);
        crew.start("holder", () -> {
            synchronized (held) {
                holding.countDown();
                go.await();
            }
        });
        holding.await();
        crew.start("blocked", () -> {
            synchronized (held) {
                next();
            }
        });
        crew.start("waits", () -> {
            Object o = new Object();
            synchronized (o) {
                while (go.getCount() > 0) {
                    o.wait(TimeUnit.MINUTES.toMillis(10));
                }
            }
        });
        crew.start("sleeps", () -> {
            try {
                Thread.sleep(TimeUnit.DAYS.toMillis(1));
            } catch (InterruptedException e) {
                // the end
            }
        });
        for (Thread t : crew.threads()) {
            String name = t.getName();
            Check.awaitState(t, name.equals("blocked") ? Thread.State.BLOCKED
                                : name.equals("waits") || name.equals("sleeps") ? Thread.State.TIMED_WAITING : Thread.State.WAITING);
        }
        Object[] dead = {new Object(), new Object()};
        CountDownLatch both = new CountDownLatch(2);
        Thread[] deadlocked = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int k = i;
            Thread t = deadlocked[i] = new Thread(() -> {
                synchronized (dead[k]) {
                    both.countDown();
                    try {
                        both.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    synchronized (dead[1 - k]) {
                        throw new AssertionError("no deadlock");
                    }
                }
            }, "dead-" + i);
            t.setDaemon(true);
            t.start();
        }
        for (Thread t : deadlocked) {
            Check.awaitState(t, Thread.State.BLOCKED);
        }
        Thread churn = new Thread(() -> {
            while (true) {
                Thread t = new Thread(() -> Thread.yield(), "churn");
                t.start();
                try {
                    t.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        churn.setDaemon(true);
        churn.start();
        System.out.println("ready");
        System.in.read();
        System.exit(0);
    }
}
