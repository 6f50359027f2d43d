/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * To be preloaded: so many accepts come too late, as if another thread had taken the connection; and how often a thread waited in poll.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <sys/socket.h>

static volatile int late, waits;

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  static int (*real)(struct pollfd*, nfds_t, int);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "poll");
  }
  if (timeout != 0) {
    __sync_fetch_and_add(&waits, 1);
  }
  return real(fds, count, timeout);
}

int accept(int fd, struct sockaddr* address, socklen_t* length) {
  static int (*real)(int, struct sockaddr*, socklen_t*);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "accept");
  }
  if (late != 0) {
    __sync_fetch_and_sub(&late, 1);
    errno = EAGAIN;
    return -1;
  }
  return real(fd, address, length);
}

JNIEXPORT void JNICALL Java_Accepts_late(JNIEnv* env, jclass ignored, jint times) {
  late = times;
}

JNIEXPORT jint JNICALL Java_Accepts_waits(JNIEnv* env, jclass ignored) {
  return waits;
}
