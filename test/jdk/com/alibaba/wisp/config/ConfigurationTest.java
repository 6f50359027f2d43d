/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The settings: defaults, ranges, sizes with suffix, the file and who wins, names without effect and unknown ones,
 *          and that each value which cannot be used is refused in one line with its name, the value and the file it is from.
 * @modules java.base/com.alibaba.wisp.engine
 * @library /test/lib
 * @build java.base/com.alibaba.wisp.engine.ConfigProbe
 * @run main ConfigurationTest
 */

import com.alibaba.wisp.engine.ConfigProbe;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wisptest.Check;

public class ConfigurationTest {
    static final String P = "com.alibaba.wisp.";

    static Map<String, String> map(String... namesAndValues) {
        Map<String, String> map = new HashMap<>();
        map.put("java.vm.name", "a property that is not ours");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    static ConfigProbe parse(String... namesAndValues) {
        return new ConfigProbe(map(namesAndValues), 7);
    }

    static ConfigProbe clean(String... namesAndValues) {
        ConfigProbe c = parse(namesAndValues);
        Check.equal(0, c.warnings.size(), "warnings " + c.warnings);
        return c;
    }

    static String refused(String name, String value) {
        return refused(name, value, map(name, value));
    }

    static String refused(String name, String value, Map<String, String> given) {
        String message = Check.throwing(IllegalArgumentException.class, name + "=" + value,
                                        () -> new ConfigProbe(given, 7)).getMessage();
        System.out.println(message);
        Check.that(message.contains(name), "no name in: " + message);
        Check.that(message.contains("\"" + value + "\""), "no value in: " + message);
        Check.that(message.indexOf('\n') < 0, "more than one line: " + message);
        Check.that(message.contains("; "), "no advice in: " + message);
        return message;
    }

    public static void main(String[] args) throws Exception {
        defaults();
        numbers();
        sizes();
        truths();
        affinity();
        names();
        file();
        badFile();
    }

    static void defaults() {
        ConfigProbe c = clean();
        Check.equal(7, c.carriers, "carriers");
        Check.equal(0L, c.stackSize, "stack size");
        Check.equal(0, c.tick, "tick");
        Check.that(c.convertThreads && c.convertAll, "conversion");
        Check.that(!c.isBlack("x", Thread.class, null) && !c.isWhite("x", Thread.class, null), "lists");
        Check.equal(1024, new ConfigProbe(map(), 4096).carriers, "carriers of a large machine");
    }

    static void numbers() {
        for (String good : new String[] {"1", "2", "1024", " 12 ", "+3"}) {
            Check.equal(Integer.parseInt(good.trim()), clean(P + "carrierEngines", good).carriers, "carriers");
        }
        for (String bad : new String[] {"0", "-1", "1025", "x", "", " ", "1.5", "4k", "99999999999999999999", "0x4"}) {
            refused(P + "carrierEngines", bad);
        }
        Check.equal(1, clean(P + "sysmonTickUs", "1").tick, "tick");
        Check.equal(10_000_000, clean(P + "sysmonTickUs", "10000000").tick, "tick");
        for (String bad : new String[] {"0", "-5", "10000001", "10ms"}) {
            refused(P + "sysmonTickUs", bad);
        }
    }

    static void sizes() {
        Object[][] good = {
            {"139264", 139264L}, {"136k", 139264L}, {"136K", 139264L}, {"1m", 1L << 20}, {"1M", 1L << 20},
            {" 512k ", 512L << 10}, {"1g", 1L << 30}, {"1G", 1L << 30}, {"1024m", 1L << 30}, {"1073741824", 1L << 30},
            {"0000000000000000000000524288", 524288L},
        };
        for (Object[] g : good) {
            Check.equal(g[1], clean(P + "stacksize", (String) g[0]).stackSize, "size " + g[0]);
        }
        for (String bad : new String[] {"", "k", "x", "-1", "1.5m", "512kb", "5 12", "0x80000"}) {
            Check.that(refused(P + "stacksize", bad).contains("not a size"), "reason");
        }
        for (String bad : new String[] {"0", "1", "139263", "135k"}) {
            Check.that(refused(P + "stacksize", bad).contains("at least 136k"), "reason");
        }
        for (String bad : new String[] {"1073741825", "2g", "1025m", "99999999999999999999999", "9223372036854775807k"}) {
            Check.that(refused(P + "stacksize", bad).contains("at most 1024m"), "reason");
        }
    }

    static void affinity() {
        List<String> usual = clean().nativeAffinity;
        Check.that(usual.contains("com.sun.jna.Native.invoke*") && usual.contains("generated"), "default " + usual);
        Check.equal(usual, clean(P + "nativeAffinity", "default").nativeAffinity, "the default by name");
        Check.equal(Arrays.asList(), clean(P + "nativeAffinity", "").nativeAffinity, "an empty list");
        Check.equal(Arrays.asList("a.B.*", "c.D$E.f", "generated", "g.h*"),
                    clean(P + "nativeAffinity", " a.B.* ;c.D$E.f;;generated; g.h*;a.B.*;").nativeAffinity, "a list");
        List<String> more = new ArrayList<>(Arrays.asList("a.b"));
        more.addAll(usual);
        Check.equal(more, clean(P + "nativeAffinity", "a.b;default").nativeAffinity, "a list and the default");
        for (String bad : new String[] {"*", "a", "a*", ".a", "a..b", "a.b.", "a.*b", "a.b**", "a/b.c", "a b.c", "1.a", "Default"}) {
            ConfigProbe c = parse(P + "nativeAffinity", "a.b;" + bad);
            Check.equal(Arrays.asList("a.b"), c.nativeAffinity, "list with " + bad);
            Check.equal(1, c.warnings.size(), "warnings for " + bad);
            Check.that(c.warnings.get(0).contains(P + "nativeAffinity: entry \"" + bad + "\" is ignored: "), c.warnings.get(0));
        }
    }

    static void truths() {
        Check.that(!clean(P + "allThreadAsWisp", "false").convertAll, "allThreadAsWisp");
        Check.that(!clean(P + "enableThreadAsWisp", "FALSE").convertThreads, "enableThreadAsWisp");
        Check.that(!clean("com.alibaba.shiftThreadModel", "false").convertThreads, "the old name");
        Check.that(clean("com.alibaba.shiftThreadModel", "false", P + "enableThreadAsWisp", "true").convertThreads,
                   "the new name wins");
        ConfigProbe c = clean(P + "transparentWispSwitch", "true", P + "enableThreadAsWisp", "true", P + "allThreadAsWisp", "true");
        Check.that(c.convertThreads && c.convertAll, "the usual three");
        Check.that(clean(P + "allThreadAsWisp", "true").convertAll, "one without the others");
        Check.that(clean(P + "transparentWispSwitch", "false").convertThreads, "the VM flag decides");
        for (String name : new String[] {"allThreadAsWisp", "enableThreadAsWisp", "transparentWispSwitch"}) {
            refused(P + name, "yes");
            refused(P + name, "");
        }
        refused("com.alibaba.shiftThreadModel", "1");
        refused("com.alibaba.transparentAsync", "1");
    }

    static void names() {
        clean(P + "handoffPolicy", "ADAPTIVE", P + "enableHandOff", "true", P + "schedule.policy", "PULL",
              P + "engineTaskCache", "-3", P + "growCarrier", "x", P + "separateIOPoller", "true",
              "com.alibaba.pollerShardingSize", "0");
        ConfigProbe c = parse(P + "carrierEngine", "4", P, "", P + "CarrierEngines", "4");
        Check.equal(3, c.warnings.size(), "warnings " + c.warnings);
        Check.that(c.warnings.toString().contains(P + "carrierEngine "), "no name in " + c.warnings);
        Check.equal(7, c.carriers, "carriers");
    }

    static String write(String name, String... lines) throws Exception {
        Path p = Paths.get(name);
        Files.write(p, Arrays.asList(lines));
        return p.toString();
    }

    static void file() throws Exception {
        String name = write("good.properties", "# comment", P + "carrierEngines = 3",
                            P + "threadAsWisp.black = name:a*;\\", "   class:x.Y", P + "threadAsWisp.white: name:w",
                            P + "stacksize=256k", P + "allThreadAsWisp=false", "com.alibaba.shiftThreadModel=true");
        String before = System.getProperty(P + "carrierEngines");
        ConfigProbe c = clean(P + "config", name);
        Check.equal(3, c.carriers, "carriers");
        Check.equal(256L << 10, c.stackSize, "stack size");
        Check.that(!c.convertAll && c.convertThreads, "conversion");
        Check.that(c.isBlack("ab", Thread.class, null), "black list");
        Check.that(c.isWhite("w", Thread.class, null), "white list");
        Check.equal(before, System.getProperty(P + "carrierEngines"), "system property");

        c = clean(P + "config", name, P + "carrierEngines", "5", P + "threadAsWisp.black", "name:b", P + "allThreadAsWisp", "true");
        Check.equal(5, c.carriers, "carriers: the command line wins");
        Check.equal(256L << 10, c.stackSize, "stack size");
        Check.that(c.convertAll, "conversion: the command line wins");
        Check.that(c.isBlack("b", Thread.class, null) && !c.isBlack("ab", Thread.class, null), "a list replaces the other");

        name = write("odd.properties", P + "config = other", P + "unknown = 1", "threadAsWisp.black = name:x",
                     P + "threadAsWisp.black = foo");
        c = parse(P + "config", name);
        System.out.println(c.warnings);
        Check.equal(4, c.warnings.size(), "warnings " + c.warnings);
        for (String w : c.warnings) {
            Check.that(w.contains(name) || w.contains("\"foo\""), "no file in: " + w);
        }

        clean(P + "config", write("empty.properties"));
    }

    static void badFile() throws Exception {
        refused(P + "config", "missing.properties");
        refused(P + "config", "");
        refused(P + "config", ".");
        refused(P + "config", write("malformed.properties", P + "carrierEngines = \\u12"));
        String name = write("value.properties", P + "carrierEngines = 0");
        Check.that(refused(P + "carrierEngines", "0", map(P + "config", name)).contains(name), "no file");
        String unreadable = write("unreadable.properties", "");
        File f = new File(unreadable);
        if (f.setReadable(false) && !f.canRead()) {     // root can read everything
            refused(P + "config", unreadable);
        }
    }
}
