/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of Processors.java. When it is preloaded, the process sees as many processors as it is told.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8 };
static volatile int visible = 4;

long sysconf(int name) {
  static long (*real)(int);
  if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN) return MOST;
  if (real == NULL) {
    real = (long (*)(int)) dlsym(RTLD_NEXT, "sysconf");
  }
  return real(name);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  int i, n = visible;
  memset(set, 0, size);
  for (i = 0; i < n; i++) CPU_SET(i, set);
  return 0;
}

JNIEXPORT void JNICALL Java_Processors_set(JNIEnv *env, jclass c, jint n) { visible = n; }
