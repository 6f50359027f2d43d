/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * The HTTP clients java.net.http (HTTP/1.1 and its selector thread, blocking and asynchronous), OkHttp (blocking and through its
 * dispatcher), Apache HttpClient (classic with a pool of connections, asynchronous with its reactor) and HttpURLConnection, all against
 * com.sun.net.httpserver with a thread per request. OkHttp also with bodies that flow both ways at a time, over HTTP/2, which its own
 * MockWebServer speaks: one thread writes into a connection while others read from it.
 */
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.internal.duplex.MwsDuplexAccess;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.Okio;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import wisp.apps.App;

public class HttpClientsApp {
    static final int CLIENTS = 40, ROUNDS = 15;
    static String url;

    interface Post {
        String send(String body) throws Throwable;
    }

    static String body(int client, int round) {
        return App.text(client + round, round % 5 == 0 ? 30_000 + client : client);
    }

    static void work(String name, Post post) throws Throwable {
        App.phase(name);
        App.crew(CLIENTS, "client", c -> {
            for (int i = 0; i < ROUNDS; i++) {
                App.equal(post.send(body(c, i)), "echo " + body(c, i), name);
            }
        });
    }

    static void javaNetHttp() throws Throwable {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        work("java.net.http", body -> client.send(request(body), HttpResponse.BodyHandlers.ofString()).body());
        App.phase("java.net.http, asynchronous");
        List<CompletableFuture<String>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(client.sendAsync(request(body(i, i)), HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body));
        }
        for (int i = 0; i < 200; i++) {
            App.equal(all.get(i).get(120, TimeUnit.SECONDS), "echo " + body(i, i), "sendAsync");
        }
    }

    static HttpRequest request(String body) {
        return HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(120)).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    }

    static void okHttp() throws Throwable {
        OkHttpClient client = new OkHttpClient.Builder().readTimeout(Duration.ofSeconds(120)).callTimeout(Duration.ofSeconds(120)).build();
        MediaType text = MediaType.get("text/plain");
        work("OkHttp", body -> {
            try (Response r = client.newCall(new Request.Builder().url(url).post(RequestBody.create(body, text)).build()).execute()) {
                return r.body().string();
            }
        });
        App.phase("OkHttp, asynchronous");
        CountDownLatch all = new CountDownLatch(200);
        AtomicInteger right = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            String body = body(i, i);
            client.newCall(new Request.Builder().url(url).post(RequestBody.create(body, text)).build()).enqueue(new Callback() {
                @Override
                public void onFailure(Call call, IOException e) {
                    e.printStackTrace();
                    all.countDown();
                }

                @Override
                public void onResponse(Call call, Response response) throws IOException {
                    if (response.body().string().equals("echo " + body)) {
                        right.incrementAndGet();
                    }
                    all.countDown();
                }
            });
        }
        App.check(all.await(120, TimeUnit.SECONDS), "all calls end");
        App.equal(right.get(), 200, "right answers");
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }

    /** Each client writes a line only after it has read the answer to the one before, in a request that has not ended. */
    static void duplex() throws Throwable {
        App.phase("OkHttp, full duplex");
        MockWebServer server = new MockWebServer();
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                return echo();
            }

            /** The server asks before it reads a request; only when the answer is a duplex one does it leave the body unread. */
            @Override
            public MockResponse peek() {
                return echo();
            }

            private MockResponse echo() {
                MockResponse response = new MockResponse().clearHeaders();
                MwsDuplexAccess.instance.setBody(response, (r, stream) -> {
                    try (BufferedSource in = Okio.buffer(stream.getSource()); BufferedSink out = Okio.buffer(stream.getSink())) {
                        for (String line = in.readUtf8Line(); line != null; line = in.readUtf8Line()) {
                            out.writeUtf8("echo " + line + "\n").flush();
                        }
                    }
                });
                return response;
            }
        });
        server.start(InetAddress.getByName("127.0.0.1"), 0);
        OkHttpClient client = new OkHttpClient.Builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).readTimeout(Duration.ofSeconds(120)).build();
        App.crew(20, "duplex", c -> {
            CompletableFuture<BufferedSink> request = new CompletableFuture<>();
            Call call = client.newCall(new Request.Builder().url("http://127.0.0.1:" + server.getPort() + "/" + c).post(new RequestBody() {
                @Override
                public MediaType contentType() {
                    return null;
                }

                @Override
                public boolean isDuplex() {
                    return true;
                }

                @Override
                public void writeTo(BufferedSink sink) {
                    request.complete(sink);
                }
            }).build());
            try (Response response = call.execute(); BufferedSource in = response.body().source(); BufferedSink out = request.get()) {
                for (int i = 0; i < 50; i++) {
                    String line = App.text(c + i, i % 10 == 0 ? 20_000 : i);
                    out.writeUtf8(line + "\n").flush();
                    App.equal(in.readUtf8Line(), "echo " + line, "line of a duplex body");
                }
                out.close();
                App.check(in.exhausted(), "the answer ends with the request");
            }
        });
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
        server.shutdown();
    }

    static void apache() throws Throwable {
        PoolingHttpClientConnectionManager manager = new PoolingHttpClientConnectionManager();
        manager.setMaxTotal(20);
        manager.setDefaultMaxPerRoute(20);
        try (CloseableHttpClient client = HttpClients.custom().setConnectionManager(manager).build()) {
            work("Apache HttpClient", body -> {
                HttpPost post = new HttpPost(url);
                post.setEntity(new StringEntity(body));
                return client.execute(post, r -> EntityUtils.toString(r.getEntity()));
            });
        }
        App.phase("Apache HttpAsyncClient");
        try (CloseableHttpAsyncClient client = HttpAsyncClients.createDefault()) {
            client.start();
            List<Future<SimpleHttpResponse>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                all.add(client.execute(SimpleRequestBuilder.post(url).setBody(body(i, i), ContentType.TEXT_PLAIN).build(), null));
            }
            for (int i = 0; i < 200; i++) {
                App.equal(all.get(i).get(120, TimeUnit.SECONDS).getBodyText(), "echo " + body(i, i), "asynchronous answer");
            }
        }
    }

    static String urlConnection(String body) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL(url).openConnection();
        c.setDoOutput(true);
        c.getOutputStream().write(body.getBytes(StandardCharsets.US_ASCII));
        try (var in = c.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    public static void main(String[] args) {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // The server closes what is idle above its limit of 200 connections, and a client that is about to use it gets a broken pipe.
        System.setProperty("sun.net.httpserver.maxIdleConnections", "2000");
        App.run(() -> {
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 500);
            ExecutorService pool = Executors.newFixedThreadPool(100);
            server.setExecutor(pool);
            server.createContext("/", exchange -> {
                byte[] body = exchange.getRequestBody().readAllBytes();
                byte[] answer = ("echo " + new String(body, StandardCharsets.US_ASCII)).getBytes(StandardCharsets.US_ASCII);
                exchange.sendResponseHeaders(200, answer.length);
                try (var out = exchange.getResponseBody()) {
                    out.write(answer);
                }
            });
            server.start();
            url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            javaNetHttp();
            okHttp();
            duplex();
            apache();
            work("HttpURLConnection", HttpClientsApp::urlConnection);
            App.phase("stop");
            server.stop(0);
            pool.shutdown();
            App.check(pool.awaitTermination(60, TimeUnit.SECONDS), "pool ends");
        });
    }
}
