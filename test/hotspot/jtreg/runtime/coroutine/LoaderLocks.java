/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary Class loading while class loaders park, with one carrier that nobody may keep: threads queue for the lock of a loader
 *          that is not parallel capable; threads meet in the same class of a parallel capable loader; and the waits of the class
 *          dictionary itself, which are waits for another thread's Java code although they are not Java monitors: for a class
 *          that another thread is loading, for its superclass, and for a class that another thread is defining. Each case can
 *          only go on when a thread that starts last gets the carrier. Catches: one of these waits keeping the carrier: this
 *          test hangs.
 * @library /test/lib
 * @run main/othervm -Dcom.alibaba.wisp.carrierEngines=1 --add-opens java.base/java.lang=ALL-UNNAMED LoaderLocks
 */

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import wisptest.Check;
import wisptest.Crew;

public class LoaderLocks {
    public static class A {
        public static String name() { return "A"; }
    }

    public static class B extends A {
        public static String name() { return "B"; }
    }

    static byte[] bytes(String name) throws IOException {
        try (InputStream in = LoaderLocks.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }

    static final String NAME_A = "LoaderLocks$A";
    static final String NAME_B = "LoaderLocks$B";

    /** Loads A and B itself, and stops at A until it is let go. */
    static class Serial extends ClassLoader {
        final CountDownLatch stopped = new CountDownLatch(1);
        final boolean giveUpLock;
        boolean go;                             // guarded by this

        Serial(boolean giveUpLock) {
            super(LoaderLocks.class.getClassLoader());
            this.giveUpLock = giveUpLock;
        }

        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(NAME_A) && !name.equals(NAME_B)) {
                return super.loadClass(name, resolve);
            }
            Class<?> c = findLoadedClass(name);
            if (c != null) {
                return c;
            }
            if (name.equals(NAME_A)) {
                stop();
            }
            return define(name);
        }

        void stop() {
            stopped.countDown();
            try {
                while (!go) {
                    if (giveUpLock) {
                        wait();                 // others get into this loader meanwhile
                    } else {
                        gate.await();
                        go = true;
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        final CountDownLatch gate = new CountDownLatch(1);

        Class<?> define(String name) {
            try {
                byte[] b = bytes(name);
                return defineClass(name, b, 0, b.length);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        void letGo() {
            gate.countDown();
            if (giveUpLock) {
                synchronized (this) {
                    go = true;
                    notifyAll();
                }
            }
        }
    }

    static class Parallel extends ClassLoader {
        static {
            registerAsParallelCapable();
        }
        final CountDownLatch gate = new CountDownLatch(1);
        final CountDownLatch stopped;

        Parallel(int stops) {
            super(LoaderLocks.class.getClassLoader());
            stopped = new CountDownLatch(stops);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(NAME_A) && !name.equals(NAME_B)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> c = findLoadedClass(name);
                if (c != null) {
                    return c;
                }
                stopped.countDown();
                try {
                    gate.await();
                    byte[] b = bytes(name);
                    return defineClass(name, b, 0, b.length);
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    /** Defines without asking whether somebody else did. */
    static class Definer extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        Definer() {
            super(LoaderLocks.class.getClassLoader());
        }

        Class<?> define(String name) throws IOException {
            byte[] b = bytes(name);
            return defineClass(name, b, 0, b.length);
        }
    }

    public static void main(String[] args) throws Exception {
        serial(false);
        serial(true);
        parallel();
        define();
    }

    static void load(Crew crew, List<Class<?>> out, ClassLoader loader, String name, String thread) {
        crew.start(thread, () -> {
            Class<?> c = Class.forName(name, true, loader);
            Check.that(c.getClassLoader() == loader, name + " came from another loader");
            synchronized (out) {
                out.add(c);
            }
        });
    }

    static void same(List<Class<?>> classes, int count) {
        Check.equal(count, classes.size(), "classes loaded");
        for (Class<?> c : classes) {
            for (Class<?> d : classes) {
                Check.that(c == d || !c.getName().equals(d.getName()), "two classes of one name in one loader");
            }
        }
    }

    /**
     * The first thread is in the middle of B, whose superclass A is stuck in Java code. The others want A and B too: they wait
     * for the loader's monitor, or, if the loader gives that up, in the dictionary for A (being loaded) and B (whose superclass
     * is being loaded).
     */
    static void serial(boolean giveUpLock) throws Exception {
        Serial loader = new Serial(giveUpLock);
        Crew crew = new Crew();
        List<Class<?>> loaded = new ArrayList<>();
        load(crew, loaded, loader, NAME_B, "first");
        loader.stopped.await();
        int n = 6;
        CountDownLatch asked = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            String name = i % 2 == 0 ? NAME_B : NAME_A;
            crew.start("asks for " + name + "-" + i, () -> {
                asked.countDown();
                Class<?> c = Class.forName(name, true, loader);
                synchronized (loaded) {
                    loaded.add(c);
                }
            });
        }
        asked.await();
        for (Thread t : crew.threads()) {
            Check.awaitFrame(t, "forName0");
        }
        // Nothing shows from here that they have reached their waits; the more often we give way, the surer.
        for (int i = 0; i < 20; i++) {
            Thread.sleep(1);
        }
        crew.start("lets go", loader::letGo);
        crew.join();
        same(loaded, n + 1);
    }

    static void parallel() throws Exception {
        Parallel loader = new Parallel(2);
        Crew crew = new Crew();
        List<Class<?>> loaded = new ArrayList<>();
        load(crew, loaded, loader, NAME_B, "first B");
        load(crew, loaded, loader, NAME_A, "first A");
        loader.stopped.await();
        for (int i = 0; i < 6; i++) {
            load(crew, loaded, loader, i % 2 == 0 ? NAME_B : NAME_A, "more-" + i);
        }
        for (int i = 2; i < crew.threads().size(); i++) {
            Check.awaitState(crew.threads().get(i), Thread.State.BLOCKED);
        }
        crew.start("lets go", loader.gate::countDown);
        crew.join();
        same(loaded, 8);
    }

    /**
     * The thread that defines a class records it in a list of the loader. While somebody holds the monitor of that list, a
     * second thread that defines the same class waits in the dictionary for the first.
     */
    static void define() throws Exception {
        Definer loader = new Definer();
        Field f = ClassLoader.class.getDeclaredField("classes");
        f.setAccessible(true);
        Object list = f.get(loader);
        Crew crew = new Crew();
        List<Class<?>> loaded = new ArrayList<>();
        List<Throwable> refused = new ArrayList<>();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        crew.start("holds the list", () -> {
            synchronized (list) {
                held.countDown();
                go.await();
            }
        });
        held.await();
        for (int i = 0; i < 3; i++) {
            Thread t = crew.start("defines-" + i, () -> {
                try {
                    Class<?> c = loader.define(NAME_A);
                    synchronized (loaded) {
                        loaded.add(c);
                    }
                } catch (LinkageError e) {
                    synchronized (refused) {
                        refused.add(e);
                    }
                }
            });
            if (i == 0) {
                Check.awaitState(t, Thread.State.BLOCKED);
            } else {
                Check.awaitFrame(t, "defineClass1");
                for (int j = 0; j < 20; j++) {
                    Thread.sleep(1);
                }
            }
        }
        crew.start("lets go", go::countDown);
        crew.join();
        same(loaded, 1);
        Check.equal(2, refused.size(), "duplicate definitions that were refused");
    }
}
