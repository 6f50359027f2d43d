/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The end of the VM, each case in a child: main returns while daemons are parked; main returns and the VM waits for
 *          threads that are parked, that start others, and that end last; System.exit and halt from a started thread while
 *          others are parked, blocked, asleep and busy; shutdown hooks that block and use other threads; SIGTERM; an exit from
 *          inside a hook's time. Catches: a VM that does not end (hang), that ends too early (the last lines are missing), with
 *          another exit code, or without its hooks.
 * @library /test/lib
 * @run main/timeout=240 VmExit
 */

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import wisptest.Check;
import wisptest.Vm;

public class VmExit {
    static final Object lock = new Object();

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child(args[0]);
            return;
        }
        Vm.java("VmExit", "daemons").exited(0).has("main returns");
        Vm.java("VmExit", "non-daemons").exited(0).has("main returns").has("last of all").has("hook after the last thread");
        Vm.java("VmExit", "exit").exited(7).has("hook ran").hasNot("after exit");
        Vm.java("VmExit", "halt").exited(8).hasNot("hook ran").hasNot("after exit");
        Vm.java("VmExit", "hooks").exited(9).has("4 hooks met");
        Vm.java("VmExit", "exit twice").exited(10).has("second exit was called");
        Vm.run(Vm.command("VmExit", "signal"), new Vm.When("waiting for a signal\n", p -> Vm.kill(p, 15)))
          .exited(143).has("hook ran");
    }

    static Thread daemon(String name, Check.Code body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    /** Threads in every kind of wait, and some that run. */
    static void crowd() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        daemon("holder", () -> {
            synchronized (lock) {
                held.countDown();
                never.await();
            }
        });
        held.await();
        for (int i = 0; i < 20; i++) {
            daemon("parked-" + i, never::await);
            daemon("asleep-" + i, () -> Thread.sleep(1_000_000));
            Thread blocked = daemon("blocked-" + i, () -> {
                synchronized (lock) {
                    throw new AssertionError("nobody leaves the monitor");
                }
            });
            daemon("waits-" + i, () -> {
                Object o = new Object();
                synchronized (o) {
                    o.wait();
                }
            });
            if (i == 19) {
                Check.awaitState(blocked, Thread.State.BLOCKED);
            }
        }
        for (int i = 0; i < 2; i++) {
            daemon("busy-" + i, () -> {
                while (true) {
                    Thread.yield();
                }
            });
            daemon("starts others-" + i, () -> {
                while (true) {
                    daemon("short", () -> { }).join();
                }
            });
        }
    }

    static void addHook(String message) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(message)));
    }

    static void child(String what) throws Exception {
        switch (what) {
            case "daemons":
                crowd();
                System.out.println("main returns");
                break;

            case "non-daemons":
                addHook("hook after the last thread");
                // Each one starts the next and ends; the VM must never think that none is left.
                new Thread(() -> chain(50)).start();
                ExecutorService pool = Executors.newFixedThreadPool(4);
                for (int i = 0; i < 20; i++) {
                    pool.execute(() -> LockSupport.parkNanos(1_000_000));
                }
                pool.shutdown();
                System.out.println("main returns");
                break;

            case "exit":
                crowd();
                addHook("hook ran");
                new Thread(() -> {
                    System.exit(7);
                    System.out.println("after exit");
                }).start();
                LockSupport.park(lock);
                Thread.sleep(1_000_000);
                break;

            case "halt":
                crowd();
                addHook("hook ran");
                new Thread(() -> {
                    Runtime.getRuntime().halt(8);
                    System.out.println("after exit");
                }).start();
                Thread.sleep(1_000_000);
                break;

            case "hooks":
                crowd();
                hooks();
                new Thread(() -> System.exit(9)).start();
                break;

            case "exit twice":
                // A second exit blocks for ever and must not keep the first one from its end.
                CountDownLatch inHook = new CountDownLatch(1);
                CountDownLatch second = new CountDownLatch(1);
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    inHook.countDown();
                    try {
                        second.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    System.out.println("second exit was called");
                }));
                daemon("second", () -> {
                    inHook.await();
                    second.countDown();
                    System.exit(11);
                });
                new Thread(() -> System.exit(10)).start();
                break;

            case "signal":
                crowd();
                addHook("hook ran");
                System.out.println("waiting for a signal");
                Thread.sleep(1_000_000);
                break;

            default:
                throw new AssertionError(what);
        }
    }

    static void chain(int n) {
        LockSupport.parkNanos(200_000);
        if (n == 0) {
            System.out.println("last of all");
        } else {
            new Thread(() -> chain(n - 1)).start();
        }
    }

    /** Hooks run at the same time, block for each other, and start and join threads of their own. */
    static void hooks() {
        CountDownLatch met = new CountDownLatch(4);
        LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
        for (int i = 0; i < 4; i++) {
            int k = i;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    Thread t = new Thread(() -> queue.add("from " + k));
                    t.start();
                    t.join();
                    queue.poll(1, TimeUnit.DAYS);
                    met.countDown();
                    met.await();
                    Thread.sleep(1);
                    if (k == 0) {
                        System.out.println("4 hooks met");
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
    }
}
