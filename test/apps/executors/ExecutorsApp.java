/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * The executors of the JDK itself under load: fork/join with blocking tasks and managed blockers, parallel streams, chains of
 * CompletableFutures over several pools, Timer and ScheduledThreadPoolExecutor with thousands of periodic tasks, exchangers, phasers,
 * and pools that start a thread for each task.
 */
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import wisp.apps.App;

public class ExecutorsApp {
    static class Fibonacci extends RecursiveTask<Integer> {
        final int n;

        Fibonacci(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 2) {
                return n;
            }
            Fibonacci f = new Fibonacci(n - 1);
            f.fork();
            return new Fibonacci(n - 2).compute() + f.join();
        }
    }

    static void forkJoin() throws Throwable {
        App.phase("fork/join");
        ForkJoinPool pool = new ForkJoinPool(8);
        App.crew(8, "invoker", i -> App.equal(pool.invoke(new Fibonacci(22)), 17711, "fibonacci(22)"));
        AtomicInteger blocked = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(pool.submit(() -> {
                try {
                    ForkJoinPool.managedBlock(new ForkJoinPool.ManagedBlocker() {
                        private boolean done;

                        @Override
                        public boolean block() throws InterruptedException {
                            Thread.sleep(5);
                            blocked.incrementAndGet();
                            return done = true;
                        }

                        @Override
                        public boolean isReleasable() {
                            return done;
                        }
                    });
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (Future<?> f : all) {
            f.get();
        }
        App.equal(blocked.get(), 200, "managed blockers");
        pool.shutdown();
        App.check(pool.awaitTermination(60, TimeUnit.SECONDS), "fork/join pool ends");
    }

    static void streams() throws Throwable {
        App.phase("parallel streams");
        App.crew(20, "stream", i -> {
            App.equal(LongStream.rangeClosed(1, 200_000).parallel().sum(), 20_000_100_000L, "sum of a parallel stream");
            int[] a = IntStream.range(0, 50_000).map(x -> (x * 7919) % 50_021).toArray(), b = a.clone();
            Arrays.parallelSort(a);
            Arrays.sort(b);
            App.check(Arrays.equals(a, b), "parallelSort sorts");
            App.equal(IntStream.range(0, 40).parallel().map(x -> {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return x;
            }).sum(), 780, "sum of a stream that sleeps");
        });
    }

    static void futures() throws Throwable {
        App.phase("CompletableFuture");
        ExecutorService a = Executors.newFixedThreadPool(20), b = Executors.newCachedThreadPool();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            int n = i;
            CompletableFuture<Integer> left = CompletableFuture.supplyAsync(() -> n, a).thenApplyAsync(x -> x + 1, b);
            CompletableFuture<Integer> right = CompletableFuture.supplyAsync(() -> n).thenComposeAsync(x -> CompletableFuture.supplyAsync(() -> x * 2, a));
            all.add(left.thenCombineAsync(right, Integer::sum).orTimeout(120, TimeUnit.SECONDS));
        }
        long sum = 0;
        for (CompletableFuture<Integer> f : all) {
            sum += f.join();
        }
        App.equal(sum, 3L * 4999 * 5000 / 2 + 5000, "sum of futures");
        CompletableFuture<Void> never = new CompletableFuture<Void>().completeOnTimeout(null, 20, TimeUnit.MILLISECONDS);
        never.join();
        stop(a, b);
    }

    static void stop(ExecutorService... pools) throws InterruptedException {
        for (ExecutorService p : pools) {
            p.shutdown();
            App.check(p.awaitTermination(60, TimeUnit.SECONDS), "pool ends");
        }
    }

    static void timers() throws Throwable {
        App.phase("Timer, ScheduledThreadPoolExecutor");
        Timer timer = new Timer("timer");
        CountDownLatch fired = new CountDownLatch(3000);
        long start = System.nanoTime();
        for (int i = 0; i < 3000; i++) {
            long due = i % 500;
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    App.check((System.nanoTime() - start) / 1_000_000 >= due - 2, "a task of Timer runs early");
                    fired.countDown();
                }
            }, due);
        }
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(4);
        pool.setRemoveOnCancelPolicy(true);
        AtomicLong ticks = new AtomicLong();
        List<ScheduledFuture<?>> periodic = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            periodic.add(i % 2 == 0 ? pool.scheduleAtFixedRate(ticks::incrementAndGet, i % 50, 20, TimeUnit.MILLISECONDS)
                    : pool.scheduleWithFixedDelay(ticks::incrementAndGet, i % 50, 20, TimeUnit.MILLISECONDS));
        }
        App.check(fired.await(120, TimeUnit.SECONDS), "all tasks of Timer run");
        while (ticks.get() < 20_000) {
            Thread.sleep(10);
        }
        for (ScheduledFuture<?> f : periodic) {
            f.cancel(false);
        }
        timer.cancel();
        stop(pool);
    }

    static void threadPerTask() throws Throwable {
        App.phase("thread per task");
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(20_000);
        for (int i = 0; i < 20_000; i++) {
            new Thread(() -> {
                ended.incrementAndGet();
                all.countDown();
            }).start();
        }
        App.check(all.await(120, TimeUnit.SECONDS), "all threads run");
        App.equal(ended.get(), 20_000, "threads");
    }

    static void meetings() throws Throwable {
        App.phase("exchangers, phasers, barriers, hand-overs");
        List<Exchanger<Integer>> exchangers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            exchangers.add(new Exchanger<>());
        }
        AtomicLong sum = new AtomicLong();
        App.crew(20, "exchanger", i -> {
            for (int k = 0; k < 500; k++) {
                sum.addAndGet(exchangers.get(i / 2).exchange(k));
            }
        });
        App.equal(sum.get(), 20L * 499 * 500 / 2, "sum of what was exchanged");
        Phaser phaser = new Phaser(30);
        CyclicBarrier barrier = new CyclicBarrier(30);
        App.crew(30, "phaser", i -> {
            for (int k = 0; k < 200; k++) {
                App.equal(phaser.arriveAndAwaitAdvance(), k + 1, "phase");
                barrier.await(120, TimeUnit.SECONDS);
            }
        });
        SynchronousQueue<Integer> queue = new SynchronousQueue<>(true);
        AtomicLong taken = new AtomicLong();
        App.crew(40, "hand-over", i -> {
            for (int k = 0; k < 500; k++) {
                if (i % 2 == 0) {
                    queue.put(k);
                } else {
                    taken.addAndGet(queue.take());
                }
            }
        });
        App.equal(taken.get(), 20L * 499 * 500 / 2, "sum of what was handed over");
    }

    public static void main(String[] args) {
        App.run(() -> {
            forkJoin();
            streams();
            futures();
            timers();
            threadPerTask();
            meetings();
        });
    }
}
