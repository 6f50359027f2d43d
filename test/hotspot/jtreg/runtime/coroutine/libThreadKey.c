/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of ThreadKey.java.

#include <jni.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

JNIEXPORT jint JNICALL Java_ThreadKey_keyOf(JNIEnv *env, jclass c, jlong thread) {
  pthread_key_t key;
  for (key = 0; key < PTHREAD_KEYS_MAX; key++) {
    if (pthread_getspecific(key) == (void *) (intptr_t) thread) {
      return (jint) key;
    }
  }
  return -1;
}
