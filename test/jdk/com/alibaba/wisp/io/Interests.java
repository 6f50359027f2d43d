/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What a selector reports while keys get and lose their interest, are cancelled and come back, go to another selector, and
 *          channels are closed and others have their numbers: compared with what is unread, at each step of a random walk; and
 *          servers that take the interest away while they handle a request, in both ways, all of whose clients must be served.
 *          With the flag, that a channel whose interest has come back stays in the epoll set.
 * @modules java.base/sun.nio.ch:open
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel-* Interests
 * @run main/othervm -Dcom.alibaba.wisp.threadAsWisp.black=name:kernel-* -Dcom.alibaba.wisp.carrierEngines=1 Interests
 */

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Interests {
    static final int STEPS = 40_000, LINKS = 6, CLIENTS = 8, REQUESTS = 2_000;
    static final int READ = SelectionKey.OP_READ, WRITE = SelectionKey.OP_WRITE;

    public static void main(String[] args) throws Exception {
        for (String kind : new String[] {"coroutine", "kernel"}) {
            long seed = Long.getLong("seed", System.nanoTime());
            System.out.println(kind + ": -Dseed=" + seed);
            Crew crew = new Crew();
            crew.start(kind + "-walk", () -> new Walk(new Random(seed)).run());
            crew.join();
            for (boolean cancels : new boolean[] {false, true}) {
                serve(kind, cancels);
            }
        }
        if (Vm.wispOn()) {
            stays();
        }
    }

    /** Two ends of a pipe or of a connection, of which the first one is read. */
    static final class Link {
        final boolean socket;
        final SelectableChannel in;
        final WritableByteChannel out;
        int unread;
        boolean ended;
        Selector selector;
        SelectionKey key;

        Link(boolean socket) throws Exception {
            this.socket = socket;
            if (socket) {
                try (ServerSocketChannel server = ServerSocketChannel.open()) {
                    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    in = SocketChannel.open(server.getLocalAddress());
                    out = server.accept();
                    ((SocketChannel) out).socket().setTcpNoDelay(true);
                }
            } else {
                Pipe pipe = Pipe.open();
                in = pipe.source();
                out = pipe.sink();
            }
            in.configureBlocking(false);
        }

        void register(Selector selector, int interest) throws Exception {
            this.selector = selector;
            key = in.register(selector, interest, this);
        }

        /** What its selector has to report. */
        int ready() {
            int ready = unread > 0 || ended ? READ : 0;
            return key.interestOps() & (socket ? ready | WRITE : ready);
        }

        void read(int most) throws Exception {
            while (most > 0 && unread > 0) {
                int n = ((ReadableByteChannel) in).read(ByteBuffer.allocate(Math.min(most, unread)));
                Check.that(n >= 0, "the end before the last byte");
                most -= n;
                unread -= n;
            }
        }

        void close() throws Exception {
            in.close();
            out.close();
        }
    }

    /** Everything is done by one thread, and a pipe is ready at once, so that what is reported is known at each step. */
    static final class Walk {
        final Random random;
        final Selector[] selectors = {Selector.open(), Selector.open()};
        final Link[] links = new Link[LINKS];

        Walk(Random random) throws Exception {
            this.random = random;
        }

        void run() throws Exception {
            for (int i = 0; i < LINKS; i++) {
                open(i);
            }
            for (int step = 0; step < STEPS; step++) {
                change(random.nextInt(LINKS));
                if (random.nextBoolean()) {
                    check(selectors[random.nextInt(2)], step);
                }
            }
            for (Link link : links) {
                link.close();
            }
            for (Selector selector : selectors) {
                selector.close();
            }
        }

        void open(int i) throws Exception {
            links[i] = new Link(random.nextInt(3) == 0);
            links[i].register(selectors[random.nextInt(2)], interest(links[i]));
        }

        int interest(Link link) {
            int n = random.nextInt(8);
            return n < 3 ? 0 : n < 7 || !link.socket ? READ : random.nextBoolean() ? WRITE : READ | WRITE;
        }

        void change(int i) throws Exception {
            Link link = links[i];
            switch (random.nextInt(12)) {
                case 0: case 1: case 2:
                    if (!link.ended && link.unread < 100) {
                        link.unread += link.out.write(ByteBuffer.allocate(1 + random.nextInt(2)));
                    }
                    break;
                case 3:
                    link.read(1);
                    break;
                case 4: case 5:
                    link.read(Integer.MAX_VALUE);
                    break;
                case 6: case 7: case 8:
                    link.key.interestOps(interest(link));
                    break;
                case 9: case 10:
                    link.key.cancel();
                    boolean blocking = random.nextInt(3) > 0;
                    if (blocking) {
                        link.in.configureBlocking(true);
                    }
                    check(link.selector, -1);
                    if (blocking) {
                        link.read(Integer.MAX_VALUE);
                        link.in.configureBlocking(false);
                    }
                    link.register(random.nextInt(4) == 0 ? selectors[random.nextInt(2)] : link.selector, interest(link));
                    break;
                default:
                    if (random.nextInt(4) == 0) {
                        if (!link.ended && random.nextBoolean()) {
                            link.out.close();
                            link.ended = true;
                        } else {
                            link.close();
                            check(link.selector, -1);
                            open(i);
                        }
                    }
            }
        }

        /** What goes over a connection may take its time. */
        void check(Selector selector, int step) throws Exception {
            Set<Link> expected = new HashSet<>();
            boolean sockets = false;
            for (Link link : links) {
                if (link != null && link.selector == selector && link.key.isValid() && link.ready() != 0) {
                    expected.add(link);
                    sockets = sockets || link.socket;
                }
            }
            for (;;) {
                if (expected.isEmpty() || random.nextBoolean()) {
                    selector.selectNow();
                } else {
                    selector.select();
                }
                Set<Link> missing = new HashSet<>(expected);
                for (SelectionKey key : selector.selectedKeys()) {
                    Link link = (Link) key.attachment();
                    Check.that(expected.contains(link), "reported at step " + step + " for no reason");
                    boolean all = key.readyOps() == link.ready();
                    Check.that(all || link.socket && (key.readyOps() & ~link.ready()) == 0,
                               "ready for " + key.readyOps() + " at step " + step + ", not " + link.ready());
                    if (all) {
                        missing.remove(link);
                    }
                }
                selector.selectedKeys().clear();
                if (missing.isEmpty()) {
                    return;
                }
                for (Link link : missing) {
                    Check.that(link.socket, "not reported at step " + step);
                }
            }
        }
    }

    /** A dispatcher and a pool; a client hangs if a channel is forgotten. */
    static void serve(String kind, boolean cancels) throws Exception {
        Selector selector = Selector.open();
        ExecutorService pool = Executors.newFixedThreadPool(4, task -> {
            Thread thread = new Thread(task, kind + "-worker");
            thread.setDaemon(true);
            return thread;
        });
        Crew crew = new Crew();
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        for (int i = 0; i < CLIENTS; i++) {
            crew.start(kind + "-client", () -> {
                try (SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
                    ByteBuffer buffer = ByteBuffer.allocate(1);
                    for (int n = 0; n < REQUESTS; n++) {
                        buffer.clear();
                        channel.write(buffer);
                        buffer.clear();
                        Check.equal(1, channel.read(buffer), "bytes of an answer");
                    }
                }
            });
        }
        for (int i = 0; i < CLIENTS; i++) {
            SocketChannel channel = server.accept();
            channel.configureBlocking(false);
            channel.register(selector, READ);
        }
        server.close();
        Crew dispatcher = new Crew();
        dispatcher.start(kind + "-dispatcher", () -> {
            Queue<SelectionKey> done = new ConcurrentLinkedQueue<>();
            for (int open = CLIENTS; open > 0; ) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    SocketChannel channel = (SocketChannel) key.channel();
                    if (cancels) {
                        key.cancel();
                        channel.configureBlocking(true);
                    } else {
                        key.interestOps(0);
                    }
                    pool.execute(() -> {
                        answer(channel);
                        done.add(key);
                        selector.wakeup();
                    });
                }
                selector.selectedKeys().clear();
                selector.selectNow();
                for (SelectionKey key; (key = done.poll()) != null; ) {
                    if (!key.channel().isOpen()) {
                        open--;
                    } else if (cancels) {
                        key.channel().configureBlocking(false);
                        key.channel().register(selector, READ);
                    } else {
                        key.interestOps(READ);
                    }
                }
            }
        });
        crew.join();
        dispatcher.join();
        pool.shutdown();
        selector.close();
    }

    static void answer(SocketChannel channel) {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(1);
            if (channel.read(buffer) < 0) {
                channel.close();
            } else {
                buffer.flip();
                channel.write(buffer);
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Looks into the kernel's table. */
    static void stays() throws Exception {
        Selector selector = Selector.open();
        Field field = selector.getClass().getDeclaredField("epfd");
        field.setAccessible(true);
        String table = "/proc/self/fdinfo/" + field.getInt(selector);
        long empty = entries(table);
        Link link = new Link(true);
        for (int i = 0; i < 4; i++) {
            link.register(selector, READ);
            link.unread += link.out.write(ByteBuffer.allocate(1));
            Check.equal(1, selector.select(), "keys");
            selector.selectedKeys().clear();
            if (i == 2) {
                link.key.interestOps(0);
                selector.selectNow();
                Check.equal(empty + 1, entries(table), "entries while it is not wanted");
                link.key.interestOps(READ);
                Check.equal(1, selector.select(), "keys");
                selector.selectedKeys().clear();
            }
            link.key.cancel();
            link.in.configureBlocking(true);
            selector.selectNow();
            Check.equal(i == 0 ? empty : empty + 1, entries(table), "entries after " + i + " keys");
            link.read(1);
            link.in.configureBlocking(false);
        }
        link.register(selector, READ);
        selector.selectNow();
        link.key.cancel();
        selector.selectNow();
        Check.equal(empty, entries(table), "entries after it may have gone elsewhere");
        link.close();
        selector.close();
    }

    static long entries(String table) throws Exception {
        return Files.lines(Paths.get(table)).filter(line -> line.startsWith("tfd:")).count();
    }
}
