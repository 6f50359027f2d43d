/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary The language of the black and the white list: both separators, blanks, globs with literal other characters, exact
 *          classes and packages of Thread and Runnable, and a warning that names each entry without meaning. Globs are also
 *          compared with a simple recursive matcher on random patterns.
 * @modules java.base/com.alibaba.wisp.engine
 * @library /test/lib
 * @build java.base/com.alibaba.wisp.engine.ConfigProbe
 * @run main ThreadListTest
 */

import com.alibaba.wisp.engine.ConfigProbe;
import java.util.List;
import java.util.Random;
import wisptest.Check;

public class ThreadListTest {
    static class MyThread extends Thread { }
    static class MySubThread extends MyThread { }
    static class MyTask implements Runnable {
        public void run() { }
    }

    public static void main(String[] args) {
        globs();
        randomGlobs();
        classes();
        syntax();
        warnings();
    }

    static void glob(boolean expected, String pattern, String text) {
        Check.equal(expected, ConfigProbe.glob(pattern, text), "\"" + pattern + "\" on \"" + text + "\"");
    }

    static void globs() {
        glob(true, "main", "main");
        glob(false, "main", "main2");
        glob(false, "main", "xmain");
        glob(true, "http-nio-*", "http-nio-8080-exec-1");
        glob(true, "http-nio-*", "http-nio-");
        glob(false, "http-nio-*", "http-nio");
        glob(true, "pool-?-thread-*", "pool-1-thread-17");
        glob(false, "pool-?-thread-*", "pool-12-thread-17");
        glob(true, "*", "");
        glob(true, "***", "abc");
        glob(false, "?", "");
        glob(true, "*a*b*c", "xxaxxbxxabc");
        glob(false, "*a*b*c", "xxaxxbxxabcd");
        glob(true, "*aab", "aaaab");
        glob(true, "*", "a*b");
        glob(true, "a*b", "a*b");
        glob(true, "*b", "*ab");
        // Everything else is itself.
        glob(true, "[epoll].(1)+^$|{}\\d", "[epoll].(1)+^$|{}\\d");
        glob(false, "a.c", "abc");
        glob(false, "a+", "aa");
        glob(false, "[ab]", "a");
        glob(true, "\u7ebf\u7a0b-*", "\u7ebf\u7a0b-1");
        glob(false, "Main", "main");
        // No exponential time.
        StringBuilder a = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            a.append('a');
        }
        glob(false, "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", a.toString());
    }

    static boolean slowGlob(String p, String t) {
        if (p.isEmpty()) {
            return t.isEmpty();
        }
        char c = p.charAt(0);
        if (c == '*') {
            return slowGlob(p.substring(1), t) || !t.isEmpty() && slowGlob(p, t.substring(1));
        }
        return !t.isEmpty() && (c == '?' || c == t.charAt(0)) && slowGlob(p.substring(1), t.substring(1));
    }

    static void randomGlobs() {
        Random random = new Random(42);
        int matches = 0;
        for (int i = 0; i < 200_000; i++) {
            String p = random(random, "ab*?*");
            String t = random(random, "abab*?");
            boolean expected = slowGlob(p, t);
            matches += expected ? 1 : 0;
            glob(expected, p, t);
        }
        Check.that(matches > 10_000, "hardly a pattern matched: " + matches);
    }

    static String random(Random random, String alphabet) {
        StringBuilder b = new StringBuilder();
        for (int n = random.nextInt(9); n > 0; n--) {
            b.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return b.toString();
    }

    static void list(boolean expected, String list, String name, Class<?> thread, Class<?> runnable) {
        Check.equal(expected, ConfigProbe.matches(list, name, thread, runnable),
                    list + " on " + name + ", " + thread + ", " + runnable);
    }

    static void classes() {
        String nested = "ThreadListTest$MyThread";
        list(true, "class:" + nested, "t", MyThread.class, null);
        list(false, "class:" + nested, "t", MySubThread.class, null);
        list(false, "class:ThreadListTest", "t", MyThread.class, null);
        list(true, "class:ThreadListTest$MyTask", "t", Thread.class, MyTask.class);
        list(true, "class:java.lang.Thread", "t", Thread.class, MyTask.class);
        list(false, "class:java.lang.Thread", "t", MyThread.class, MyTask.class);
        list(true, "package:java.util", "t", Thread.class, java.util.TimerTask.class);
        list(true, "package:java.util", "t", java.util.TimerTask.class, null);
        list(true, "package:java.util", "t", Thread.class, java.util.AbstractMap.SimpleEntry.class);
        list(false, "package:java.util", "t", Thread.class, java.util.concurrent.FutureTask.class);
        list(false, "package:java.util.concurrent", "t", Thread.class, java.util.concurrent.atomic.AtomicLong.class);
        list(false, "package:java.uti", "t", Thread.class, java.util.TimerTask.class);
        list(false, "package:util", "t", Thread.class, java.util.TimerTask.class);
    }

    static void syntax() {
        list(true, "name:a", "a", Thread.class, null);
        list(true, "name=a", "a", Thread.class, null);
        list(true, "  name : a ; ", "a", Thread.class, null);
        list(true, ";;name:x;;name:a;;", "a", Thread.class, null);
        list(true, "package:q;class=java.lang.Thread", "a", Thread.class, null);
        list(true, "packge=java.lang", "a", Thread.class, null);
        list(true, "package=java.lang", "a", Thread.class, null);
        list(true, "name:a=b:c", "a=b:c", Thread.class, null);
        list(true, "name=a:b", "a:b", Thread.class, null);
        list(true, "name:two words", "two words", Thread.class, null);
        list(false, "", "", Thread.class, null);
        list(false, null, "a", Thread.class, null);
        Check.equal(0, ConfigProbe.warningsOf(" ; name:a ; ;class=a.B;packge:a.b; ").size(), "warnings of a good list");
    }

    static void warned(String entry) {
        List<String> warnings = ConfigProbe.warningsOf("name:good;" + entry + ";class:a.Good");
        Check.equal(1, warnings.size(), "warnings of " + entry + " " + warnings);
        Check.that(warnings.get(0).contains("\"" + entry.trim() + "\""), "no entry in: " + warnings.get(0));
        Check.that(warnings.get(0).startsWith("list: "), "no setting in: " + warnings.get(0));
        list(true, entry + ";name:good", "good", Thread.class, null);
    }

    static void warnings() {
        warned("main");
        warned("Name:main");
        warned("names:main");
        warned("thread:main");
        warned("name:");
        warned("name: ");
        warned("class:");
        warned(":x");
        warned("=x");
        warned("class:a.b.*");
        warned("package:a.b.?");
        warned("package:a.b.");
        warned("package:.a");
        warned("class:a b");
        warned("class:a,b");
        warned("class:a:b");
        String odd = ConfigProbe.warningsOf("a\nb\u0007").get(0);
        Check.that(odd.indexOf('\n') < 0 && odd.indexOf(7) < 0, "control characters in a warning");
    }
}
