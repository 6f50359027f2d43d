/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Kotlin's coroutines on a dispatcher that starts a thread for each task, each task blocking in Thread.sleep(1000): what a person does
 * who wants blocking code in many coroutines. The driver is Java and calls the builders of kotlinx.coroutines; the sleepers count
 * themselves. A million sleepers with the flag, where stacks take no mapping of their own (Linux 6.13); else 20,000, as many as a machine
 * allows kernel threads or mappings; -Dsleepers=N for others.
 */
// limit: 400
// heap: 2g
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.Unit;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.future.FutureKt;
import kotlin.coroutines.EmptyCoroutineContext;
import wisp.apps.App;

public class KotlinApp {
    static final int SLEEPERS = Integer.getInteger("sleepers", App.flag() && kernel() >= 613 ? 1_000_000 : 20_000);

    /** The version of the kernel: 613 for 6.13. */
    static int kernel() {
        String[] v = System.getProperty("os.version").split("[^0-9]");
        return 100 * Integer.parseInt(v[0]) + Integer.parseInt(v[1]);
    }

    static void sleepers(String name, CoroutineDispatcher dispatcher, int n) throws Throwable {
        App.phase(n + " sleepers, " + name);
        AtomicInteger woken = new AtomicInteger();
        CoroutineScope scope = CoroutineScopeKt.CoroutineScope(dispatcher);
        List<Job> jobs = new ArrayList<>(n);
        long start = System.nanoTime();
        for (int i = 0; i < n; i++) {
            jobs.add(BuildersKt.launch(scope, EmptyCoroutineContext.INSTANCE, CoroutineStart.DEFAULT, (s, continuation) -> {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                woken.incrementAndGet();
                return Unit.INSTANCE;
            }));
        }
        for (Job j : jobs) {
            FutureKt.asCompletableFuture(j).get();
        }
        App.equal(woken.get(), n, "sleepers that woke");
        App.check(System.nanoTime() - start >= 1_000_000_000L, "a sleep took less than a second");
        App.phase((System.nanoTime() - start) / 1_000_000 + " ms");
    }

    public static void main(String[] args) {
        App.run(() -> {
            Executor threadPerTask = r -> new Thread(null, r, "sleeper", 160 << 10).start();
            sleepers("a thread each", ExecutorsKt.from(threadPerTask), SLEEPERS / 10);
            sleepers("a thread each", ExecutorsKt.from(threadPerTask), SLEEPERS);
            sleepers("Dispatchers.IO", Dispatchers.getIO(), 500);
        });
    }
}
