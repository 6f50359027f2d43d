/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Foreign function interfaces, which call any library: LMDB by lmdbjava and jnr-ffi, whose write transactions hold a native mutex from one
 * call to a later one, and whose read transactions belong to a kernel thread, while the threads sleep within them; JNA with interfaces and
 * with direct mapping. In each thread the error number of the last call, and the number of the kernel thread, must be its own.
 */
// options: --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;
import wisp.apps.App;

public class ForeignApp {
    static final int WRITERS = 8, READERS = 30, KEYS = 100;

    static ByteBuffer number(long value) {
        return ByteBuffer.allocateDirect(Long.BYTES).putLong(value).flip();
    }

    static long number(ByteBuffer value) {
        return value.getLong(value.position());
    }

    /** Each writer adds one to all of its keys in a transaction, and one to a key of all; readers find those of a writer equal. */
    static void lmdb(EnvFlags... flags) throws Throwable {
        App.phase("LMDB " + flags.length);
        File folder = Files.createTempDirectory("lmdb").toFile();
        int rounds = 15;
        try (Env<ByteBuffer> env = Env.create().setMapSize(64 << 20).setMaxReaders(200).setMaxDbs(1).open(folder, flags)) {
            Dbi<ByteBuffer> db = env.openDbi("numbers", DbiFlags.MDB_CREATE);
            db.put(number(-1), number(0));
            for (int key = 0; key < WRITERS * KEYS; key++) {
                db.put(number(key), number(0));
            }
            App.crew(WRITERS + READERS, "lmdb", i -> {
                for (int round = 0; round < rounds; round++) {
                    if (i < WRITERS) {
                        try (Txn<ByteBuffer> txn = env.txnWrite()) {
                            long all = number(db.get(txn, number(-1)));
                            for (int key = i * KEYS; key < (i + 1) * KEYS; key++) {
                                db.put(txn, number(key), number(round + 1));
                                if (key % 50 == 0) {
                                    Thread.sleep(1);
                                    Thread.yield();
                                }
                            }
                            db.put(txn, number(-1), number(all + 1));
                            txn.commit();
                        }
                    } else {
                        try (Txn<ByteBuffer> txn = env.txnRead()) {
                            int first = ThreadLocalRandom.current().nextInt(WRITERS) * KEYS;
                            long value = number(db.get(txn, number(first)));
                            Thread.sleep(1);
                            for (int key = first; key < first + KEYS; key += 7) {
                                App.equal(number(db.get(txn, number(key))), value, "a value of the snapshot");
                            }
                        }
                    }
                }
            });
            try (Txn<ByteBuffer> txn = env.txnRead()) {
                App.equal(number(db.get(txn, number(-1))), (long) WRITERS * rounds, "what all writers have added");
            }
        }
    }

    interface C extends Library {
        int open(String path, int flags);
        int gettid();
    }

    static class Direct {
        static native int open(String path, int flags);
        static native int gettid();
        static native double fabs(double x);

        static {
            Native.register(Direct.class, "c");
        }
    }

    static final int ENOENT = 2, EISDIR = 21, O_WRONLY = 1;

    static void jna() throws Throwable {
        App.phase("JNA");
        C c = Native.load("c", C.class);
        int threads = 40;
        CyclicBarrier all = new CyclicBarrier(threads);
        App.crew(threads, "jna", i -> {
            boolean direct = i % 4 < 2;
            int kernelThread = direct ? Direct.gettid() : c.gettid();
            for (int round = 0; round < 100; round++) {
                all.await();
                int flags = i % 2 == 0 ? 0 : O_WRONLY;
                String path = i % 2 == 0 ? "/no such file" : "/";
                App.equal(direct ? Direct.open(path, flags) : c.open(path, flags), -1, "open");
                Thread.yield();
                App.equal(Native.getLastError(), i % 2 == 0 ? ENOENT : EISDIR, "the error number of the last call");
                App.equal(Direct.fabs(-i - 0.5), i + 0.5, "an argument and a result");
                App.equal(direct ? Direct.gettid() : c.gettid(), kernelThread, "kernel thread");
            }
        });
    }

    public static void main(String[] args) {
        App.run(() -> {
            lmdb(EnvFlags.MDB_NOSYNC);
            lmdb(EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NOTLS);
            jna();
        });
    }
}
