/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.util.concurrent.ThreadFactory;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.ExecutorsKt;

/*
 * The same as Sleepers with coroutines of Kotlin, on a dispatcher that starts a thread for each task: what a person does who wants blocking
 * code in many of Kotlin's coroutines. The builders of kotlinx.coroutines are called from Java.
 *
 * Usage: KotlinSleepers plain|virtual COUNT PASSES; prints what Sleepers prints.
 */
public class KotlinSleepers {
    public static void main(String[] args) throws Exception {
        ThreadFactory factory = args[0].equals("virtual") ? Peers.virtual() : Thread::new;
        CoroutineDispatcher threadPerTask = ExecutorsKt.from(r -> factory.newThread(r).start());
        Sleepers.passes(args, (n, woken) -> {
            CoroutineScope scope = CoroutineScopeKt.CoroutineScope(threadPerTask);
            for (int i = 0; i < n; i++) {
                BuildersKt.launch(scope, EmptyCoroutineContext.INSTANCE, CoroutineStart.DEFAULT, (s, continuation) -> {
                    Sleepers.sleep(woken);
                    return Unit.INSTANCE;
                });
            }
        });
    }
}
