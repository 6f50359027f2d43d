/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import com.sun.nio.file.ExtendedOpenOption;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that use files, each in a loop, beside one that sleeps 1 ms.
 *
 * Usage: FileLoad OPERATION THREADS SECONDS DIRECTORY; the directory holds a file "big" of some 4 KB blocks. Prints operations per second,
 * and by how many microseconds the sleeper woke late, the 99th of a hundred. The operations, files/ring.c does the same through io_uring:
 *
 * <pre>
 *   force    writes 4 KB to a file of its own and forces them to the disk
 *   direct   reads a block at random past the page cache
 *   cached   reads a block at random, which the page cache has
 *   append   writes 100 bytes to a file of its own
 * </pre>
 */
public class FileLoad {
    static final int BLOCK = 4096;
    static final AtomicLong done = new AtomicLong();
    static long end;
    static long late99;

    static long random(FileChannel file) throws IOException {
        return ThreadLocalRandom.current().nextLong(file.size() / BLOCK) * BLOCK;
    }

    static void readBlocks(FileChannel file, ByteBuffer block) throws IOException {
        long n = 0;
        while (System.nanoTime() < end) {
            block.clear();
            file.read(block, random(file));
            n++;
        }
        done.addAndGet(n);
    }

    static void work(String operation, Path directory, int number) throws IOException {
        Path own = directory.resolve("own" + number);
        ByteBuffer block = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK);
        block.limit(BLOCK);
        block = block.slice();
        switch (operation) {
            case "force":
                try (FileChannel file = FileChannel.open(own, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    long n = 0;
                    while (System.nanoTime() < end) {
                        block.clear();
                        file.write(block, 0);
                        file.force(false);
                        n++;
                    }
                    done.addAndGet(n);
                }
                break;
            case "direct":
                try (FileChannel file = FileChannel.open(directory.resolve("big"), StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
                    readBlocks(file, block);
                }
                break;
            case "cached":
                try (FileChannel file = FileChannel.open(directory.resolve("big"), StandardOpenOption.READ)) {
                    readBlocks(file, block);
                }
                break;
            case "append":
                try (FileOutputStream file = new FileOutputStream(own.toFile())) {
                    byte[] line = new byte[100];
                    long n = 0;
                    while (System.nanoTime() < end) {
                        file.write(line);
                        if (++n % 100_000 == 0) {
                            file.getChannel().truncate(0);
                        }
                    }
                    done.addAndGet(n);
                }
                break;
            default:
                throw new IllegalArgumentException(operation);
        }
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
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            workers[i] = new Thread(() -> {
                try {
                    work(args[0], directory, number);
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(1);
                }
            });
            workers[i].start();
        }
        for (Thread t : workers) {
            t.join();
        }
        sleeper.join();
        System.out.println(done.get() / Integer.parseInt(args[2]) + " " + late99 / 1000);
    }
}
