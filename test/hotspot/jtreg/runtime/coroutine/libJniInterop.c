/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of JniInterop.java.

#define _GNU_SOURCE
#include <jni.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static JavaVM *vm;
static jclass test_class;               // global reference
static jmethodID upcall_id;             // static void upcall(int)
static jmethodID attached_id;           // static void attached(int)

static pthread_mutex_t mutex;           // error checking: it knows its owner by kernel thread
static volatile pid_t owner;            // which is this one
static __thread intptr_t mine;          // belongs to the kernel thread

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *jvm, void *reserved) {
  pthread_mutexattr_t attr;
  vm = jvm;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attr);
  return JNI_VERSION_1_8;
}

JNIEXPORT void JNICALL Java_JniInterop_init(JNIEnv *env, jclass c) {
  test_class = (*env)->NewGlobalRef(env, c);
  upcall_id = (*env)->GetStaticMethodID(env, c, "upcall", "(I)V");
  attached_id = (*env)->GetStaticMethodID(env, c, "attached", "(I)V");
}

// Calls Java, which blocks. Our kernel thread, what it knows and its JNIEnv must be the same afterwards.
// 0, or the number of what changed.
JNIEXPORT jint JNICALL Java_JniInterop_callBack(JNIEnv *env, jclass c, jint arg) {
  JNIEnv *now;
  pid_t tid = (pid_t) syscall(SYS_gettid);
  pthread_t self = pthread_self();
  intptr_t outer = mine;
  mine = (intptr_t) &now;
  (*env)->CallStaticVoidMethod(env, test_class, upcall_id, arg);
  if ((*vm)->GetEnv(vm, (void **) &now, JNI_VERSION_1_8) != JNI_OK || now != env) return 1;
  if ((pid_t) syscall(SYS_gettid) != tid) return 2;
  if (!pthread_equal(pthread_self(), self)) return 3;
  if (mine != (intptr_t) &now) return 4;
  mine = outer;
  return 0;
}

// The same while a native mutex is held. 0, or the error of pthread_mutex_lock or unlock.
JNIEXPORT jint JNICALL Java_JniInterop_callBackLocked(JNIEnv *env, jclass c, jint arg) {
  int error = pthread_mutex_lock(&mutex);
  if (error != 0) return error;
  owner = (pid_t) syscall(SYS_gettid);
  (*env)->CallStaticVoidMethod(env, test_class, upcall_id, arg);
  owner = 0;
  return pthread_mutex_unlock(&mutex);
}

static void call_static(JNIEnv *env, jclass type, jmethodID method, ...) {
  va_list none;
  va_start(none, method);
  (*env)->CallStaticIntMethodV(env, type, method, none);
  va_end(none);
}

// Likewise, in another JNI function than one that calls a method. Numbers as in JniInterop.java.
JNIEXPORT jint JNICALL Java_JniInterop_functionLocked(JNIEnv *env, jclass c, jint function, jclass type, jobject extra,
                                                      jbyteArray bytes) {
  jbyte buffer[8192];
  jsize length = bytes == NULL ? 0 : (*env)->GetArrayLength(env, bytes);
  jmethodID method = NULL;
  int error;
  if (length > (jsize) sizeof buffer) return ENOBUFS;
  if (bytes != NULL) (*env)->GetByteArrayRegion(env, bytes, 0, length, buffer);
  if (function == 7) method = (*env)->GetStaticMethodID(env, c, "misalignment", "()I");    // another class's
  if (function == 8) method = (*env)->GetMethodID(env, type, "takes", "(LJniInterop$Unknown;)V");
  if (function == 11) (*env)->Throw(env, extra);
  error = pthread_mutex_lock(&mutex);
  if (error != 0) return error;
  owner = (pid_t) syscall(SYS_gettid);
  switch (function) {
    case 0: (*env)->AllocObject(env, type); break;
    case 1: (*env)->GetMethodID(env, type, "method", "()V"); break;
    case 2: (*env)->GetStaticMethodID(env, type, "staticMethod", "()V"); break;
    case 3: (*env)->GetFieldID(env, type, "field", "I"); break;
    case 4: (*env)->GetStaticFieldID(env, type, "staticField", "I"); break;
    case 5: (*env)->FromReflectedMethod(env, extra); break;
    case 6: (*env)->FromReflectedField(env, extra); break;
    case 7: call_static(env, type, method); break;
    case 8: (*env)->ToReflectedMethod(env, type, method, JNI_FALSE); break;
    case 9: (*env)->DefineClass(env, "JniInterop$Subclass", extra, buffer, length); break;
    case 10: (*env)->ThrowNew(env, type, "thrown by native code"); break;
    case 11: (*env)->ExceptionDescribe(env); break;
    case 12: (*env)->NewObjectArray(env, 1, type, NULL); break;
  }
  owner = 0;
  error = pthread_mutex_unlock(&mutex);
  (*env)->ExceptionClear(env);
  return error;
}

// -1 if another kernel thread has it; an unlock by a kernel thread that is not the owner is EPERM.
JNIEXPORT jint JNICALL Java_JniInterop_tryMutex(JNIEnv *env, jclass c) {
  int error = pthread_mutex_trylock(&mutex);
  if (error == 0) error = pthread_mutex_unlock(&mutex);
  return error != EBUSY ? error : owner == (pid_t) syscall(SYS_gettid) ? EDEADLK : -1;
}

// A monitor entered by JNI, kept across a call that blocks.
JNIEXPORT jboolean JNICALL Java_JniInterop_monitor(JNIEnv *env, jclass c, jobject lock, jint arg) {
  if ((*env)->MonitorEnter(env, lock) != JNI_OK) return JNI_FALSE;
  (*env)->CallStaticVoidMethod(env, test_class, upcall_id, arg);
  return (*env)->MonitorExit(env, lock) == JNI_OK;
}

// Local references of a frame that stays while Java blocks and collects.
JNIEXPORT jboolean JNICALL Java_JniInterop_references(JNIEnv *env, jclass c, jint arg) {
  const char *text = "a string that only a local reference keeps";
  jobject a = (*env)->NewStringUTF(env, text);
  jweak w = (*env)->NewWeakGlobalRef(env, a);
  jsize length;
  (*env)->CallStaticVoidMethod(env, test_class, upcall_id, arg);
  length = (*env)->GetStringUTFLength(env, a);
  if (!(*env)->IsSameObject(env, a, w)) return JNI_FALSE;
  (*env)->DeleteWeakGlobalRef(env, w);
  return length == (jsize) strlen(text);
}

// 0 when the stack is aligned as the ABI says.
JNIEXPORT jint JNICALL Java_JniInterop_misalignment(JNIEnv *env, jclass c) {
  return (jint) ((intptr_t) __builtin_frame_address(0) & 15);
}

// Blocks the kernel thread.
JNIEXPORT void JNICALL Java_JniInterop_block(JNIEnv *env, jclass c, jint fd) {
  char b;
  while (read(fd, &b, 1) < 0 && errno == EINTR) { }
}

JNIEXPORT jint JNICALL Java_JniInterop_openPipe(JNIEnv *env, jclass c, jintArray fds) {
  int p[2];
  jint j[2];
  if (pipe(p) != 0) return errno;
  j[0] = p[0];
  j[1] = p[1];
  (*env)->SetIntArrayRegion(env, fds, 0, 2, j);
  return 0;
}

JNIEXPORT void JNICALL Java_JniInterop_release(JNIEnv *env, jclass c, jint fd) {
  while (write(fd, "x", 1) < 0 && errno == EINTR) { }
}

struct later {
  int fd;
  int millis;
};

static void *write_later(void *p) {
  struct later l = *(struct later *) p;
  free(p);
  usleep(l.millis * 1000);
  while (write(l.fd, "x", 1) < 0 && errno == EINTR) { }
  return NULL;
}

// By a thread that the VM does not know.
JNIEXPORT void JNICALL Java_JniInterop_releaseLater(JNIEnv *env, jclass c, jint fd, jint millis) {
  pthread_t id;
  struct later *l = malloc(sizeof *l);
  l->fd = fd;
  l->millis = millis;
  pthread_create(&id, NULL, write_later, l);
  pthread_detach(id);
}

struct thread {
  pthread_t id;
  jint number;
  jint error;
};

static void *attach(void *p) {
  struct thread *t = p;
  JNIEnv *env;
  int i;
  t->error = 1;
  for (i = 0; i < 3; i++) {                     // attaches again after it has detached
    if ((i == 1 ? (*vm)->AttachCurrentThreadAsDaemon(vm, (void **) &env, NULL)
                : (*vm)->AttachCurrentThread(vm, (void **) &env, NULL)) != JNI_OK) return NULL;
    (*env)->CallStaticVoidMethod(env, test_class, attached_id, t->number);
    if ((*env)->ExceptionCheck(env)) {
      (*env)->ExceptionDescribe(env);
      return NULL;
    }
    if ((*vm)->DetachCurrentThread(vm) != JNI_OK) return NULL;
  }
  t->error = 0;
  return NULL;
}

enum { MAX_THREADS = 64 };
static struct thread threads[MAX_THREADS];

JNIEXPORT void JNICALL Java_JniInterop_startAttached(JNIEnv *env, jclass c, jint n) {
  jint i;
  for (i = 0; i < n && i < MAX_THREADS; i++) {
    threads[i].number = i;
    pthread_create(&threads[i].id, NULL, attach, &threads[i]);
  }
}

// Blocks its kernel thread until they have ended; how many failed.
JNIEXPORT jint JNICALL Java_JniInterop_joinAttached(JNIEnv *env, jclass c, jint n) {
  jint i, failed = 0;
  for (i = 0; i < n && i < MAX_THREADS; i++) {
    pthread_join(threads[i].id, NULL);
    failed += threads[i].error;
  }
  return failed;
}
