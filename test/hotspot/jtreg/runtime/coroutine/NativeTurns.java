/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads block in native code for what one of them has, as for a row lock of an embedded database; and that one waits in Java
 *          code meanwhile: it sleeps, reads an answer from a socket, or waits for another thread. Those in native code keep the run queues, so that nobody would see to what it waits for. Catches: each turn waits
 *          for a tick of the monitor thread.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm/native NativeTurns
 */

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NativeTurns {
    static final int THREADS = 20, TURNS = 40;

    /** Of such a length is a turn slow: a tick is 5 ms, a turn takes a tenth of a millisecond, or the one that it sleeps. */
    static final long SLOW_NANOS = 2_500_000;

    static native void take();
    static native void give();

    interface Waiting {
        void run(int thread) throws Throwable;
    }

    /** How many turns are slow, of the better one of two rounds, after one in which the VM learns who blocks. */
    static int slow(String what, Waiting waiting) throws Throwable {
        int least = Integer.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            AtomicInteger slow = new AtomicInteger();
            Crew crew = new Crew();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                crew.start(what + "-" + i, () -> {
                    for (int n = 0; n < TURNS; n++) {
                        take();
                        long start = System.nanoTime();
                        waiting.run(thread);
                        if (System.nanoTime() - start > SLOW_NANOS) {
                            slow.incrementAndGet();
                        }
                        give();
                    }
                });
            }
            give();
            crew.join();
            take();
            least = round == 0 ? least : Math.min(least, slow.get());
        }
        System.out.println(what + ": " + least + " slow turns of " + THREADS * TURNS);
        return least;
    }

    static void child() throws Throwable {
        int[] slow = new int[3];
        slow[0] = slow("sleep", thread -> Thread.sleep(1));
        try (ServerSocket server = new ServerSocket(0, THREADS, InetAddress.getLoopbackAddress())) {
            Socket[] near = new Socket[THREADS];
            Crew echo = new Crew();
            for (int i = 0; i < THREADS; i++) {
                near[i] = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket far = server.accept();
                echo.start("echo", () -> {
                    InputStream in = far.getInputStream();
                    OutputStream out = far.getOutputStream();
                    for (int c = in.read(); c >= 0; c = in.read()) {
                        out.write(c);
                    }
                    far.close();
                });
            }
            slow[1] = slow("socket", thread -> {
                near[thread].getOutputStream().write(7);
                Check.equal(7, near[thread].getInputStream().read(), "the answer");
            });
            for (Socket s : near) {
                s.close();
            }
            echo.join();
        }
        SynchronousQueue<Integer> questions = new SynchronousQueue<>();
        SynchronousQueue<Integer> answers = new SynchronousQueue<>();
        Crew helper = new Crew();
        helper.start("helper", () -> {
            for (int q = questions.take(); q > 0; q = questions.take()) {
                answers.put(q);
            }
        });
        slow[2] = slow("thread", thread -> {
            questions.put(thread + 1);
            Check.equal(thread + 1, answers.take(), "the answer");
        });
        questions.put(0);
        helper.join();
        for (int n : slow) {
            Check.that(n < THREADS * TURNS / 4, n + " slow turns");
        }
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            System.loadLibrary("NativeTurns");
            child();
            return;
        }
        String libraries = System.getProperty("test.nativepath");
        for (String carriers : new String[] {"1", "2"}) {
            Vm.java("-Djava.library.path=" + libraries, "-Dcom.alibaba.wisp.carrierEngines=" + carriers,
                    "-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff", "NativeTurns", "child")
              .exited(0).has("slow turns");
        }
    }
}
