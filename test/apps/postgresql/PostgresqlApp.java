/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * A real PostgreSQL server, started by this driver in a directory of its own, worked through pgJDBC and a HikariCP pool: transfers whose
 * sum must stay, waits for row locks, batches, COPY both ways, LISTEN/NOTIFY, statement time-outs and cancels from another thread.
 */
// needs: initdb postgres
// packages: postgresql
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.File;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import wisp.apps.App;

public class PostgresqlApp {
    static final int THREADS = 50, ROUNDS = 30, ACCOUNTS = 20;
    static final boolean root = System.getProperty("user.name").equals("root");

    /** The server refuses to run as root: it is started as the user that Debian's package makes. */
    static Process command(Path log, String... words) throws Exception {
        List<String> command = new ArrayList<>(root ? List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups") : List.of());
        command.addAll(Arrays.asList(words));
        return App.start(new ProcessBuilder(command).directory(new File("/")).redirectErrorStream(true).redirectOutput(log.toFile()));
    }

    static String program(String name) {
        File[] versions = new File("/usr/lib/postgresql").listFiles();
        return versions[versions.length - 1] + "/bin/" + name;
    }

    static long number(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }

    static void execute(Connection c, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                s.setObject(i + 1, arguments[i]);
            }
            s.execute();
        }
    }

    static void transfers(HikariDataSource pool) throws Throwable {
        App.phase("transfers");
        AtomicInteger deadlocks = new AtomicInteger();
        App.crew(THREADS, "transfer", t -> {
            for (int i = 0; i < ROUNDS; i++) {
                int from = ThreadLocalRandom.current().nextInt(ACCOUNTS), to = ThreadLocalRandom.current().nextInt(ACCOUNTS);
                try (Connection c = pool.getConnection()) {
                    c.setAutoCommit(false);
                    try {
                        execute(c, "update account set amount = amount - 1 where id = ?", from);
                        execute(c, "update account set amount = amount + 1 where id = ?", to);
                        c.commit();
                    } catch (SQLException e) {
                        c.rollback();
                        App.equal(e.getSQLState(), "40P01", "deadlock found by the server");
                        deadlocks.incrementAndGet();
                    }
                    try (PreparedStatement s = c.prepareStatement("insert into note values (?, ?)")) {
                        for (int k = 0; k < 20; k++) {
                            int n = (t * ROUNDS + i) * 20 + k;
                            s.setInt(1, n);
                            s.setString(2, App.text(n, n % 500));
                            s.addBatch();
                        }
                        App.equal(s.executeBatch().length, 20, "batch");
                    }
                    c.commit();
                    c.setAutoCommit(true);
                    int n = (t * ROUNDS + i) * 20 + 7;
                    try (PreparedStatement s = c.prepareStatement("select body from note where id = ?")) {
                        s.setInt(1, n);
                        try (ResultSet r = s.executeQuery()) {
                            App.check(r.next(), "a row");
                            App.equal(r.getString(1), App.text(n, n % 500), "body of a note");
                        }
                    }
                }
            }
        });
        App.phase(deadlocks + " deadlocks");
        try (Connection c = pool.getConnection()) {
            App.equal(number(c, "select sum(amount) from account"), ACCOUNTS * 1000L, "sum of the accounts");
            App.equal(number(c, "select count(*) from note"), THREADS * ROUNDS * 20L, "number of notes");
        }
    }

    static void extras(HikariDataSource pool) throws Throwable {
        App.phase("copy, notify, cancel");
        App.crew(4, "copy", t -> {
            try (Connection c = pool.getConnection()) {
                StringBuilder rows = new StringBuilder();
                for (int i = 0; i < 20_000; i++) {
                    rows.append(1_000_000 + t * 100_000 + i).append('\t').append(App.text(i, 20)).append('\n');
                }
                App.equal(c.unwrap(PGConnection.class).getCopyAPI().copyIn("copy note from stdin", new StringReader(rows.toString())), 20_000L, "rows in");
                StringWriter out = new StringWriter();
                int first = 1_000_000 + t * 100_000;
                c.unwrap(PGConnection.class).getCopyAPI().copyOut("copy (select * from note where id between " + first + " and " + (first + 99_999)
                        + " order by id) to stdout", out);
                App.equal(out.toString(), rows.toString(), "rows out");
            }
        });
        AtomicInteger heard = new AtomicInteger();
        App.crew(4, "listen", t -> {
            try (Connection c = pool.getConnection()) {
                if (t == 0) {
                    while (heard.get() < 3) {
                        execute(c, "select pg_notify('news', 'hello')");
                        Thread.sleep(20);
                    }
                    return;
                }
                execute(c, "listen news");
                PGNotification[] news;
                do {
                    news = c.unwrap(PGConnection.class).getNotifications(200);
                } while (news == null || news.length == 0);
                App.equal(news[0].getParameter(), "hello", "notification");
                execute(c, "unlisten *");
                heard.incrementAndGet();
            }
        });
        App.crew(8, "cancel", t -> {
            try (Connection c = pool.getConnection(); Statement s = c.createStatement()) {
                Thread canceller = new Thread(() -> {
                    try {
                        while (number0(pool, "select count(*) from pg_stat_activity where query like '%pg_sleep(1000) /* " + t + " */%' and state = 'active' and pid <> pg_backend_pid()") == 0) {
                            Thread.sleep(10);
                        }
                        s.cancel();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                if (t % 2 == 0) {
                    s.setQueryTimeout(1);
                } else {
                    canceller.start();
                }
                try {
                    s.execute("select pg_sleep(1000) /* " + t + " */");
                    App.check(false, "a cancelled statement returned");
                } catch (SQLException e) {
                    App.equal(e.getSQLState(), "57014", "cancelled");
                }
                if (t % 2 != 0) {
                    canceller.join();
                }
            }
        });
    }

    static long number0(HikariDataSource pool, String sql) throws SQLException {
        try (Connection c = pool.getConnection()) {
            return number(c, sql);
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            Path home = Files.createTempDirectory(Path.of("/tmp"), "wisp-pg");
            Process server = null;
            try {
                if (root) {
                    App.equal(new ProcessBuilder("chown", "postgres:postgres", home.toString()).inheritIO().start().waitFor(), 0, "chown");
                }
                String data = home + "/data";
                int port = App.freePort();
                App.phase("initdb");
                Path log = Path.of("postgresql.log").toAbsolutePath();
                App.equal(command(log, program("initdb"), "-D", data, "-A", "trust", "-U", "wisp", "-E", "UTF8", "--no-sync").waitFor(), 0, "initdb");
                server = command(log, program("postgres"), "-D", data, "-p", "" + port, "-h", "127.0.0.1", "-k", home.toString(), "-F",
                        "-c", "deadlock_timeout=100ms", "-c", "max_connections=60");
                HikariConfig config = new HikariConfig();
                config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres");
                config.setUsername("wisp");
                config.setMaximumPoolSize(20);
                config.setConnectionTimeout(120_000);
                config.setInitializationFailTimeout(60_000);
                try (HikariDataSource pool = new HikariDataSource(config)) {
                    try (Connection c = pool.getConnection()) {
                        execute(c, "create table account(id int primary key, amount bigint)");
                        execute(c, "create table note(id int primary key, body text)");
                        for (int i = 0; i < ACCOUNTS; i++) {
                            execute(c, "insert into account values (?, 1000)", i);
                        }
                    }
                    transfers(pool);
                    extras(pool);
                }
                App.phase("stop");
                server.destroy();
                App.check(server.waitFor(60, TimeUnit.SECONDS), "the server ends");
            } finally {
                if (server != null) {
                    server.destroyForcibly();
                }
                new ProcessBuilder("rm", "-rf", home.toString()).start().waitFor();
            }
        });
    }
}
