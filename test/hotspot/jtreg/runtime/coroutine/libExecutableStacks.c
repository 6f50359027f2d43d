/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of ExecutableStacks.java. The address of the inner function is that of code on the stack, so the library wants stacks to be
// executable, and the linker warns of it.

#include <jni.h>

static int apply(int (*volatile function)(int), int x) { return function(x); }

JNIEXPORT jint JNICALL Java_ExecutableStacks_plusOne(JNIEnv *env, jclass c, jint n) {
  int add(int y) { return y + n; }
  return apply(add, 1);
}
