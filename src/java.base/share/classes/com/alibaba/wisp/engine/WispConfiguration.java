/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;

/*
 * The settings of the engine: system properties com.alibaba.wisp.* and the same
 * names in the file that com.alibaba.wisp.config points to.
 *
 * Protocol: parse() is called once, on the main thread, before any coroutine
 * exists. It has no side effect but reading the file. What is wrong falls into two
 * classes. A value that cannot be used ends the start of the VM:
 * IllegalArgumentException, whose message is one line with the setting, the value,
 * where it comes from, the reason and what to do. What can be left out without
 * changing what the user asked for elsewhere (an unknown name, an entry of a list
 * that has no meaning) is a warning, which the caller prints.
 *
 * Order: a system property wins over the file. Values from the file never become
 * system properties.
 *
 * Rejected: reading each property lazily where it is used (a mistake shows up late
 * or never, and the class initializer then runs below arbitrary locks), and falling
 * back to the default for a bad number (a typing error becomes a performance riddle).
 */
final class WispConfiguration {
    static final String PREFIX = "com.alibaba.wisp.";

    static final int MAX_CARRIERS = 1024;
    static final int MAX_TICK_MICROS = 10_000_000;

    // What a Java thread needs on this platform at least: guard zones, shadow pages
    // and 40 KB of frames; the VM rejects -Xss below the same limit. At most 1 GB, as -Xss.
    static final long MIN_STACK_BYTES = 136L * 1024;
    static final long MAX_STACK_BYTES = 1024L * 1024 * 1024;

    private static final String CONFIG = PREFIX + "config";
    private static final String CARRIERS = PREFIX + "carrierEngines";
    private static final String STACK_SIZE = PREFIX + "stacksize";
    private static final String TICK = PREFIX + "sysmonTickUs";
    private static final String PROFILE = PREFIX + "profile";
    private static final String BLACK = PREFIX + "threadAsWisp.black";
    private static final String WHITE = PREFIX + "threadAsWisp.white";
    private static final String AFFINITY = PREFIX + "nativeAffinity";
    private static final String TRANSPARENT = PREFIX + "transparentWispSwitch";
    private static final String ENABLE_THREAD = PREFIX + "enableThreadAsWisp";
    private static final String ALL_THREAD = PREFIX + "allThreadAsWisp";

    // The names that came before transparentWispSwitch and enableThreadAsWisp.
    private static final String OLD_TRANSPARENT = "com.alibaba.transparentAsync";
    private static final String OLD_ENABLE_THREAD = "com.alibaba.shiftThreadModel";

    // Every name outside PREFIX that a settings file may carry.
    private static final String[] OUTSIDE = {
        OLD_TRANSPARENT, OLD_ENABLE_THREAD, "com.alibaba.pollerShardingSize",
    };

    private static final String[] USED = {
        "config", "carrierEngines", "stacksize", "sysmonTickUs", "threadAsWisp.black",
        "threadAsWisp.white", "transparentWispSwitch", "enableThreadAsWisp", "allThreadAsWisp",
        "profile", "nativeAffinity",
    };

    // Names that start scripts carry and that have nothing to set here.
    private static final String[] WITHOUT_EFFECT = {
        "controlGroup.cfsPeriod", "daemonWorker", "directSelectorWakeup", "enableAsyncFileIO",
        "enableHandOff", "enablePerfLog", "enableProfileLog", "engineTaskCache",
        "engineTaskGlobalCache", "fileIOCoreWorkerCnt", "fileIOMaxWorkerCnt", "growCarrier",
        "growCarrierTickUs", "handoffPolicy", "highPrecisionTimer", "logPath",
        "logTimeInternalMillis", "minParkNanos", "monolithicPoll", "parkOneMs",
        "schedule.helpStealRetry", "schedule.policy", "schedule.pushRetry", "schedule.stealRetry",
        "separateIOPoller", "shutdownSleepTime", "useCarrierAsPoller", "useSocketLock",
        "useStealLock", "version", "workerEngines",
    };

    /** Carrier threads, 1 to MAX_CARRIERS. */
    final int carriers;

    /** Whether no number was set, so that it follows that of the processors. */
    final boolean followProcessors;

    /** Stack of a coroutine whose Thread asks for no size, in bytes; 0: as for a platform thread. */
    final long stackSizeBytes;

    /** Tick of the monitor in microseconds, 0 when it is not set. */
    final int tickMicros;

    /** Whether Thread.start() makes coroutines at all. */
    final boolean convertThreads;

    /** Whether it does so for every thread, or for those of the white list only. */
    final boolean convertAll;

    /** Whether times are measured from the start. */
    final boolean profile;

    final ThreadList black;
    final ThreadList white;

    /** Which native methods' callers keep their kernel thread. */
    final List<String> nativeAffinity;

    /** One line each, without the prefix that the VM puts before a warning. */
    final List<String> warnings = new ArrayList<>();

    private final Map<String, String> given;     // system properties
    private final Properties file;               // null: no file
    private final String fileName;

    /**
     * Reads all settings.
     *
     * @param given the system properties as they were when the VM started
     * @param processors carriers when nothing else is said
     * @throws IllegalArgumentException for a value that cannot be used; one line
     */
    static WispConfiguration parse(Map<String, String> given, int processors) {
        return new WispConfiguration(given, processors);
    }

    private WispConfiguration(Map<String, String> given, int processors) {
        this.given = given;
        this.fileName = given.get(CONFIG);
        this.file = fileName == null ? null : load(fileName);
        warnOfUnknownNames();

        carriers = (int) number(CARRIERS, 1, MAX_CARRIERS, Math.min(processors, MAX_CARRIERS),
                                "a number of carrier threads", "one for each CPU");
        followProcessors = value(CARRIERS) == null;
        tickMicros = (int) number(TICK, 1, MAX_TICK_MICROS, 0, "a number of microseconds", "the default");
        stackSizeBytes = stackSize();

        truth(TRANSPARENT, OLD_TRANSPARENT);     // -XX:+UseWisp2 has already said so
        convertThreads = truth(ENABLE_THREAD, OLD_ENABLE_THREAD);
        convertAll = truth(ALL_THREAD, null);
        profile = value(PROFILE) != null && truth(PROFILE, null);
        black = ThreadList.parse(BLACK, value(BLACK), warnings);
        white = ThreadList.parse(WHITE, value(WHITE), warnings);
        nativeAffinity = NativeAffinity.parse(AFFINITY, value(AFFINITY), warnings);
    }

    /** What has been decided and why: one line each, for the log. */
    List<String> decisions() {
        List<String> lines = new ArrayList<>();
        lines.add("carriers: " + carriers + (value(CARRIERS) == null ? ", one for each available processor" : ", from " + source(CARRIERS)));
        lines.add("stack size: " + (stackSizeBytes == 0 ? "that of -Xss" : stackSizeBytes + " bytes, from " + source(STACK_SIZE)));
        if (tickMicros != 0) {
            lines.add("monitor tick: " + tickMicros + " us, from " + source(TICK));
        }
        lines.add("converted threads: " + (!convertThreads ? "none" : convertAll ? "all" : "those of " + WHITE)
                  + ", but for those of the JDK" + (black.isEmpty() ? "" : " and of the exclude list"));
        if (!black.isEmpty()) {
            lines.add("exclude list, from " + source(BLACK) + ": " + printable(value(BLACK)));
        }
        if (!convertAll) {
            lines.add("white list, from " + source(WHITE) + ": " + printable(value(WHITE)));
        }
        lines.add("kernel threads are kept by callers of: "
                  + (nativeAffinity.isEmpty() ? "no native method" : String.join(";", nativeAffinity))
                  + (value(AFFINITY) == null ? "" : ", from " + source(AFFINITY)));
        if (profile) {
            lines.add("profile: times are measured, from " + source(PROFILE));
        }
        return lines;
    }

    private String source(String name) {
        String origin = origin(name);
        return origin == null ? "-D" + name : printable(origin);
    }

    private static Properties load(String name) {
        String reason;
        Properties p = new Properties();
        try (InputStream in = new FileInputStream(name)) {
            p.load(in);
            return p;
        } catch (IOException | SecurityException | IllegalArgumentException e) {
            reason = e.getMessage();
        }
        throw bad(CONFIG, name, null, "the file cannot be read: " + reason,
                  "name a readable properties file, or leave the setting out");
    }

    private String value(String name) {
        String v = given.get(name);
        return v != null || file == null ? v : file.getProperty(name);
    }

    /** Where value(name) comes from, for a message; null: the command line. */
    private String origin(String name) {
        return given.get(name) == null ? fileName : null;
    }

    private long number(String name, long min, long max, long otherwise, String what, String fallback) {
        String v = value(name);
        if (v == null) {
            return otherwise;
        }
        try {
            long n = Long.parseLong(v.trim());
            if (n >= min && n <= max) {
                return n;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw bad(name, v, origin(name), "it must be " + what + ", " + min + " to " + max,
                  "correct it, or leave it out to get " + fallback);
    }

    private boolean truth(String name, String oldName) {
        if (value(name) == null) {
            if (oldName == null || value(oldName) == null) {
                return true;
            }
            name = oldName;
        }
        String v = value(name);
        if (v.trim().equalsIgnoreCase("true")) {
            return true;
        }
        if (v.trim().equalsIgnoreCase("false")) {
            return false;
        }
        throw bad(name, v, origin(name), "it must be true or false", "correct it, or leave it out to get true");
    }

    private long stackSize() {
        String v = value(STACK_SIZE);
        if (v == null) {
            return 0;
        }
        String advice = "write bytes, or a number with k or m, such as 512k; or leave it out to get the size of -Xss";
        long bytes = bytes(v.trim());
        if (bytes < 0) {
            throw bad(STACK_SIZE, v, origin(STACK_SIZE), "it is not a size", advice);
        }
        if (bytes < MIN_STACK_BYTES) {
            throw bad(STACK_SIZE, v, origin(STACK_SIZE), "a Java stack needs at least 136k", advice);
        }
        if (bytes > MAX_STACK_BYTES) {
            throw bad(STACK_SIZE, v, origin(STACK_SIZE), "a Java stack has at most 1024m", advice);
        }
        return bytes;
    }

    /** A number with an optional k, m or g; -1 if it is none; too much is Long.MAX_VALUE. */
    static long bytes(String text) {
        int shift = 0;
        int end = text.length();
        if (end > 0) {
            switch (text.charAt(end - 1)) {
                case 'k': case 'K': shift = 10; end--; break;
                case 'm': case 'M': shift = 20; end--; break;
                case 'g': case 'G': shift = 30; end--; break;
                default: break;
            }
        }
        if (end == 0) {
            return -1;
        }
        long n = 0;
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            n = Math.min(n * 10 + (c - '0'), MAX_STACK_BYTES + 1);
        }
        return n > MAX_STACK_BYTES ? Long.MAX_VALUE : n << shift;
    }

    private void warnOfUnknownNames() {
        for (String name : new TreeSet<>(given.keySet())) {
            if (name.startsWith(PREFIX) && !isKnown(name)) {
                warnings.add("unknown property " + printable(name) + " is ignored");
            }
        }
        if (file == null) {
            return;
        }
        for (String name : new TreeSet<>(file.stringPropertyNames())) {
            if (name.equals(CONFIG)) {
                warnings.add(CONFIG + " in " + printable(fileName) + " is ignored: a settings file cannot name another one");
            } else if (!isKnown(name) && !isOneOf(OUTSIDE, name)) {
                warnings.add("unknown property " + printable(name) + " in " + printable(fileName) + " is ignored");
            }
        }
    }

    private static boolean isKnown(String name) {
        return name.startsWith(PREFIX)
            && (isOneOf(USED, name.substring(PREFIX.length())) || isOneOf(WITHOUT_EFFECT, name.substring(PREFIX.length())));
    }

    private static boolean isOneOf(String[] names, String name) {
        for (String n : names) {
            if (n.equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static IllegalArgumentException bad(String name, String value, String origin, String reason, String advice) {
        return new IllegalArgumentException("Bad value \"" + printable(value) + "\" for " + name
            + (origin == null ? "" : " in " + printable(origin)) + ": " + printable(reason) + "; " + advice);
    }

    /** What the user typed, fit for one line of a terminal. */
    static String printable(String text) {
        if (text == null) {
            return "unknown";
        }
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < text.length() && i < 200; i++) {
            char c = text.charAt(i);
            b.append(c < ' ' || c == 127 ? '?' : c);
        }
        return text.length() > 200 ? b.append("...").toString() : b.toString();
    }
}
