/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Two threads pass a token to each other through two queues; prints how many milliseconds the given number of round trips took.
 * Ordinary Java: nothing here knows whether the threads are kernel threads or coroutines.
 */
public class PingPong {
    private static final Integer TOKEN = 1;

    private final BlockingQueue<Integer> ping = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> pong = new LinkedBlockingQueue<>();

    private static void relay(BlockingQueue<Integer> from, BlockingQueue<Integer> to, int trips) {
        try {
            for (int i = 0; i < trips; i++) {
                to.put(from.take());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private long millis(int trips) throws InterruptedException {
        Thread a = new Thread(() -> relay(ping, pong, trips), "ping");
        Thread b = new Thread(() -> relay(pong, ping, trips), "pong");
        long start = System.nanoTime();
        a.start();
        b.start();
        ping.put(TOKEN);
        a.join();
        b.join();
        return (System.nanoTime() - start) / 1_000_000;
    }

    public static void main(String[] args) throws InterruptedException {
        int trips = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        new PingPong().millis(Math.max(1, trips / 10));
        System.out.println(new PingPong().millis(trips));
    }
}
