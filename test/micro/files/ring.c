/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 *
 * The operations of FileLoad.java through io_uring, by one thread that keeps as many of them at work as FileLoad has threads and does
 * nothing else. So it is the most that a JDK with io_uring could reach, without the coroutines, the scheduler and the Java code.
 *
 * Usage: ring OPERATION AT-A-TIME SECONDS DIRECTORY; prints operations per second. Exit status 2: the kernel does not allow io_uring.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { Block = 4096, Line = 100 };

static unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
static struct io_uring_sqe* sqes;
static struct io_uring_cqe* cqes;

static void fail(const char* what) {
  fprintf(stderr, "ring: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int set_up(unsigned entries) {
  struct io_uring_params p;
  memset(&p, 0, sizeof(p));
  int fd = (int) syscall(SYS_io_uring_setup, entries, &p);
  if (fd < 0) {
    fprintf(stderr, "ring: io_uring_setup: %s\n", strerror(errno));
    exit(2);
  }
  size_t sq_size = p.sq_off.array + p.sq_entries * sizeof(unsigned);
  size_t cq_size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
  char* sq = mmap(NULL, sq_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
  char* cq = mmap(NULL, cq_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_CQ_RING);
  sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
  if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED) {
    fail("mmap");
  }
  sq_tail = (unsigned*) (sq + p.sq_off.tail);
  sq_mask = (unsigned*) (sq + p.sq_off.ring_mask);
  sq_array = (unsigned*) (sq + p.sq_off.array);
  cq_head = (unsigned*) (cq + p.cq_off.head);
  cq_tail = (unsigned*) (cq + p.cq_off.tail);
  cq_mask = (unsigned*) (cq + p.cq_off.ring_mask);
  cqes = (struct io_uring_cqe*) (cq + p.cq_off.cqes);
  return fd;
}

static struct io_uring_sqe* next(int opcode, int fd, uint64_t user) {
  unsigned tail = *sq_tail, at = tail & *sq_mask;
  struct io_uring_sqe* e = &sqes[at];
  memset(e, 0, sizeof(*e));
  e->opcode = (unsigned char) opcode;
  e->fd = fd;
  e->user_data = user;
  sq_array[at] = at;
  __atomic_store_n(sq_tail, tail + 1, __ATOMIC_RELEASE);
  return e;
}

static void transfer(int opcode, int fd, uint64_t user, char* buffer, unsigned length, uint64_t offset) {
  struct io_uring_sqe* e = next(opcode, fd, user);
  e->addr = (uint64_t) (uintptr_t) buffer;
  e->len = length;
  e->off = offset;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: ring force|direct|cached|append AT-A-TIME SECONDS DIRECTORY\n");
    return 1;
  }
  const char* operation = argv[1];
  int count = atoi(argv[2]);
  double seconds = atof(argv[3]);
  int ring = set_up((unsigned) count * 2);
  int* fds = calloc((size_t) count, sizeof(int));
  char* buffers;
  if (posix_memalign((void**) &buffers, Block, (size_t) count * Block) != 0) {
    fail("memory");
  }
  memset(buffers, 'x', (size_t) count * Block);
  char name[4096];
  int writes = strcmp(operation, "force") == 0 || strcmp(operation, "append") == 0;
  for (int i = 0; i < count; i++) {
    if (writes) {
      snprintf(name, sizeof(name), "%s/own%d", argv[4], i);
      fds[i] = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    } else {
      snprintf(name, sizeof(name), "%s/big", argv[4]);
      fds[i] = open(name, O_RDONLY | (strcmp(operation, "direct") == 0 ? O_DIRECT : 0));
    }
    if (fds[i] < 0) {
      fail(name);
    }
  }
  struct stat st;
  fstat(fds[0], &st);
  uint64_t blocks = (uint64_t) st.st_size / Block;
  uint64_t seed = 88172645463325252ULL, done = 0;
  uint64_t* length = calloc((size_t) count, sizeof(uint64_t));
  int* ready = calloc((size_t) count, sizeof(int));
  int n_ready = count;
  for (int i = 0; i < count; i++) {
    ready[i] = i;
  }
  double start = now(), t = start;
  while (t - start < seconds) {
    unsigned submit = 0;
    while (n_ready > 0) {
      int i = ready[--n_ready];
      char* buffer = buffers + (size_t) i * Block;
      if (strcmp(operation, "force") == 0) {
        transfer(IORING_OP_WRITE, fds[i], UINT64_MAX, buffer, Block, 0);
        sqes[(*sq_tail - 1) & *sq_mask].flags = IOSQE_IO_LINK;
        next(IORING_OP_FSYNC, fds[i], (uint64_t) i)->fsync_flags = IORING_FSYNC_DATASYNC;
        submit += 2;
      } else if (writes) {
        if (length[i] >= 100000 * Line) {
          length[i] = 0;
        }
        transfer(IORING_OP_WRITE, fds[i], (uint64_t) i, buffer, Line, length[i]);
        length[i] += Line;
        submit++;
      } else {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        transfer(IORING_OP_READ, fds[i], (uint64_t) i, buffer, Block, seed % blocks * Block);
        submit++;
      }
    }
    if (syscall(SYS_io_uring_enter, ring, submit, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 && errno != EINTR) {
      fail("io_uring_enter");
    }
    unsigned head = *cq_head, tail = __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) {
      struct io_uring_cqe* c = &cqes[head & *cq_mask];
      if (c->res < 0) {
        errno = -c->res;
        fail(operation);
      }
      if (c->user_data != UINT64_MAX) {
        ready[n_ready++] = (int) c->user_data;
        done++;
      }
    }
    __atomic_store_n(cq_head, head, __ATOMIC_RELEASE);
    t = now();
  }
  printf("%.0f\n", done / (t - start));
  return 0;
}
