/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * Takes the processors away from everybody else, each for a random time after a random time, by a real-time priority, as the host of a
 * virtual machine does that is busy with others: threads stop between any two instructions, some go on while others do not. Argument: the
 * longest such time in milliseconds. Runs until it is killed, or its parent ends. Needs the right to use SCHED_FIFO; the kernel leaves 5% of
 * each second to others, see /proc/sys/kernel/sched_rt_runtime_us. Rejected: threads that compute, which only share a processor, with slices
 * of a few milliseconds.
 */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(int argc, char** argv) {
  long limit = argc == 2 ? atol(argv[1]) * 1000000 : 0;
  long cpus = sysconf(_SC_NPROCESSORS_CONF);
  struct sched_param priority = { 1 };
  cpu_set_t mine;
  long i;

  if (limit <= 0) {
    fprintf(stderr, "usage: Stalls MILLISECONDS\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
    perror("sched_setscheduler(SCHED_FIFO)");
    return 1;
  }
  for (i = 0; i < cpus - 1 && fork() != 0; i++) {
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  CPU_ZERO(&mine);
  CPU_SET(i, &mine);
  if (sched_setaffinity(0, sizeof(mine), &mine) != 0) {
    pause();                                        /* not ours, but the children are */
  }
  for (srandom(getpid());;) {
    long end = now() + random() % limit;
    struct timespec rest;
    while (now() < end) {
    }
    end = random() % limit;
    rest.tv_sec = end / 1000000000;
    rest.tv_nsec = end % 1000000000;
    nanosleep(&rest, NULL);
  }
}
