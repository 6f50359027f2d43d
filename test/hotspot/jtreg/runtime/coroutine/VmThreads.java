/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that the VM or the JDK makes for itself keep working while a program's threads occupy every carrier, and stay
 *          kernel threads: Reference Handler, Finalizer, Common-Cleaner, Signal Dispatcher, the attach listener, the reaper of
 *          child processes. Catches: one of them made a coroutine, which then waits behind the program's threads (this test
 *          hangs with the carriers busy), and a thread that starts before the engine exists.
 * @library /test/lib
 * @run main VmThreads
 */

import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class VmThreads {
    static final CountDownLatch finalized = new CountDownLatch(1);
    static final CountDownLatch cleaned = new CountDownLatch(1);

    static class Finalizable {
        @Override
        @SuppressWarnings("deprecation")
        protected void finalize() {
            Check.equal("Finalizer", Thread.currentThread().getName(), "the thread that finalizes");
            finalized.countDown();
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            // SIGTERM ends the child by way of its Signal Dispatcher; SIGHUP would be ignored below nohup.
            Vm.run(Vm.command("VmThreads", "child"), new Vm.When("everything ran", p -> Vm.kill(p, 15))).exited(143).has("everything ran").has("hook ran");
            return;
        }

        // More threads than carriers that never block and give way only to each other.
        AtomicBoolean stop = new AtomicBoolean();
        Crew busy = new Crew();
        int n = Math.min(Vm.carriers(), 8) + 1;
        CountDownLatch running = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            busy.start("busy-" + i, () -> {
                running.countDown();
                while (!stop.get()) {
                    Thread.yield();
                }
            });
        }
        running.await();

        Cleaner.create().register(new Object(), cleaned::countDown);
        new Finalizable();
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> phantom = new PhantomReference<>(new Object(), queue);
        for (boolean enqueued = false; finalized.getCount() > 0 || cleaned.getCount() > 0 || !enqueued; ) {
            enqueued |= queue.poll() == phantom;
            System.gc();
            Thread.sleep(1);
        }

        // A child process: its reaper waits in the kernel for its end.
        Process child = new ProcessBuilder("sleep", "60").start();
        Thread waiter = busy.start("waits for the child", () -> Check.that(child.waitFor() != 0, "the child was killed"));
        Check.awaitState(waiter, Thread.State.WAITING);
        child.destroyForcibly();
        waiter.join();

        Set<String> names = new TreeSet<>();
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            names.add(t.getName());
        }
        for (String name : new String[] {"Reference Handler", "Finalizer", "Signal Dispatcher", "Common-Cleaner"}) {
            Check.that(names.contains(name), name + " is missing in " + names);
        }

        Thread hook = new Thread(() -> {
            System.out.println("hook ran");
            stop.set(true);
        });
        Runtime.getRuntime().addShutdownHook(hook);
        System.out.println("everything ran");
        System.out.flush();
        busy.join();
        Thread.sleep(1_000_000);            // the signal ends us
    }
}
