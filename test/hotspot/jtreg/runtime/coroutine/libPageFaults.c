/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The native side of PageFaults.java: memory whose pages a thread of ours provides, by userfaultfd, some time after they have been touched.

#define _GNU_SOURCE
#include <jni.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MAX_WAITING = 1000 };

static int faults = -1;
static volatile int delay_millis;
static volatile int most_waiting;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// Those that wait, in the order in which their pages are due.
static void *serve(void *ignored) {
  static uint64_t pages[MAX_WAITING];
  static int64_t due[MAX_WAITING];
  int waiting = 0;
  for (;;) {
    struct pollfd p = { faults, POLLIN, 0 };
    int64_t left = waiting > 0 ? due[0] - now() : 1000;
    struct uffd_msg message;
    poll(&p, 1, left < 0 ? 0 : (int) left);
    while (waiting < MAX_WAITING && read(faults, &message, sizeof(message)) == (ssize_t) sizeof(message)) {
      if (message.event == UFFD_EVENT_PAGEFAULT) {
        pages[waiting] = message.arg.pagefault.address & ~(uint64_t) (PAGE - 1);
        due[waiting++] = now() + delay_millis;
        if (waiting > most_waiting) {
          most_waiting = waiting;
        }
      }
    }
    while (waiting > 0 && due[0] <= now()) {
      struct uffdio_zeropage page;
      memset(&page, 0, sizeof(page));
      page.range.start = pages[0];
      page.range.len = PAGE;
      ioctl(faults, UFFDIO_ZEROPAGE, &page);
      waiting--;
      memmove(pages, pages + 1, waiting * sizeof(pages[0]));
      memmove(due, due + 1, waiting * sizeof(due[0]));
    }
  }
  return NULL;
}

JNIEXPORT jobject JNICALL Java_PageFaults_map(JNIEnv *env, jclass c, jint count) {
  struct uffdio_api api;
  struct uffdio_register range;
  pthread_t thread;
  size_t size = (size_t) count * PAGE;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, size, MADV_NOHUGEPAGE);
  memset(&api, 0, sizeof(api));
  api.api = UFFD_API;
  memset(&range, 0, sizeof(range));
  range.range.start = (uintptr_t) memory;
  range.range.len = size;
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  faults = (int) syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  if (memory == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0 || ioctl(faults, UFFDIO_REGISTER, &range) != 0 ||
      pthread_create(&thread, NULL, serve, NULL) != 0) {
    return NULL;
  }
  return (*env)->NewDirectByteBuffer(env, memory, (jlong) size);
}

JNIEXPORT void JNICALL Java_PageFaults_setDelay(JNIEnv *env, jclass c, jint millis) {
  delay_millis = millis;
}

JNIEXPORT jint JNICALL Java_PageFaults_mostWaiting(JNIEnv *env, jclass c) {
  int most = most_waiting;
  most_waiting = 0;
  return most;
}
