/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * H2 in server mode, in the same VM, worked over TCP through a HikariCP pool by 50 threads: transfers between accounts whose sum must
 * stay, locks and their time-outs, a query per row, large objects, a database in a file that is opened again.
 */
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.File;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.tools.Server;
import wisp.apps.App;

public class H2App {
    static final int THREADS = 50, ROUNDS = 30, ACCOUNTS = 20;

    static HikariDataSource pool(String url) {
        HikariConfig c = new HikariConfig();
        c.setJdbcUrl(url);
        c.setUsername("sa");
        c.setMaximumPoolSize(10);
        c.setConnectionTimeout(120_000);
        return new HikariDataSource(c);
    }

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

    static void transfers(HikariDataSource pool) throws Throwable {
        AtomicInteger deadlocks = new AtomicInteger();
        App.crew(THREADS, "transfer", t -> {
            for (int i = 0; i < ROUNDS; i++) {
                int from = ThreadLocalRandom.current().nextInt(ACCOUNTS);
                int to = ThreadLocalRandom.current().nextInt(ACCOUNTS);
                int n = t * ROUNDS + i;
                try (Connection c = pool.getConnection()) {
                    c.setAutoCommit(false);
                    try {
                        query(c, "update account set amount = amount - 1 where id = ?", from);
                        query(c, "update account set amount = amount + 1 where id = ?", to);
                        c.commit();
                    } catch (SQLException e) {
                        // Two transfers that lock in opposite orders: the database ends one of them, which must leave no trace.
                        c.rollback();
                        App.check(e.getErrorCode() == 40001 || e.getErrorCode() == 50200, "deadlock or lock time-out, but it is " + e);
                        deadlocks.incrementAndGet();
                    }
                    query(c, "insert into note values (?, ?)", n, App.text(n, 50 + n % 3000));
                    c.commit();
                    c.setAutoCommit(true);
                    App.equal(query(c, "select length(body) from note where id = ?", n), 50L + n % 3000, "length of a note");
                }
            }
        });
        App.phase(deadlocks + " deadlocks");
        try (Connection c = pool.getConnection()) {
            App.equal(query(c, "select sum(amount) from account"), ACCOUNTS * 1000L, "sum of the accounts");
            App.equal(query(c, "select count(*) from note"), (long) THREADS * ROUNDS, "number of notes");
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            int port = App.freePort();
            Server server = Server.createTcpServer("-tcpPort", Integer.toString(port), "-ifNotExists", "-baseDir", new File(".").getAbsolutePath()).start();
            String url = "jdbc:h2:tcp://127.0.0.1:" + port;
            for (String database : new String[] {"/mem:work;DB_CLOSE_DELAY=-1", "/./work"}) {
                App.phase(database);
                try (HikariDataSource pool = pool(url + database)) {
                    try (Connection c = pool.getConnection()) {
                        query(c, "create table account(id int primary key, amount bigint)");
                        query(c, "create table note(id int primary key, body varchar)");
                        for (int i = 0; i < ACCOUNTS; i++) {
                            query(c, "insert into account values (?, 1000)", i);
                        }
                    }
                    transfers(pool);
                }
            }
            App.phase("open again");
            try (HikariDataSource pool = pool(url + "/./work"); Connection c = pool.getConnection()) {
                App.equal(query(c, "select count(*) from note"), (long) THREADS * ROUNDS, "notes in the file");
            }
            App.phase("stop");
            server.stop();
        });
    }
}
