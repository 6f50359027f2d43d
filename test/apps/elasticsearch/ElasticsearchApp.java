/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Elasticsearch: a node in this VM with its HTTP interface, three shards. 25 threads index documents in bulk and get them back, 15 search
 * and aggregate meanwhile; counts, merging, a snapshot.
 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.http.HttpHost;
import org.apache.http.util.EntityUtils;
import org.elasticsearch.client.Request;
import org.elasticsearch.client.RestClient;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.transport.Netty4Plugin;
import wisp.apps.App;

public class ElasticsearchApp {
    static final int WRITERS = 25, READERS = 15, ROUNDS = 20, BULK = 20;

    static RestClient client;

    static final class Server extends Node {
        Server(Settings settings, Path config) {
            super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), config, () -> "node"), List.of(Netty4Plugin.class), false);
        }
    }

    static String ask(String method, String path, String body) throws Exception {
        Request request = new Request(method, path);
        if (body != null) {
            request.setJsonEntity(body);
        }
        return EntityUtils.toString(client.performRequest(request).getEntity());
    }

    static void asked(String method, String path, String body, String expected) throws Exception {
        String answer = ask(method, path, body);
        App.check(answer.contains(expected), method + " " + path + ": " + answer);
    }

    static void work() throws Throwable {
        App.phase("index, get, search");
        ask("PUT", "/index", "{\"settings\": {\"number_of_shards\": 3, \"number_of_replicas\": 0}}");
        App.crew(WRITERS + READERS, "client", t -> {
            for (int i = 0; i < ROUNDS; i++) {
                if (t < WRITERS) {
                    StringBuilder bulk = new StringBuilder();
                    for (int k = 0; k < BULK; k++) {
                        bulk.append("{\"index\": {\"_id\": \"" + t + "-" + i + "-" + k + "\"}}\n{\"n\": " + k + ", \"text\": \"hello w" + t + "\"}\n");
                    }
                    asked("POST", "/index/_bulk", bulk.toString(), "\"errors\":false");
                    asked("GET", "/index/_doc/" + t + "-" + i + "-3", null, "\"n\": 3");
                } else {
                    asked("POST", "/index/_search", "{\"query\": {\"match\": {\"text\": \"hello\"}}, \"aggs\": {\"a\": {\"avg\": {\"field\": \"n\"}}}}",
                            "\"failed\":0");
                }
            }
        });
        App.phase("counts, merging, snapshot");
        ask("POST", "/index/_refresh", null);
        asked("GET", "/index/_count", null, "\"count\":" + WRITERS * ROUNDS * BULK + ",");
        asked("POST", "/index/_count", "{\"query\": {\"match\": {\"text\": \"w7\"}}}", "\"count\":" + ROUNDS * BULK + ",");
        asked("POST", "/index/_forcemerge?max_num_segments=1", null, "\"failed\":0");
        asked("PUT", "/_snapshot/files", "{\"type\": \"fs\", \"settings\": {\"location\": \"" + Path.of("snapshots").toAbsolutePath() + "\"}}", "true");
        asked("PUT", "/_snapshot/files/first?wait_for_completion=true", null, "\"state\":\"SUCCESS\"");
    }

    public static void main(String[] args) {
        App.run(() -> {
            App.phase("start");
            Path home = Path.of("").toAbsolutePath();
            int port = App.freePort();
            Settings settings = Settings.builder().put("path.home", home.toString()).put("path.repo", home.resolve("snapshots").toString())
                    .put("network.host", "127.0.0.1").put("http.port", port).put("transport.port", App.freePort())
                    .put("discovery.type", "single-node").put("cluster.routing.allocation.disk.threshold_enabled", false).build();
            Files.createDirectories(home.resolve("config"));
            try (Node node = new Server(settings, home.resolve("config"))) {
                node.start();
                try (RestClient c = RestClient.builder(new HttpHost("127.0.0.1", port))
                        .setRequestConfigCallback(b -> b.setSocketTimeout(120_000)).build()) {
                    client = c;
                    work();
                }
                App.phase("stop");
            }
        });
    }
}
