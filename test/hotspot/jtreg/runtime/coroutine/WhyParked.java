/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread dump says of each coroutine why it waits: the monitor and its owner, Object.wait, LockSupport with its blocker
 *          and owner, sleep, the operation on a descriptor and its number, class initialization and who runs it, a carrier, native
 *          code that pins it. With -l the ownable synchronizers of coroutines are listed. Catches: a place that parks and leaves
 *          no or a wrong cause, an owner that is not found because it is an address on a stack.
 * @library /test/lib
 * @modules java.management
 * @run main/native WhyParked
 */

import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class WhyParked {
    static final CountDownLatch go = new CountDownLatch(1);
    static final CountDownLatch initializing = new CountDownLatch(1);

    static native void callBack();

    static void upcall() throws InterruptedException {
        go.await();
    }

    static class Slow {
        static {
            initializing.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        static void use() { }
    }

    static String command(String operation, String... args) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), operation, new Object[] {args},
            new String[] {String[].class.getName()});
    }

    /** The entry of a thread in a dump, from its name to the blank line. */
    static String entry(String dump, String name) {
        int at = dump.indexOf("] \"" + name + "\" #");
        Check.that(at >= 0, "no entry of " + name + " in\n" + dump);
        return dump.substring(at, dump.indexOf("\n\n", at));
    }

    /** Dumps until the thread's entry has the text: a thread that is about to park needs another moment. */
    static void expect(String name, String regex) throws Exception {
        Pattern pattern = Pattern.compile(regex);
        for (int i = 0; ; i++) {
            String entry = entry(command("threadPrint", "-l"), name);
            if (pattern.matcher(entry).find()) {
                System.out.println(entry);
                return;
            }
            if (i % 100 == 99) {
                System.out.println("still not " + regex + ":\n" + entry);
            }
            Thread.sleep(20);
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            return;
        }
        System.loadLibrary("WhyParked");
        Crew crew = new Crew();
        Object monitor = new Object();
        ReentrantLock lock = new ReentrantLock();
        CountDownLatch held = new CountDownLatch(2);
        crew.start("has-monitor", () -> {
            synchronized (monitor) {
                held.countDown();
                go.await();
            }
        });
        crew.start("has-lock", () -> {
            lock.lock();
            held.countDown();
            go.await();
            lock.unlock();
        });
        held.await();
        crew.start("enters", () -> {
            synchronized (monitor) {
                held.getCount();
            }
        });
        crew.start("locks", () -> {
            lock.lock();
            lock.unlock();
        });
        crew.start("waits", () -> {
            Object o = new Object();
            synchronized (o) {
                try {
                    while (go.getCount() > 0) {
                        o.wait(1_000_000);
                    }
                } catch (InterruptedException e) {
                    // the end
                }
            }
        });
        crew.start("parks", () -> {
            while (go.getCount() > 0) {
                LockSupport.park();
            }
        });
        crew.start("sleeps", () -> {
            try {
                Thread.sleep(1_000_000);
            } catch (InterruptedException e) {
                // the end
            }
        });
        crew.start("initializes", () -> Slow.use());
        initializing.await();
        crew.start("uses", () -> Slow.use());
        crew.start("pinned", WhyParked::callBack);

        ServerSocket server = new ServerSocket(0);
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket peer = server.accept();
        crew.start("reads", () -> Check.equal(-1, peer.getInputStream().read(), "end of file"));
        crew.start("accepts", () -> server.accept().close());
        Pipe pipe = Pipe.open();
        Selector selector = Selector.open();
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, 1);
        crew.start("selects", () -> selector.select());

        String object = "<0x[0-9a-f]+> \\(a [\\w.$]+\\)";
        expect("enters", "Coroutine: parked: monitor " + object + ", owned by \"has-monitor\" #\\d+");
        expect("has-monitor", "Coroutine: parked: LockSupport.park for " + object);
        expect("locks", "Coroutine: parked: LockSupport.park for " + object + ", owned by \"has-lock\" #\\d+");
        expect("has-lock", "active=");
        expect("waits", "Coroutine: parked: Object.wait on " + object + ", \\d+\\.\\d s left");
        expect("parks", "Coroutine: parked: LockSupport.park\\n");
        expect("sleeps", "Coroutine: parked: sleep, \\d+\\.\\d s left");
        expect("uses", "Coroutine: parked: initialization of class WhyParked\\$Slow by \"initializes\" #\\d+");
        expect("pinned", "Coroutine: blocks kernel thread \\d+: LockSupport.park .*; pinned by native WhyParked.callBack\n");
        expect("reads", "Coroutine: parked: read, fd \\d+");
        expect("accepts", "Coroutine: parked: accept, fd \\d+");
        expect("selects", "Coroutine: parked: select, fd \\d+");

        // A synchronizer is listed below the entry of the coroutine that owns it.
        String dump = command("threadPrint", "-l");
        String after = dump.substring(dump.indexOf("] \"has-lock\" #"));
        after = after.substring(after.indexOf("\n\n"));
        Check.that(after.startsWith("\n\n   Locked ownable synchronizers:\n\t- <0x") && after.contains("ReentrantLock$NonfairSync"),
                   "the lock of has-lock is not listed:\n" + after.substring(0, Math.min(300, after.length())));

        // With one carrier and a computation on it, whoever is woken waits for a carrier.
        if (Vm.carriers() == 1) {
            boolean[] stop = new boolean[1];
            crew.start("hog", () -> {
                while (true) {
                    synchronized (stop) {
                        if (stop[0]) {
                            return;
                        }
                    }
                }
            });
            crew.start("queued", () -> {
                while (true) {
                    synchronized (stop) {
                        if (stop[0]) {
                            return;
                        }
                    }
                }
            });
            expect("queued", "Coroutine: (runnable|new), waits for a carrier");
            synchronized (stop) {
                stop[0] = true;
            }
        }

        go.countDown();
        for (Thread t : crew.threads()) {
            if (t.getName().equals("sleeps")) {
                t.interrupt();
            } else if (t.getName().equals("parks")) {
                LockSupport.unpark(t);
            } else if (t.getName().equals("waits")) {
                t.interrupt();
            }
        }
        client.close();
        new Socket(server.getInetAddress(), server.getLocalPort()).close();
        selector.wakeup();
        crew.join();
    }
}
