/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary For each way to block in the JDK (sockets, datagrams, channels, pipes, selectors, asynchronous channels, HTTP, TLS,
 *          RMI, processes, standard input, look-ups, files): while eight threads are blocked in it and there are two carriers, two other threads complete
 *          1,000 hand-shakes, and afterwards the blocked ones get what they wait for. Catches a path that holds its carrier.
 *          Prints how late a timer of 10 ms got meanwhile.
 * @modules java.base java.management java.net.http java.rmi jdk.httpserver jdk.management
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=2 -Djava.rmi.server.hostname=127.0.0.1 BlockingPaths
 */

import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BlockingPaths {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final int N = 8;
    static final int BIG = 8 << 20;                     // more than the buffers of a connection hold

    /** What is to be closed at the end of the row. */
    static final List<Closeable> open = new ArrayList<>();

    static <T extends Closeable> T keep(T t) {
        open.add(t);
        return t;
    }

    interface Operation {
        void run(int i) throws Throwable;
    }

    public static void main(String[] args) throws Throwable {
        Security.setProperty("jdk.tls.disabledAlgorithms", "");             // read once; see sslSocket()
        List<String> only = Arrays.asList(args);
        if (only.equals(List.of("child-names"))) {
            namesInChild();
            return;
        } else if (only.equals(List.of("child-standard-input"))) {
            standardInputInChild();
            return;
        }
        for (java.lang.reflect.Method m : BlockingPaths.class.getDeclaredMethods()) {
            if (m.isAnnotationPresent(Row.class) && (only.isEmpty() || only.contains(m.getName()))) {
                try {
                    m.invoke(null);
                } catch (java.lang.reflect.InvocationTargetException e) {
                    throw e.getCause();
                }
                for (Closeable c : open) {
                    c.close();
                }
                open.clear();
            }
        }
    }

    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
    @interface Row { }

    // ---- The frame of each row

    /** N threads wait in the event pump: they hold no kernel threads. */
    static void row(String name, String method, Operation operation, Check.Code release) throws Throwable {
        rowByHandOff(name, method, operation, () -> {
            if (Vm.wispOn()) {
                Vm.awaitHeldBelow(N - 2, name + ": " + N + " blocked threads");
            }
            release.run();
        });
    }

    /** N threads block in the operation, with the method on their stacks; others go on; then the release lets them end. */
    static void rowByHandOff(String name, String method, Operation operation, Check.Code release) throws Throwable {
        Crew crew = new Crew();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < N; i++) {
            int k = i;
            crew.start(name + "-" + i, () -> {
                operation.run(k);
                done.incrementAndGet();
            });
        }
        for (Thread t : crew.threads()) {
            Check.await(() -> !t.isAlive() || Check.hasFrame(t.getStackTrace(), method));
        }
        crew.check();
        long late = handShakes();
        Check.equal(0, done.get(), name + ": operations that did not block");
        crew.check();
        release.run();
        crew.join();
        Check.equal(N, done.get(), name + ": operations that ended well");
        System.out.printf("%-28s a timer of 10 ms was %.1f ms late at worst%n", name, late / 1e6);
    }

    /** Two threads, 1,000 times there and back, while a third one sleeps 10 ms a few times. Returns how late that was. */
    static long handShakes() throws Exception {
        SynchronousQueue<Integer> there = new SynchronousQueue<>();
        SynchronousQueue<Integer> back = new SynchronousQueue<>();
        AtomicLong worst = new AtomicLong();
        Crew crew = new Crew();
        crew.start("timer", () -> {
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                Thread.sleep(10);
                worst.accumulateAndGet(System.nanoTime() - start - 10_000_000, Math::max);
            }
        });
        crew.start("left", () -> {
            for (int i = 0; i < 1000; i++) {
                there.put(i);
                Check.equal(i, back.take(), "what came back");
            }
        });
        crew.start("right", () -> {
            for (int i = 0; i < 1000; i++) {
                back.put(there.take());
            }
        });
        crew.join();
        return worst.get();
    }

    /** A server whose queue of connections is full: who connects waits. */
    static ServerSocket fullServer() throws IOException {
        ServerSocket server = keep(new ServerSocket(0, 1, LOOPBACK));
        for (int i = 0; i < 4; i++) {
            SocketChannel filler = keep(SocketChannel.open());
            filler.configureBlocking(false);
            filler.connect(server.getLocalSocketAddress());
        }
        return server;
    }

    static void closedBy(Class<?> expected, Check.Code code) throws Throwable {
        try {
            code.run();
        } catch (Exception e) {
            Check.that(expected.isInstance(e), "expected " + expected.getName() + ", got " + e);
            return;
        }
        throw new AssertionError(expected.getName() + " was not thrown");
    }

    // ---- java.net

    @Row
    static void socketConnect() throws Throwable {
        ServerSocket server = fullServer();
        Socket[] sockets = new Socket[N];
        for (int i = 0; i < N; i++) {
            sockets[i] = keep(new Socket());
        }
        row("Socket.connect", "doConnect", i -> {
            closedBy(SocketException.class, () -> sockets[i].connect(server.getLocalSocketAddress(), i % 2 * 1_000_000));
        }, () -> {
            for (Socket s : sockets) {
                s.close();
            }
        });
    }

    @Row
    static void serverSocketAccept() throws Throwable {
        ServerSocket[] servers = new ServerSocket[N];
        for (int i = 0; i < N; i++) {
            servers[i] = keep(new ServerSocket(0, 1, LOOPBACK));
            servers[i].setSoTimeout(i % 2 * 1_000_000);
        }
        row("ServerSocket.accept", "implAccept", i -> servers[i].accept().close(), () -> {
            for (ServerSocket s : servers) {
                keep(new Socket(LOOPBACK, s.getLocalPort()));
            }
        });
        ServerSocket one = keep(new ServerSocket(0, N, LOOPBACK));
        row("ServerSocket.accept of one", "implAccept", i -> one.accept().close(), () -> {
            for (int i = 0; i < N; i++) {
                keep(new Socket(LOOPBACK, one.getLocalPort()));
            }
        });
    }

    @Row
    static void socketReadAndWrite() throws Throwable {
        ServerSocket server = keep(new ServerSocket(0, N, LOOPBACK));
        Socket[] near = new Socket[N];
        Socket[] far = new Socket[N];
        for (int i = 0; i < N; i++) {
            near[i] = keep(new Socket(LOOPBACK, server.getLocalPort()));
            far[i] = keep(server.accept());
            near[i].setSoTimeout(i % 2 * 1_000_000);
        }
        row("Socket read", "read", i -> Check.equal(i, near[i].getInputStream().read(), "byte"), () -> {
            for (int i = 0; i < N; i++) {
                far[i].getOutputStream().write(i);
            }
        });
        row("Socket write", "write", i -> near[i].getOutputStream().write(pattern(i)), () -> {
            for (int i = 0; i < N; i++) {
                Check.that(Arrays.equals(pattern(i), far[i].getInputStream().readNBytes(BIG)), "what arrived of " + i);
            }
        });
    }

    static byte[] pattern(int i) {
        byte[] b = new byte[BIG];
        for (int k = 0; k < BIG; k++) {
            b[k] = (byte) (k * 31 + (k >> 8) + i);
        }
        return b;
    }

    @Row
    static void datagramReceive() throws Throwable {
        DatagramSocket[] sockets = new DatagramSocket[N];
        DatagramSocket sender = keep(new DatagramSocket(0, LOOPBACK));
        for (int i = 0; i < N; i++) {
            sockets[i] = keep(i % 3 == 0 ? new MulticastSocket(new InetSocketAddress(LOOPBACK, 0)) : new DatagramSocket(0, LOOPBACK));
            sockets[i].setSoTimeout(i % 2 * 1_000_000);
            if (i % 4 == 1) {
                sockets[i].connect(sender.getLocalSocketAddress());
            }
        }
        row("DatagramSocket.receive", "receive", i -> {
            DatagramPacket p = new DatagramPacket(new byte[10], 10);
            sockets[i].receive(p);
            Check.equal(1, p.getLength(), "length");
        }, () -> {
            for (DatagramSocket s : sockets) {
                sender.send(new DatagramPacket(new byte[1], 1, s.getLocalSocketAddress()));
            }
        });
    }

    // ---- java.nio.channels

    @Row
    static void channelConnect() throws Throwable {
        ServerSocket server = fullServer();
        SocketChannel[] channels = new SocketChannel[N];
        for (int i = 0; i < N; i++) {
            channels[i] = keep(SocketChannel.open());
        }
        row("SocketChannel.connect", "connect", i -> closedBy(AsynchronousCloseException.class, () -> {
            channels[i].connect(server.getLocalSocketAddress());
        }), () -> {
            for (SocketChannel c : channels) {
                c.close();
            }
        });
        for (int i = 0; i < N; i++) {
            channels[i] = keep(SocketChannel.open());
        }
        row("SocketChannel.finishConnect", "finishConnect", i -> {
            SocketChannel c = channels[i];
            c.configureBlocking(false);
            Check.that(!c.connect(server.getLocalSocketAddress()), "connected to a full server");
            c.configureBlocking(true);
            closedBy(AsynchronousCloseException.class, c::finishConnect);
        }, () -> {
            for (SocketChannel c : channels) {
                c.close();
            }
        });
        for (int i = 0; i < N; i++) {
            channels[i] = keep(SocketChannel.open());
        }
        row("adaptor's connect", "pollConnected", i -> closedBy(IOException.class, () -> {
            channels[i].socket().connect(server.getLocalSocketAddress(), 1_000_000);
        }), () -> {
            for (SocketChannel c : channels) {
                c.close();
            }
        });
    }

    @Row
    static void channelAccept() throws Throwable {
        ServerSocketChannel[] servers = new ServerSocketChannel[N];
        for (int i = 0; i < N; i++) {
            servers[i] = keep(ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0)));
            if (i % 3 == 1) {                           // there and back
                servers[i].configureBlocking(false);
                Check.equal(null, servers[i].accept(), "accepted without blocking");
                servers[i].configureBlocking(true);
            }
            servers[i].socket().setSoTimeout(1_000_000);
        }
        row("ServerSocketChannel.accept", "accept", i -> {
            if (i % 2 == 0) {
                servers[i].accept().close();
            } else {
                servers[i].socket().accept().close();
            }
        }, () -> {
            for (ServerSocketChannel s : servers) {
                keep(SocketChannel.open(s.getLocalAddress()));
            }
        });
    }

    @Row
    static void channelReadAndWrite() throws Throwable {
        ServerSocketChannel server = keep(ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0)));
        SocketChannel[] near = new SocketChannel[N];
        SocketChannel[] far = new SocketChannel[N];
        for (int i = 0; i < N; i++) {
            near[i] = keep(SocketChannel.open(server.getLocalAddress()));
            far[i] = keep(server.accept());
            near[i].socket().setSoTimeout(1_000_000);
        }
        row("SocketChannel.read", "read", i -> {
            ByteBuffer[] two = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(1)};
            switch (i % 3) {
                case 0: Check.equal(2, near[i].read(ByteBuffer.allocate(10)), "bytes"); break;
                case 1: Check.equal(2L, near[i].read(two), "bytes"); break;
                default: Check.equal(2, near[i].socket().getInputStream().read(new byte[10]), "bytes");
            }
        }, () -> {
            for (SocketChannel c : far) {
                c.write(ByteBuffer.wrap(new byte[2]));
            }
        });
        row("SocketChannel.write", "write", i -> {
            byte[] data = pattern(i);
            ByteBuffer direct = ByteBuffer.allocateDirect(BIG);
            direct.put(data).flip();
            ByteBuffer[] parts = {ByteBuffer.wrap(data, 0, 100), ByteBuffer.wrap(data, 100, BIG / 2), ByteBuffer.allocate(0),
                                  direct.duplicate().position(BIG / 2 + 100)};
            switch (i % 3) {
                case 0: Check.equal(BIG, near[i].write(ByteBuffer.wrap(data)), "written"); break;
                case 1: Check.equal(BIG, near[i].write(direct), "written"); break;
                default: Check.equal((long) BIG, near[i].write(parts), "written by gathering");
            }
        }, () -> {
            for (int i = 0; i < N; i++) {
                Check.that(Arrays.equals(pattern(i), far[i].socket().getInputStream().readNBytes(BIG)), "what arrived of " + i);
            }
        });
    }

    @Row
    static void datagramChannelReceive() throws Throwable {
        DatagramChannel[] channels = new DatagramChannel[N];
        DatagramChannel sender = keep(DatagramChannel.open().bind(new InetSocketAddress(LOOPBACK, 0)));
        for (int i = 0; i < N; i++) {
            channels[i] = keep(DatagramChannel.open().bind(new InetSocketAddress(LOOPBACK, 0)));
            if (i % 2 == 0) {
                channels[i].connect(sender.getLocalAddress());
            }
        }
        row("DatagramChannel.receive", i -> i % 2 == 0 ? "read" : "receive", i -> {
            ByteBuffer b = ByteBuffer.allocate(10);
            if (i % 2 == 0) {
                Check.equal(1, channels[i].read(b), "length");
            } else {
                Check.equal(sender.getLocalAddress(), channels[i].receive(b), "sender");
            }
        }, () -> {
            for (DatagramChannel c : channels) {
                sender.send(ByteBuffer.allocate(1), c.getLocalAddress());
            }
        });
    }

    static void row(String name, java.util.function.IntFunction<String> method, Operation operation, Check.Code release)
        throws Throwable
    {
        row(name, method.apply(0).isEmpty() ? "" : "awaitOrRun", i -> awaitOrRun(operation, i), release);
    }

    /** A frame to look for when the threads are in different methods. */
    static void awaitOrRun(Operation operation, int i) throws Throwable {
        operation.run(i);
    }

    @Row
    static void pipes() throws Throwable {
        Pipe[] pipes = new Pipe[N];
        for (int i = 0; i < N; i++) {
            pipes[i] = Pipe.open();
            keep(pipes[i].source());
            keep(pipes[i].sink());
        }
        row("Pipe source", "read", i -> Check.equal(1, pipes[i].source().read(ByteBuffer.allocate(10)), "bytes"), () -> {
            for (Pipe p : pipes) {
                p.sink().write(ByteBuffer.allocate(1));
            }
        });
        row("Pipe sink", "write", i -> {
            if (i % 2 == 0) {
                Check.equal(BIG, pipes[i].sink().write(ByteBuffer.wrap(pattern(i))), "written");
            } else {
                ByteBuffer[] two = {ByteBuffer.wrap(pattern(i), 0, 7), ByteBuffer.wrap(pattern(i), 7, BIG - 7)};
                Check.equal((long) BIG, pipes[i].sink().write(two), "written by gathering");
            }
        }, () -> {
            for (int i = 0; i < N; i++) {
                ByteBuffer all = ByteBuffer.allocate(BIG);
                while (all.hasRemaining() && pipes[i].source().read(all) > 0) { }
                Check.that(Arrays.equals(pattern(i), all.array()), "what arrived of " + i);
            }
        });
    }

    @Row
    static void selectors() throws Throwable {
        Selector[] selectors = new Selector[N];
        for (int i = 0; i < N; i++) {
            selectors[i] = keep(Selector.open());
        }
        row("Selector.select, wakeup", "select", i -> {
            Check.equal(0, i % 2 == 0 ? selectors[i].select() : selectors[i].select(1_000_000), "keys");
        }, () -> {
            Crew crew = new Crew();
            crew.start("waker", () -> {
                for (int i = 0; i < N / 2; i++) {
                    selectors[i].wakeup();              // from a coroutine
                }
            });
            for (int i = N / 2; i < N; i++) {
                selectors[i].wakeup();                  // from main
            }
            crew.join();
        });

        // select from main, a real thread, woken by a coroutine
        Crew crew = new Crew();
        crew.start("waker of main", () -> selectors[0].wakeup());
        Check.equal(0, selectors[0].select(), "keys of main");
        crew.join();

        // with keys: ready ones, selectNow, a cancelled one
        Pipe[] pipes = new Pipe[N];
        for (int i = 0; i < N; i++) {
            pipes[i] = Pipe.open();
            keep(pipes[i].source());
            keep(pipes[i].sink());
            pipes[i].source().configureBlocking(false);
        }
        row("Selector.select, keys", "select", i -> {
            SelectionKey key = pipes[i].source().register(selectors[i], SelectionKey.OP_READ);
            Check.equal(0, selectors[i].selectNow(), "selectNow without data");
            Check.equal(1, selectors[i].select(), "keys");
            Check.that(key.isReadable() && selectors[i].selectedKeys().remove(key), "the key");
            Check.equal(1, selectors[i].selectNow(), "selectNow with data");
            key.cancel();
            Check.equal(0, selectors[i].selectNow(), "selectNow after cancel");
            Check.that(selectors[i].keys().isEmpty(), "keys after cancel");
            pipes[i].source().configureBlocking(true);
            Check.equal(1, pipes[i].source().read(ByteBuffer.allocate(10)), "read by the blocking channel");
        }, () -> {
            for (Pipe p : pipes) {
                p.sink().write(ByteBuffer.allocate(1));
            }
        });
        row("Selector.select, interrupt", "select", i -> {
            Thread self = Thread.currentThread();
            interrupted[i] = self;
            Check.equal(0, selectors[i].select(), "keys");
            Check.that(Thread.interrupted(), "the interrupt status is kept");
        }, () -> {
            for (Thread t : interrupted) {
                t.interrupt();
            }
        });
    }

    static final Thread[] interrupted = new Thread[N];

    @Row
    static void asynchronousChannels() throws Throwable {
        AsynchronousServerSocketChannel server = keep(AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0)));
        AsynchronousSocketChannel[] near = new AsynchronousSocketChannel[N];
        AsynchronousSocketChannel[] far = new AsynchronousSocketChannel[N];
        row("AsynchronousSocketChannel", "get", i -> {
            near[i] = keep0(AsynchronousSocketChannel.open());
            near[i].connect(server.getLocalAddress()).get();
            Check.equal(1, near[i].read(ByteBuffer.allocate(10)).get(), "bytes");
        }, () -> {
            for (int i = 0; i < N; i++) {
                far[i] = keep0(server.accept().get());
                Check.equal(1, far[i].write(ByteBuffer.allocate(1)).get(), "bytes");
            }
        });
    }

    static synchronized <T extends Closeable> T keep0(T t) {
        return keep(t);
    }

    // ---- Protocols

    /** An HTTP server whose handlers, each in its own thread, wait for the latch. */
    static HttpServer httpServer(CountDownLatch latch) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), N);
        ExecutorService pool = Executors.newCachedThreadPool();
        server.setExecutor(pool);
        server.createContext("/", exchange -> {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes());
            exchange.close();
        });
        server.start();
        open.add(() -> {
            server.stop(0);
            pool.shutdown();
        });
        return server;
    }

    @Row
    static void httpClient() throws Throwable {
        CountDownLatch latch = new CountDownLatch(1);
        URI uri = new URI("http://127.0.0.1:" + httpServer(latch).getAddress().getPort() + "/");
        HttpClient client = HttpClient.newHttpClient();
        row("HttpClient.send", "send", i -> {
            HttpResponse<String> answer = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            Check.equal("ok", answer.body(), "answer");
        }, latch::countDown);
    }

    @Row
    static void httpUrlConnection() throws Throwable {
        CountDownLatch latch = new CountDownLatch(1);
        URL url = new URL("http://127.0.0.1:" + httpServer(latch).getAddress().getPort() + "/");
        row("HttpURLConnection", "getInputStream", i -> {
            HttpURLConnection c = (HttpURLConnection) url.openConnection();
            c.setConnectTimeout(1_000_000);
            try (InputStream in = c.getInputStream()) {
                Check.equal("ok", new String(in.readAllBytes()), "answer");
            }
        }, latch::countDown);
    }

    @Row
    static void sslSocket() throws Throwable {
        String[] anonymous = {"TLS_DH_anon_WITH_AES_128_GCM_SHA256"};       // needs no certificate
        SSLServerSocket server = (SSLServerSocket) keep(SSLContext.getDefault().getServerSocketFactory().createServerSocket(0, N, LOOPBACK));
        server.setEnabledCipherSuites(anonymous);
        server.setEnabledProtocols(new String[] {"TLSv1.2"});
        Crew servers = new Crew();
        CountDownLatch latch = new CountDownLatch(1);
        servers.start("acceptor", () -> {
            for (int i = 0; i < N; i++) {
                Socket s = keep0(server.accept());
                new Thread(() -> {
                    try {
                        s.getInputStream().read();      // the hand-shake
                        latch.await();
                        s.getOutputStream().write(7);
                    } catch (Exception e) {
                        e.printStackTrace();
                    }
                }).start();
            }
        });
        row("SSLSocket", "read", i -> {
            SSLSocket s = (SSLSocket) keep0(SSLContext.getDefault().getSocketFactory().createSocket(LOOPBACK, server.getLocalPort()));
            s.setEnabledCipherSuites(anonymous);
            s.setEnabledProtocols(new String[] {"TLSv1.2"});
            s.getOutputStream().write(1);
            Check.equal(7, s.getInputStream().read(), "byte");
        }, latch::countDown);
        servers.join();
    }

    interface Waiting extends Remote {
        int call(int i) throws RemoteException, InterruptedException;
    }

    @Row
    static void rmi() throws Throwable {
        CountDownLatch latch = new CountDownLatch(1);
        Waiting impl = i -> {
            latch.await();
            return i + 1;
        };
        Waiting stub = (Waiting) UnicastRemoteObject.exportObject(impl, 0);
        open.add(() -> UnicastRemoteObject.unexportObject(impl, true));
        row("RMI", "invoke", i -> Check.equal(i + 1, stub.call(i), "result"), latch::countDown);
    }

    // ---- What rests on hand-off

    @Row
    static void processes() throws Throwable {
        Process[] children = new Process[100];
        AtomicInteger exits = new AtomicInteger();
        for (int i = 0; i < children.length; i++) {
            children[i] = new ProcessBuilder("cat").start();
            children[i].onExit().thenRun(exits::incrementAndGet);
        }
        rowByHandOff("Process.waitFor", "waitFor", i -> Check.equal(0, children[i].waitFor(), "exit status"), () -> {
            for (int i = 0; i < N; i++) {
                children[i].getOutputStream().close();
            }
        });
        rowByHandOff("Process output", "read", i -> Check.equal(i, children[N + i].getInputStream().read(), "byte"), () -> {
            for (int i = 0; i < N; i++) {
                OutputStream out = children[N + i].getOutputStream();
                out.write(i);
                out.flush();
            }
        });
        rowByHandOff("Process input", "write", i -> {
            OutputStream out = children[2 * N + i].getOutputStream();
            out.write(new byte[1 << 20]);
            out.close();
        }, () -> {
            for (int i = 0; i < N; i++) {
                Check.equal(1 << 20, children[2 * N + i].getInputStream().readAllBytes().length, "bytes");
            }
        });
        for (int i = 3 * N; i < children.length; i++) {
            children[i].destroy();
        }
        for (int i = N; i < 2 * N; i++) {
            children[i].getOutputStream().close();
        }
        for (Process p : children) {
            p.waitFor();
        }
        Check.await(() -> exits.get() == children.length);
    }

    @Row
    static void files() throws Throwable {
        Path[] fifos = new Path[N];
        for (int i = 0; i < N; i++) {
            fifos[i] = Paths.get("fifo-" + i + "-" + ProcessHandle.current().pid());
            Check.equal(0, new ProcessBuilder("mkfifo", fifos[i].toString()).inheritIO().start().waitFor(), "mkfifo");
            File file = fifos[i].toFile();
            open.add(file::delete);
        }
        OutputStream[] out = new OutputStream[N];
        rowByHandOff("opening a file", "open", i -> new FileInputStream(fifos[i].toFile()).close(), () -> {
            for (int i = 0; i < N; i++) {
                new FileOutputStream(fifos[i].toFile()).close();
            }
        });
        for (int i = 0; i < N; i++) {
            new RandomAccessFile(fifos[i].toFile(), "rw");      // a reader and writer of its own: what follows opens at once
            out[i] = keep(new FileOutputStream(fifos[i].toFile()));
        }
        rowByHandOff("reading a file", "read", i -> {
            switch (i % 4) {
                case 0:
                    try (InputStream in = new FileInputStream(fifos[i].toFile())) {
                        Check.equal(i, in.read(), "byte");
                    }
                    break;
                case 1:
                    try (RandomAccessFile in = new RandomAccessFile(fifos[i].toFile(), "rw")) {
                        Check.equal(i, in.read(), "byte");
                    }
                    break;
                case 2:
                    try (FileChannel in = FileChannel.open(fifos[i], StandardOpenOption.READ)) {
                        Check.equal(1, in.read(ByteBuffer.allocate(10)), "bytes");
                    }
                    break;
                default:
                    try (InputStream in = Files.newInputStream(fifos[i])) {
                        Check.equal(i, in.read(), "byte");
                    }
            }
        }, () -> {
            for (int i = 0; i < N; i++) {
                out[i].write(i);
            }
        });
    }

    /** In a process of its own, with a library that makes look-ups wait for a file. */
    @Row
    static void names() throws Throwable {
        String libraries = System.getProperty("test.nativepath");
        if (libraries == null) {
            System.out.println("look-ups: skipped, needs the harness");
            return;
        }
        Path file = Paths.get("answer-" + ProcessHandle.current().pid()).toAbsolutePath();
        List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + libraries + "/libSlowNames.so", "SLOW_NAMES=" + file));
        command.addAll(Vm.command("-Dcom.alibaba.wisp.carrierEngines=2", "BlockingPaths", "child-names"));
        Vm.run(command, new Vm.When("blocked", p -> {
            try {
                Files.createFile(file);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        })).exited(0);
        Files.delete(file);
    }

    static void namesInChild() throws Throwable {
        File file = new File(System.getenv("SLOW_NAMES"));
        rowByHandOff("InetAddress look-ups", "awaitOrRun", i -> awaitOrRun(k -> {
            if (k % 2 == 0) {
                Check.equal(LOOPBACK.getHostAddress(), InetAddress.getByName("host-" + k + ".test").getHostAddress(), "address");
            } else {
                byte[] address = {127, 0, 0, (byte) k};
                Check.equal("127.0.0." + k, InetAddress.getByAddress(address).getHostName(), "name");
            }
        }, i), () -> {
            System.out.println("blocked");
            Check.await(file::exists);
        });
    }

    /** In a process of its own, whose standard input is a pipe. */
    @Row
    static void standardInput() throws Throwable {
        Vm.run(Vm.command("-Dcom.alibaba.wisp.carrierEngines=2", "BlockingPaths", "child-standard-input"), new Vm.When("blocked", p -> {
            try {
                p.getOutputStream().write(new byte[N]);
                p.getOutputStream().flush();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        })).exited(0);
    }

    static void standardInputInChild() throws Throwable {
        rowByHandOff("System.in", "read", i -> Check.equal(0, System.in.read(), "byte"), () -> System.out.println("blocked"));
    }
}
