/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Threads that do nothing but short native calls, which do not block, beside one that sleeps, then beside one that collects
 *          garbage and the recorder as well. A compiled loop around native calls has no safepoint poll but that of their return,
 *          and a look at such a thread finds it in native code. Catches: a thread that is asked to give way there and does not,
 *          and one that is taken for blocked, so that it gets a kernel thread of its own, and the sleeper waits for all of
 *          them; a safepoint that begins while the thread comes back from a preemption there and is not seen; requests that
 *          each end at a call that throws. Two threads that keep both carriers, by a native call that takes long or below a
 *          native frame, which pins them, must not keep a third one from running (hang).
 * @library /test/lib
 * @modules java.management jdk.jfr
 * @run main/othervm/native -XX:+UnlockDiagnosticVMOptions -XX:-WispAlwaysHandOff -Dcom.alibaba.wisp.carrierEngines=2 NativeLoops
 */

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.zip.Adler32;
import jdk.jfr.Recording;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class NativeLoops {
    static native void callBack(Runnable body);

    static final int THREADS = 24;

    static volatile boolean over;
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            return;
        }
        System.loadLibrary("NativeLoops");
        int most = shortCalls(60, false);
        System.out.println("at most " + most + " kernel threads");
        Check.that(most < THREADS / 2, most + " kernel threads for " + THREADS + " threads that do not block");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.CoroutinePreempt").withoutThreshold().withStackTrace();
            recording.start();
            shortCalls(20, true);
        }
        keepsCarrier("a native call that takes long", NativeLoops::callForLong);
        keepsCarrier("Java below a native frame", () -> callBack(NativeLoops::compute));
        keepsCarrier("short native calls below a native frame", () -> callBack(NativeLoops::ask));
    }

    static int shortCalls(int sleeps, boolean collect) throws Exception {
        over = false;
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            int kind = i % 3;
            crew.start("calls-" + i, () -> {
                byte[] block = new byte[kind == 0 ? 100 : 4096];
                try (FileInputStream in = new FileInputStream("/dev/zero"); FileOutputStream out = new FileOutputStream("/dev/null")) {
                    while (!over) {
                        if (kind == 0) {
                            out.write(block);
                        } else if (kind == 1) {
                            sink += in.read(block);
                        } else {
                            fail();
                        }
                    }
                }
            });
        }
        crew.start("collects", () -> {
            while (collect && !over) {
                System.gc();
                Thread.sleep(5);
            }
        });
        int[] most = new int[1];
        crew.start("sleeps", () -> {
            for (int i = 0; i < sleeps; i++) {
                Thread.sleep(1);
                if (i % 10 == 0) {
                    most[0] = Math.max(most[0], Vm.heldKernelThreads());
                }
            }
            over = true;
        });
        crew.join();
        return most[0];
    }

    static void fail() throws IOException {
        try (FileInputStream in = new FileInputStream("/proc/no such file")) {
            Check.that(false, "there is such a file");
        } catch (FileNotFoundException e) {
            sink++;
        }
    }

    /** Two threads keep both carriers; a third one runs nevertheless. */
    static void keepsCarrier(String how, Check.Code body) throws Exception {
        System.out.println(how);
        over = false;
        Crew crew = new Crew();
        CountDownLatch computing = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            crew.start("computes-" + i, () -> {
                computing.countDown();
                body.run();
            });
        }
        computing.await();
        crew.start("ends it", () -> over = true);
        crew.join();
    }

    static void callForLong() {
        ByteBuffer block = ByteBuffer.allocateDirect(64 << 20);
        Adler32 sum = new Adler32();
        while (!over) {
            block.clear();
            sum.update(block);
        }
        sink = sum.getValue();
    }

    static void compute() {
        while (!over) {
            sink++;
        }
    }

    static void ask() {
        File file = new File("/proc/no such file");
        while (!over) {
            sink += file.exists() ? 1 : 0;
        }
    }
}
