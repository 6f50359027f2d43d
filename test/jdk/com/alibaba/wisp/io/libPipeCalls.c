/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * To be preloaded: counts the calls of poll, and preadv2 can be that of a kernel that reads no pipe without blocking.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/uio.h>

static volatile int polls;

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  static int (*real)(struct pollfd*, nfds_t, int);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "poll");
  }
  __sync_fetch_and_add(&polls, 1);
  return real(fds, count, timeout);
}

ssize_t preadv2(int fd, const struct iovec* parts, int count, off_t offset, int flags) {
  static ssize_t (*real)(int, const struct iovec*, int, off_t, int);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "preadv2");
  }
  if (flags != 0 && getenv("PIPES_BLOCK") != NULL) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return real(fd, parts, count, offset, flags);
}

JNIEXPORT jint JNICALL Java_Pipes_polls(JNIEnv* env, jclass ignored) {
  return polls;
}
