/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * To be preloaded: counts the calls of poll, and every second datagram finds no room at first, or none at all does while they are held, and the
 * call does not return while they are held inside; and a call that receives is late by some time if it is to be held. A packet on the loopback
 * interface never takes up the sender's buffer.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INSIDE = 2 };
enum { LATE_MICROS = 30000 };
static volatile int polls, sends, refused, held, receivers_held, late;

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  static int (*real)(struct pollfd*, nfds_t, int);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "poll");
  }
  __sync_fetch_and_add(&polls, 1);
  return real(fds, count, timeout);
}

ssize_t sendto(int fd, const void* buffer, size_t size, int flags, const struct sockaddr* to, socklen_t length) {
  static ssize_t (*real)(int, const void*, size_t, int, const struct sockaddr*, socklen_t);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "sendto");
  }
  if ((flags & MSG_DONTWAIT) != 0 && (__sync_fetch_and_add(&sends, 1) % 2 == 1 || held)) {
    __sync_fetch_and_add(&refused, 1);
    while (held == INSIDE) {
      usleep(1000);
    }
    errno = EAGAIN;
    return -1;
  }
  return real(fd, buffer, size, flags, to, length);
}

ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, struct sockaddr* from, socklen_t* length) {
  static ssize_t (*real)(int, void*, size_t, int, struct sockaddr*, socklen_t*);
  if (real == NULL) {
    real = dlsym(RTLD_NEXT, "recvfrom");
  }
  if ((flags & MSG_DONTWAIT) != 0 && receivers_held) {
    __sync_fetch_and_add(&late, 1);
    usleep(LATE_MICROS);
  }
  return real(fd, buffer, size, flags, from, length);
}

JNIEXPORT jint JNICALL Java_Datagrams_late(JNIEnv* env, jclass ignored) {
  return late;
}

JNIEXPORT void JNICALL Java_Datagrams_holdReceivers(JNIEnv* env, jclass ignored, jboolean hold) {
  receivers_held = hold;
}

JNIEXPORT jint JNICALL Java_Datagrams_polls(JNIEnv* env, jclass ignored) {
  return polls;
}

JNIEXPORT jint JNICALL Java_Datagrams_refused(JNIEnv* env, jclass ignored) {
  return refused;
}

JNIEXPORT void JNICALL Java_Datagrams_hold(JNIEnv* env, jclass ignored, jint how) {
  held = how;
}
