/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Spring Boot: starts with its embedded Tomcat, answers JSON from controllers that block, that return DeferredResult and that call
 * @Async methods, runs a @Scheduled task, and closes its context.
 */
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.context.request.async.DeferredResult;
import wisp.apps.App;

@Configuration
@EnableAutoConfiguration
@EnableAsync
@EnableScheduling
public class SpringApp {
    static final int CLIENTS = 50, ROUNDS = 10;
    static final AtomicInteger ticks = new AtomicInteger();

    public static class Slow {
        @Async
        public CompletableFuture<Integer> square(int n) throws InterruptedException {
            Thread.sleep(n % 5);
            return CompletableFuture.completedFuture(n * n);
        }

        @Scheduled(fixedRate = 10)
        public void tick() {
            ticks.incrementAndGet();
        }
    }

    @RestController
    public static class Controller {
        private final Slow slow;
        private int calls;

        Controller(Slow slow) {
            this.slow = slow;
        }

        @GetMapping("/square")
        public Map<String, Object> square(@RequestParam("n") int n) throws Exception {
            synchronized (this) {
                calls++;
            }
            return Map.of("n", n, "square", slow.square(n).get());
        }

        @GetMapping("/deferred")
        public DeferredResult<Map<String, Object>> deferred(@RequestParam("n") int n) throws Exception {
            DeferredResult<Map<String, Object>> result = new DeferredResult<>(120_000L);
            slow.square(n).thenAccept(s -> result.setResult(Map.of("square", s)));
            return result;
        }

        @PostMapping("/echo")
        public Map<String, Object> echo(@RequestBody Map<String, Object> body) {
            return body;
        }

        @GetMapping("/calls")
        public int calls() {
            synchronized (this) {
                return calls;
            }
        }
    }

    @Bean
    public Slow slow() {
        return new Slow();
    }

    public static void main(String[] args) {
        App.run(() -> {
            App.phase("start");
            SpringApplication application = new SpringApplication(SpringApp.class);
            ServletWebServerApplicationContext context = (ServletWebServerApplicationContext) application.run("--server.port=0",
                    "--server.address=127.0.0.1", "--server.shutdown=graceful", "--spring.main.banner-mode=off");
            String url = "http://127.0.0.1:" + context.getWebServer().getPort();
            RestTemplate client = context.getBean(RestTemplateBuilder.class).build();
            App.phase("work");
            App.crew(CLIENTS, "client", c -> {
                for (int i = 0; i < ROUNDS; i++) {
                    int n = c * ROUNDS + i;
                    App.equal(client.getForObject(url + "/square?n=" + n, Map.class), Map.of("n", n, "square", n * n), "GET /square");
                    App.equal(client.getForObject(url + "/deferred?n=" + n, Map.class), Map.of("square", n * n), "GET /deferred");
                    Map<String, Object> body = Map.of("text", App.text(n, n), "n", n);
                    App.equal(client.postForObject(url + "/echo", body, Map.class), body, "POST /echo");
                }
            });
            App.equal(client.getForObject(url + "/calls", Integer.class), CLIENTS * ROUNDS, "calls");
            while (ticks.get() < 10) {
                Thread.sleep(10);
            }
            App.phase("stop");
            context.close();
        });
    }
}
