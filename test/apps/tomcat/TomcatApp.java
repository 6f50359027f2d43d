/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Embedded Tomcat with its NIO and its NIO2 connector: blocking servlets, request bodies, sessions, asynchronous servlets that answer
 * from another pool, and 200 clients that keep their connections. A connector and an executor that are told to use virtual threads must
 * refuse on 11 as they do without the flag.
 */
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardVirtualThreadExecutor;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.compat.JreCompat;
import wisp.apps.App;

public class TomcatApp {
    static final int CLIENTS = 200, ROUNDS = 8;
    static final ScheduledExecutorService timers = Executors.newScheduledThreadPool(2);
    static long total;

    static class Blocking extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            int n = Integer.parseInt(request.getParameter("n"));
            try {
                Thread.sleep(n % 7);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            synchronized (Blocking.class) {
                total += n;
            }
            response.setContentType("text/plain");
            response.getWriter().print(App.text(n, 10 + n % 5000));
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = request.getInputStream().readAllBytes();
            response.getOutputStream().write(body);
        }
    }

    static class Session extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Integer n = (Integer) request.getSession(true).getAttribute("n");
            n = n == null ? 1 : n + 1;
            request.getSession().setAttribute("n", n);
            response.getWriter().print(n);
        }
    }

    static class Async extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            int n = Integer.parseInt(request.getParameter("n"));
            AsyncContext context = request.startAsync();
            context.setTimeout(60_000);
            if (n % 2 == 0) {
                context.start(() -> answer(context, n));
            } else {
                timers.schedule(() -> answer(context, n), n % 10, TimeUnit.MILLISECONDS);
            }
        }

        static void answer(AsyncContext context, int n) {
            try {
                context.getResponse().getWriter().print("async " + n);
                context.complete();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void add(Context context, String name, HttpServlet servlet, boolean async) {
        Wrapper w = Tomcat.addServlet(context, name, servlet);
        w.setAsyncSupported(async);
        context.addServletMappingDecoded("/" + name, name);
    }

    static String get(int port, String path, String cookie, String[] setCookie) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + path).openConnection();
        c.setReadTimeout(120_000);
        if (cookie != null) {
            c.setRequestProperty("Cookie", cookie);
        }
        try (var in = c.getInputStream()) {
            String body = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            if (setCookie != null) {
                setCookie[0] = c.getHeaderField("Set-Cookie");
            }
            return body;
        }
    }

    static String post(int port, String path, String body) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + path).openConnection();
        c.setReadTimeout(120_000);
        c.setDoOutput(true);
        c.setRequestMethod("POST");
        if (body.length() % 2 == 0) {
            c.setChunkedStreamingMode(1000);
        }
        try (var out = c.getOutputStream()) {
            out.write(body.getBytes(StandardCharsets.UTF_8));
        }
        try (var in = c.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static Tomcat server(String protocol, int port, boolean virtual) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(new File("tomcat." + port).getAbsolutePath());
        Connector connector = new Connector(protocol);
        connector.setPort(port);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", "200");
        connector.setProperty("useVirtualThreads", Boolean.toString(virtual));
        connector.setThrowOnFailure(true);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", new File(".").getAbsolutePath());
        add(context, "block", new Blocking(), false);
        add(context, "session", new Session(), false);
        add(context, "async", new Async(), true);
        try {
            tomcat.start();
        } catch (LifecycleException e) {
            tomcat.destroy();
            throw e;
        }
        return tomcat;
    }

    static void work(String protocol) throws Throwable {
        int port = App.freePort();
        App.phase(protocol);
        Tomcat tomcat = server(protocol, port, false);
        total = 0;
        App.crew(CLIENTS, "client", client -> {
            String[] cookie = new String[1];
            get(port, "/session", null, cookie);
            String session = cookie[0].substring(0, cookie[0].indexOf(';'));
            for (int i = 0; i < ROUNDS; i++) {
                int n = client * ROUNDS + i;
                App.equal(get(port, "/block?n=" + n, null, null), App.text(n, 10 + n % 5000), "GET /block");
                App.equal(get(port, "/async?n=" + n, null, null), "async " + n, "GET /async");
                App.equal(get(port, "/session", session, null), Integer.toString(i + 2), "GET /session");
                String body = App.text(n, n % 17 == 0 ? 200_000 + n : n);
                App.equal(post(port, "/block", body), body, "POST /block");
            }
        });
        long n = CLIENTS * ROUNDS;
        synchronized (Blocking.class) {
            App.equal(total, n * (n - 1) / 2, "sum under a monitor");
        }
        App.phase("stop");
        tomcat.stop();
        tomcat.destroy();
    }

    public static void main(String[] args) {
        System.setProperty("http.maxConnections", "200");
        App.run(() -> {
            work("org.apache.coyote.http11.Http11NioProtocol");
            work("org.apache.coyote.http11.Http11Nio2Protocol");
            App.phase("virtual threads");
            App.check(!JreCompat.isJre21Available(), "Tomcat finds virtual threads on 11");
            StandardVirtualThreadExecutor executor = new StandardVirtualThreadExecutor();
            try {
                executor.start();
                App.check(false, "an executor of virtual threads started on 11");
            } catch (LifecycleException e) {
                App.check((e + " " + e.getCause()).contains("irtual threads"), "refused for another reason: " + e);
            }
            try {
                server("org.apache.coyote.http11.Http11NioProtocol", App.freePort(), true).stop();
                App.check(false, "a connector with virtual threads started on 11");
            } catch (LifecycleException e) {
                App.check((e + " " + e.getCause()).contains("irtual threads"), "refused for another reason: " + e);
            }
            timers.shutdown();
        });
    }
}
