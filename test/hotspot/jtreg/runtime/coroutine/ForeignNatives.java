/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Native code that holds a mutex, which knows its owner by the kernel thread, while Java code waits below it: of a class that the
 *          boot loader has from elsewhere than the JDK, as agents put theirs there, and around a function of JVMTI that calls Java code. Catches: a thread
 *          that comes back to native code on another kernel thread.
 * @library /test/lib
 * @run main/othervm/native -Djava.system.class.loader=ForeignNatives$Loader ForeignNatives
 * @run main/bootclasspath/othervm/native ForeignNatives boot
 */

import java.io.FileOutputStream;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import wisptest.Check;
import wisptest.Crew;

public class ForeignNatives {
    /** 0, or the error of a mutex of the calling thread. */
    static native int run(Runnable code);

    /** The same, and of JVMTI, negative. */
    static native int search(String jar);

    static final int THREADS = 20, ROUNDS = 20;

    public static class Loader extends ClassLoader {
        public Loader(ClassLoader parent) {
            super(parent);
        }

        void appendToClassPathForInstrumentation(String jar) {
            waits();
        }
    }

    static void waits() {
        for (int i = 0; i < 3; i++) {
            LockSupport.parkNanos(20_000);
            Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        boolean boot = args.length > 0;
        Check.equal(boot, ForeignNatives.class.getClassLoader() == null, "the class is one of the boot loader");
        String path = System.getProperty("test.nativepath", System.getProperty("java.library.path"));
        System.load(path + "/libForeignNatives.so");
        Crew crew = new Crew();
        for (int i = 0; i < THREADS; i++) {
            crew.start("runs-" + i, () -> {
                for (int j = 0; j < ROUNDS; j++) {
                    Check.equal(0, run(ForeignNatives::waits), "lock and unlock around Java code");
                    waits();
                }
            });
        }
        crew.join();
        if (boot) {
            return;
        }
        String jar = "empty.jar";
        try (JarOutputStream out = new JarOutputStream(new FileOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("nothing"));
        }
        for (int i = 0; i < THREADS; i++) {
            crew.start("searches-" + i, () -> {
                for (int j = 0; j < ROUNDS; j++) {
                    Check.equal(0, search(jar), "lock and unlock around AddToSystemClassLoaderSearch");
                    waits();
                }
            });
        }
        crew.join();
    }
}
