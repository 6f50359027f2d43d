/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * ZooKeeper: an ensemble of three servers in this VM that elects its leader over loopback, and Curator clients that use it: locks,
 * counters, leader election, caches, and a restart of one server.
 */
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import wisp.apps.App;

public class ZookeeperApp {
    static final int CLIENTS = 8, ROUNDS = 10, LOWEST_PORT = 21_000;

    /**
     * Ports that differ, and that the kernel gives to nobody who connects: that of a leader is opened when there is one. TestingCluster asks for
     * any port, one after the other, and may be given the same one again, for the leader and for clients.
     */
    static InstanceSpec[] servers(int n) throws IOException {
        ServerSocket[] held = new ServerSocket[3 * n];
        for (int i = 0, port = LOWEST_PORT; i < held.length; port++) {
            try {
                held[i] = new ServerSocket(port);
                i++;
            } catch (BindException e) {
                // another program has it
            }
        }
        InstanceSpec[] servers = new InstanceSpec[n];
        for (int i = 0; i < n; i++) {
            servers[i] = new InstanceSpec(null, held[3 * i].getLocalPort(), held[3 * i + 1].getLocalPort(), held[3 * i + 2].getLocalPort(), true, i);
        }
        for (ServerSocket s : held) {
            s.close();
        }
        return servers;
    }

    static CuratorFramework client(TestingCluster cluster) throws Exception {
        CuratorFramework c = CuratorFrameworkFactory.newClient(cluster.getConnectString(), 60_000, 60_000, new RetryNTimes(100, 100));
        c.start();
        App.check(c.blockUntilConnected(120, TimeUnit.SECONDS), "client connects");
        return c;
    }

    public static void main(String[] args) {
        System.setProperty("zookeeper.jmx.log4j.disable", "true");
        App.run(() -> {
            App.phase("start of three servers");
            TestingCluster cluster = new TestingCluster(servers(3));
            cluster.start();
            App.phase("locks and counters");
            AtomicInteger plain = new AtomicInteger();
            int[] guarded = new int[1];
            App.crew(CLIENTS, "client", t -> {
                try (CuratorFramework c = client(cluster)) {
                    InterProcessMutex mutex = new InterProcessMutex(c, "/lock");
                    DistributedAtomicLong counter = new DistributedAtomicLong(c, "/counter", new RetryNTimes(1000, 5));
                    for (int i = 0; i < ROUNDS; i++) {
                        mutex.acquire();
                        try {
                            App.equal(plain.incrementAndGet(), 1, "owners of the lock");
                            guarded[0]++;
                            plain.decrementAndGet();
                        } finally {
                            mutex.release();
                        }
                        App.check(counter.increment().succeeded(), "increment");
                        byte[] data = App.text(t + i, 1000).getBytes();
                        c.create().creatingParentsIfNeeded().forPath("/data/" + t + "/" + i, data);
                        App.equal(new String(c.getData().forPath("/data/" + t + "/" + i)), new String(data), "data of a node");
                    }
                }
            });
            App.equal(guarded[0], CLIENTS * ROUNDS, "count under the lock");
            try (CuratorFramework c = client(cluster)) {
                App.equal(new DistributedAtomicLong(c, "/counter", new RetryNTimes(10, 5)).get().postValue(), (long) CLIENTS * ROUNDS, "counter");
                App.phase("cache");
                CountDownLatch seen = new CountDownLatch(CLIENTS * ROUNDS);
                AtomicInteger wrong = new AtomicInteger();
                try (CuratorCache cache = CuratorCache.build(c, "/data")) {
                    cache.listenable().addListener((type, old, data) -> {
                        String[] path = data.getPath().split("/");
                        if (path.length == 4) {
                            if (!new String(data.getData()).equals(App.text(Integer.parseInt(path[2]) + Integer.parseInt(path[3]), 1000))) {
                                wrong.incrementAndGet();
                            }
                            seen.countDown();
                        }
                    });
                    cache.start();
                    App.check(seen.await(120, TimeUnit.SECONDS), "all nodes seen by the cache");
                    App.equal(wrong.get(), 0, "nodes with other data in the cache");
                }
                App.phase("leaders");
                List<LeaderLatch> latches = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    LeaderLatch l = new LeaderLatch(c, "/leader", "" + i);
                    l.start();
                    latches.add(l);
                }
                for (int n = 5; n > 0; n--) {
                    while (latches.stream().noneMatch(LeaderLatch::hasLeadership)) {
                        Thread.sleep(5);
                    }
                    LeaderLatch l = latches.stream().filter(LeaderLatch::hasLeadership).findFirst().get();
                    latches.remove(l);
                    l.close();
                }
                App.phase("one server stops and starts");
                InstanceSpec one = cluster.findConnectionInstance(c.getZookeeperClient().getZooKeeper());
                cluster.killServer(one);
                c.setData().forPath("/data", "after".getBytes());
                App.equal(new String(c.getData().forPath("/data")), "after", "data with two servers");
                cluster.restartServer(one);
                App.equal(new String(c.getData().forPath("/data")), "after", "data with three servers");
            }
            App.phase("stop");
            cluster.close();
        });
        // A leader that stops while a follower joins leaves that follower's Sender thread behind, with the flag and without.
        System.exit(0);
    }
}
