/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * To be preloaded: a server of its own, which sends back each byte, and a send to it that returns when the answer is there, and not
 * sooner than 100 us, as one does for which the kernel has given the CPU to the server. Until sends are slow the server is.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <jni.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile int slow_port;

static int64_t nanos(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  static ssize_t (*real)(int, const void*, size_t, int);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "send");
  }
  int64_t start = nanos();
  ssize_t n = real(fd, bytes, size, flags);
  union {
    struct sockaddr     any;
    struct sockaddr_in  v4;
    struct sockaddr_in6 v6;
  } peer;
  socklen_t length = sizeof peer;
  if (slow_port != 0 && n > 0 && getpeername(fd, &peer.any, &length) == 0 &&
      ntohs(peer.any.sa_family == AF_INET6 ? peer.v6.sin6_port : peer.v4.sin_port) == slow_port) {
    struct pollfd p = { fd, POLLIN, 0 };
    poll(&p, 1, 60000);
    while (nanos() - start < 100000) {
    }
  }
  return n;
}

static void* echo(void* arg) {
  int fd = (int) (intptr_t) arg;
  char byte;
  while (read(fd, &byte, 1) == 1) {
    if (slow_port == 0) {
      usleep(2000);
    }
    if (write(fd, &byte, 1) != 1) {
      break;
    }
  }
  close(fd);
  return NULL;
}

static void* serve(void* arg) {
  for (;;) {
    int fd = accept((int) (intptr_t) arg, NULL, NULL);
    pthread_t thread;
    if (fd < 0 || pthread_create(&thread, NULL, echo, (void*) (intptr_t) fd) != 0) {
      return NULL;
    }
    pthread_detach(thread);
  }
}

/* The port, or -1. */
JNIEXPORT jint JNICALL Java_EarlyAnswers_serve(JNIEnv* env, jclass ignored) {
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t length = sizeof a;
  pthread_t thread;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr*) &a, sizeof a) != 0 || listen(fd, 10) != 0 ||
      getsockname(fd, (struct sockaddr*) &a, &length) != 0 || pthread_create(&thread, NULL, serve, (void*) (intptr_t) fd) != 0) {
    return -1;
  }
  pthread_detach(thread);
  return ntohs(a.sin_port);
}

JNIEXPORT void JNICALL Java_EarlyAnswers_slow(JNIEnv* env, jclass ignored, jint port) {
  slow_port = port;
}
