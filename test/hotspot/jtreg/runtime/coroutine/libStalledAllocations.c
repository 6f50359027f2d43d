/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of StalledAllocations.java.

#include <jni.h>
#include <time.h>

JNIEXPORT void JNICALL Java_StalledAllocations_hold(JNIEnv *env, jclass c, jintArray array, jint millis) {
  struct timespec time = { millis / 1000, millis % 1000 * 1000000L };
  void *elements = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
  nanosleep(&time, NULL);
  (*env)->ReleasePrimitiveArrayCritical(env, array, elements, 0);
}
