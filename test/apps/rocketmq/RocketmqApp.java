/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * RocketMQ: name server and broker in this VM, its journal on disk. 40 producers that send synchronously, asynchronously and with a delay,
 * consumers with 20 threads that must get each message once; others that get those of a queue in order; transactions that commit or not.
 */
// options: --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import wisp.apps.App;

public class RocketmqApp {
    static final int PRODUCERS = 40, MESSAGES = 200, ORDERED = 100, TRANSACTIONS = 10;

    static String nameServer;

    static NamesrvController startNameServer(String home, int port) throws Exception {
        NamesrvConfig config = new NamesrvConfig();
        config.setRocketmqHome(home);
        config.setKvConfigPath(home + "/names.json");
        config.setConfigStorePath(home + "/names.properties");
        NettyServerConfig net = new NettyServerConfig();
        net.setListenPort(port);
        NamesrvController server = new NamesrvController(config, net);
        App.check(server.initialize(), "name server");
        server.start();
        return server;
    }

    static BrokerController startBroker(String home) throws Exception {
        BrokerConfig config = new BrokerConfig();
        config.setRocketmqHome(home);
        config.setNamesrvAddr(nameServer);
        config.setBrokerIP1("127.0.0.1");
        NettyServerConfig net = new NettyServerConfig();
        // It also listens at the number two below its port.
        net.setListenPort(App.freePort());
        MessageStoreConfig store = new MessageStoreConfig();
        store.setStorePathRootDir(home + "/store");
        store.setStorePathCommitLog(home + "/store/log");
        store.setMappedFileSizeCommitLog(64 << 20);
        store.setHaListenPort(App.freePort());
        store.setMessageDelayLevel("1s 2s");
        BrokerController broker = new BrokerController(config, net, new NettyClientConfig(), store);
        App.check(broker.initialize(), "broker");
        broker.start();
        return broker;
    }

    /** The first message makes the topic, as soon as the broker is known. */
    static void makeTopic(DefaultMQProducer producer, String topic) throws Exception {
        for (;;) {
            try {
                producer.send(new Message(topic, "first".getBytes()));
                return;
            } catch (MQClientException e) {
                Thread.sleep(100);
            }
        }
    }

    static DefaultMQPushConsumer consumer(String group, String topic) throws MQClientException {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group);
        consumer.setNamesrvAddr(nameServer);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, "*");
        return consumer;
    }

    /** Counts each message once; one may be delivered twice. */
    static MessageListenerConcurrently gather(Set<String> got, CountDownLatch arrived) {
        return (list, context) -> {
            for (MessageExt m : list) {
                String body = new String(m.getBody());
                if (!body.equals("first") && got.add(body)) {
                    arrived.countDown();
                }
            }
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        };
    }

    /** What producer t sends as number i: each third one asynchronously, each fiftieth a second later. */
    static void send(DefaultMQProducer producer, int t, int i, CountDownLatch sent, AtomicReference<Throwable> failure) throws Exception {
        Message message = new Message("messages", (t + "-" + i).getBytes());
        if (i % 50 == 0) {
            message.setDelayTimeLevel(1);
        }
        if (i % 3 != 0) {
            App.equal(producer.send(message).getSendStatus(), SendStatus.SEND_OK, "status");
            sent.countDown();
            return;
        }
        producer.send(message, new SendCallback() {
            @Override
            public void onSuccess(SendResult result) {
                sent.countDown();
            }

            @Override
            public void onException(Throwable e) {
                failure.set(e);
                sent.countDown();
            }
        });
    }

    static void messages(DefaultMQProducer producer) throws Throwable {
        App.phase("messages");
        Set<String> got = ConcurrentHashMap.newKeySet();
        CountDownLatch arrived = new CountDownLatch(PRODUCERS * MESSAGES), inOrder = new CountDownLatch(PRODUCERS * ORDERED);
        CountDownLatch sent = new CountDownLatch(PRODUCERS * MESSAGES);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        DefaultMQPushConsumer all = consumer("all", "messages");
        all.setConsumeThreadMin(20);
        all.registerMessageListener(gather(got, arrived));
        all.start();
        Map<String, Integer> next = new ConcurrentHashMap<>();
        DefaultMQPushConsumer ordered = consumer("ordered", "ordered");
        ordered.registerMessageListener((MessageListenerOrderly) (list, context) -> {
            for (MessageExt m : list) {
                String[] parts = new String(m.getBody()).split("-");
                if (parts.length == 2) {
                    int i = Integer.parseInt(parts[1]);
                    if (next.getOrDefault(parts[0], 0) != i) {
                        failure.set(new AssertionError("message " + i + " of " + parts[0] + " instead of " + next.get(parts[0])));
                    }
                    next.put(parts[0], i + 1);
                    inOrder.countDown();
                }
            }
            return ConsumeOrderlyStatus.SUCCESS;
        });
        ordered.start();
        App.crew(PRODUCERS, "producer", t -> {
            for (int i = 0; i < MESSAGES; i++) {
                send(producer, t, i, sent, failure);
                if (i < ORDERED) {
                    producer.send(new Message("ordered", (t + "-" + i).getBytes()), (queues, m, key) -> queues.get((Integer) key % queues.size()), t);
                }
            }
        });
        sent.await();
        arrived.await();
        inOrder.await();
        App.check(failure.get() == null, "failure: " + failure.get());
        App.equal(got.size(), PRODUCERS * MESSAGES, "messages");
        all.shutdown();
        ordered.shutdown();
    }

    static void transactions() throws Throwable {
        App.phase("transactions");
        CountDownLatch arrived = new CountDownLatch(PRODUCERS * TRANSACTIONS / 2);
        Set<String> got = ConcurrentHashMap.newKeySet();
        TransactionMQProducer producer = new TransactionMQProducer("transactions");
        producer.setNamesrvAddr(nameServer);
        producer.setTransactionListener(new TransactionListener() {
            @Override
            public LocalTransactionState executeLocalTransaction(Message m, Object i) {
                return (Integer) i % 2 == 0 ? LocalTransactionState.COMMIT_MESSAGE : LocalTransactionState.ROLLBACK_MESSAGE;
            }

            @Override
            public LocalTransactionState checkLocalTransaction(MessageExt m) {
                return LocalTransactionState.UNKNOW;
            }
        });
        producer.start();
        makeTopic(producer, "transacted");
        DefaultMQPushConsumer consumer = consumer("transacted", "transacted");
        consumer.registerMessageListener(gather(got, arrived));
        consumer.start();
        App.crew(PRODUCERS, "transaction", t -> {
            for (int i = 0; i < TRANSACTIONS; i++) {
                producer.sendMessageInTransaction(new Message("transacted", (t + "-" + i).getBytes()), i);
            }
        });
        arrived.await();
        consumer.shutdown();
        producer.shutdown();
        for (String body : got) {
            App.check(Integer.parseInt(body.substring(body.indexOf('-') + 1)) % 2 == 0, "a message that was not committed: " + body);
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            App.phase("start");
            String home = System.getProperty("user.dir");
            System.setProperty("rocketmq.home.dir", home);
            System.setProperty("user.home", home);
            System.setProperty("rocketmq.client.logRoot", home);
            int port = App.freePort();
            nameServer = "127.0.0.1:" + port;
            NamesrvController names = startNameServer(home, port);
            BrokerController broker = startBroker(home);
            DefaultMQProducer producer = new DefaultMQProducer("producers");
            producer.setNamesrvAddr(nameServer);
            producer.setSendMsgTimeout(120_000);
            producer.start();
            makeTopic(producer, "messages");
            makeTopic(producer, "ordered");
            messages(producer);
            transactions();
            App.phase("stop");
            producer.shutdown();
            broker.shutdown();
            names.shutdown();
        });
        System.exit(0);                  // Netty's worker threads of its clients stay, with the flag and without
    }
}
