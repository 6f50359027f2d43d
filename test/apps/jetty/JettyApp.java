/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Jetty with blocking and asynchronous servlets and non-blocking reads, worked by 100 clients that keep their connections. Its test for
 * virtual threads, by reflection, must say no on 11 as it does without the flag.
 */
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.servlet.AsyncContext;
import javax.servlet.ReadListener;
import javax.servlet.ServletInputStream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import wisp.apps.App;

public class JettyApp {
    static final int CLIENTS = 100, ROUNDS = 10;
    static final ReentrantLock lock = new ReentrantLock();
    static long total;

    static class Blocking extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            int n = Integer.parseInt(request.getParameter("n"));
            if (VirtualThreads.isVirtualThread()) {
                throw new IOException("called on a virtual thread");
            }
            lock.lock();
            try {
                if (n % 10 == 0) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                total += n;
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                lock.unlock();
            }
            for (int i = 0; i < 5; i++) {
                response.getWriter().print(App.text(n + i, n % 4000));
                response.flushBuffer();
            }
        }
    }

    /** Answers, when the body has come by callbacks, with the number of its bytes. */
    static class NonBlocking extends HttpServlet {
        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            AsyncContext context = request.startAsync();
            context.setTimeout(120_000);
            ServletInputStream in = request.getInputStream();
            in.setReadListener(new ReadListener() {
                private final byte[] buffer = new byte[1000];
                private long n;

                @Override
                public void onDataAvailable() throws IOException {
                    while (in.isReady() && !in.isFinished()) {
                        n += Math.max(0, in.read(buffer));
                    }
                }

                @Override
                public void onAllDataRead() throws IOException {
                    response.getOutputStream().print(n);
                    context.complete();
                }

                @Override
                public void onError(Throwable e) {
                    e.printStackTrace();
                    context.complete();
                }
            });
        }
    }

    static String answer(HttpURLConnection c) throws IOException {
        c.setReadTimeout(120_000);
        try (var in = c.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    public static void main(String[] args) {
        System.setProperty("http.maxConnections", "100");
        App.run(() -> {
            App.check(!VirtualThreads.areSupported(), "virtual threads are not there on 11");
            App.phase("start");
            QueuedThreadPool pool = new QueuedThreadPool(200);
            // Falls back to the threads of the pool: on 21 requests would run on virtual threads now.
            pool.setUseVirtualThreads(true);
            App.check(!pool.isUseVirtualThreads(), "the pool uses virtual threads on 11");
            try {
                VirtualThreads.executeOnVirtualThread(() -> { });
                App.check(false, "a virtual thread ran on 11");
            } catch (UnsupportedOperationException e) {
                App.check(true, "no virtual thread");
            }
            Server server = new Server(pool);
            ServerConnector connector = new ServerConnector(server);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            ServletContextHandler context = new ServletContextHandler();
            context.addServlet(new ServletHolder(new Blocking()), "/block");
            ServletHolder async = new ServletHolder(new NonBlocking());
            async.setAsyncSupported(true);
            context.addServlet(async, "/async");
            server.setHandler(context);
            server.start();
            String url = "http://127.0.0.1:" + connector.getLocalPort();
            App.phase("work");
            App.crew(CLIENTS, "client", client -> {
                for (int i = 0; i < ROUNDS; i++) {
                    int n = client * ROUNDS + i;
                    StringBuilder expected = new StringBuilder();
                    for (int k = 0; k < 5; k++) {
                        expected.append(App.text(n + k, n % 4000));
                    }
                    App.equal(answer((HttpURLConnection) new URL(url + "/block?n=" + n).openConnection()), expected.toString(), "GET");
                    HttpURLConnection c = (HttpURLConnection) new URL(url + "/async").openConnection();
                    c.setDoOutput(true);
                    c.setChunkedStreamingMode(500);
                    try (var out = c.getOutputStream()) {
                        for (int k = 0; k < 10; k++) {
                            out.write(new byte[n]);
                            out.flush();
                        }
                    }
                    App.equal(answer(c), Integer.toString(10 * n), "POST");
                }
            });
            long n = CLIENTS * ROUNDS;
            App.equal(total, n * (n - 1) / 2, "sum under a lock");
            App.phase("stop");
            server.stop();
            server.join();
            App.check(pool.isStopped(), "the pool stops");
        });
    }
}
