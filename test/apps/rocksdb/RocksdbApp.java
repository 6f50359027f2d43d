/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * RocksDB, which is native code, with its two kinds of transactions. With pessimistic ones 20 threads wait in native code for the lock of one
 * key, and who has it sleeps a millisecond: it needs a carrier then, which those that wait keep. With optimistic ones 16 threads
 * increment one key and try again at once when another one was faster. Listeners and a comparator in Java are called by
 * RocksDB's own threads. No increment may be lost.
 */
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.AbstractComparator;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.ComparatorOptions;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.FlushOptions;
import org.rocksdb.OptimisticTransactionDB;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Transaction;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;
import org.rocksdb.TransactionOptions;
import org.rocksdb.WriteOptions;
import wisp.apps.App;

public class RocksdbApp {
    static final byte[] COUNTER = bytes("counter");

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] number(long n) {
        return ByteBuffer.allocate(8).putLong(n).array();
    }

    static long number(byte[] b) {
        return ByteBuffer.wrap(b).getLong();
    }

    static void pessimistic(Options options, String path) throws Throwable {
        final int threads = 20, rounds = 40;
        try (TransactionDBOptions more = new TransactionDBOptions(); TransactionDB db = TransactionDB.open(options, more, path)) {
            db.put(COUNTER, number(0));
            App.crew(threads, "pessimistic", t -> {
                for (int i = 0; i < rounds; i++) {
                    try (WriteOptions write = new WriteOptions(); ReadOptions read = new ReadOptions();
                         TransactionOptions how = new TransactionOptions().setLockTimeout(60_000);
                         Transaction tx = db.beginTransaction(write, how)) {
                        long n = number(tx.getForUpdate(read, COUNTER, true));
                        Thread.sleep(1);
                        tx.put(COUNTER, number(n + 1));
                        tx.commit();
                    }
                }
            });
            App.equal(number(db.get(COUNTER)), (long) threads * rounds, "increments under the lock of a key");
        }
    }

    static void optimistic(Options options, String path) throws Throwable {
        final int threads = 16, rounds = 200;
        AtomicInteger retries = new AtomicInteger();
        try (OptimisticTransactionDB db = OptimisticTransactionDB.open(options, path)) {
            db.put(COUNTER, number(0));
            App.crew(threads, "optimistic", t -> {
                for (int i = 0; i < rounds; i++) {
                    byte[] key = bytes(t + ":" + i);
                    try (WriteOptions write = new WriteOptions().setSync(i % 50 == 0); ReadOptions read = new ReadOptions()) {
                        db.put(write, key, new byte[1000]);
                        App.equal(db.get(key).length, 1000, "length of a value");
                        for (boolean done = false; !done; ) {
                            try (Transaction tx = db.beginTransaction(write)) {
                                long n = number(tx.getForUpdate(read, COUNTER, true));
                                tx.put(COUNTER, number(n + 1));
                                tx.commit();
                                done = true;
                            } catch (RocksDBException e) {
                                retries.incrementAndGet();
                            }
                        }
                    }
                }
            });
            App.phase(retries + " retries");
            App.equal(number(db.get(COUNTER)), (long) threads * rounds, "increments that met no other one");
            db.flush(new FlushOptions());
            db.compactRange();
            int entries = 0;
            byte[] last = null;
            try (RocksIterator it = db.newIterator()) {
                for (it.seekToFirst(); it.isValid(); it.next()) {
                    byte[] key = it.key();
                    App.check(last == null || ByteBuffer.wrap(last).compareTo(ByteBuffer.wrap(key)) > 0, "order of the comparator");
                    last = key;
                    entries++;
                }
            }
            App.equal(entries, threads * rounds + 1, "entries");
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            RocksDB.loadLibrary();
            AtomicInteger flushes = new AtomicInteger();
            Object monitor = new Object();
            AbstractEventListener listener = new AbstractEventListener() {
                @Override
                public void onFlushCompleted(RocksDB db, FlushJobInfo info) {
                    synchronized (monitor) {
                        flushes.incrementAndGet();
                        try {
                            Thread.sleep(2);
                        } catch (InterruptedException e) {
                            App.check(false, "interrupted");
                        }
                    }
                }
            };
            try (Options options = new Options().setCreateIfMissing(true).setWriteBufferSize(256 << 10).setListeners(List.of(listener))) {
                App.phase("pessimistic transactions");
                pessimistic(options, new File("pessimistic").getAbsolutePath());
                App.phase("optimistic transactions");
                try (ComparatorOptions how = new ComparatorOptions(); AbstractComparator backwards = new AbstractComparator(how) {
                    @Override
                    public String name() {
                        return "backwards";
                    }

                    @Override
                    public int compare(ByteBuffer a, ByteBuffer b) {
                        return b.compareTo(a);
                    }
                }) {
                    options.setComparator(backwards);
                    optimistic(options, new File("optimistic").getAbsolutePath());
                }
            }
            synchronized (monitor) {
                App.check(flushes.get() > 0, "calls of the listener");
            }
            App.phase("stop");
        });
    }
}
