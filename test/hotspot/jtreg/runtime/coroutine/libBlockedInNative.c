/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of BlockedInNative.java and NoMoreThreads.java: a gate that blocks kernel threads, as a driver does that knows
// nothing of coroutines; and, when the library is preloaded, a limit for pthread_create.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int inside, rounds;
static volatile int left = -1;          // threads that may be created yet, -1: any number

static void pass() {
  int round;
  pthread_mutex_lock(&mutex);
  inside++;
  for (round = rounds; round == rounds; ) pthread_cond_wait(&opened, &mutex);
  inside--;
  pthread_mutex_unlock(&mutex);
}

static jint count() {
  jint n;
  pthread_mutex_lock(&mutex);
  n = inside;
  pthread_mutex_unlock(&mutex);
  return n;
}

static void open_gate() {
  pthread_mutex_lock(&mutex);
  rounds++;
  pthread_cond_broadcast(&opened);
  pthread_mutex_unlock(&mutex);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  int n;
  if (real == NULL) {
    real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) dlsym(RTLD_NEXT, "pthread_create");
  }
  do {
    n = left;
    if (n == 0) return EAGAIN;
  } while (n > 0 && !__sync_bool_compare_and_swap(&left, n, n - 1));
  return real(thread, attr, run, arg);
}

JNIEXPORT void JNICALL Java_BlockedInNative_block(JNIEnv *env, jclass c)    { pass(); }
JNIEXPORT jint JNICALL Java_BlockedInNative_blocked(JNIEnv *env, jclass c)  { return count(); }
JNIEXPORT void JNICALL Java_BlockedInNative_release(JNIEnv *env, jclass c)  { open_gate(); }

JNIEXPORT void JNICALL Java_NoMoreThreads_block(JNIEnv *env, jclass c)      { pass(); }
JNIEXPORT jint JNICALL Java_NoMoreThreads_blocked(JNIEnv *env, jclass c)    { return count(); }
JNIEXPORT void JNICALL Java_NoMoreThreads_release(JNIEnv *env, jclass c)    { open_gate(); }
JNIEXPORT void JNICALL Java_NoMoreThreads_limit(JNIEnv *env, jclass c, jint n) { left = n; }
