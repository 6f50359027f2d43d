/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The carrier that events wake computes for some milliseconds, and the other one has gone to sleep before that: what comes on
 *          another connection meanwhile does not wait until the computation has ended.
 * @library /test/lib
 * @build wisptest.Check wisptest.Computing wisptest.Crew
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 ReplyBesideComputation
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import wisptest.Check;
import wisptest.Computing;

/**
 * The main thread, which is a kernel thread, sends one request that takes 4 ms to compute, then one that takes nothing, and waits for the
 * answer to that. The computation is shorter than a tick of sysmon, so that only a carrier that is idle can be the faster one. On a busy
 * machine no carrier may get a CPU in time, so a tenth of the answers is enough.
 */
public class ReplyBesideComputation {
    static final int ROUNDS = 300;
    static final long COMPUTATION = 4_000_000, BETWEEN = 500_000;   // ns

    static void serve(Socket s) {
        try (s) {
            for (int request; (request = s.getInputStream().read()) >= 0; ) {
                if (request == 1) {
                    Computing.compute(COMPUTATION);
                }
                s.getOutputStream().write(request);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int overtaken = 0;
        try (ServerSocket listener = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
             Socket slow = new Socket(listener.getInetAddress(), listener.getLocalPort());
             Socket first = listener.accept();
             Socket quick = new Socket(listener.getInetAddress(), listener.getLocalPort());
             Socket second = listener.accept()) {
            slow.setTcpNoDelay(true);
            quick.setTcpNoDelay(true);
            Thread a = new Thread(() -> serve(first)), b = new Thread(() -> serve(second));
            a.start();
            b.start();
            for (int i = 0; i < ROUNDS; i++) {
                Thread.sleep(1);               // both carriers go to sleep, one of them in the pump
                slow.getOutputStream().write(1);
                Computing.compute(BETWEEN);
                quick.getOutputStream().write(0);
                Check.equal(0, quick.getInputStream().read(), "answer");
                if (slow.getInputStream().available() == 0) {
                    overtaken++;
                }
                Check.equal(1, slow.getInputStream().read(), "answer of the computation");
            }
            slow.shutdownOutput();
            quick.shutdownOutput();
            a.join();
            b.join();
        }
        System.out.println(overtaken + " of " + ROUNDS + " answers came before the computation had ended");
        Check.that(overtaken >= ROUNDS / 10, "only " + overtaken + " answers overtook the computation");
    }
}
