/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of AsyncTrace.java: a profiler that calls AsyncGetCallTrace in its signal handler. A thread of its own sends
// SIGPROF to every kernel thread of the process in turn, so that the switches of carriers are hit as well.

#define _GNU_SOURCE
#include <jni.h>
#include <jvmti.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct { jint line; jmethodID method; } Frame;
typedef struct { JNIEnv *env; jint count; Frame *frames; } Trace;
typedef void (*Walk)(Trace *, jint, void *);

enum { DEPTH = 128, HOGS = 16 };

static JavaVM *vm;
static Walk walk;
static pid_t self;
static pthread_t sampler;
static volatile int running;

static JNIEnv *volatile hog_env[HOGS];
static jmethodID hog_method[HOGS];      // a method that only this hog runs

// Written by signal handlers on several kernel threads.
static long walked, empty, failed, foreign, hog_right, hog_wrong;

static void add(long *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static void handler(int sig, siginfo_t *info, void *context) {
  Frame frames[DEPTH];
  Trace trace;
  JNIEnv *env;
  int e = errno, i, k;
  if ((*vm)->GetEnv(vm, (void **) &env, JNI_VERSION_1_8) != JNI_OK) {
    add(&foreign);
    errno = e;
    return;
  }
  trace.env = env;
  trace.count = 0;
  trace.frames = frames;
  walk(&trace, DEPTH, context);
  add(trace.count > 0 ? &walked : trace.count == 0 ? &empty : &failed);
  for (i = 0; i < trace.count; i++) {
    for (k = 0; k < HOGS; k++) {
      if (hog_method[k] != NULL && frames[i].method == hog_method[k]) {
        add(hog_env[k] == env ? &hog_right : &hog_wrong);
      }
    }
  }
  errno = e;
}

static void *sample(void *ignored) {
  struct timespec pause = {0, 100 * 1000};
  while (running) {
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    while (dir != NULL && running && (entry = readdir(dir)) != NULL) {
      pid_t tid = atoi(entry->d_name);
      if (tid > 0) {
        syscall(SYS_tgkill, self, tid, SIGPROF);
        nanosleep(&pause, NULL);
      }
    }
    if (dir != NULL) closedir(dir);
  }
  return NULL;
}

static void JNICALL on_class_load(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass klass) { }

// Gives every method its jmethodID: the handler cannot.
static void JNICALL on_class_prepare(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass klass) {
  jint n;
  jmethodID *methods;
  if ((*ti)->GetClassMethods(ti, klass, &n, &methods) == JVMTI_ERROR_NONE) (*ti)->Deallocate(ti, (unsigned char *) methods);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *jvm, char *options, void *reserved) {
  jvmtiEnv *ti;
  jvmtiEventCallbacks callbacks;
  vm = jvm;
  if ((*vm)->GetEnv(vm, (void **) &ti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
  memset(&callbacks, 0, sizeof callbacks);
  callbacks.ClassLoad = on_class_load;
  callbacks.ClassPrepare = on_class_prepare;
  (*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks);
  (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD, NULL);
  (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
  return JNI_OK;
}

JNIEXPORT jboolean JNICALL Java_AsyncTrace_start(JNIEnv *env, jclass c) {
  struct sigaction action;
  Dl_info info;
  void *jvm;
  if (dladdr((void *) (*env)->GetVersion, &info) == 0) return JNI_FALSE;
  jvm = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  walk = jvm != NULL ? (Walk) dlsym(jvm, "AsyncGetCallTrace") : NULL;
  if (walk == NULL) return JNI_FALSE;
  self = getpid();
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (sigaction(SIGPROF, &action, NULL) != 0) return JNI_FALSE;
  running = 1;
  return pthread_create(&sampler, NULL, sample, NULL) == 0;
}

JNIEXPORT void JNICALL Java_AsyncTrace_stop(JNIEnv *env, jclass c) {
  struct sigaction action;
  running = 0;
  pthread_join(sampler, NULL);
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPROF, &action, NULL);
}

// The calling thread, and nobody else, runs the method from now on.
JNIEXPORT void JNICALL Java_AsyncTrace_hog(JNIEnv *env, jclass c, jint k, jstring name) {
  const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
  hog_env[k] = env;
  hog_method[k] = (*env)->GetStaticMethodID(env, c, chars, "(J)J");
  (*env)->ReleaseStringUTFChars(env, name, chars);
}

// Traces with frames, without, not walkable, threads without JNIEnv, hogs attributed rightly and wrongly.
JNIEXPORT jlongArray JNICALL Java_AsyncTrace_counts(JNIEnv *env, jclass c) {
  jlong values[6] = {walked, empty, failed, foreign, hog_right, hog_wrong};
  jlongArray array = (*env)->NewLongArray(env, 6);
  (*env)->SetLongArrayRegion(env, array, 0, 6, values);
  return array;
}
