/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of ForeignNatives.java.

#include <jni.h>
#include <jvmti.h>
#include <pthread.h>

static jvmtiEnv *jvmti;

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  if ((*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_11) != JNI_OK) {
    return JNI_ERR;
  }
  return JNI_VERSION_1_8;
}

static void lock(pthread_mutex_t *mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutex_lock(mutex);
}

JNIEXPORT jint JNICALL Java_ForeignNatives_run(JNIEnv *env, jclass c, jobject code) {
  pthread_mutex_t mutex;
  jmethodID run = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, code), "run", "()V");
  lock(&mutex);
  (*env)->CallVoidMethod(env, code, run);
  return pthread_mutex_unlock(&mutex);
}

JNIEXPORT jint JNICALL Java_ForeignNatives_search(JNIEnv *env, jclass c, jstring jar) {
  pthread_mutex_t mutex;
  const char *path = (*env)->GetStringUTFChars(env, jar, NULL);
  jvmtiError error;
  int result;
  lock(&mutex);
  error = (*jvmti)->AddToSystemClassLoaderSearch(jvmti, path);
  result = pthread_mutex_unlock(&mutex);
  (*env)->ReleaseStringUTFChars(env, jar, path);
  return error != JVMTI_ERROR_NONE ? -(int) error : result;
}
