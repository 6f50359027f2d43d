/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of AgentEvents.java: an agent that wants each entry of a method, the end of each wait, monitors that are contended,
// and samples of allocations. Its callbacks take a monitor of the program, or a native mutex, and call Java code that waits.

#define _GNU_SOURCE
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static jvmtiEnv *ti;
static jobject lock;
static volatile int entries, of_carriers, waits, bad, samples, contended;
static jclass test_class;
static jmethodID upcall_id;
static pthread_mutex_t mutex;           // error checking: it knows its owner by kernel thread
static __thread int inside;             // of this kernel thread: a callback is active

static void count_carrier(JNIEnv *env, jthread thread) {
  jvmtiThreadInfo info;
  if ((*ti)->GetThreadInfo(ti, thread, &info) == JVMTI_ERROR_NONE) {
    if (strncmp(info.name, "Wisp", 4) == 0) __atomic_fetch_add(&of_carriers, 1, __ATOMIC_SEQ_CST);
    (*ti)->Deallocate(ti, (unsigned char *) info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
  }
}

static void JNICALL on_entry(jvmtiEnv *e, JNIEnv *env, jthread thread, jmethodID method) {
  count_carrier(env, thread);
  __atomic_fetch_add(&entries, 1, __ATOMIC_SEQ_CST);
  (*env)->MonitorEnter(env, lock);
  (*env)->MonitorExit(env, lock);
}

// A native method of the JDK is on top of the Java stack, Object.wait.
static void JNICALL on_waited(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject object, jboolean timed_out) {
  pid_t tid = (pid_t) syscall(SYS_gettid);
  int wrong = inside++;
  if (pthread_mutex_lock(&mutex) != 0) wrong = 1;
  (*env)->CallStaticVoidMethod(env, test_class, upcall_id);
  if ((pid_t) syscall(SYS_gettid) != tid) wrong = 1;
  if (pthread_mutex_unlock(&mutex) != 0) wrong = 1;
  if (--inside != 0) wrong = 1;
  if (wrong) __atomic_fetch_add(&bad, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&waits, 1, __ATOMIC_SEQ_CST);
}

// As profilers do: what is noted in the first of the two is in a variable of the kernel thread in the second.
static __thread long began;

static void JNICALL on_contended(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject object) {
  static volatile long number;
  began = __atomic_add_fetch(&number, 1, __ATOMIC_SEQ_CST);
  (*ti)->SetThreadLocalStorage(ti, thread, (void *) began);
}

static void JNICALL on_entered(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject object) {
  void *expected = NULL;
  (*ti)->GetThreadLocalStorage(ti, thread, &expected);
  if (expected != NULL && (long) expected != began) __atomic_fetch_add(&bad, 1, __ATOMIC_SEQ_CST);
  (*ti)->SetThreadLocalStorage(ti, thread, NULL);
  __atomic_fetch_add(&contended, 1, __ATOMIC_SEQ_CST);
}

static void JNICALL on_sample(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject object, jclass class, jlong size) {
  __atomic_fetch_add(&samples, 1, __ATOMIC_SEQ_CST);
  count_carrier(env, thread);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
  jvmtiCapabilities can;
  jvmtiEventCallbacks callbacks;
  pthread_mutexattr_t attr;
  if ((*vm)->GetEnv(vm, (void **) &ti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
  memset(&can, 0, sizeof can);
  can.can_generate_method_entry_events = 1;
  can.can_generate_monitor_events = 1;
  can.can_generate_sampled_object_alloc_events = 1;
  if ((*ti)->AddCapabilities(ti, &can) != JVMTI_ERROR_NONE) return JNI_ERR;
  memset(&callbacks, 0, sizeof callbacks);
  callbacks.MethodEntry = on_entry;
  callbacks.MonitorWaited = on_waited;
  callbacks.MonitorContendedEnter = on_contended;
  callbacks.MonitorContendedEntered = on_entered;
  callbacks.SampledObjectAlloc = on_sample;
  (*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks);
  (*ti)->SetHeapSamplingInterval(ti, 0);
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attr);
  return JNI_OK;
}

JNIEXPORT jint JNICALL Java_AgentEvents_tell(JNIEnv *env, jclass c, jobject monitor, jboolean on) {
  if (lock == NULL) lock = (*env)->NewGlobalRef(env, monitor);
  return (*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_METHOD_ENTRY, NULL);
}

JNIEXPORT jint JNICALL Java_AgentEvents_tellWaits(JNIEnv *env, jclass c, jboolean on) {
  if (test_class == NULL) {
    upcall_id = (*env)->GetStaticMethodID(env, c, "upcall", "()V");
    test_class = (*env)->NewGlobalRef(env, c);
  }
  return (*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_MONITOR_WAITED, NULL);
}

JNIEXPORT jint JNICALL Java_AgentEvents_tellContended(JNIEnv *env, jclass c, jboolean on) {
  jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
  jint error = (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
  return error != 0 ? error : (jint) (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, NULL);
}

JNIEXPORT jint JNICALL Java_AgentEvents_tellSamples(JNIEnv *env, jclass c, jboolean on) {
  return (*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

JNIEXPORT void JNICALL Java_AgentEvents_block(JNIEnv *env, jclass c) { usleep(20 * 1000); }

JNIEXPORT jint JNICALL Java_AgentEvents_contended(JNIEnv *env, jclass c) { return contended; }
JNIEXPORT jint JNICALL Java_AgentEvents_waits(JNIEnv *env, jclass c)      { return waits; }
JNIEXPORT jint JNICALL Java_AgentEvents_samples(JNIEnv *env, jclass c)    { return samples; }
JNIEXPORT jint JNICALL Java_AgentEvents_bad(JNIEnv *env, jclass c)        { return bad; }
JNIEXPORT jint JNICALL Java_AgentEvents_entries(JNIEnv *env, jclass c)    { return entries; }
JNIEXPORT jint JNICALL Java_AgentEvents_ofCarriers(JNIEnv *env, jclass c) { return of_carriers; }
