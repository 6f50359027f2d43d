/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary On one carrier a thread blocks in a native method of the JDK again and again, until another one, which waits for that carrier, ends
 *          its call: reads of a pipe as a file, by a stream, a RandomAccessFile and a channel, and writes to a full one. The monitor
 *          thread looks twice a second. Catches: whoever blocks keeps the carrier until then. With two carriers, one of which is idle,
 *          whoever is to end the call waits for an event. Catches: nobody sees to events. Also that each of these methods
 *          gets its arguments, result and exceptions through the code that is put around it.
 * @library /test/lib
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm BlockingCalls
 */

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class BlockingCalls {
    static final int ROUNDS = 30;
    static final long TICK_NANOS = 500_000_000L;

    /** So long after it has handed a queue off the monitor thread looks again at once for another one that blocks. */
    static final int FORGOTTEN_MILLIS = 30;

    /** So long it looks for events more often when it has found one that nobody took. */
    static final int CALM_MILLIS = 150;

    /** A pipe has room for so many. */
    static final int PIPE_BYTES = 1 << 16;

    /** What the kernel tells first of a thread that blocks in read(), or in write(): the number of the system call. Then come the arguments. */
    static final String READ = "0", WRITE = "1";

    interface Call {
        void run(int n) throws Throwable;
    }

    /**
     * How many calls end only when the monitor thread looks, if one blocks so often, and another one, which runs when it can, ends its call.
     * Who waits for that look waits for nearly a tick, as the one before has ended the call before.
     */
    static void turns(Path pipe, String what, Call blocks, Call ends) throws Throwable {
        SynchronousQueue<Integer> next = new SynchronousQueue<>();
        AtomicInteger late = new AtomicInteger();
        both(n -> {
            Thread.sleep(FORGOTTEN_MILLIS);
            long start = System.nanoTime();
            next.put(n);
            blocks.run(n);
            late.addAndGet(isLate(start));
        }, n -> {
            next.take();
            awaitBlocked(pipe);
            ends.run(n);
        });
        conclude(what, late.get());
    }

    static int isLate(long start) {
        return System.nanoTime() - start >= TICK_NANOS / 2 ? 1 : 0;
    }

    static void conclude(String what, int late) {
        System.out.println(what + ": " + late + " of " + ROUNDS + " calls take half a tick");
        Check.that(late < ROUNDS / 3, what + ": " + late);
    }

    /**
     * Until a kernel thread of this process blocks in a system call that reads from the pipe or writes to it. A call that is ended before it
     * has begun does not block, and who makes four of these in a row is taken for one whose calls do not.
     */
    static void awaitBlocked(Path pipe) throws Exception {
        for (;; Thread.sleep(1)) {
            for (String id : new File("/proc/self/task").list()) {
                try {
                    String[] call = Files.readString(Paths.get("/proc/self/task", id, "syscall")).split(" ");
                    if ((call[0].equals(READ) || call[0].equals(WRITE)) &&
                            Files.readSymbolicLink(Paths.get("/proc/self/fd/" + Integer.decode(call[1]))).endsWith(pipe)) {
                        return;
                    }
                } catch (IOException e) {
                    // has ended since, or has closed that descriptor
                }
            }
        }
    }

    static void both(Call blocks, Call ends) throws Throwable {
        Crew crew = new Crew();
        crew.start("blocks", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                blocks.run(n);
            }
        });
        crew.start("ends", () -> {
            for (int n = 0; n < ROUNDS; n++) {
                ends.run(n);
            }
        });
        crew.join();
    }

    /**
     * Two threads block by turns, each when its timer has woken it, while the other one waits for an event to end that call: the carrier
     * that was in the pump runs the first of them, and the other one sleeps outside of it. How many calls end only when the monitor thread
     * looks.
     */
    static void event() throws Throwable {
        Path[] paths = {pipe("even"), pipe("odd")};      // each its own, as who has written may go on to read before the other one has read
        try (RandomAccessFile even = new RandomAccessFile(paths[0].toFile(), "rw");
             RandomAccessFile odd = new RandomAccessFile(paths[1].toFile(), "rw");
             ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket one = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            RandomAccessFile[] pipes = {even, odd};
            Socket[] sockets = {one, other};
            AtomicInteger late = new AtomicInteger();
            Call blocks = n -> {
                Thread.sleep(CALM_MILLIS);
                long start = System.nanoTime();
                sockets[n % 2].getOutputStream().write(n);
                Check.equal(n, pipes[n % 2].read(), "byte");
                late.addAndGet(isLate(start));
            };
            Call ends = n -> {
                int read = sockets[1 - n % 2].getInputStream().read();
                Thread.sleep(2);                         // mostly the other one is in its call then; awaitBlocked() makes such calls itself
                pipes[n % 2].write(read);
            };
            both(n -> (n % 2 == 0 ? blocks : ends).run(n), n -> (n % 2 == 0 ? ends : blocks).run(n));
            conclude("an event", late.get());
        } finally {
            Files.delete(paths[0]);
            Files.delete(paths[1]);
        }
    }

    static Path pipe(String name) throws Exception {
        Path pipe = Paths.get(name + "-" + ProcessHandle.current().pid());
        Check.equal(0, new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor(), "mkfifo");
        return pipe;
    }

    static void pipes() throws Throwable {
        Files.readString(Paths.get("/proc/self/syscall"));               // throws here if the kernel does not tell awaitBlocked() anything
        Path path = pipe("calls");
        File file = path.toFile();
        try (RandomAccessFile both = new RandomAccessFile(file, "rw"); FileInputStream in = new FileInputStream(file);
             FileOutputStream out = new FileOutputStream(file); FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Call write = n -> out.write(n & 0x7f);
            turns(path, "FileInputStream.read()", n -> Check.equal(n & 0x7f, in.read(), "byte"), write);
            byte[] some = new byte[4];
            turns(path, "FileInputStream.read(byte[])", n -> {
                Check.equal(1, in.read(some, 2, 2), "length");
                Check.equal(n & 0x7f, (int) some[2], "byte");
            }, write);
            turns(path, "RandomAccessFile.read()", n -> Check.equal(n & 0x7f, both.read(), "byte"), write);
            turns(path, "RandomAccessFile.read(byte[])", n -> {
                Check.equal(1, both.read(some, 3, 1), "length");
                Check.equal(n & 0x7f, (int) some[3], "byte");
            }, write);
            ByteBuffer buffer = ByteBuffer.allocateDirect(4);
            turns(path, "FileChannel.read", n -> {
                buffer.clear();
                Check.equal(1, channel.read(buffer), "length");
                Check.equal(n & 0x7f, (int) buffer.get(0), "byte");
            }, write);
            byte[] much = new byte[PIPE_BYTES];
            byte[] read = new byte[PIPE_BYTES];
            out.write(much);
            turns(path, "FileOutputStream.write(byte[])", n -> {
                Arrays.fill(much, (byte) n);
                out.write(much);
            }, n -> {
                for (int done = 0; done < read.length; ) {
                    done += in.read(read, done, read.length - done);
                }
            });
        } finally {
            Files.delete(path);
        }
    }

    static byte[] bytes(int n) {
        byte[] b = new byte[n];
        for (int i = 0; i < n; i++) {
            b[i] = (byte) (i * 7);
        }
        return b;
    }

    /** Arguments, results, exceptions; often enough for compiled code. */
    static void files() throws Throwable {
        Path path = Paths.get("file-" + ProcessHandle.current().pid());
        byte[] content = bytes(10_000);
        Files.write(path, content);
        for (int i = 0; i < 300; i++) {
            try (RandomAccessFile f = new RandomAccessFile(path.toFile(), "rw"); FileChannel c = f.getChannel();
                 FileInputStream in = new FileInputStream(path.toFile());
                 FileChannel reads = FileChannel.open(path, StandardOpenOption.READ);
                 FileOutputStream out = new FileOutputStream("copy-" + ProcessHandle.current().pid())) {
                int at = 13 * i;
                ByteBuffer b = ByteBuffer.allocate(100);
                Check.equal(100, reads.read(b, at), "pread");
                Check.that(Arrays.equals(b.array(), Arrays.copyOfRange(content, at, at + 100)), "pread");
                Check.equal(-1, reads.read(ByteBuffer.allocate(1), 20_000), "pread behind the end");
                Check.equal(100, c.write(ByteBuffer.wrap(content, at, 100), at), "pwrite");
                Check.throwing(NonWritableChannelException.class, "pwrite", () -> reads.write(ByteBuffer.allocate(1), 0));
                ByteBuffer[] parts = {ByteBuffer.allocateDirect(10), ByteBuffer.allocateDirect(20)};
                Check.equal(30L, reads.read(parts), "readv");
                Check.equal(content[29], parts[1].get(19), "readv");
                parts[0].flip();
                parts[1].flip();
                Check.equal(30L, c.position(0).write(parts), "writev");
                c.force(i % 2 == 0);
                f.getFD().sync();
                MappedByteBuffer map = c.map(FileChannel.MapMode.READ_WRITE, 0, 5_000);
                map.load();
                map.put(4_999, content[4_999]);
                map.force();
                f.seek(at);
                Check.equal(content[at] & 0xff, f.read(), "read");
                f.write(content[at + 1]);
                f.write(content, at + 2, 50);
                Check.equal((long) at + 52, f.getFilePointer(), "position");
                byte[] some = new byte[60];
                Check.equal(60, in.read(some), "read");
                Check.that(Arrays.equals(some, Arrays.copyOf(content, 60)), "read");
                Check.throwing(IndexOutOfBoundsException.class, "read", () -> in.read(some, 50, 11));
                out.write(1);
                Check.equal(9_000L, reads.transferTo(1_000, 9_000, out.getChannel()), "transferTo");
                in.close();
                Check.equal("Stream Closed", Check.throwing(IOException.class, "read", () -> in.read(some)).getMessage(), "message");
            }
        }
        Check.that(Arrays.equals(content, Files.readAllBytes(path)), "content at the end");
        try (FileOutputStream full = new FileOutputStream("/dev/full")) {
            Check.equal("No space left on device", Check.throwing(IOException.class, "write", () -> full.write(new byte[9])).getMessage(), "message");
        }
        Check.that(InetAddress.getByName("localhost").isLoopbackAddress(), "localhost");
        Check.throwing(UnknownHostException.class, "look-up", () -> InetAddress.getByName("no.such.name.invalid"));
    }

    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            child("pipes", 1);
            child("event", 2);
            files();
            return;
        }
        if (args[0].equals("pipes")) {
            pipes();
        } else {
            event();
        }
    }

    static void child(String what, int carriers) throws Exception {
        Vm.java("-Dcom.alibaba.wisp.carrierEngines=" + carriers, "-Dcom.alibaba.wisp.sysmonTickUs=500000", "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-WispAlwaysMigrate", "-XX:-WispAlwaysHandOff", "BlockingCalls", what).exited(0).has("half a tick");
    }
}
