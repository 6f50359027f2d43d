/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lets tests outside java.base call the parsers, which have no public entry. */
public final class ConfigProbe {
    public final int carriers;
    public final long stackSize;
    public final int tick;
    public final boolean convertThreads;
    public final boolean convertAll;
    public final List<String> nativeAffinity;
    public final List<String> warnings;
    private final ThreadList black;
    private final ThreadList white;

    public ConfigProbe(Map<String, String> given, int processors) {
        WispConfiguration c = WispConfiguration.parse(given, processors);
        carriers = c.carriers;
        stackSize = c.stackSizeBytes;
        tick = c.tickMicros;
        convertThreads = c.convertThreads;
        convertAll = c.convertAll;
        nativeAffinity = c.nativeAffinity;
        warnings = c.warnings;
        black = c.black;
        white = c.white;
    }

    public boolean isBlack(String name, Class<?> thread, Class<?> runnable) {
        return black.matches(name, thread, runnable);
    }

    public boolean isWhite(String name, Class<?> thread, Class<?> runnable) {
        return white.matches(name, thread, runnable);
    }

    public static boolean glob(String pattern, String text) {
        return ThreadList.glob(pattern, text);
    }

    public static boolean matches(String list, String name, Class<?> thread, Class<?> runnable) {
        return ThreadList.parse("list", list, new ArrayList<>()).matches(name, thread, runnable);
    }

    public static List<String> warningsOf(String list) {
        List<String> warnings = new ArrayList<>();
        ThreadList.parse("list", list, warnings);
        return warnings;
    }
}
