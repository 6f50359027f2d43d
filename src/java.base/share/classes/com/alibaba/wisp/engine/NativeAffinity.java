/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.wisp.engine;

import java.util.ArrayList;
import java.util.List;

/*
 * The native methods whose callers keep their kernel thread, as users write them for nativeAffinity:
 *
 *   entry ( ';' entry )*
 *
 *   a.b.C.method    the native methods of that name of the class a.b.C
 *   a.b.C.*         a * at the end is any rest: all of a class, of a package and those below it, or
 *                   those whose name begins so
 *   generated       native methods whose function lies in no library, as it was made at run time
 *   default         all that would count without the setting
 *
 * Blanks around entries do not count. An entry without meaning is left out with a warning; an empty one
 * silently. An empty list: no native method.
 *
 * Protocol: parsed once, at the start of the VM, which gets the patterns one by one and does the matching
 * (coroutineAffinity.hpp), as native methods are linked where no Java code can run.
 *
 * The default names what calls functions of any library, which nobody can know here, bindings of libraries that
 * have a current context in each kernel thread, and what the kernel lets only the thread do that has begun it: rings of io_uring with one
 * submitter, and tracing another process (jhsdb). Rejected: each native method outside the JDK; see there.
 */
final class NativeAffinity {
    private static final String GENERATED = "generated";

    private static final String[] DEFAULT = {
        "com.sun.jna.Native.invoke*", "com.kenai.jffi.Foreign.invoke*", "org.bridj.*", "org.bytedeco.*", GENERATED,
        "org.lwjgl.*", "jogamp.*", "com.jogamp.*", "org.eclipse.swt.internal.*", "jep.*", "com.sun.prism.es2.*", "jcuda.*",
        "io.netty.channel.uring.Native.ioUring*", "io.netty.incubator.channel.uring.Native.ioUring*",
        "sun.jvm.hotspot.debugger.linux.LinuxDebuggerLocal.*",
    };

    private NativeAffinity() { }

    /**
     * Reads a list.
     *
     * @param setting the setting's name, for warnings
     * @param text the list, or null for the default
     * @param warnings gets one line for each entry that is left out
     * @return the patterns, in order
     */
    static List<String> parse(String setting, String text, List<String> warnings) {
        List<String> patterns = new ArrayList<>();
        if (text == null) {
            add(patterns, DEFAULT);
            return patterns;
        }
        for (int start = 0; start < text.length(); ) {
            int end = text.indexOf(';', start);
            if (end < 0) {
                end = text.length();
            }
            String entry = text.substring(start, end).trim();
            start = end + 1;
            if (entry.equals("default")) {
                add(patterns, DEFAULT);
            } else if (entry.equals(GENERATED) || isPattern(entry)) {
                add(patterns, entry);
            } else if (!entry.isEmpty()) {
                warnings.add(setting + ": entry \"" + WispConfiguration.printable(entry) + "\" is ignored: it must be the name of "
                             + "a class and a method such as a.b.C.method, with * at the end for any rest, generated, or default");
            }
        }
        return patterns;
    }

    private static void add(List<String> patterns, String... more) {
        for (String p : more) {
            if (!patterns.contains(p)) {
                patterns.add(p);
            }
        }
    }

    // Identifiers with dots between them, the last of which may end with *, or be one.
    private static boolean isPattern(String entry) {
        boolean open = entry.endsWith("*");
        int length = entry.length() - (open ? 1 : 0);
        boolean inside = false;
        boolean dots = false;
        for (int i = 0; i < length; i++) {
            char c = entry.charAt(i);
            if (c == '.' ? !inside : inside ? !Character.isJavaIdentifierPart(c) : !Character.isJavaIdentifierStart(c)) {
                return false;
            }
            inside = c != '.';
            dots = dots || !inside;
        }
        return dots && (inside || open);
    }
}
