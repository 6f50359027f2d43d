/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Cassandra: a node in this VM and its driver. 50 threads write rows and read them back, count in counters, compete in lightweight
 * transactions whose sum must be right, and send batches, while the node writes its tables to the disk; asynchronous calls; a compaction.
 */
// options: --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED --add-exports=java.management.rmi/com.sun.jmx.remote.internal.rmi=ALL-UNNAMED --add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED --add-exports=java.rmi/sun.rmi.server=ALL-UNNAMED --add-opens=java.base/jdk.internal.ref=ALL-UNNAMED -Djdk.attach.allowAttachSelf=true
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.StorageService;
import wisp.apps.App;

public class CassandraApp {
    static final int THREADS = 50, ROWS = 60, REGISTERS = 5, COUNTERS = 3, ASYNCHRONOUS = 900;

    static CqlSession session;

    static CassandraDaemon start(int port) throws Exception {
        Path config = Path.of("cassandra.yaml").toAbsolutePath(), home = Path.of("").toAbsolutePath();
        int storage = App.freePort();
        Files.writeString(config, String.join("\n", "cluster_name: test", "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
                "commitlog_sync: periodic", "commitlog_sync_period: 10000ms", "num_tokens: 1", "endpoint_snitch: SimpleSnitch",
                "listen_address: 127.0.0.1", "storage_port: " + storage, "rpc_address: 127.0.0.1", "native_transport_port: " + port,
                "start_native_transport: true", "hints_directory: hints", "data_file_directories: [data]", "commitlog_directory: commits",
                "saved_caches_directory: caches", "cdc_raw_directory: cdc", "seed_provider:",
                "  - class_name: org.apache.cassandra.locator.SimpleSeedProvider", "    parameters:", "      - seeds: \"127.0.0.1:" + storage + "\""));
        System.setProperty("cassandra.config", config.toUri().toString());
        System.setProperty("cassandra.storagedir", home.toString());
        System.setProperty("cassandra-foreground", "true");
        System.setProperty("cassandra.ring_delay_ms", "100");
        System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
        CassandraDaemon daemon = new CassandraDaemon(true);
        daemon.activate();
        return daemon;
    }

    static void tables() {
        session.execute("create keyspace k with replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("create table k.lines (a int, b int, c text, primary key (a, b))");
        session.execute("create table k.registers (a int primary key, n int)");
        session.execute("create table k.counters (a int primary key, n counter)");
        for (int i = 0; i < REGISTERS; i++) {
            session.execute("insert into k.registers (a, n) values (" + i + ", 0)");
        }
    }

    /** Adds one, if nobody has changed it meanwhile; until that has worked. */
    static void increment(PreparedStatement read, PreparedStatement write, int register) {
        for (;;) {
            int n = session.execute(read.bind(register).setConsistencyLevel(ConsistencyLevel.SERIAL)).one().getInt(0);
            if (session.execute(write.bind(n + 1, register, n)).wasApplied()) {
                return;
            }
        }
    }

    static void work() throws Throwable {
        App.phase("rows, counters, lightweight transactions, batches");
        PreparedStatement insert = session.prepare("insert into k.lines (a, b, c) values (?, ?, ?)");
        PreparedStatement select = session.prepare("select c from k.lines where a = ? and b = ?");
        PreparedStatement read = session.prepare("select n from k.registers where a = ?");
        PreparedStatement write = session.prepare("update k.registers set n = ? where a = ? if n = ?");
        PreparedStatement count = session.prepare("update k.counters set n = n + 1 where a = ?");
        CountDownLatch third = new CountDownLatch(THREADS * ROWS / 3);
        App.crew(THREADS + 1, "client", t -> {
            if (t == THREADS) {
                third.await();
                StorageService.instance.forceKeyspaceFlush("k", ColumnFamilyStore.FlushReason.USER_FORCED);
                return;
            }
            for (int i = 0; i < ROWS; i++) {
                session.execute(insert.bind(t, i, App.text(t + i, i)));
                App.equal(session.execute(select.bind(t, i)).one().getString(0), App.text(t + i, i), "row");
                session.execute(count.bind(t % COUNTERS));
                if (i % 10 == 0) {
                    increment(read, write, (t + i) % REGISTERS);
                }
                if (i % 20 == 0) {
                    BatchStatementBuilder batch = BatchStatement.builder(BatchType.LOGGED);
                    for (int k = 0; k < 10; k++) {
                        batch.addStatement(insert.bind(THREADS + t, i + k, "of a batch"));
                    }
                    session.execute(batch.build());
                }
                third.countDown();
            }
        });
        App.equal(sum("registers"), (long) THREADS * (ROWS / 10), "sum of what the transactions have added");
        App.equal(sum("counters"), (long) THREADS * ROWS, "sum of the counters");
        App.phase("asynchronous calls");
        List<CompletionStage<?>> calls = new ArrayList<>();
        for (int i = 0; i < ASYNCHRONOUS; i++) {
            calls.add(session.executeAsync(insert.bind(2 * THREADS, i, "asynchronous")));
        }
        for (CompletionStage<?> call : calls) {
            call.toCompletableFuture().get(120, TimeUnit.SECONDS);
        }
        int rows = 0;
        for (Row row : session.execute("select c from k.lines where a = " + 2 * THREADS)) {
            App.equal(row.getString(0), "asynchronous", "row");
            rows++;
        }
        App.equal(rows, ASYNCHRONOUS, "rows");
    }

    static long sum(String table) {
        long sum = 0;
        for (Row row : session.execute("select cast(n as bigint) from k." + table)) {
            sum += row.getLong(0);
        }
        return sum;
    }

    public static void main(String[] args) {
        App.run(() -> {
            App.phase("start");
            int port = App.freePort();
            CassandraDaemon daemon = start(port);
            DriverConfigLoader patient = DriverConfigLoader.programmaticBuilder()
                    .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2)).build();
            try (CqlSession s = CqlSession.builder().addContactPoint(new InetSocketAddress("127.0.0.1", port)).withLocalDatacenter("datacenter1")
                    .withConfigLoader(patient).build()) {
                session = s;
                tables();
                work();
                App.phase("compaction");
                StorageService.instance.forceKeyspaceCompaction(false, "k");
                App.equal(sum("counters"), (long) THREADS * ROWS, "sum of the counters");
            }
            App.phase("stop");
            StorageService.instance.drain();
            daemon.deactivate();
        });
        System.exit(0);                  // with the flag and without: a node is a server, which is ended from outside
    }
}
