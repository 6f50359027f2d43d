/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of NativeAffinity.java.

#define _GNU_SOURCE
#include <jni.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex;           // error checking: it knows its owner by kernel thread
static pthread_key_t key;
static __thread jint mine;              // belongs to the kernel thread
static volatile jint ended;             // kernel threads that have set it, and ended

static void destructor(void *value) {
  __sync_fetch_and_add(&ended, 1);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *jvm, void *reserved) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attr);
  pthread_key_create(&key, destructor);
  return JNI_VERSION_1_8;
}

JNIEXPORT void JNICALL Java_NativeAffinity_00024Bound_set(JNIEnv *env, jclass c, jint value) {
  mine = value;
  pthread_setspecific(key, &mine);
}

JNIEXPORT void JNICALL Java_NativeAffinity_00024Bound_setCritically(JNIEnv *env, jclass c, jint value) {
  mine = value;
}

// What compiled code calls instead, if it may.
JNIEXPORT void JNICALL JavaCritical_NativeAffinity_00024Bound_setCritically(jint value) {
  mine = value;
}

JNIEXPORT jint JNICALL Java_NativeAffinity_00024Bound_lock(JNIEnv *env, jclass c) {
  return pthread_mutex_lock(&mutex);
}

JNIEXPORT jint JNICALL Java_NativeAffinity_00024Bound_unlock(JNIEnv *env, jclass c) {
  return pthread_mutex_unlock(&mutex);
}

// More than fit into registers, of both kinds.
JNIEXPORT jdouble JNICALL Java_NativeAffinity_00024Bound_many(JNIEnv *env, jclass cl, jint a, jlong b, jfloat c, jdouble d, jint e,
    jlong f, jfloat g, jdouble h, jobject i, jbyte j, jdouble k, jdouble l, jdouble m, jdouble n, jdouble o, jshort p) {
  return a + 2.0 * b + 3.0 * c + 4.0 * d + 5.0 * e + 6.0 * f + 7.0 * g + 8.0 * h + 9.0 * (*env)->GetStringUTFLength(env, i) + 10.0 * j
         + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16.0 * p;
}

JNIEXPORT jint JNICALL Java_NativeAffinity_00024Free_get(JNIEnv *env, jclass c) {
  return mine;
}

JNIEXPORT jint JNICALL Java_NativeAffinity_00024Free_kernelThread(JNIEnv *env, jclass c) {
  return (jint) syscall(SYS_gettid);
}

JNIEXPORT jint JNICALL Java_NativeAffinity_00024Free_ended(JNIEnv *env, jclass c) {
  return ended;
}

// Links Generated.set to code in memory that belongs to no library: a jump to the function of Bound.set.
JNIEXPORT jint JNICALL Java_NativeAffinity_00024Generated_link(JNIEnv *env, jclass c) {
  unsigned char code[] = { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0 };   // mov rax, imm64; jmp rax
  uintptr_t target = (uintptr_t) &Java_NativeAffinity_00024Bound_set;
  JNINativeMethod method = { "set", "(I)V", NULL };
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  memcpy(code + 2, &target, sizeof(target));
  memcpy(memory, code, sizeof(code));
  if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) return 2;
  method.fnPtr = memory;
  return (*env)->RegisterNatives(env, c, &method, 1);
}
