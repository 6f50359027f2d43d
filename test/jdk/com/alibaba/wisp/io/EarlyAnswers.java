/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary An answer that is there when the send of the question returns, as that has lost its CPU to the process that answers, is read at
 *          once, by a socket and by a channel, but not more than eight times at a stretch. Catches a wait in the event pump for
 *          each answer, as there was before, and a thread that never waits while there are others.
 * @library /test/lib
 * @run main/othervm EarlyAnswers
 */

import com.alibaba.wisp.engine.WispCounter;
import com.alibaba.wisp.engine.WispEngine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class EarlyAnswers {
    static final int EXCHANGES = 900, STRETCH = 8;

    static native int serve();
    static native void slow(int port);

    interface Exchange {
        int answer(int question) throws Exception;
    }

    static long waits() {
        return !Vm.wispOn() ? 0 : WispEngine.getManagedEngineCounters().values().stream().mapToLong(WispCounter::getWaitSocketIOCount).sum();
    }

    static void exchanges(String what, int port, Exchange exchange) throws Exception {
        slow(0);
        for (int i = 0; i < 20; i++) {                   // for which it waits, so that the pump knows the descriptor
            Check.equal(i, exchange.answer(i), what);
        }
        slow(port);
        long before = waits();
        for (int i = 0; i < EXCHANGES; i++) {
            Check.equal(i & 0x7f, exchange.answer(i & 0x7f), what);
        }
        long waits = waits() - before;
        slow(0);
        System.out.println(what + ": " + waits + " waits");
        if (Vm.wispOn()) {
            Check.that(waits < EXCHANGES / 4, what + ": " + waits + " waits for answers that were there");
            Check.that(waits >= EXCHANGES / (STRETCH + 1) / 2, what + ": only " + waits + " waits");
        }
    }

    static void child() throws Exception {
        int port = serve();
        Check.that(port > 0, "no server");
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Crew crew = new Crew();
        crew.start("socket", () -> {
            try (Socket socket = new Socket()) {
                socket.connect(address);
                socket.setTcpNoDelay(true);
                byte[] answer = new byte[100];
                exchanges("socket", port, question -> {
                    socket.getOutputStream().write(question);
                    Check.equal(1, socket.getInputStream().read(answer), "bytes");
                    return answer[0];
                });
            }
            try (SocketChannel channel = SocketChannel.open(address)) {
                channel.socket().setTcpNoDelay(true);
                ByteBuffer b = ByteBuffer.allocateDirect(100);
                exchanges("channel", port, question -> {
                    b.clear().put((byte) question).flip();
                    channel.write(b);
                    Check.equal(1, channel.read(b.clear()), "bytes");
                    return b.get(0);
                });
            }
        });
        crew.join();
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            System.loadLibrary("SlowSends");
            child();
            return;
        }
        String libraries = System.getProperty("test.nativepath");
        if (libraries == null) {
            System.out.println("skipped, needs the harness");
            return;
        }
        // One carrier: another one that is idle would hear of the event meanwhile. Migration is a wait more, or a way around one.
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + libraries + "/libSlowSends.so"));
        command.addAll(Vm.command("-XX:+UnlockDiagnosticVMOptions", "-XX:-WispAlwaysMigrate", "-Dcom.alibaba.wisp.carrierEngines=1",
                                  "-Djava.library.path=" + libraries, "EarlyAnswers", "child"));
        Vm.run(command).exited(0).has("channel: ");
    }
}
