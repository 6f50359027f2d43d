/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of NativeBursts.java.

#include <jni.h>
#include <time.h>

static jlong cpu_nanos(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

JNIEXPORT void JNICALL Java_NativeBursts_compute(JNIEnv *env, jclass c, jlong nanos) {
  const jlong end = cpu_nanos() + nanos;
  while (cpu_nanos() < end) {
  }
}
