/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * To be preloaded: a signal comes during each poll that does not wait and would find nothing, once it has been asked for. And a
 * listener for which the kernel keeps as many connections as it may, so that it does not answer any more.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile int interrupting, interrupted;
static __thread int last;

/* Every second one of a thread, as whoever calls it again shall find out. */
int poll(struct pollfd* fds, nfds_t count, int timeout) {
  static int (*real)(struct pollfd*, nfds_t, int);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "poll");
  }
  int n = real(fds, count, timeout);
  if (interrupting && timeout == 0 && n == 0 && (last = !last)) {
    __sync_fetch_and_add(&interrupted, 1);
    errno = EINTR;
    return -1;
  }
  return n;
}

JNIEXPORT void JNICALL Java_InterruptedPolls_interrupt(JNIEnv* env, jclass ignored, jboolean on) {
  interrupting = on;
}

JNIEXPORT jint JNICALL Java_InterruptedPolls_interrupted(JNIEnv* env, jclass ignored) {
  return interrupted;
}

/* The port, or -1. The descriptors stay. */
JNIEXPORT jint JNICALL Java_InterruptedPolls_full(JNIEnv* env, jclass ignored) {
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t length = sizeof a;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr*) &a, sizeof a) != 0 || listen(fd, 0) != 0 ||
      getsockname(fd, (struct sockaddr*) &a, &length) != 0) {
    return -1;
  }
  for (int i = 0; i < 16; i++) {
    int client = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd p = { client, POLLOUT, 0 };
    fcntl(client, F_SETFL, O_NONBLOCK);
    if (connect(client, (struct sockaddr*) &a, sizeof a) != 0 && ppoll(&p, 1, &(struct timespec) { 0, 200000000 }, NULL) == 0) {
      return ntohs(a.sin_port);          /* no answer, unlike those before */
    }
  }
  return -1;
}
