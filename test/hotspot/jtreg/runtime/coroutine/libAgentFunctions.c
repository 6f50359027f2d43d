/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of AgentFunctions.java: JVMTI functions as native methods, which return the JVMTI error, and the callback of a
// breakpoint that blocks in Java code.

#define _GNU_SOURCE
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static jvmtiEnv *ti;
static jrawMonitorID monitor;           // held in callbacks
static jrawMonitorID shared;            // for enter0 and so on
static pthread_mutex_t mutex;           // error checking: it knows its owner by kernel thread
static jclass test_class;
static jmethodID upcall_id;
static volatile int callbacks_done, callbacks_bad;
static __thread int inside;             // of this kernel thread: a callback is active

static void JNICALL on_breakpoint(jvmtiEnv *e, JNIEnv *env, jthread thread, jmethodID method, jlocation location) {
  pid_t tid = (pid_t) syscall(SYS_gettid);
  int bad = inside++;
  if (pthread_mutex_lock(&mutex) != 0) bad = 1;
  (*ti)->RawMonitorEnter(ti, monitor);
  (*env)->CallStaticVoidMethod(env, test_class, upcall_id);
  if ((pid_t) syscall(SYS_gettid) != tid) bad = 1;
  if ((*ti)->RawMonitorExit(ti, monitor) != JVMTI_ERROR_NONE) bad = 1;
  if (pthread_mutex_unlock(&mutex) != 0) bad = 1;
  if (--inside != 0) bad = 1;
  if (bad) __atomic_fetch_add(&callbacks_bad, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&callbacks_done, 1, __ATOMIC_SEQ_CST);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
  jvmtiCapabilities can;
  jvmtiEventCallbacks callbacks;
  pthread_mutexattr_t attr;
  if ((*vm)->GetEnv(vm, (void **) &ti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
  memset(&can, 0, sizeof can);
  can.can_suspend = 1;
  can.can_signal_thread = 1;
  can.can_pop_frame = 1;
  can.can_force_early_return = 1;
  can.can_get_thread_cpu_time = 1;
  can.can_get_owned_monitor_info = 1;
  can.can_get_current_contended_monitor = 1;
  can.can_generate_breakpoint_events = 1;
  if ((*ti)->AddCapabilities(ti, &can) != JVMTI_ERROR_NONE) return JNI_ERR;
  memset(&callbacks, 0, sizeof callbacks);
  callbacks.Breakpoint = on_breakpoint;
  (*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks);
  (*ti)->CreateRawMonitor(ti, "held in callbacks", &monitor);
  (*ti)->CreateRawMonitor(ti, "shared", &shared);
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attr);
  return JNI_OK;
}

#define FUNCTION(type, name) JNIEXPORT type JNICALL Java_AgentFunctions_##name

FUNCTION(jint, suspend)(JNIEnv *env, jclass c, jthread t)    { return (*ti)->SuspendThread(ti, t); }
FUNCTION(jint, resume)(JNIEnv *env, jclass c, jthread t)     { return (*ti)->ResumeThread(ti, t); }
FUNCTION(jint, popFrame)(JNIEnv *env, jclass c, jthread t)   { return (*ti)->PopFrame(ti, t); }
FUNCTION(jint, forceReturn)(JNIEnv *env, jclass c, jthread t, jint v) { return (*ti)->ForceEarlyReturnInt(ti, t, v); }
FUNCTION(jint, stop)(JNIEnv *env, jclass c, jthread t, jobject e)     { return (*ti)->StopThread(ti, t, e); }
FUNCTION(jint, interrupt)(JNIEnv *env, jclass c, jthread t)  { return (*ti)->InterruptThread(ti, t); }
FUNCTION(jint, enter)(JNIEnv *env, jclass c)                 { return (*ti)->RawMonitorEnter(ti, shared); }
FUNCTION(jint, exit)(JNIEnv *env, jclass c)                  { return (*ti)->RawMonitorExit(ti, shared); }
FUNCTION(jint, await)(JNIEnv *env, jclass c, jlong millis)   { return (*ti)->RawMonitorWait(ti, shared, millis); }
FUNCTION(jint, kernelId)(JNIEnv *env, jclass c)              { return (jint) syscall(SYS_gettid); }
FUNCTION(jint, signalAll)(JNIEnv *env, jclass c)             { return (*ti)->RawMonitorNotifyAll(ti, shared); }

FUNCTION(jint, state)(JNIEnv *env, jclass c, jthread t) {
  jint state;
  jvmtiError e = (*ti)->GetThreadState(ti, t, &state);
  return e == JVMTI_ERROR_NONE ? state : -(jint) e;
}

FUNCTION(jlong, cpuTime)(JNIEnv *env, jclass c, jthread t) {
  jlong nanos;
  jvmtiError e = (*ti)->GetThreadCpuTime(ti, t, &nanos);
  return e == JVMTI_ERROR_NONE ? nanos : -(jlong) e;
}

// The methods on the stack, the last called first.
FUNCTION(jstring, frames)(JNIEnv *env, jclass c, jthread t) {
  jvmtiFrameInfo info[64];
  char text[4096] = "";
  jint n, i;
  if ((*ti)->GetStackTrace(ti, t, 0, 64, info, &n) != JVMTI_ERROR_NONE) return NULL;
  for (i = 0; i < n; i++) {
    char *name;
    if ((*ti)->GetMethodName(ti, info[i].method, &name, NULL, NULL) != JVMTI_ERROR_NONE) return NULL;
    if (strlen(text) + strlen(name) + 2 < sizeof text) strcat(strcat(text, name), " ");
    (*ti)->Deallocate(ti, (unsigned char *) name);
  }
  return (*env)->NewStringUTF(env, text);
}

FUNCTION(jobjectArray, threads)(JNIEnv *env, jclass c) {
  jint n, i;
  jthread *list;
  jobjectArray array;
  if ((*ti)->GetAllThreads(ti, &n, &list) != JVMTI_ERROR_NONE) return NULL;
  array = (*env)->NewObjectArray(env, n, (*env)->FindClass(env, "java/lang/Thread"), NULL);
  for (i = 0; i < n; i++) (*env)->SetObjectArrayElement(env, array, i, list[i]);
  (*ti)->Deallocate(ti, (unsigned char *) list);
  return array;
}

// All of them at once; the number of errors.
static jint each(JNIEnv *env, jobjectArray array, int suspend) {
  jint n = (*env)->GetArrayLength(env, array), i, bad = 0;
  jthread *list = malloc(n * sizeof *list);
  jvmtiError *results = malloc(n * sizeof *results);
  for (i = 0; i < n; i++) list[i] = (*env)->GetObjectArrayElement(env, array, i);
  if (suspend ? (*ti)->SuspendThreadList(ti, n, list, results) : (*ti)->ResumeThreadList(ti, n, list, results)) bad = -1;
  for (i = 0; bad >= 0 && i < n; i++) bad += results[i] != JVMTI_ERROR_NONE;
  free(list);
  free(results);
  return bad;
}

FUNCTION(jint, suspendAll)(JNIEnv *env, jclass c, jobjectArray array) { return each(env, array, 1); }
FUNCTION(jint, resumeAll)(JNIEnv *env, jclass c, jobjectArray array)  { return each(env, array, 0); }

FUNCTION(jint, breakAt)(JNIEnv *env, jclass c, jstring name, jboolean set) {
  const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
  jmethodID method = (*env)->GetStaticMethodID(env, c, chars, "()V");
  jvmtiError e;
  (*env)->ReleaseStringUTFChars(env, name, chars);
  if (test_class == NULL) {
    test_class = (*env)->NewGlobalRef(env, c);
    upcall_id = (*env)->GetStaticMethodID(env, c, "upcall", "()V");
  }
  e = set ? (*ti)->SetBreakpoint(ti, method, 0) : (*ti)->ClearBreakpoint(ti, method, 0);
  if (e != JVMTI_ERROR_NONE) return e;
  return (*ti)->SetEventNotificationMode(ti, set ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_BREAKPOINT, NULL);
}

FUNCTION(jint, callbacksDone)(JNIEnv *env, jclass c) { return callbacks_done; }
FUNCTION(jint, callbacksBad)(JNIEnv *env, jclass c)  { return callbacks_bad; }
