/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Kafka: a broker in this VM that is its own controller (KRaft), ten producers, a group of five consumers that rebalances as they come,
 * and transactions that commit or abort. Every record must arrive once, in order in its partition.
 */
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.ArrayList;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;
import wisp.apps.App;

public class KafkaApp {
    static final int PRODUCERS = 10, CONSUMERS = 5, RECORDS = 1000, TRANSACTIONS = 20;
    static String broker;

    static KafkaProducer<String, String> producer(Map<String, Object> more) {
        Properties p = new Properties();
        p.put("bootstrap.servers", broker);
        p.put("acks", "all");
        p.put("linger.ms", "2");
        p.putAll(more);
        return new KafkaProducer<>(p, new StringSerializer(), new StringSerializer());
    }

    static KafkaConsumer<String, String> consumer(String group) {
        Properties p = new Properties();
        p.put("bootstrap.servers", broker);
        p.put("group.id", group);
        p.put("auto.offset.reset", "earliest");
        p.put("isolation.level", "read_committed");
        return new KafkaConsumer<>(p, new StringDeserializer(), new StringDeserializer());
    }

    static void records() throws Throwable {
        App.phase("producers and a group of consumers");
        Map<String, Integer> last = new ConcurrentHashMap<>();
        Set<String> got = ConcurrentHashMap.newKeySet();
        App.crew(PRODUCERS + CONSUMERS, "kafka", t -> {
            if (t < PRODUCERS) {
                try (KafkaProducer<String, String> p = producer(Map.of())) {
                    List<Future<RecordMetadata>> sent = new ArrayList<>();
                    for (int i = 0; i < RECORDS; i++) {
                        sent.add(p.send(new ProducerRecord<>("records", "k" + t, i + ":" + App.text(t + i, i % 700))));
                    }
                    for (Future<RecordMetadata> f : sent) {
                        App.check(f.get(120, TimeUnit.SECONDS).hasOffset(), "offset");
                    }
                }
            } else {
                try (KafkaConsumer<String, String> c = consumer("group")) {
                    c.subscribe(List.of("records"));
                    while (got.size() < PRODUCERS * RECORDS) {
                        for (ConsumerRecord<String, String> r : c.poll(Duration.ofMillis(200))) {
                            int i = Integer.parseInt(r.value().substring(0, r.value().indexOf(':')));
                            App.equal(r.value(), i + ":" + App.text(Integer.parseInt(r.key().substring(1)) + i, i % 700), "record");
                            // What was read before a rebalance and not committed comes again.
                            if (got.add(r.key() + "/" + i)) {
                                App.check(i > last.getOrDefault(r.key(), -1), "order of the records of a key");
                                last.put(r.key(), i);
                            }
                        }
                        c.commitSync();
                    }
                } catch (org.apache.kafka.clients.consumer.CommitFailedException e) {
                    App.check(got.size() >= PRODUCERS * RECORDS, "commit failed before the end: " + e);
                }
            }
        });
        App.equal(got.size(), PRODUCERS * RECORDS, "records");
    }

    static void transactions() throws Throwable {
        App.phase("transactions");
        App.crew(4, "transaction", t -> {
            try (KafkaProducer<String, String> p = producer(Map.of("transactional.id", "tx" + t))) {
                p.initTransactions();
                for (int i = 0; i < TRANSACTIONS; i++) {
                    p.beginTransaction();
                    p.send(new ProducerRecord<>("committed", "k" + t, i % 2 == 0 ? "kept" : "dropped"));
                    if (i % 2 == 0) {
                        p.commitTransaction();
                    } else {
                        p.abortTransaction();
                    }
                }
            }
        });
        int kept = 0;
        try (KafkaConsumer<String, String> c = consumer("reader")) {
            c.subscribe(List.of("committed"));
            while (kept < 4 * TRANSACTIONS / 2) {
                for (ConsumerRecord<String, String> r : c.poll(Duration.ofMillis(500))) {
                    App.equal(r.value(), "kept", "record of a transaction");
                    kept++;
                }
            }
        }
        App.equal(kept, 4 * TRANSACTIONS / 2, "records of committed transactions");
    }

    public static void main(String[] args) {
        App.run(() -> {
            int port = App.freePort(), controller = App.freePort();
            broker = "127.0.0.1:" + port;
            Path config = Path.of("server.properties").toAbsolutePath();
            Files.writeString(config, String.join("\n", "process.roles=broker,controller", "node.id=1", "controller.quorum.voters=1@127.0.0.1:" + controller,
                    "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller, "controller.listener.names=CONTROLLER",
                    "inter.broker.listener.name=PLAINTEXT", "log.dirs=" + new File("logs").getAbsolutePath(), "num.partitions=5",
                    "offsets.topic.num.partitions=5", "offsets.topic.replication.factor=1", "transaction.state.log.num.partitions=5",
                    "transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1", "group.initial.rebalance.delay.ms=0"));
            Properties properties = new Properties();
            try (var in = Files.newInputStream(config)) {
                properties.load(in);
            }
            App.phase("start");
            // The tool ends the VM when it is done, so it gets one of its own, as on a command line.
            App.equal(new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
                    StorageTool.class.getName(), "format", "-t", Uuid.randomUuid().toString(), "-c", config.toString()).inheritIO().start().waitFor(), 0, "format");
            KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(properties), Time.SYSTEM);
            server.startup();
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
                admin.createTopics(List.of(new NewTopic("records", 5, (short) 1), new NewTopic("committed", 2, (short) 1))).all().get(120, TimeUnit.SECONDS);
            }
            records();
            transactions();
            App.phase("stop");
            server.shutdown();
            server.awaitShutdown();
        });
    }
}
