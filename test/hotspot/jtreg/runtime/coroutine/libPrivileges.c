/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of Privileges.java.

#include <jni.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

JNIEXPORT void JNICALL Java_Privileges_giveUp(JNIEnv *env, jclass c, jint capability) {
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];
  syscall(SYS_capget, &header, data);
  data[0].effective &= ~(1u << capability);
  data[0].permitted &= ~(1u << capability);
  syscall(SYS_capset, &header, data);
}

JNIEXPORT void JNICALL Java_Privileges_getNoMore(JNIEnv *env, jclass c) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
