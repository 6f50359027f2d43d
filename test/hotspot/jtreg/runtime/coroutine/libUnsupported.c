/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// For Unsupported.java: loaded before the C library, fails the system call that the environment names.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_missing(const char *call) {
  const char *missing = getenv("MISSING_CALL");
  return missing != NULL && strcmp(missing, call) == 0;
}

int epoll_create1(int flags) {
  if (is_missing("epoll")) {
    errno = ENOSYS;
    return -1;
  }
  return (int) syscall(SYS_epoll_create1, flags);
}

int eventfd(unsigned int count, int flags) {
  if (is_missing("eventfd")) {
    errno = ENOSYS;
    return -1;
  }
  return (int) syscall(SYS_eventfd2, count, flags);
}
