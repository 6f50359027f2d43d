/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import com.sun.nio.file.ExtendedOpenOption;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that use files, each in a loop, beside one that sleeps 1 ms.
 *
 * Usage: FileLoad OPERATION THREADS SECONDS DIRECTORY; the directory holds a file "big" of some 4 KB blocks. Prints operations per second,
 * and by how many microseconds the sleeper woke late, the 99th of a hundred. The operations, files/ring.c does the first four through
 * io_uring:
 *
 * <pre>
 *   force    writes 4 KB to a file of its own and forces them to the disk
 *   direct   reads a block at random past the page cache
 *   cached   reads a block at random, which the page cache has
 *   append   writes 100 bytes to a file of its own
 *   served-force, served-direct, served-cached
 *            the same once for each byte that a client, a thread beside it, sends over a socket and waits for, as a database's server
 * </pre>
 */
public class FileLoad {
    static final int BLOCK = 4096;
    static final AtomicLong done = new AtomicLong();
    static long end;
    static long late99;

    interface Once {
        void run() throws IOException;
    }

    /** Until the time is over; or, served, until the client ends. */
    static void loop(Socket client, Once once) throws IOException {
        long n = 0;
        if (client == null) {
            for (; System.nanoTime() < end; n++) {
                once.run();
            }
        } else {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                once.run();
                out.write(b);
                n++;
            }
        }
        done.addAndGet(n);
    }

    static void ask(Socket server) throws IOException {
        try (Socket s = server) {
            while (System.nanoTime() < end) {
                s.getOutputStream().write(1);
                s.getInputStream().read();
            }
        }
    }

    static long random(FileChannel file) throws IOException {
        return ThreadLocalRandom.current().nextLong(file.size() / BLOCK) * BLOCK;
    }

    static void readBlocks(FileChannel file, ByteBuffer block, Socket client) throws IOException {
        loop(client, () -> {
            block.clear();
            file.read(block, random(file));
        });
    }

    static void work(String operation, Path directory, int number, Socket client) throws IOException {
        Path own = directory.resolve("own" + number);
        ByteBuffer memory = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK);
        memory.limit(BLOCK);
        ByteBuffer block = memory.slice();
        switch (operation) {
            case "force":
                try (FileChannel file = FileChannel.open(own, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    loop(client, () -> {
                        block.clear();
                        file.write(block, 0);
                        file.force(false);
                    });
                }
                break;
            case "direct":
                try (FileChannel file = FileChannel.open(directory.resolve("big"), StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
                    readBlocks(file, block, client);
                }
                break;
            case "cached":
                try (FileChannel file = FileChannel.open(directory.resolve("big"), StandardOpenOption.READ)) {
                    readBlocks(file, block, client);
                }
                break;
            case "append":
                try (FileOutputStream file = new FileOutputStream(own.toFile())) {
                    byte[] line = new byte[100];
                    int[] n = new int[1];
                    loop(client, () -> {
                        file.write(line);
                        if (++n[0] % 100_000 == 0) {
                            file.getChannel().truncate(0);
                        }
                    });
                }
                break;
            default:
                throw new IllegalArgumentException(operation);
        }
    }

    static Thread start(Once body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        t.start();
        return t;
    }

    static void sleep() {
        long[] late = new long[100_000];
        int n = 0;
        try {
            for (long now = System.nanoTime(); now < end && n < late.length; ) {
                Thread.sleep(1);
                long then = now;
                now = System.nanoTime();
                late[n++] = now - then - 1_000_000;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Arrays.sort(late, 0, n);
        late99 = late[n * 99 / 100];
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]);
        Path directory = Paths.get(args[3]);
        end = System.nanoTime() + Integer.parseInt(args[2]) * 1_000_000_000L;
        Thread sleeper = new Thread(FileLoad::sleep);
        sleeper.start();
        boolean served = args[0].startsWith("served-");
        String operation = served ? args[0].substring("served-".length()) : args[0];
        List<Thread> workers = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < threads; i++) {
                int number = i;
                Socket near = served ? new Socket(server.getInetAddress(), server.getLocalPort()) : null;
                Socket far = served ? server.accept() : null;
                workers.add(start(() -> work(operation, directory, number, far)));
                if (served) {
                    workers.add(start(() -> ask(near)));
                }
            }
        }
        for (Thread t : workers) {
            t.join();
        }
        sleeper.join();
        System.out.println(done.get() / Integer.parseInt(args[2]) + " " + late99 / 1000);
    }
}
