/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of LoadedLibraries.java.

#include <jni.h>
#include <string.h>
#include <xmmintrin.h>

enum { ZERO_FOR_SUBNORMAL = 0x8040, ROUND_TO_ZERO = 0x6000 };

static __thread JNIEnv *kept;

__attribute__((constructor)) static void load(void) {
  _mm_setcsr(_mm_getcsr() | ZERO_FOR_SUBNORMAL);
}

JNIEXPORT void JNICALL Java_LoadedLibraries_roundToZero(JNIEnv *env, jclass c, jboolean on) {
  _mm_setcsr(on ? _mm_getcsr() | ROUND_TO_ZERO : _mm_getcsr() & ~ROUND_TO_ZERO);
}

JNIEXPORT jboolean JNICALL Java_LoadedLibraries_roundsToZero(JNIEnv *env, jclass c) {
  return (_mm_getcsr() & ROUND_TO_ZERO) == ROUND_TO_ZERO;
}

JNIEXPORT jstring JNICALL Java_LoadedLibraries_newString(JNIEnv *env, jclass c, jstring bytes, jboolean fails) {
  char text[200];
  jsize length;
  if (kept == NULL) {
    kept = env;
  }
  length = (*kept)->GetStringUTFLength(kept, bytes);
  if (length >= (jsize) sizeof(text)) {
    return NULL;
  }
  (*kept)->GetStringUTFRegion(kept, bytes, 0, (*kept)->GetStringLength(kept, bytes), text);
  text[length] = '\0';
  if (fails) {
    (*kept)->ThrowNew(kept, (*kept)->FindClass(kept, "java/lang/IllegalStateException"), text);
    return NULL;
  }
  return (*kept)->NewStringUTF(kept, text);
}
