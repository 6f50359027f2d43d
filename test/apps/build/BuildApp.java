/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * javac as load: compiles three Apache Commons libraries, first alone and then four times at once in threads of this VM. The class files
 * must be the same, byte for byte.
 */
// limit: 600
// heap: 1g
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import wisp.apps.App;

public class BuildApp {
    static List<Path> unpack(Path jar, Path to) throws Exception {
        List<Path> sources = new ArrayList<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry e : (Iterable<ZipEntry>) zip.stream().map(z -> (ZipEntry) z)::iterator) {
                if (e.getName().endsWith(".java")) {
                    Path p = to.resolve(e.getName());
                    Files.createDirectories(p.getParent());
                    try (InputStream in = zip.getInputStream(e)) {
                        Files.copy(in, p);
                    }
                    sources.add(p);
                }
            }
        }
        return sources;
    }

    /** Compiles the sources and returns the digest of each class file. */
    static Map<String, String> compile(List<Path> sources, Path to) throws Exception {
        Files.createDirectories(to);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean ok = compiler.getTask(null, files, d -> { }, List.of("-d", to.toString(), "-nowarn", "-proc:none", "--release", "8", "-encoding", "UTF-8"),
                    null, files.getJavaFileObjectsFromPaths(sources)).call();
            App.check(ok, "compiles without errors");
        }
        Map<String, String> digests = new TreeMap<>();
        try (Stream<Path> all = Files.walk(to)) {
            for (Path p : all.filter(Files::isRegularFile).collect(Collectors.toList())) {
                digests.put(to.relativize(p).toString(), Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(p))));
            }
        }
        return digests;
    }

    public static void main(String[] args) {
        App.run(() -> {
            List<Path> jars;
            try (Stream<Path> files = Stream.of(System.getProperty("java.class.path").split(":")).map(Path::of)) {
                jars = files.filter(p -> p.toString().endsWith("-sources.jar")).sorted().collect(Collectors.toList());
            }
            App.equal(jars.size(), 3, "libraries");
            List<List<Path>> sources = new ArrayList<>();
            List<Map<String, String>> alone = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                App.phase(jars.get(i).getFileName().toString());
                sources.add(unpack(jars.get(i), Path.of("source" + i)));
                alone.add(compile(sources.get(i), Path.of("alone" + i)));
                App.check(alone.get(i).size() > 200, "number of classes: " + alone.get(i).size());
            }
            App.phase("four at once");
            App.crew(4, "javac", t -> App.equal(compile(sources.get(t % 3), Path.of("crew" + t)), alone.get(t % 3), "class files"));
        });
    }
}
