/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What DatagramSocket does on a coroutine, by a way of its own, is what it does on a kernel thread: contents, addresses, lengths, and
 *          what is left in a packet by each failure. Catches a difference; a datagram that is lost or sent twice where there was
 *          no room for it at first; one that is received by whoever was about to receive from another socket, which was closed and had
 *          the same number; and a call of poll for each datagram, as many as were made before.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Transcript wisptest.Vm
 * @run main/othervm Datagrams
 */

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Transcript;
import wisptest.Vm;

public class Datagrams {
    static final int EXCHANGES = 2_000;

    static native int polls();
    static native int refused();
    static native void hold(int how);
    static native int late();
    static native void holdReceivers(boolean hold);
    static final int NOT = 0, HELD = 1, INSIDE = 2;

    /** What was seen, in which the ports, which differ from run to run, have names. */
    static final class Seen {
        final List<String> lines = new ArrayList<>();

        void add(String what, DatagramPacket p, Object... more) {
            InetAddress a = p.getAddress();
            lines.add(what + ": offset " + p.getOffset() + " length " + p.getLength() + " data " + Arrays.hashCode(p.getData()) +
                      " from " + a + (a == null ? "" : " " + a.getClass().getSimpleName()) +
                      (a instanceof Inet6Address ? " scope " + ((Inet6Address) a).getScopeId() + " " + ((Inet6Address) a).getScopedInterface() : "") +
                      " " + Arrays.toString(more));
        }

        void fails(String what, DatagramPacket p, Check.Code code) {
            try {
                code.run();
                lines.add(what + " does not fail");
            } catch (Throwable e) {
                lines.add(what + ": " + e + ", offset " + p.getOffset() + " length " + p.getLength());
            }
        }
    }

    static byte[] bytes(int n, int seed) {
        byte[] b = new byte[n];
        for (int i = 0; i < n; i++) {
            b[i] = (byte) (i * 31 + seed);
        }
        return b;
    }

    static void exchange(Seen t, InetAddress here) throws Exception {
        try (DatagramSocket one = new DatagramSocket(0, here); DatagramSocket two = new DatagramSocket(0, here);
             DatagramSocket three = new DatagramSocket(0, here)) {
            SocketAddress to = two.getLocalSocketAddress();
            DatagramPacket p = new DatagramPacket(new byte[70_000], 10, 60_000);
            for (int size : new int[] { 0, 1, 100, 8_192, 8_193, 20_000, 60_000 }) {
                one.send(new DatagramPacket(bytes(size + 7, size), 3, size, to));
                p.setLength(60_000);
                InetAddress before = p.getAddress();
                two.receive(p);
                t.add("received " + size, p, p.getPort() == one.getLocalPort(), before == p.getAddress(), p.getAddress().equals(here));
            }
            three.send(new DatagramPacket(bytes(5, 5), 5, to));
            two.receive(p);
            t.add("from another port", p, p.getPort() == three.getLocalPort());

            one.send(new DatagramPacket(bytes(500, 1), 500, to));
            one.send(new DatagramPacket(bytes(3, 2), 3, to));
            DatagramPacket small = new DatagramPacket(new byte[40], 4, 16);
            two.receive(small);
            t.add("cut off", small);
            two.receive(small);
            t.add("the next one", small);
            one.send(new DatagramPacket(bytes(9, 3), 9, to));
            DatagramPacket none = new DatagramPacket(new byte[0], 0);
            two.receive(none);
            t.add("no room", none);

            two.setSoTimeout(1);
            DatagramPacket kept = new DatagramPacket(bytes(30, 9), 5, 20, InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), 77);
            t.fails("time-out", kept, () -> two.receive(kept));
            t.add("after the time-out", kept, kept.getPort());
            two.setSoTimeout(60_000);
            one.send(new DatagramPacket(bytes(4, 4), 4, to));
            two.receive(kept);
            t.add("in time, from somebody else", kept);

            DatagramPacket huge = new DatagramPacket(new byte[65_536], 65_536, to);
            t.fails("too long", huge, () -> one.send(huge));
            DatagramPacket longest = new DatagramPacket(new byte[70_000], 70_000, to);
            t.fails("longer than any", longest, () -> one.send(longest));
            DatagramPacket nowhere = new DatagramPacket(new byte[1], 1);
            t.fails("no address", nowhere, () -> one.send(nowhere));

            one.connect(to);
            two.connect(one.getLocalSocketAddress());
            one.send(new DatagramPacket(bytes(6, 6), 6));
            two.receive(p);
            t.add("connected", p);
            one.setTrafficClass(0x10);
            one.send(new DatagramPacket(bytes(6, 7), 6));
            two.receive(p);
            t.add("with a traffic class", p);
            three.send(new DatagramPacket(bytes(5, 8), 5, to));
            one.send(new DatagramPacket(bytes(2, 8), 2));
            two.receive(p);
            t.add("only from who is connected", p, p.getPort() == one.getLocalPort());

            two.close();
            t.fails("closed", p, () -> two.receive(p));
            t.fails("closed", p, () -> two.send(new DatagramPacket(new byte[1], 1, to)));
            // The answer that nobody is there any more is told once, by whatever comes next.
            DatagramPacket into = new DatagramPacket(bytes(30, 9), 5, 20);
            one.send(new DatagramPacket(new byte[1], 1));
            one.setSoTimeout(60_000);
            t.fails("unreachable, receive", into, () -> one.receive(into));
            one.send(new DatagramPacket(new byte[1], 1));
            t.fails("unreachable, send", into, () -> one.send(new DatagramPacket(new byte[1], 1)));
        }
    }

    static List<String> everything() throws Exception {
        Seen t = new Seen();
        exchange(t, InetAddress.getByName("127.0.0.1"));
        if (!Boolean.getBoolean("java.net.preferIPv4Stack")) {
            InetAddress loopback = InetAddress.getByName("::1");
            if (NetworkInterface.getByInetAddress(loopback) != null) {
                exchange(t, loopback);
            }
        }
        t.lines.addAll(checked());
        return t.lines;
    }

    /** With a security manager it asks who has sent, before it receives. */
    static List<String> checked() throws Exception {
        System.setSecurityManager(new SecurityManager() {
            @Override
            public void checkPermission(java.security.Permission p) {
            }
        });
        try {
            return timeOut();
        } finally {
            System.setSecurityManager(null);
        }
    }

    static List<String> timeOut() throws Exception {
        Seen t = new Seen();
        InetAddress here = InetAddress.getLoopbackAddress();
        try (DatagramSocket one = new DatagramSocket(0, here); DatagramSocket two = new DatagramSocket(0, here)) {
            DatagramPacket p = new DatagramPacket(new byte[20], 20);
            two.setSoTimeout(1);
            t.fails("with a security manager", p, () -> two.receive(p));
            two.setSoTimeout(60_000);
            one.send(new DatagramPacket(bytes(4, 4), 4, two.getLocalSocketAddress()));
            two.receive(p);
            t.add("in time", p);
        }
        return t.lines;
    }

    /**
     * Closed while it waits: the packet is emptied. Native code cannot be seen from here as it goes to wait. One that had not looked at its
     * descriptor yet leaves the packet as it was, and one that had, and not called yet, may come upon a file that has the number since, both as
     * upstream: these were not closed while they waited, and another one is.
     */
    static void close() throws Exception {
        int early = 0;
        for (int i = 0; i < 50;) {
            DatagramSocket s = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            s.setSoTimeout(i % 2 * 600_000);
            DatagramPacket p = new DatagramPacket(new byte[9], 3, 6);
            Crew crew = new Crew();
            String[] message = new String[1];
            Thread waits = crew.start("waits", () -> {
                message[0] = Check.throwing(java.net.SocketException.class, "receive", () -> s.receive(p)).getMessage();
            });
            Check.awaitNative(waits, "receive");
            s.close();
            crew.join();
            if (p.getOffset() == 3 && p.getLength() == 6 || !message[0].equals("Socket closed")) {
                Check.that(++early < 1_000, "closed while it waits: " + message[0] + ", length " + p.getLength());
            } else {
                Check.equal(0, p.getOffset() + p.getLength(), "left in the packet");
                i++;
            }
        }
    }

    /** Two threads send each other datagrams by turns; beside them another one sends what nobody answers. */
    static void exchanges() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (DatagramSocket one = new DatagramSocket(0, here); DatagramSocket two = new DatagramSocket(0, here);
             DatagramSocket sink = new DatagramSocket(0, here)) {
            int before = polls();
            Crew crew = new Crew();
            crew.start("answers", () -> {
                DatagramPacket p = new DatagramPacket(new byte[8], 8);
                for (int i = 0; i < EXCHANGES; i++) {
                    two.receive(p);
                    Check.equal(i & 0x7f, (int) p.getData()[0], "the number of a datagram");
                    two.send(p);
                }
            });
            crew.start("asks", () -> {
                DatagramPacket p = new DatagramPacket(new byte[8], 8, two.getLocalSocketAddress());
                for (int i = 0; i < EXCHANGES; i++) {
                    p.getData()[0] = (byte) (i & 0x7f);
                    one.send(p);
                    one.receive(p);
                    Check.equal(i & 0x7f, (int) p.getData()[0], "the number of an answer");
                }
            });
            crew.start("sends", () -> {
                DatagramPacket p = new DatagramPacket(new byte[8], 8, sink.getLocalSocketAddress());
                for (int i = 0; i < EXCHANGES; i++) {
                    sink.send(p);
                }
            });
            crew.join();
            // The pump polls when a carrier goes to sleep or has been busy; a datagram does not.
            int polls = polls() - before - refused();
            System.out.println(polls + " polls, " + refused() + " datagrams without room");
            if (Vm.wispOn()) {
                Check.that(refused() > EXCHANGES, "the library is not preloaded");
                Check.that(polls < 3 * EXCHANGES, polls + " polls for " + 5 * EXCHANGES + " calls");
            }
        }
    }

    /** A send that waits for room sends what the packet had when it was called, or tells that the socket has been closed: while it waits, or before it does. */
    static void kept() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        for (int how : new int[] { NOT, HELD, INSIDE }) {
            boolean close = how != NOT;
            try (DatagramSocket from = new DatagramSocket(0, here); DatagramSocket to = new DatagramSocket(0, here)) {
                byte[] contents = bytes(100, 1);
                DatagramPacket p = new DatagramPacket(contents, 100, to.getLocalSocketAddress());       // is locked during the send
                Crew crew = new Crew();
                hold(how == INSIDE ? INSIDE : HELD);
                int before = refused();
                crew.start("sends", () -> {
                    if (close && Vm.wispOn()) {
                        Check.equal("Bad file descriptor", Check.throwing(java.io.IOException.class, "send", () -> from.send(p)).getMessage(),
                                    "message");
                    } else {
                        from.send(p);
                    }
                });
                if (Vm.wispOn()) {
                    Check.await(() -> {
                        crew.check();
                        return refused() > before + (how == INSIDE ? 0 : 2);
                    });
                    Arrays.fill(contents, (byte) 0);
                    if (close) {
                        from.close();
                        hold(HELD);
                        crew.join();
                    }
                }
                hold(NOT);
                crew.join();
                if (!close) {
                    DatagramPacket received = new DatagramPacket(new byte[100], 100);
                    to.receive(received);
                    Check.equal(Arrays.hashCode(bytes(100, 1)), Arrays.hashCode(received.getData()), "contents");
                }
            }
        }
    }

    /**
     * A socket is closed while its receiver is about to ask the kernel, and the next one has its number: it must not lose its datagram to that
     * receiver.
     */
    static void reused() throws Exception {
        if (!Vm.wispOn()) {
            return;                                     // a kernel thread cannot be held there, and takes it
        }
        InetAddress here = InetAddress.getLoopbackAddress();
        DatagramSocket from = new DatagramSocket(0, here);
        for (int i = 0; i < 20; i++) {
            DatagramSocket old = new DatagramSocket(0, here);
            Crew crew = new Crew();
            int before = late();
            holdReceivers(true);
            crew.start("receives", () -> Check.throwing(java.net.SocketException.class, "receive",
                                                        () -> old.receive(new DatagramPacket(new byte[1], 1))));
            Check.await(() -> {
                crew.check();
                return late() > before;
            });
            old.close();
            DatagramSocket next = new DatagramSocket(0, here);
            from.send(new DatagramPacket(new byte[] { (byte) i }, 1, next.getLocalSocketAddress()));
            crew.join();
            holdReceivers(false);
            next.setSoTimeout(60_000);
            DatagramPacket p = new DatagramPacket(new byte[1], 1);
            next.receive(p);
            Check.equal(i, (int) p.getData()[0], "datagram of the next one");
            next.close();
        }
        from.close();
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0 && args[0].equals("seen")) {
            Transcript.print(Datagrams::everything);
            return;
        }
        if (args.length > 0) {
            System.loadLibrary("DatagramCalls");
            exchanges();
            kept();
            reused();
            return;
        }
        Transcript.compare("Datagrams", "seen");
        Transcript.compare("-Djava.net.preferIPv4Stack=true", "Datagrams", "seen");
        close();
        String libraries = System.getProperty("test.nativepath");
        if (libraries == null) {
            System.out.println("calls: skipped, needs the harness");
            return;
        }
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + libraries + "/libDatagramCalls.so"));
        command.addAll(Vm.command("-Djava.library.path=" + libraries, "Datagrams", "child"));
        Vm.run(command).exited(0).has("polls");
    }
}
