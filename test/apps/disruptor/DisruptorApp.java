/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * LMAX Disruptor: one and four producers, consumers and behind them a pool of workers that waits for these, with each of its ways to wait: for
 * a monitor, a lock, a time, by parks of a hundred nanoseconds, by yields and by spinning, with more threads than processors. And what
 * most services have of it, Log4j's asynchronous loggers: each line once, those of a thread in order.
 */
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.WorkHandler;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import wisp.apps.App;

public class DisruptorApp {
    static final int CONSUMERS = 3, WORKERS = 3, RING = 64, LOST_MAX = 10;

    static class Event {
        long producer, value;
    }

    /** Adds up what it gets, and checks that what a producer has sent comes in order. */
    static class Consumer implements EventHandler<Event> {
        final long[] next;
        final CountDownLatch done;
        long left, sum;

        Consumer(int producers, long events, CountDownLatch done) {
            next = new long[producers];
            left = events;
            this.done = done;
        }

        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            App.equal(event.value, next[(int) event.producer]++, "order of the events of a producer");
            sum += event.value;
            if (--left == 0) {
                done.countDown();
            }
        }
    }

    static void ring(String name, Supplier<WaitStrategy> strategy, ProducerType type, int each) throws Throwable {
        int producers = type == ProducerType.SINGLE ? 1 : 4;
        long events = (long) each * producers;
        CountDownLatch done = new CountDownLatch(CONSUMERS + 1);
        AtomicLong worked = new AtomicLong(), workSum = new AtomicLong();
        Disruptor<Event> disruptor = new Disruptor<>(Event::new, RING, Executors.defaultThreadFactory(), type, strategy.get());
        Consumer[] consumers = new Consumer[CONSUMERS];
        for (int i = 0; i < CONSUMERS; i++) {
            consumers[i] = new Consumer(producers, events, done);
        }
        @SuppressWarnings("unchecked")
        WorkHandler<Event>[] workers = new WorkHandler[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = event -> {
                workSum.addAndGet(event.value);
                if (worked.incrementAndGet() == events) {
                    done.countDown();
                }
            };
        }
        disruptor.handleEventsWith(consumers).thenHandleEventsWithWorkerPool(workers);
        RingBuffer<Event> ring = disruptor.start();
        App.crew(producers, name, i -> {
            for (int n = 0; n < each; n++) {
                long value = n;
                ring.publishEvent((event, sequence) -> {
                    event.producer = i;
                    event.value = value;
                });
            }
        });
        App.equal(done.await(100, TimeUnit.SECONDS), true, name + ": all events handled");
        disruptor.shutdown(100, TimeUnit.SECONDS);
        long sum = producers * ((long) each * (each - 1) / 2);
        for (Consumer consumer : consumers) {
            App.equal(consumer.sum, sum, name + ": sum of a consumer");
        }
        App.equal(workSum.get(), sum, name + ": sum of the workers");
    }

    static void rings() throws Throwable {
        Map<String, Supplier<WaitStrategy>> strategies = new LinkedHashMap<>();
        strategies.put("blocking", BlockingWaitStrategy::new);
        strategies.put("lite blocking", LiteBlockingWaitStrategy::new);
        strategies.put("time-out", () -> new TimeoutBlockingWaitStrategy(1, TimeUnit.MILLISECONDS));
        strategies.put("sleeping", SleepingWaitStrategy::new);
        strategies.put("yielding", YieldingWaitStrategy::new);
        strategies.put("phased", () -> PhasedBackoffWaitStrategy.withLock(1, 10, TimeUnit.MICROSECONDS));
        strategies.put("phased sleep", () -> PhasedBackoffWaitStrategy.withSleep(1, 10, TimeUnit.MICROSECONDS));
        strategies.put("spinning", BusySpinWaitStrategy::new);
        for (Map.Entry<String, Supplier<WaitStrategy>> s : strategies.entrySet()) {
            App.phase(s.getKey());
            int each = s.getKey().equals("spinning") ? 2_000 : 10_000;   // kernel threads that spin take turns of milliseconds
            ring(s.getKey(), s.getValue(), ProducerType.SINGLE, each);
            ring(s.getKey(), s.getValue(), ProducerType.MULTI, each);
        }
    }

    static void loggers() throws Throwable {
        App.phase("asynchronous loggers");
        int threads = 50, lines = 2_000;
        Path file = Files.createTempFile("disruptor-app", ".log");
        Path configuration = Files.createTempFile("disruptor-app", ".properties");
        Files.write(configuration, List.of(
            "appender.file.type = RandomAccessFile", "appender.file.name = file", "appender.file.fileName = " + file, "appender.file.append = false",
            "appender.file.layout.type = PatternLayout", "appender.file.layout.pattern = %m%n",
            "rootLogger.level = info", "rootLogger.appenderRef.file.ref = file"));
        System.setProperty("log4j2.configurationFile", configuration.toString());
        System.setProperty("log4j2.contextSelector", "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector");
        System.setProperty("log4j2.asyncLoggerRingBufferSize", "256");
        Logger log = LogManager.getLogger(DisruptorApp.class);
        App.crew(threads, "logger", i -> {
            for (int n = 0; n < lines; n++) {
                log.info("{} {}", i, n);
            }
        });
        LogManager.shutdown();
        int[] next = new int[threads];
        int[] lost = new int[1];
        List<String> bad = new ArrayList<>();
        try (Stream<String> all = Files.lines(file)) {
            all.forEach(line -> {
                int space = line.indexOf(' ');
                int i = Integer.parseInt(line.substring(0, space)), n = Integer.parseInt(line.substring(space + 1));
                if (n < next[i]) {
                    bad.add(line);
                }
                lost[0] += Math.max(n - next[i], 0);
                next[i] = n + 1;
            });
        }
        App.equal(bad, List.of(), "lines out of order");
        for (int n : next) {
            lost[0] += lines - n;
        }
        // Log4j throws a line away for which the ring was full, if its room is below nothing, as it takes that for a logger that has been shut down. The
        // Disruptor reads what has been consumed, then what has been claimed, so that is what a thread finds which loses its CPU in between.
        App.check(lost[0] <= LOST_MAX, lost[0] + " of " + threads * lines + " lines lost");
        Files.delete(file);
        Files.delete(configuration);
    }

    public static void main(String[] args) {
        App.run(() -> {
            rings();
            loggers();
        });
    }
}
