/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import java.util.ArrayList;
import java.util.List;

/*
 * A list of threads as users write it, for threadAsWisp.black and threadAsWisp.white:
 *
 *   entry ( ';' entry )*       entry = kind ( ':' | '=' ) value
 *
 *   name:PATTERN    the thread's whole name; * is any run of characters, ? exactly
 *                   one, every other character itself
 *   package:a.b     the class of the Thread, or that of its Runnable, lies in the
 *                   package a.b, not in one below it; "packge" is understood, too
 *   class:a.b.C     the Thread, or its Runnable, is exactly of this class
 *
 * The first separator ends the kind, so a value may contain both. Blanks around
 * entries, kinds and values do not count. An entry without meaning is left out with
 * a warning; an empty one silently, as it is what a trailing ';' leaves.
 *
 * Protocol: immutable. matches() runs in Thread.start(), on any thread: it takes no
 * lock, allocates nothing and loads no class.
 *
 * Rejected: translating a pattern to a regular expression (characters such as '.',
 * '[' and '(' in thread names then mean something else), and walking up the class
 * hierarchy (every Thread would match java.lang.Thread).
 */
final class ThreadList {
    private static final byte NAME = 0;
    private static final byte PACKAGE = 1;
    private static final byte CLASS = 2;

    // Entry i is kinds[i], values[i].
    private final byte[] kinds;
    private final String[] values;

    private ThreadList(byte[] kinds, String[] values) {
        this.kinds = kinds;
        this.values = values;
    }

    /**
     * Reads a list.
     *
     * @param setting the setting's name, for warnings
     * @param text the list, or null for an empty one
     * @param warnings gets one line for each entry that is left out
     */
    static ThreadList parse(String setting, String text, List<String> warnings) {
        List<String> values = new ArrayList<>();
        StringBuilder kinds = new StringBuilder();
        int length = text == null ? 0 : text.length();
        for (int start = 0; start < length; ) {
            int end = text.indexOf(';', start);
            if (end < 0) {
                end = length;
            }
            String entry = text.substring(start, end).trim();
            start = end + 1;
            if (entry.isEmpty()) {
                continue;
            }
            int separator = separator(entry);
            String kind = separator < 0 ? "" : entry.substring(0, separator).trim();
            String value = entry.substring(separator + 1).trim();
            byte code = code(kind);
            String reason = code < 0
                ? "it must be name:PATTERN, package:NAME or class:NAME"
                : value.isEmpty() ? "nothing follows the " + kind
                : code == NAME ? null : complaint(kind, value);
            if (reason != null) {
                warnings.add(setting + ": entry \"" + WispConfiguration.printable(entry) + "\" is ignored: " + reason);
                continue;
            }
            kinds.append((char) code);
            values.add(value);
        }
        byte[] k = new byte[values.size()];
        for (int i = 0; i < k.length; i++) {
            k[i] = (byte) kinds.charAt(i);
        }
        return new ThreadList(k, values.toArray(new String[0]));
    }

    private static int separator(String entry) {
        for (int i = 0; i < entry.length(); i++) {
            char c = entry.charAt(i);
            if (c == ':' || c == '=') {
                return i;
            }
        }
        return -1;
    }

    private static byte code(String kind) {
        switch (kind) {
            case "name":    return NAME;
            case "package":
            case "packge":  return PACKAGE;
            case "class":   return CLASS;
            default:        return -1;
        }
    }

    /** Why a text cannot be the name of a class or package, or null. */
    private static String complaint(String kind, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '*' || c == '?') {
                return kind + " takes an exact name, * and ? are for name: only";
            }
            if (c <= ' ' || c == ':' || c == '=' || c == ',') {
                return "blanks, commas, ':' and '=' are not part of such a name";
            }
        }
        if (value.startsWith(".") || value.endsWith(".")) {
            return "a name neither starts nor ends with '.'";
        }
        return null;
    }

    boolean isEmpty() {
        return kinds.length == 0;
    }

    /**
     * Whether an entry matches.
     *
     * @param name the thread's name
     * @param thread the class of the Thread object
     * @param runnable the class of its Runnable, or null if it has none
     */
    boolean matches(String name, Class<?> thread, Class<?> runnable) {
        for (int i = 0; i < kinds.length; i++) {
            String value = values[i];
            boolean match;
            switch (kinds[i]) {
                case NAME:
                    match = glob(value, name);
                    break;
                case PACKAGE:
                    match = inPackage(value, thread.getName())
                        || runnable != null && inPackage(value, runnable.getName());
                    break;
                default:
                    match = value.equals(thread.getName())
                        || runnable != null && value.equals(runnable.getName());
                    break;
            }
            if (match) {
                return true;
            }
        }
        return false;
    }

    private static boolean inPackage(String packageName, String className) {
        return className.startsWith(packageName) && className.lastIndexOf('.') == packageName.length();
    }

    /** Whether the pattern, with * and ?, matches the whole text. */
    static boolean glob(String pattern, String text) {
        int p = 0;
        int t = 0;
        int star = -1;          // the last * seen, and
        int resume = 0;         // where the text that follows it is tried next
        while (t < text.length()) {
            char c = p < pattern.length() ? pattern.charAt(p) : 0;
            if (c == '*') {     // before the comparison: a * in the text is no end of the pattern's *
                star = p++;
                resume = t;
            } else if (p < pattern.length() && (c == '?' || c == text.charAt(t))) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
