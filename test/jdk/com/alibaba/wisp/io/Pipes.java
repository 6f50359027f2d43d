/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary What the reading end of a Pipe in blocking mode does on a coroutine, by a way of its own, is what it does on a kernel thread: counts, contents,
 *          and what each failure is; also where the kernel reads no pipe without blocking. Catches a difference, a byte that is lost
 *          or read twice, a reader that nobody wakes, and a call of poll for each read, as many as were made before.
 * @library /test/lib
 * @run main/othervm Pipes
 */

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class Pipes {
    static final int EXCHANGES = 5_000;
    static final int MANY = 300_000;

    static native int polls();

    static ByteBuffer buffer(boolean direct, int size) {
        return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    }

    static ByteBuffer bytes(int n, int seed) {
        ByteBuffer b = ByteBuffer.allocate(n);
        for (int i = 0; i < n; i++) {
            b.put((byte) (i * 31 + seed));
        }
        return b.flip();
    }

    static String text(ByteBuffer b) {
        ByteBuffer read = b.duplicate().flip();
        byte[] a = new byte[read.remaining()];
        read.get(a);
        return Arrays.toString(a);
    }

    static void fails(List<String> lines, String what, Check.Code code) {
        try {
            code.run();
            lines.add(what + " does not fail");
        } catch (Throwable e) {
            lines.add(what + ": " + e);
        }
    }

    static void exchange(List<String> lines, boolean direct) throws Exception {
        Pipe pipe = Pipe.open();
        Pipe.SourceChannel source = pipe.source();
        Pipe.SinkChannel sink = pipe.sink();

        ByteBuffer b = buffer(direct, 10);
        sink.write(bytes(5, 1));
        lines.add("less than there is room " + source.read(b) + " " + text(b));
        sink.write(bytes(12, 2));
        lines.add("the rest of the room " + source.read(b) + " " + text(b));
        b.clear().limit(3);
        lines.add("a part " + source.read(b) + " " + text(b));
        b.clear().position(2);
        lines.add("the rest " + source.read(b) + " " + text(b));
        b.position(b.limit());
        lines.add("no room " + source.read(b));
        fails(lines, "read-only", () -> source.read(buffer(direct, 4).asReadOnlyBuffer()));

        ByteBuffer[] parts = { buffer(direct, 3), buffer(direct, 0), buffer(direct, 4), buffer(direct, 100) };
        sink.write(bytes(5, 3));
        lines.add("scattered " + source.read(parts) + " " + text(parts[0]) + text(parts[2]));
        sink.write(bytes(50, 4));
        lines.add("scattered " + source.read(parts, 1, 2) + " " + text(parts[2]));
        lines.add("scattered " + source.read(parts, 2, 2) + " " + text(parts[3]));
        lines.add("scattered into nothing " + source.read(new ByteBuffer[] { buffer(direct, 0) }));
        fails(lines, "scattered, read-only", () -> source.read(new ByteBuffer[] { buffer(direct, 4), buffer(direct, 4).asReadOnlyBuffer() }));

        source.configureBlocking(false);
        b.clear();
        lines.add("nothing there, non-blocking " + source.read(b));
        sink.write(bytes(2, 5));
        lines.add("two there, non-blocking " + source.read(b) + " " + text(b));
        source.configureBlocking(true);
        sink.write(bytes(3, 6));
        lines.add("blocking again " + source.read(b) + " " + text(b));

        Crew crew = new Crew();
        crew.start("sink", () -> {
            ByteBuffer all = bytes(MANY, 7);
            while (all.hasRemaining()) {
                sink.write(all);
            }
            sink.close();
        });
        ByteBuffer expected = bytes(MANY, 7);
        int sum = 0;
        for (int size = 1; ; size = size * 3 % 70_001 + 1) {
            ByteBuffer some = buffer(direct, size);
            int n = source.read(some);
            if (n < 0) {
                lines.add("end " + n);
                break;
            }
            Check.equal(expected.slice().limit(n), some.flip(), "contents at " + sum);
            expected.position(expected.position() + n);
            sum += n;
        }
        crew.join();
        lines.add("all " + sum);
        b.clear();
        lines.add("behind the end " + source.read(b) + " " + source.read(new ByteBuffer[] { b, buffer(direct, 1) }));
        source.close();
        fails(lines, "closed", () -> source.read(b));
    }

    static List<String> everything() throws Exception {
        List<String> lines = new ArrayList<>();
        exchange(lines, false);
        exchange(lines, true);
        return lines;
    }

    /** Two threads send each other bytes by turns. */
    static void exchanges() throws Exception {
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        Crew crew = new Crew();
        int before = polls();
        crew.start("answers", () -> {
            ByteBuffer b = ByteBuffer.allocateDirect(8);
            for (int i = 0; i < EXCHANGES; i++) {
                b.clear().limit(1 + i % 3);
                Check.equal(1, there.source().read(b), "bytes");
                back.sink().write(b.flip());
            }
        });
        crew.start("asks", () -> {
            ByteBuffer b = ByteBuffer.allocateDirect(1);
            for (int i = 0; i < EXCHANGES; i++) {
                there.sink().write(b.clear().put((byte) i).flip());
                Check.equal(1, back.source().read(b.clear()), "bytes");
                Check.equal((byte) i, b.get(0), "the number of an answer");
            }
        });
        crew.join();
        int polls = polls() - before;
        System.out.println(polls + " polls");
        if (Vm.wispOn() && System.getenv("PIPES_BLOCK") == null) {
            Check.that(polls < EXCHANGES, polls + " polls for " + 2 * EXCHANGES + " reads");
        }
    }

    static void compare() throws Exception {
        List<String> expected = everything();      // main is a kernel thread
        Crew crew = new Crew();
        crew.start("coroutine", () -> {
            List<String> actual = everything();
            for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
                Check.equal(i < expected.size() ? expected.get(i) : null, i < actual.size() ? actual.get(i) : null, "step " + i);
            }
        });
        crew.join();
        expected.forEach(System.out::println);
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            System.loadLibrary("PipeCalls");
            compare();
            exchanges();
            return;
        }
        compare();
        String libraries = System.getProperty("test.nativepath");
        if (libraries == null) {
            System.out.println("calls: skipped, needs the harness");
            return;
        }
        for (String setting : new String[] { "PIPES=1", "PIPES_BLOCK=1" }) {
            List<String> command = new ArrayList<>(List.of("env", "LD_PRELOAD=" + libraries + "/libPipeCalls.so", setting));
            command.addAll(Vm.command("-Djava.library.path=" + libraries, "Pipes", "child"));
            Vm.run(command).exited(0).has("polls");
        }
    }
}
