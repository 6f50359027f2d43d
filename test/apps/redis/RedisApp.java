/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * A real Redis server, started by this driver, worked through Jedis, whose pool and sockets block, and through Lettuce, which runs on
 * Netty: counters, pipelines, blocking pops, publish/subscribe, transactions, scripts.
 */
// needs: redis-server
// packages: redis-server
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisConnectionException;
import wisp.apps.App;

public class RedisApp {
    static final int THREADS = 50, ROUNDS = 40;

    static void jedis(int port) throws Throwable {
        App.phase("Jedis");
        JedisPoolConfig config = new JedisPoolConfig();
        config.setMaxTotal(20);
        try (JedisPool pool = new JedisPool(config, "127.0.0.1", port, 120_000)) {
            App.crew(THREADS, "jedis", t -> {
                for (int i = 0; i < ROUNDS; i++) {
                    try (Jedis j = pool.getResource()) {
                        String key = "k" + t + "." + i, value = App.text(t + i, i % 10 == 0 ? 50_000 : i);
                        j.set(key, value);
                        j.incr("counter");
                        App.equal(j.get(key), value, "GET");
                        Pipeline p = j.pipelined();
                        List<Response<Long>> answers = new ArrayList<>();
                        for (int k = 0; k < 20; k++) {
                            answers.add(p.incr("c" + t));
                        }
                        p.sync();
                        App.equal(answers.get(19).get(), 20L * (i + 1), "INCR in a pipeline");
                        Transaction m = j.multi();
                        m.incrBy("multi", 2);
                        m.incrBy("multi", 3);
                        App.equal(m.exec().size(), 2, "EXEC");
                    }
                }
            });
            try (Jedis j = pool.getResource()) {
                App.equal(j.get("counter"), Integer.toString(THREADS * ROUNDS), "counter");
                App.equal(j.get("multi"), Integer.toString(5 * THREADS * ROUNDS), "transactions");
            }
            App.phase("blocking pops, publish/subscribe");
            AtomicLong popped = new AtomicLong();
            App.crew(16, "pop", t -> {
                try (Jedis j = pool.getResource()) {
                    for (int i = 0; i < ROUNDS; i++) {
                        if (t % 2 == 0) {
                            popped.addAndGet(Long.parseLong(j.blpop(60, "list").get(1)));
                        } else {
                            j.rpush("list", Integer.toString(i));
                        }
                    }
                }
            });
            App.equal(popped.get(), 8L * ROUNDS * (ROUNDS - 1) / 2, "sum of what was popped");
            AtomicInteger received = new AtomicInteger();
            CountDownLatch subscribed = new CountDownLatch(5);
            App.crew(6, "subscriber", t -> {
                try (Jedis j = pool.getResource()) {
                    if (t == 0) {
                        App.check(subscribed.await(60, TimeUnit.SECONDS), "all subscribe");
                        for (int i = 0; i < 100; i++) {
                            App.equal(j.publish("news", Integer.toString(i)), 5L, "receivers");
                        }
                        j.publish("news", "end");
                    } else {
                        j.subscribe(new JedisPubSub() {
                            @Override
                            public void onSubscribe(String channel, int n) {
                                subscribed.countDown();
                            }

                            @Override
                            public void onMessage(String channel, String message) {
                                if (message.equals("end")) {
                                    unsubscribe();
                                } else {
                                    received.incrementAndGet();
                                }
                            }
                        }, "news");
                    }
                }
            });
            App.equal(received.get(), 500, "messages");
        }
    }

    static void lettuce(int port) throws Throwable {
        App.phase("Lettuce");
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + port + "?timeout=120s");
        try (StatefulRedisConnection<String, String> c = client.connect()) {
            App.crew(THREADS, "lettuce", t -> {
                List<RedisFuture<Long>> futures = new ArrayList<>();
                for (int i = 0; i < ROUNDS; i++) {
                    String value = App.text(t * i, 10 + i);
                    c.sync().hset("h" + t, "f" + i, value);
                    App.equal(c.sync().hget("h" + t, "f" + i), value, "HGET");
                    futures.add(c.async().incr("shared"));
                }
                for (RedisFuture<Long> f : futures) {
                    App.check(f.get(120, TimeUnit.SECONDS) > 0, "INCR");
                }
            });
            App.equal(c.sync().get("shared"), Integer.toString(THREADS * ROUNDS), "counter");
            CountDownLatch heard = new CountDownLatch(100);
            try (StatefulRedisPubSubConnection<String, String> s = client.connectPubSub()) {
                s.addListener(new RedisPubSubAdapter<>() {
                    @Override
                    public void message(String channel, String message) {
                        heard.countDown();
                    }
                });
                s.sync().subscribe("l");
                for (int i = 0; i < 100; i++) {
                    c.sync().publish("l", "x");
                }
                App.check(heard.await(60, TimeUnit.SECONDS), "messages");
            }
        }
        client.shutdown(0, 10, TimeUnit.SECONDS);
    }

    public static void main(String[] args) {
        App.run(() -> {
            int port = App.freePort();
            Process server = App.start(new ProcessBuilder("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
                    .redirectErrorStream(true).redirectOutput(new File("redis.log")));
            try {
                while (true) {
                    try (Jedis j = new Jedis("127.0.0.1", port)) {
                        App.equal(j.ping(), "PONG", "PING");
                        break;
                    } catch (JedisConnectionException e) {
                        App.check(server.isAlive(), "the server runs");
                        Thread.sleep(50);
                    }
                }
                jedis(port);
                lettuce(port);
                App.phase("stop");
                server.destroy();
                App.equal(server.waitFor(), 0, "status of the server");
            } finally {
                server.destroyForcibly();
            }
        });
    }
}
