/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Dubbo: a provider and a consumer over its own protocol on loopback, without a registry. Every call has a proxy and reflection at the
 * bottom of its stack, on both sides; the service blocks, throws, calls back asynchronously, and its pool has a thread per call.
 */
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import wisp.apps.App;

public class DubboApp {
    static final int CLIENTS = 50, ROUNDS = 30;

    public interface Service {
        String hello(String name);

        int add(int n) throws InterruptedException;

        CompletableFuture<String> later(String s);

        void fail(String message) throws IOException;
    }

    public static class Provider implements Service {
        private int total;

        @Override
        public String hello(String name) {
            return "hello " + name;
        }

        @Override
        public synchronized int add(int n) throws InterruptedException {
            if (n % 20 == 0) {
                Thread.sleep(1);
            }
            return total += n;
        }

        @Override
        public CompletableFuture<String> later(String s) {
            return CompletableFuture.supplyAsync(() -> "later " + s, CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
        }

        @Override
        public void fail(String message) throws IOException {
            throw new IOException(message);
        }
    }

    static void work(String threadPool) throws Throwable {
        App.phase(threadPool);
        int port = App.freePort();
        ProtocolConfig protocol = new ProtocolConfig("dubbo", port);
        protocol.setHost("127.0.0.1");
        protocol.setThreadpool(threadPool);
        protocol.setThreads(100);
        ServiceConfig<Service> service = new ServiceConfig<>();
        service.setInterface(Service.class);
        service.setRef(new Provider());
        ReferenceConfig<Service> reference = new ReferenceConfig<>();
        reference.setInterface(Service.class);
        reference.setUrl("dubbo://127.0.0.1:" + port);
        reference.setInjvm(false);
        reference.setTimeout(120_000);
        reference.setConnections(4);
        ApplicationConfig application = new ApplicationConfig("wisp");
        application.setQosEnable(false);
        DubboBootstrap bootstrap = DubboBootstrap.newInstance();
        bootstrap.application(application).registry(new RegistryConfig("N/A")).protocol(protocol).service(service).reference(reference).start();
        Service proxy = reference.get();
        AtomicInteger last = new AtomicInteger();
        App.crew(CLIENTS, "caller", c -> {
            for (int i = 0; i < ROUNDS; i++) {
                String s = App.text(c + i, i % 10 == 0 ? 20_000 : i);
                App.equal(proxy.hello(s), "hello " + s, "answer");
                last.accumulateAndGet(proxy.add(i), Math::max);
                App.equal(proxy.later(s).get(120, TimeUnit.SECONDS), "later " + s, "asynchronous answer");
                String message = null;
                try {
                    proxy.fail(s);
                } catch (IOException e) {
                    message = e.getMessage();
                }
                App.equal(message, s, "message of a failure");
            }
        });
        App.equal(last.get(), CLIENTS * ROUNDS * (ROUNDS - 1) / 2, "sum under a monitor");
        App.phase("stop");
        bootstrap.stop();
    }

    public static void main(String[] args) {
        System.setProperty("dubbo.application.logger", "slf4j");
        App.run(() -> {
            work("fixed");
            work("cached");
        });
    }
}
