/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * A program that embeds the VM: the thread that creates it lets a class begin, and detaches; a thread of Java's destroys the VM.
 * Arguments: libjvm.so, the class, options of the VM.
 */

#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static JavaVM* vm;

static void JNICALL destroy(JNIEnv* env, jclass ignored) {
  long before = syscall(SYS_gettid);
  jint result = (*vm)->DestroyJavaVM(vm);
  printf("destroyed: %d, same thread: %d\n", (int) result, syscall(SYS_gettid) == before);
  fflush(stdout);
  _exit(result == JNI_OK ? 0 : 3);
}

static void need(int condition, const char* what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    exit(2);
  }
}

int main(int count, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
  need(library != NULL, "no VM");
  jint (*create)(JavaVM**, void**, void*) = (jint (*)(JavaVM**, void**, void*)) dlsym(library, "JNI_CreateJavaVM");
  JavaVMOption* options = calloc(count, sizeof(JavaVMOption));
  for (int i = 3; i < count; i++) {
    options[i - 3].optionString = arguments[i];
  }
  JavaVMInitArgs args = { JNI_VERSION_10, count - 3, options, JNI_FALSE };
  JNIEnv* env;
  need(create != NULL && create(&vm, (void**) &env, &args) == JNI_OK, "not created");
  jclass type = (*env)->FindClass(env, arguments[2]);
  JNINativeMethod method = { "destroy", "()V", destroy };
  need(type != NULL && (*env)->RegisterNatives(env, type, &method, 1) == JNI_OK, "no class");
  jmethodID begin = (*env)->GetStaticMethodID(env, type, "begin", "()V");
  need(begin != NULL, "no method");
  (*env)->CallStaticVoidMethod(env, type, begin);
  need(!(*env)->ExceptionCheck(env) && (*vm)->DetachCurrentThread(vm) == JNI_OK, "not detached");
  for (;;) {
    pause();
  }
}
