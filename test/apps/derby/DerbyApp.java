/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Derby's network server, in the same VM, worked by 40 threads through a HikariCP pool and by 40 that open a connection for each
 * transaction: transfers between accounts whose sum must stay, row locks, deadlocks of which the engine ends one transaction, texts that
 * are read again. Then the database is shut down and opened again.
 */
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.derby.drda.NetworkServerControl;
import wisp.apps.App;

public class DerbyApp {
    static final int THREADS = 40, ROUNDS = 15, ACCOUNTS = 40;

    static long query(Connection c, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                s.setObject(i + 1, arguments[i]);
            }
            if (!s.execute()) {
                return s.getUpdateCount();
            }
            try (ResultSet r = s.getResultSet()) {
                r.next();
                return r.getLong(1);
            }
        }
    }

    static String text(Connection c, int n) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("select body from note where id = ?")) {
            s.setInt(1, n);
            try (ResultSet r = s.executeQuery()) {
                return r.next() ? r.getString(1) : null;
            }
        }
    }

    interface Source {
        Connection get() throws SQLException;
    }

    static void work(Source source, int t, AtomicInteger ended) throws SQLException {
        Random random = new Random(t);
        for (int i = 0; i < ROUNDS; i++) {
            int n = t * ROUNDS + i, from = random.nextInt(ACCOUNTS), to = random.nextInt(ACCOUNTS);
            try (Connection c = source.get()) {
                c.setAutoCommit(false);
                try {
                    query(c, "update account set amount = amount - 1 where id = ?", from);
                    query(c, "update account set amount = amount + 1 where id = ?", to);
                    c.commit();
                } catch (SQLException e) {
                    // 40001: the victim of a deadlock; 40XL1: a lock that was not granted in time. Neither may leave a trace.
                    c.rollback();
                    App.check("40001".equals(e.getSQLState()) || "40XL1".equals(e.getSQLState()), "deadlock or lock time-out, but it is " + e);
                    ended.incrementAndGet();
                }
                query(c, "insert into note values (?, ?)", n, App.text(n, 50 + n % 3000));
                c.commit();
                App.equal(text(c, n), App.text(n, 50 + n % 3000), "note");
                c.commit();
                c.setAutoCommit(true);
            }
        }
    }

    static void sums(Connection c, long notes) throws SQLException {
        App.equal(query(c, "select sum(amount) from account"), ACCOUNTS * 1000L, "sum of the accounts");
        App.equal(query(c, "select count(*) from note"), notes, "number of notes");
    }

    static void shutDown(String url) {
        try {
            DriverManager.getConnection(url + ";shutdown=true").close();
            App.check(false, "a shutdown is reported by an exception");
        } catch (SQLException e) {
            App.equal(e.getSQLState(), "08006", "state of a shutdown");
        }
    }

    public static void main(String[] args) {
        System.setProperty("derby.stream.error.file", "derby.log");
        // Seconds after which it looks for a deadlock; 20 by default.
        System.setProperty("derby.locks.deadlockTimeout", "1");
        App.run(() -> {
            int port = App.freePort();
            App.phase("start");
            NetworkServerControl server = new NetworkServerControl(InetAddress.getByName("127.0.0.1"), port);
            server.start(new PrintWriter(System.out, true));
            String url = "jdbc:derby://127.0.0.1:" + port + "/work";
            while (true) {
                try {
                    server.ping();
                    break;
                } catch (Exception e) {
                    Thread.sleep(50);
                }
            }
            try (Connection c = DriverManager.getConnection(url + ";create=true")) {
                query(c, "create table account(id int primary key, amount bigint)");
                query(c, "create table note(id int primary key, body long varchar)");
                for (int i = 0; i < ACCOUNTS; i++) {
                    query(c, "insert into account values (?, 1000)", i);
                }
            }
            AtomicInteger ended = new AtomicInteger();
            App.phase("pool");
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMaximumPoolSize(10);
            config.setConnectionTimeout(120_000);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                App.crew(THREADS, "pooled", t -> work(pool::getConnection, t, ended));
            }
            App.phase("a connection for each transaction");
            App.crew(THREADS, "single", t -> work(() -> DriverManager.getConnection(url), THREADS + t, ended));
            App.phase(ended + " transactions ended by the server");
            try (Connection c = DriverManager.getConnection(url)) {
                sums(c, 2L * THREADS * ROUNDS);
            }
            App.phase("open again");
            shutDown(url);
            try (Connection c = DriverManager.getConnection(url)) {
                sums(c, 2L * THREADS * ROUNDS);
            }
            App.phase("stop");
            shutDown(url);
            server.shutdown();
        });
    }
}
