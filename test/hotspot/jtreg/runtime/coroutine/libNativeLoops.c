/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include <jni.h>

JNIEXPORT void JNICALL Java_NativeLoops_callBack(JNIEnv *env, jclass c, jobject body) {
  jclass runnable = (*env)->FindClass(env, "java/lang/Runnable");
  (*env)->CallVoidMethod(env, body, (*env)->GetMethodID(env, runnable, "run", "()V"));
}
