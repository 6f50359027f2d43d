/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of RecorderEvents.java.

#include <jni.h>
#include <time.h>

// Calls Java code with this frame on the stack.
JNIEXPORT void JNICALL Java_RecorderEvents_callBack(JNIEnv *env, jclass c, jobject runnable) {
  jclass type = (*env)->GetObjectClass(env, runnable);
  (*env)->CallVoidMethod(env, runnable, (*env)->GetMethodID(env, type, "run", "()V"));
}

JNIEXPORT void JNICALL Java_RecorderEvents_block(JNIEnv *env, jclass c, jint millis) {
  struct timespec t = {millis / 1000, millis % 1000 * 1000000L};
  nanosleep(&t, NULL);
}
