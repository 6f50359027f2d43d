/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/* Fair.nap: blocks its OS thread, as a driver does that knows nothing of coroutines. */

#include <jni.h>
#include <time.h>

JNIEXPORT void JNICALL Java_Fair_nap(JNIEnv* env, jclass type, jint millis) {
  struct timespec t = { millis / 1000, (millis % 1000) * 1000000L };
  nanosleep(&t, NULL);
}
