/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * ActiveMQ Artemis: a broker in this VM with a journal on disk and acceptors for TCP and for connections inside the VM, with producers
 * and consumers on queues and topics, transactions, and requests with replies.
 */
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.io.File;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnector;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import wisp.apps.App;

public class ArtemisApp {
    static final int PRODUCERS = 20, CONSUMERS = 20, MESSAGES = 50;

    static void queue(ActiveMQConnectionFactory factory, String name) throws Throwable {
        App.phase(name);
        Set<Integer> got = ConcurrentHashMap.newKeySet();
        AtomicInteger rolledBack = new AtomicInteger();
        App.crew(PRODUCERS + CONSUMERS, "jms", t -> {
            try (Connection c = factory.createConnection()) {
                c.start();
                Session s = c.createSession(true, Session.SESSION_TRANSACTED);
                Queue q = s.createQueue(name);
                if (t < PRODUCERS) {
                    MessageProducer p = s.createProducer(q);
                    for (int i = 0; i < MESSAGES; i++) {
                        int n = t * MESSAGES + i;
                        TextMessage m = s.createTextMessage(App.text(n, n % 3000));
                        m.setIntProperty("n", n);
                        p.send(m);
                        if (n % 25 == 0) {
                            s.rollback();
                            p.send(m);
                            rolledBack.incrementAndGet();
                        }
                        s.commit();
                    }
                } else {
                    MessageConsumer r = s.createConsumer(q);
                    while (got.size() < PRODUCERS * MESSAGES) {
                        TextMessage m = (TextMessage) r.receive(100);
                        if (m == null) {
                            continue;
                        }
                        int n = m.getIntProperty("n");
                        App.equal(m.getText(), App.text(n, n % 3000), "text of a message");
                        App.check(got.add(n), "message " + n + " came twice");
                        s.commit();
                    }
                }
            }
        });
        App.equal(got.size(), PRODUCERS * MESSAGES, "messages");
        App.check(rolledBack.get() > 0, "some transactions rolled back");
    }

    static void topic(ActiveMQConnectionFactory factory) throws Throwable {
        App.phase("topic, listeners");
        CountDownLatch all = new CountDownLatch(10 * 200);
        AtomicInteger wrong = new AtomicInteger();
        try (Connection c = factory.createConnection()) {
            c.start();
            for (int i = 0; i < 10; i++) {
                Session s = c.createSession(false, Session.AUTO_ACKNOWLEDGE);
                AtomicInteger next = new AtomicInteger();
                s.createConsumer(s.createTopic("news")).setMessageListener(m -> {
                    try {
                        if (!((TextMessage) m).getText().equals("news " + next.getAndIncrement())) {
                            wrong.incrementAndGet();
                        }
                    } catch (JMSException e) {
                        wrong.incrementAndGet();
                    }
                    all.countDown();
                });
            }
            Session s = c.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = s.createTopic("news");
            MessageProducer p = s.createProducer(topic);
            for (int i = 0; i < 200; i++) {
                p.send(s.createTextMessage("news " + i));
            }
            App.check(all.await(120, TimeUnit.SECONDS), "every listener hears every message");
            App.equal(wrong.get(), 0, "messages that were not the next one of their listener");
        }
    }

    static void replies(ActiveMQConnectionFactory factory) throws Throwable {
        App.phase("requests and replies");
        try (Connection c = factory.createConnection()) {
            c.start();
            Session server = c.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer answers = server.createProducer(null);
            server.createConsumer(server.createQueue("requests")).setMessageListener(m -> {
                try {
                    answers.send(m.getJMSReplyTo(), server.createTextMessage("re: " + ((TextMessage) m).getText()));
                } catch (JMSException e) {
                    throw new IllegalStateException(e);
                }
            });
            App.crew(10, "requester", t -> {
                try (Connection mine = factory.createConnection()) {
                    mine.start();
                    Session s = mine.createSession(false, Session.AUTO_ACKNOWLEDGE);
                    Queue reply = s.createTemporaryQueue();
                    MessageConsumer r = s.createConsumer(reply);
                    MessageProducer p = s.createProducer(s.createQueue("requests"));
                    for (int i = 0; i < 30; i++) {
                        TextMessage m = s.createTextMessage(t + "." + i);
                        m.setJMSReplyTo(reply);
                        p.send(m);
                        Message answer = r.receive(120_000);
                        App.equal(answer == null ? null : ((TextMessage) answer).getText(), "re: " + t + "." + i, "reply");
                    }
                }
            });
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            int port = App.freePort();
            Configuration config = new ConfigurationImpl().setSecurityEnabled(false).setPersistenceEnabled(true).setJournalType(JournalType.NIO)
                    .setMaxDiskUsage(-1).addAcceptorConfiguration("tcp", "tcp://127.0.0.1:" + port).addAcceptorConfiguration("vm", "vm://0");
            config.setBrokerInstance(new File(".").getAbsoluteFile());
            EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(config);
            App.phase("start");
            broker.start();
            try (ActiveMQConnectionFactory tcp = new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port);
                    ActiveMQConnectionFactory vm = new ActiveMQConnectionFactory("vm://0")) {
                queue(tcp, "over-tcp");
                queue(vm, "in-vm");
                topic(tcp);
                replies(tcp);
            }
            App.phase("stop");
            broker.stop();
            // The pools that all clients in a VM share stay until they are told.
            ActiveMQClient.clearThreadPools();
            InVMConnector.resetThreadPool();
        });
    }
}
