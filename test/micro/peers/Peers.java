/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/*
 * Measures what blocking, waking, yielding and starting cost, with the same byte codes on every JVM: kernel threads, coroutines, and
 * the virtual threads of JDK 25. Defends "with one carrier no slower than JDK 25, with two at most 0.6 of it", "a yield switch costs
 * at most half of Go's Gosched", and the tables that compare the runtimes.
 *
 * Usage: Peers plain|virtual PROGRAM OPERATIONS; prints one number, nanoseconds for one operation (milliseconds for sleepers).
 */
public class Peers {
    private static final int MEMBERS = 1000;
    private static ThreadFactory factory;

    interface Body {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        factory = args[0].equals("virtual") ? virtual() : Thread::new;
        String program = args[1];
        int n = Math.max(Integer.parseInt(args[2]), MEMBERS);
        if (program.equals("sleepers")) {
            measure(program, 20);
        } else {
            for (int i = 0; i < 4; i++) {
                measure(program, Math.max(n / 8, MEMBERS));
            }
        }
        System.out.printf("%.1f%n", measure(program, n));
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    // Thread.ofVirtual().factory(); by reflection because these classes are compiled for 11.
    static ThreadFactory virtual() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    private static double measure(String program, int n) throws Exception {
        switch (program) {
            case "yield":        return yields(n) / (double) n;
            case "alternate":    return alternate(n);
            case "park":         return park(n) / (double) n;
            case "queue":        return queue(n) / (double) n;
            case "monitor":      return monitor(n) / (double) n;
            case "start-main":   return starts(n) / (double) n;
            case "start-inside": return inside(() -> starts(n)) / (double) n;
            case "sleepers":     return sleepers(n) / 1e6;
            case "skynet":       return skynet(leaves(n)) / (double) threads(leaves(n));
            case "contended":    return contended(n / CROWD) / (double) (n / CROWD * CROWD);
            case "datagram":     return datagrams(n / PAIRS) / (double) (n / PAIRS * PAIRS);
            case "hand-over":    return handOvers(n) / (double) n;
            case "cached-pool":  return inside(() -> submits(n)) / (double) n;
            case "spin":         return spins(n / 3) / (double) (n / 3 * 3);
            case "ring":         return ring(n / MEMBERS) / (double) (n / MEMBERS * MEMBERS);
            default: throw new IllegalArgumentException("unknown program " + program);
        }
    }

    private static Thread thread(Body body) {
        return factory.newThread(() -> {
            try {
                body.run();
            } catch (Throwable t) {
                t.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        });
    }

    private static long together(Thread... threads) throws InterruptedException {
        long t = System.nanoTime();
        for (Thread x : threads) {
            x.start();
        }
        for (Thread x : threads) {
            x.join();
        }
        return System.nanoTime() - t;
    }

    interface Timed {
        long run() throws Exception;
    }

    private static long inside(Timed timed) throws Exception {
        long[] nanos = new long[1];
        together(thread(() -> nanos[0] = timed.run()));
        return nanos[0];
    }

    // Not in the table of make bench-peers: what spins for another thread. An element over a SynchronousQueue;
    private static long handOvers(int n) throws Exception {
        SynchronousQueue<Integer> queue = new SynchronousQueue<>();
        return together(thread(() -> {
            for (int i = 0; i < n; i++) {
                queue.put(i);
            }
        }), thread(() -> {
            for (int i = 0; i < n; i++) {
                queue.take();
            }
        }));
    }

    // a task for a cached pool, and its result;
    private static long submits(int n) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool(factory);
        long t = System.nanoTime();
        for (int i = 0; i < n; i++) {
            pool.submit(() -> 1).get();
        }
        t = System.nanoTime() - t;
        pool.shutdown();
        return t;
    }

    private static volatile int turn;

    // and three threads that pass a turn, which they wait for by Thread.onSpinWait().
    private static long spins(int rounds) throws Exception {
        turn = 0;
        Thread[] threads = new Thread[3];
        for (int k = 0; k < 3; k++) {
            int first = k;
            threads[k] = thread(() -> {
                for (int mine = first; mine < 3 * rounds; mine += 3) {
                    while (turn != mine) {
                        Thread.onSpinWait();
                    }
                    turn = mine + 1;
                }
            });
        }
        return together(threads);
    }

    // Two threads that do nothing but yield: on one carrier every yield is one switch.
    private static long yields(int n) throws Exception {
        Body body = () -> {
            for (int i = 0; i < n / 2; i++) {
                Thread.yield();
            }
        };
        return together(thread(body), thread(body));
    }

    private static int last, changes;

    // What the yields above are worth: how many of 100 of them let the other thread run.
    private static double alternate(int n) throws Exception {
        changes = 0;
        together(thread(() -> alternate(1, n / 2)), thread(() -> alternate(2, n / 2)));
        return changes * 100.0 / n;
    }

    private static void alternate(int me, int n) {
        for (int i = 0; i < n; i++) {
            if (last != me) {
                last = me;
                changes++;
            }
            Thread.yield();
        }
    }

    // One slot of the ring below: whoever sets full wakes the owner.
    static final class Seat {
        volatile boolean full;
        Thread owner;

        void take() {
            while (!full) {
                LockSupport.park(this);
            }
            full = false;
        }

        void fill() {
            full = true;
            LockSupport.unpark(owner);
        }
    }

    private static long park(int n) throws Exception {
        return pass(new Seat[] {new Seat(), new Seat()}, n);
    }

    private static long ring(int laps) throws Exception {
        Seat[] seats = new Seat[MEMBERS];
        for (int i = 0; i < MEMBERS; i++) {
            seats[i] = new Seat();
        }
        return pass(seats, laps);
    }

    private static long pass(Seat[] seats, int laps) throws Exception {
        Thread[] threads = new Thread[seats.length];
        for (int i = 0; i < seats.length; i++) {
            Seat mine = seats[i], next = seats[(i + 1) % seats.length];
            threads[i] = thread(() -> {
                for (int lap = 0; lap < laps; lap++) {
                    mine.take();
                    next.fill();
                }
            });
            mine.owner = threads[i];
        }
        seats[0].full = true;
        return together(threads);
    }

    private static long queue(int n) throws Exception {
        BlockingQueue<Integer> ping = new LinkedBlockingQueue<>(), pong = new LinkedBlockingQueue<>();
        ping.put(1);
        return together(thread(() -> relay(ping, pong, n)), thread(() -> relay(pong, ping, n)));
    }

    private static void relay(BlockingQueue<Integer> from, BlockingQueue<Integer> to, int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            to.put(from.take());
        }
    }

    private static long monitor(int n) throws Exception {
        Object lock = new Object();
        int[] turn = {0};
        return together(thread(() -> turns(lock, turn, 0, n)), thread(() -> turns(lock, turn, 1, n)));
    }

    private static void turns(Object lock, int[] turn, int me, int n) throws InterruptedException {
        synchronized (lock) {
            for (int i = 0; i < n; i++) {
                while (turn[0] != me) {
                    lock.wait();
                }
                turn[0] = 1 - me;
                lock.notify();
            }
        }
    }

    private static final int CROWD = 20;

    // Many threads want the same monitor, and its owner lets the others run, so that they queue for it, on one carrier, too.
    private static long contended(int laps) throws Exception {
        Object lock = new Object();
        int[] count = {0};
        Thread[] threads = new Thread[CROWD];
        for (int i = 0; i < CROWD; i++) {
            threads[i] = thread(() -> {
                for (int lap = 0; lap < laps; lap++) {
                    synchronized (lock) {
                        count[0]++;
                        Thread.yield();
                    }
                }
            });
        }
        long nanos = together(threads);
        check(count[0], laps * CROWD);
        return nanos;
    }

    private static void check(long actual, long expected) {
        if (actual != expected) {
            throw new IllegalStateException("computed " + actual + " instead of " + expected);
        }
    }

    // Pairs that send each other a datagram of 64 bytes by turns, over sockets that are not connected.
    private static final int PAIRS = 20;

    private static long datagrams(int n) throws Exception {
        Thread[] threads = new Thread[2 * PAIRS];
        for (int i = 0; i < threads.length; i += 2) {
            DatagramSocket a = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            DatagramSocket b = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            threads[i] = correspondent(a, b, n, true);
            threads[i + 1] = correspondent(b, a, n, false);
        }
        return together(threads);
    }

    private static Thread correspondent(DatagramSocket own, DatagramSocket other, int n, boolean begins) {
        return thread(() -> {
            DatagramPacket out = new DatagramPacket(new byte[64], 64, other.getLocalSocketAddress());
            DatagramPacket in = new DatagramPacket(new byte[100], 100);
            for (int i = 0; i < n; i++) {
                if (begins) {
                    own.send(out);
                }
                own.receive(in);
                if (!begins) {
                    own.send(out);
                }
            }
            check(in.getLength(), 64);
            own.close();
        });
    }

    private static int leaves(int n) {
        int leaves = 1;
        while (leaves <= n / 10) {
            leaves *= 10;
        }
        return leaves;
    }

    // The leaves of a tree with ten branches at each node, and the nodes.
    private static int threads(int leaves) {
        return leaves + (leaves - 1) / 9;
    }

    // Each node is a thread, which starts ten and adds up what they return; a leaf returns its number.
    private static long skynet(int leaves) throws Exception {
        long[] sum = new long[1];
        long nanos = together(node(sum, 0, 0, leaves));
        check(sum[0], leaves * (leaves - 1L) / 2);
        return nanos;
    }

    private static Thread node(long[] sums, int index, long first, int leaves) {
        return thread(() -> {
            if (leaves == 1) {
                sums[index] = first;
                return;
            }
            long[] parts = new long[10];
            Thread[] children = new Thread[10];
            for (int i = 0; i < 10; i++) {
                children[i] = node(parts, i, first + i * (leaves / 10), leaves / 10);
                children[i].start();
            }
            long sum = 0;
            for (int i = 0; i < 10; i++) {
                children[i].join();
                sum += parts[i];
            }
            sums[index] = sum;
        });
    }

    private static long starts(int n) throws Exception {
        long t = System.nanoTime();
        for (int i = 0; i < n; i++) {
            Thread x = thread(() -> { });
            x.start();
            x.join();
        }
        return System.nanoTime() - t;
    }

    private static long sleepers(int n) throws Exception {
        CountDownLatch done = new CountDownLatch(n);
        long t = System.nanoTime();
        for (int i = 0; i < n; i++) {
            thread(() -> {
                Thread.sleep(1000);
                done.countDown();
            }).start();
        }
        done.await();
        return System.nanoTime() - t;
    }
}
