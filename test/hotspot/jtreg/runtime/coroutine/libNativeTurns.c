/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of NativeTurns.java: a token that threads wait for, as for the lock of a row in an embedded database. They get it in the
// order in which they came: else who gives it back would take it again at once.

#include <jni.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int last, tokens;                // who came last; tokens that were given so far

JNIEXPORT void JNICALL Java_NativeTurns_take(JNIEnv *env, jclass c) {
  int turn;
  pthread_mutex_lock(&mutex);
  turn = ++last;
  while (tokens < turn) pthread_cond_wait(&given, &mutex);
  pthread_mutex_unlock(&mutex);
}

JNIEXPORT void JNICALL Java_NativeTurns_give(JNIEnv *env, jclass c) {
  pthread_mutex_lock(&mutex);
  tokens++;
  pthread_cond_broadcast(&given);
  pthread_mutex_unlock(&mutex);
}
