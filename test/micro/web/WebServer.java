/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/*
 * A blocking web server with a pool of 200 threads, in the manner of the Web Framework Benchmarks: a text, an object as JSON, one row and
 * twenty rows of a table of 10,000. com.sun.net.httpserver, Tomcat and Jetty give the same answers. Defends the tables of web servers in
 * doc/performance.md; make/bench-apps.sh runs it under wrk.
 *
 * Usage: WebServer httpserver|tomcat|jetty plain|virtual [JDBC-URL]; prints its port, and ends when its standard input does. "virtual": a
 * virtual thread for each request, in the way that the server has for it.
 */
public class WebServer {
    private static final int THREADS = 200, CONNECTIONS = 20, ROWS = 10_000;
    /** Of connections that wait to be accepted: wrk opens all at once, and the kernel lets those that find no place try again after a second. */
    private static final int BACKLOG = 2000;
    private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.UTF_8);

    private static HikariDataSource pool;

    private static byte[] answer(String path) throws IOException {
        switch (path) {
            case "/plaintext":
                return HELLO;
            case "/json":
                return "{\"message\":\"Hello, World!\"}".getBytes(StandardCharsets.UTF_8);
            case "/db":
                return rows(1);
            case "/queries":
                return rows(20);
            default:
                throw new IOException("no such path: " + path);
        }
    }

    private static byte[] rows(int n) throws IOException {
        StringBuilder s = new StringBuilder(n * 40 + 2);
        try (Connection c = pool.getConnection(); PreparedStatement p = c.prepareStatement("select id, number from world where id = ?")) {
            for (int i = 0; i < n; i++) {
                p.setInt(1, ThreadLocalRandom.current().nextInt(ROWS) + 1);
                try (ResultSet r = p.executeQuery()) {
                    r.next();
                    s.append(i == 0 ? '[' : ',').append("{\"id\":").append(r.getInt(1)).append(",\"randomNumber\":").append(r.getInt(2)).append('}');
                }
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
        return s.append(']').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String type(String path) {
        return path.equals("/plaintext") ? "text/plain" : "application/json";
    }

    // ---- The servers; each returns its port

    private static int httpserver(boolean virtual) throws Exception {
        ExecutorService executor = virtual
            ? (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null)
            : Executors.newFixedThreadPool(THREADS);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), BACKLOG);
        server.setExecutor(executor);
        server.createContext("/", WebServer::handle);
        server.start();
        return server.getAddress().getPort();
    }

    private static void handle(HttpExchange exchange) throws IOException {
        try {
            String path = exchange.getRequestURI().getPath();
            byte[] body = answer(path);
            exchange.getResponseHeaders().set("Content-Type", type(path));
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (RuntimeException e) {
            e.printStackTrace();
            throw e;
        } finally {
            exchange.close();
        }
    }

    private static class Servlet extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = answer(request.getRequestURI());
            response.setContentType(type(request.getRequestURI()));
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }

    private static int tomcat(boolean virtual) throws Exception {
        Tomcat tomcat = new Tomcat();
        String home = System.getProperty("java.io.tmpdir") + "/wisp-web." + ProcessHandle.current().pid();
        tomcat.setBaseDir(home);
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("acceptCount", Integer.toString(BACKLOG));
        connector.setProperty("maxThreads", Integer.toString(THREADS));
        connector.setProperty("minSpareThreads", Integer.toString(THREADS));
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("useVirtualThreads", Boolean.toString(virtual));
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", new File(".").getAbsolutePath());
        Tomcat.addServlet(context, "bench", new Servlet());
        context.addServletMappingDecoded("/*", "bench");
        tomcat.start();
        return connector.getLocalPort();
    }

    private static int jetty(boolean virtual) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, THREADS);
        if (virtual) {
            threads.setUseVirtualThreads(true);
        }
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(BACKLOG);
        server.addConnector(connector);
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, javax.servlet.http.HttpServletRequest request,
                               javax.servlet.http.HttpServletResponse response) throws IOException {
                byte[] body = answer(target);
                response.setContentType(type(target));
                response.setContentLength(body.length);
                response.getOutputStream().write(body);
                base.setHandled(true);
            }
        });
        server.start();
        return connector.getLocalPort();
    }

    public static void main(String[] args) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        boolean virtual = args[1].equals("virtual");
        if (args.length > 2) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(args[2]);
            config.setMaximumPoolSize(CONNECTIONS);
            config.setConnectionTimeout(120_000);
            if (virtual) {
                Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
                config.setThreadFactory((ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder));
            }
            pool = new HikariDataSource(config);
        }
        int port;
        switch (args[0]) {
            case "httpserver": port = httpserver(virtual); break;
            case "tomcat": port = tomcat(virtual); break;
            case "jetty": port = jetty(virtual); break;
            default: throw new IllegalArgumentException("no such server: " + args[0]);
        }
        System.out.println(port);
        System.out.flush();
        while (System.in.read() >= 0) { }
        Runtime.getRuntime().halt(0);
    }
}
