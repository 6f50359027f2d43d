/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/*
 * Measures computations that never block, where coroutines have nothing to gain: run alternately with the flag and without it defends "the
 * flag costs CPU-bound work at most 1%". The work is done in a thread that the program starts, as the main thread is never a coroutine.
 *
 * Usage: CpuBench WORKLOAD SECONDS, by CpuPair; writes "ready" after so many seconds of warm-up and two times of the work at least, and then
 * for each line that it reads the milliseconds for a fixed amount of work: the mean of what fits into 20 ms, once at least. Ends with its input.
 * javac wants the directory of its sources in the property "sources", and one to write to in "output". Each amount of work gives a number,
 * which must be the same each time.
 */
public class CpuBench {
    interface Work {
        long run() throws Exception;
    }

    private static final double TURN = 0.02;               // seconds

    // The worker parks between its turns: it is to be an idle VM that waits, and to read a pipe would block a carrier.
    public static void main(String[] args) throws Exception {
        Work work = work(args[0]);
        double seconds = Double.parseDouble(args[1]);
        SynchronousQueue<Boolean> turns = new SynchronousQueue<>();
        SynchronousQueue<Object> results = new SynchronousQueue<>();
        Thread t = new Thread(() -> {
            try {
                Object result = "ready";
                try {
                    long expected = work.run();
                    repeat(work, expected, seconds, 2);
                    for (;;) {
                        results.put(result);
                        turns.take();
                        result = repeat(work, expected, TURN, 1);
                    }
                } catch (Exception | Error e) {
                    results.put(e);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "worker");
        t.start();
        for (;;) {
            Object result = results.take();
            if (result instanceof Throwable) {
                ((Throwable) result).printStackTrace();
                Runtime.getRuntime().halt(1);
            }
            System.out.println(result instanceof Double ? String.format("%.4f", result) : result);
            System.out.flush();
            if (System.in.read() < 0) {
                Runtime.getRuntime().halt(0);
            }
            turns.put(true);
        }
    }

    private static Work work(String name) {
        switch (name) {
            case "allocate": return () -> Workloads.allocate(1000);
            case "hash":     return CpuBench::hash;
            case "maps":     return CpuBench::maps;
            case "matrix":   return CpuBench::matrix;
            case "sieve":    return CpuBench::sieve;
            case "bodies":   return CpuBench::bodies;
            case "sort":     return CpuBench::sort;
            case "strings":  return CpuBench::strings;
            case "streams":  return CpuBench::streams;
            case "locks":    return Workloads::uncontended;
            case "parallel": return CpuBench::parallel;
            case "javac":    return CpuBench::javac;
            default: throw new IllegalArgumentException("unknown workload " + name);
        }
    }

    /** Milliseconds for the work once. */
    private static double repeat(Work work, long expected, double seconds, int least) throws Exception {
        long start = System.nanoTime(), end = start + (long) (seconds * 1e9), now;
        int n = 0;
        do {
            long value = work.run();
            if (value != expected) {
                throw new IllegalStateException("computed " + value + " instead of " + expected);
            }
            n++;
            now = System.nanoTime();
        } while (now < end || n < least);
        return (now - start) / 1e6 / n;
    }

    private static int[] numbers(int n, long seed) {
        int[] values = new int[n];
        for (int i = 0; i < n; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            values[i] = (int) (seed >>> 33);
        }
        return values;
    }

    // Digests of a megabyte, by intrinsics and by byte codes.
    private static long hash() throws Exception {
        byte[] data = new byte[1 << 20];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i * 31 >>> 3);
        }
        long n = 0;
        for (String name : List.of("MD5", "SHA-1", "SHA-256")) {
            n = n * 31 + Arrays.hashCode(MessageDigest.getInstance(name).digest(data));
        }
        CRC32 crc = new CRC32();
        crc.update(data);
        return n * 31 + crc.getValue() + Arrays.hashCode(data);
    }

    private static long maps() {
        Map<Integer, Integer> hashed = new HashMap<>();
        Map<Integer, Integer> sorted = new TreeMap<>();
        Map<Integer, Integer> shared = new ConcurrentHashMap<>();
        for (int v : numbers(40_000, 7)) {
            int key = v & 0x3fff;
            hashed.merge(key, 1, Integer::sum);
            sorted.merge(key, 1, Integer::sum);
            shared.merge(key, 1, Integer::sum);
        }
        long n = 0;
        for (Map.Entry<Integer, Integer> e : sorted.entrySet()) {
            n = n * 31 + e.getKey() + hashed.get(e.getKey()) + shared.get(e.getKey());
        }
        return n;
    }

    private static long matrix() {
        int n = 240;
        double[][] a = new double[n][n], b = new double[n][n], c = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = i + j;
                b[i][j] = i - j;
            }
        }
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                double x = a[i][k];
                for (int j = 0; j < n; j++) {
                    c[i][j] += x * b[k][j];
                }
            }
        }
        double sum = 0;
        for (double[] row : c) {
            for (double x : row) {
                sum += x;
            }
        }
        return (long) sum;
    }

    private static long sieve() {
        boolean[] composite = new boolean[2_000_000];
        int primes = 0;
        for (int i = 2; i < composite.length; i++) {
            if (!composite[i]) {
                primes++;
                for (long j = (long) i * i; j < composite.length; j += i) {
                    composite[(int) j] = true;
                }
            }
        }
        return primes;
    }

    // Five bodies that attract each other.
    private static long bodies() {
        double[] x = {0, 4.8, 8.3, 12.9, 15.4}, y = {0, -1.2, 4.1, -15.1, -25.9}, z = {0, -0.1, -0.4, -0.2, 0.2};
        double[] vx = {0, 0.6, -1.0, 1.1, 1.0}, vy = {0, 2.8, 1.8, 0.9, 0.6}, vz = {0, 0, 0, 0, 0}, m = {39.5, 0.04, 0.01, 0.002, 0.002};
        for (int step = 0; step < 60_000; step++) {
            for (int i = 0; i < 5; i++) {
                for (int j = i + 1; j < 5; j++) {
                    double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
                    double d2 = dx * dx + dy * dy + dz * dz, f = 0.001 / (d2 * Math.sqrt(d2));
                    vx[i] -= dx * m[j] * f;
                    vy[i] -= dy * m[j] * f;
                    vz[i] -= dz * m[j] * f;
                    vx[j] += dx * m[i] * f;
                    vy[j] += dy * m[i] * f;
                    vz[j] += dz * m[i] * f;
                }
            }
            for (int i = 0; i < 5; i++) {
                x[i] += 0.001 * vx[i];
                y[i] += 0.001 * vy[i];
                z[i] += 0.001 * vz[i];
            }
        }
        return (long) (1e6 * (x[0] + y[1] + z[2] + x[3] + y[4]));
    }

    private static long sort() {
        int[] values = numbers(60_000, 42);
        Integer[] boxed = Arrays.stream(values).boxed().toArray(Integer[]::new);
        Arrays.sort(values);
        Arrays.sort(boxed, Comparator.comparing((Integer v) -> v & 0xffff).thenComparing(Comparator.reverseOrder()));
        return 31L * values[values.length / 3] + boxed[boxed.length / 3];
    }

    private static final Pattern WORD = Pattern.compile("([a-z]+)-(\\d+)(?:/x)?");

    private static long strings() {
        StringBuilder text = new StringBuilder();
        for (int v : numbers(6_000, 3)) {
            text.append(Integer.toString(v & 0xffff, 36).replaceAll("[0-9]", "")).append("ab-").append(v & 0xff).append(v % 3 == 0 ? "/x, " : ", ");
        }
        long n = 0;
        Matcher m = WORD.matcher(text);
        while (m.find()) {
            n = n * 31 + m.group(1).hashCode() + Integer.parseInt(m.group(2));
        }
        for (String part : text.toString().split(", ")) {
            n = n * 31 + String.join("+", part, part.toUpperCase(), part.substring(part.length() / 2)).hashCode();
        }
        return n;
    }

    private static long streams() {
        Map<Integer, Long> counts = IntStream.range(0, 60_000).boxed().map(i -> i * 31 % 1009).filter(i -> i % 3 != 0)
                .collect(Collectors.groupingBy(i -> i % 100, Collectors.counting()));
        long squares = IntStream.rangeClosed(1, 400_000).filter(i -> (i & 5) == 1).mapToLong(i -> (long) i * i).sum();
        String joined = Stream.iterate(1, i -> i * 7 % 10007).limit(5_000).sorted().map(String::valueOf).collect(Collectors.joining(","));
        return counts.hashCode() + squares + joined.hashCode();
    }

    // All processors, by the common pool of fork and join.
    private static long parallel() {
        int[] values = numbers(300_000, 5);
        Arrays.parallelSort(values);
        long sum = Arrays.stream(values).parallel().mapToLong(v -> Long.bitCount(v * 0x9e3779b97f4a7c15L)).sum();
        double roots = IntStream.range(0, 300_000).parallel().mapToDouble(i -> Math.floor(Math.sqrt(i))).sum();
        return values[1000] + sum + (long) roots;
    }

    private static List<Path> sources;

    // All of a library, compiled again in this VM; the number of classes.
    private static long javac() throws Exception {
        Path output = Path.of(System.getProperty("output"));
        if (sources == null) {
            try (Stream<Path> all = Files.walk(Path.of(System.getProperty("sources")))) {
                sources = all.filter(p -> p.toString().endsWith(".java")).sorted().collect(Collectors.toList());
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-proc:none", "-nowarn", "--release", "8", "-encoding", "UTF-8", "-d", output.toString());
            if (!compiler.getTask(Writer.nullWriter(), files, d -> { }, options, null, files.getJavaFileObjectsFromPaths(sources)).call()) {
                throw new IllegalStateException("javac failed");
            }
        }
        try (Stream<Path> all = Files.walk(output)) {
            return all.filter(p -> p.toString().endsWith(".class")).count();
        }
    }
}
