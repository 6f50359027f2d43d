/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;

/** What Debugger.java debugs: threads of each kind. It ends when the debugger sets the field over. */
public class Debuggee {
    static volatile int over;
    static volatile int hogs, sleeps, yields;
    static int sleepers = 6;
    static final Object waited = new Object();
    static final Object held = new Object();

    static void marked() {
    }

    static void hog() {
        while (over == 0) {
            hogs++;
        }
    }

    static void sleeper() throws Exception {
        while (over == 0) {
            Thread.sleep(1);
            marked();
            sleeps++;
        }
    }

    static void yielder() {
        while (over == 0) {
            Thread.yield();
            yields++;
        }
    }

    static void enterMonitor() {
        synchronized (held) {
            marked();
        }
    }

    static int stepped() throws Exception {
        int a = 1;
        int b = a + 1;
        Thread.sleep(2);
        LockSupport.parkNanos(1_000_000);
        return a + b;
    }

    static int called(int x) throws Exception {
        Thread.sleep(1);
        LockSupport.parkNanos(1);
        Thread.yield();
        return x + 1;
    }

    static final SynchronousQueue<Integer> questions = new SynchronousQueue<>();
    static final SynchronousQueue<Integer> answers = new SynchronousQueue<>();

    static int calledTogether() throws Exception {
        questions.put(6);
        return answers.take();
    }

    interface Body {
        void run() throws Exception;
    }

    static final List<Thread> threads = new ArrayList<>();

    static Thread start(String name, Body body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(2);
            }
        }, name);
        t.start();
        threads.add(t);
        return t;
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        start("owner", () -> {
            synchronized (held) {
                locked.countDown();
                free.await();
            }
        });
        locked.await();
        for (int i = 0; i < 3; i++) {
            start("parked-" + i, () -> {
                while (over == 0) {
                    LockSupport.park();
                }
            });
            start("waiter-" + i, () -> {
                synchronized (waited) {
                    while (over == 0) {
                        waited.wait();
                    }
                }
            });
            start("blocked-" + i, Debuggee::enterMonitor);
            start("hog-" + i, Debuggee::hog);
            start("yielder-" + i, Debuggee::yielder);
            start("stepper-" + i, () -> {
                while (over == 0) {
                    stepped();
                }
            });
        }
        for (int i = 0; i < sleepers; i++) {
            start("sleeper-" + i, Debuggee::sleeper);
        }
        start("answerer", () -> {
            while (over == 0) {
                Integer x = questions.poll(10, java.util.concurrent.TimeUnit.MILLISECONDS);
                if (x != null) {
                    answers.put(x + 1);
                }
            }
        });
        for (Thread t : threads) {
            while (t.isAlive() && Arrays.stream(t.getStackTrace()).noneMatch(f -> f.getClassName().equals("Debuggee"))) {
                Thread.sleep(1);
            }
            String kind = t.getName().replaceAll("-.*", "");
            Thread.State wanted = kind.equals("parked") || kind.equals("waiter") ? Thread.State.WAITING
                                : kind.equals("blocked") ? Thread.State.BLOCKED : null;
            while (wanted != null && t.getState() != wanted) {
                Thread.sleep(1);
            }
        }
        while (hogs == 0 || sleeps == 0 || yields == 0) {
            Thread.sleep(1);
        }
        System.out.println("ready");
        while (over == 0) {
            Thread.sleep(1);
        }
        free.countDown();
        synchronized (waited) {
            waited.notifyAll();
        }
        threads.forEach(LockSupport::unpark);
        for (Thread t : threads) {
            t.join();
        }
    }
}
