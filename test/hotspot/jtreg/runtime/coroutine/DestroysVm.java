/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread that Java has started calls DestroyJavaVM, as the binding of a language does that ends from a callback, and the thread that
 *          created the VM is detached. It waits for the last other one that is no daemon, runs the hooks, which wait for others, and
 *          returns, while daemons compute and wait. Catches: the last safepoint waits for the coroutine; the call, which is native code's,
 *          returns on another kernel thread. Not without the flag: there the VM aborts at the end, as it deletes the thread with what
 *          lies on its stack.
 * @library /test/lib
 * @build wisptest.Check wisptest.Vm
 * @run main/othervm DestroysVm
 */

import com.alibaba.wisp.engine.WispTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import wisptest.Vm;

public class DestroysVm {
    static volatile int sink;

    static native void destroy();

    static void daemon(Runnable body) {
        Thread t = new Thread(body);
        t.setDaemon(true);
        t.start();
    }

    /** Called by the program. */
    static void begin() {
        CountDownLatch asked = new CountDownLatch(1), answered = new CountDownLatch(1), destroys = new CountDownLatch(1);
        daemon(() -> {
            for (;;) {
                sink++;
            }
        });
        daemon(() -> {
            for (;;) {
                LockSupport.park();
            }
        });
        daemon(() -> {
            try {
                asked.await();
                answered.countDown();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            asked.countDown();
            try {
                answered.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            System.out.println("hook");
        }));
        new Thread(() -> {
            System.out.println("on a coroutine: " + (WispTask.current() != null));
            destroys.countDown();
            destroy();
        }).start();
        new Thread(() -> {
            try {
                destroys.await();
                Thread.sleep(100);               // more than once it waits for this one, mostly
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            System.out.println("last one");
        }).start();
    }

    public static void main(String[] args) throws Exception {
        String programs = System.getProperty("test.nativepath");
        if (programs == null || !Vm.wispOn()) {
            System.out.println("skipped, needs the harness and the flag");
            return;
        }
        for (int round = 0; round < 5; round++) {
            List<String> command = new ArrayList<>(List.of(programs + "/DestroysVm",
                                                           System.getProperty("java.home") + "/lib/server/libjvm.so", "DestroysVm"));
            List<String> java = Vm.command("-XX:+UnlockDiagnosticVMOptions", round % 2 == 0 ? "-XX:+WispAlwaysMigrate" : "-XX:-WispAlwaysMigrate");
            for (int i = 1; i < java.size(); i++) {
                command.add(java.get(i).equals("-cp") ? "-Djava.class.path=" + java.get(++i) : java.get(i));
            }
            Vm.run(command).exited(0).has("on a coroutine: true").has("last one").has("hook").has("destroyed: 0, same thread: 1");
        }
    }
}
