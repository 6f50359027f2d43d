/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * HSQLDB in the same VM and as a server, with each of its three ways to isolate transactions, worked by 30 threads that move money between
 * the accounts of one small table and try again at once when a transaction was rolled back: with MVCC the database ends whoever would
 * complete a deadlock, which wakes those that it has kept waiting, and takes the same row again. The sum must stay.
 */
import java.io.File;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.concurrent.atomic.AtomicInteger;
import org.hsqldb.server.Server;
import wisp.apps.App;

public class HsqldbApp {
    static final int THREADS = 30, ROUNDS = 40, ACCOUNTS = 20;

    static void update(Connection c, String sql, int id) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            s.setInt(1, id);
            App.equal(s.executeUpdate(), 1, "rows that " + sql + " has changed");
        }
    }

    static long query(Connection c, String sql) throws SQLException {
        try (ResultSet r = c.createStatement().executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }

    static void transfers(String url) throws Throwable {
        AtomicInteger retries = new AtomicInteger();
        App.crew(THREADS, "transfer", t -> {
            try (Connection c = DriverManager.getConnection(url, "sa", "")) {
                c.setAutoCommit(false);
                for (int i = 0; i < ROUNDS; i++) {
                    for (boolean done = false; !done; ) {
                        try {
                            update(c, "update account set amount = amount - 1 where id = ?", t % ACCOUNTS);
                            if (t % 2 == 0) {
                                Thread.yield();
                            } else {
                                Thread.sleep(1);
                            }
                            update(c, "update account set amount = amount + 1 where id = ?", i % ACCOUNTS);
                            c.commit();
                            done = true;
                        } catch (SQLTransactionRollbackException e) {
                            c.rollback();
                            retries.incrementAndGet();
                        }
                    }
                }
            }
        });
        App.phase(retries + " retries");
        try (Connection c = DriverManager.getConnection(url, "sa", "")) {
            App.equal(query(c, "select sum(amount) from account"), ACCOUNTS * 1000L, "sum of the accounts");
        }
    }

    static void work(String url) throws Throwable {
        try (Connection c = DriverManager.getConnection(url, "sa", "")) {
            c.createStatement().execute("create table account(id int primary key, amount bigint)");
            for (int i = 0; i < ACCOUNTS; i++) {
                c.createStatement().execute("insert into account values (" + i + ", 1000)");
            }
        }
        transfers(url);
    }

    public static void main(String[] args) {
        App.run(() -> {
            for (String way : new String[] {"locks", "mvlocks", "mvcc"}) {
                App.phase("in memory, " + way);
                String url = "jdbc:hsqldb:mem:" + way;
                work(url + ";hsqldb.tx=" + way);
                try (Connection c = DriverManager.getConnection(url, "sa", "")) {
                    c.createStatement().execute("shutdown");
                }
            }
            App.phase("server, database in a file, mvcc");
            int port = App.freePort();
            Server server = new Server();
            server.setLogWriter(null);
            server.setSilent(true);
            server.setPort(port);
            server.setDatabaseName(0, "work");
            server.setDatabasePath(0, "file:" + new File("work").getAbsolutePath() + ";hsqldb.tx=mvcc");
            server.start();
            work("jdbc:hsqldb:hsql://127.0.0.1:" + port + "/work");
            App.phase("stop");
            server.shutdown();
        });
    }
}
