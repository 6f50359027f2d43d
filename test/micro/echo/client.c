/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * The client of the echo benchmark: one thread and epoll, so that it takes little of the machine that it shares with the server.
 *
 * Usage: client PORT CONNECTIONS WARM-UP-SECONDS SECONDS RATE
 *
 * RATE 0: each connection sends its next message when the answer to the last one is there. Otherwise so many messages are due in a
 * second, spread evenly over time and connections, and the latency of a message counts from when it was due, not from when it was
 * sent: a server that stops for a while is charged for all that it kept waiting.
 *
 * Prints "messages-per-second median-us p99-us max-us" of the time after the warm-up.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 64, BUCKETS = 1 << 14 };

typedef struct {
  int fd;
  int missing;        /* bytes of the answer that is awaited; 0: none is */
  int64_t due;        /* when the message that is under way was due */
  int64_t sent;       /* with a rate: how many of its messages were sent */
} connection;

static uint64_t histogram[BUCKETS];   /* logarithmic, 512 buckets for each factor of two */

static void fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int bucket_of(int64_t ns) {
  uint64_t v = ns < 512 ? 512 : (uint64_t) ns;
  int shift = 63 - 9 - __builtin_clzll(v);
  int b = shift * 512 + (int) (v >> shift);      /* 512 to 1023 within each factor of two */
  return b < BUCKETS ? b : BUCKETS - 1;
}

static double micros_of(int b) {
  int shift = b / 512 - 1;
  return (double) ((uint64_t) (b - shift * 512) << shift) / 1000;
}

static double percentile(uint64_t count, double part) {
  uint64_t seen = 0;
  for (int b = 0; b < BUCKETS; b++) {
    seen += histogram[b];
    if (seen > 0 && (double) seen >= part * count) {
      return micros_of(b);
    }
  }
  return 0;
}

static void send_message(connection* c, int64_t due) {
  static const char message[SIZE] = "an echo";
  c->due = due;
  c->missing = SIZE;
  if (send(c->fd, message, SIZE, MSG_NOSIGNAL) != SIZE) {
    fail("send");
  }
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: client PORT CONNECTIONS WARM-UP-SECONDS SECONDS RATE\n");
    return 2;
  }
  int n = atoi(argv[2]);
  double rate = atof(argv[5]);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);

  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  connection* all = calloc(n, sizeof(connection));
  int epoll = epoll_create1(0);
  for (int i = 0; i < n; i++) {
    int one = 1;
    struct linger reset = {1, 0};      /* no connection stays in TIME_WAIT */
    connection* c = &all[i];
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0) fail("socket");
    if (connect(c->fd, (struct sockaddr*) &to, sizeof(to)) != 0) fail("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e) != 0) fail("epoll_ctl");
  }

  /* one message each, so that every connection is being served */
  int64_t start = now();
  for (int i = 0; i < n; i++) {
    char answer[SIZE];
    send_message(&all[i], start);
    if (recv(all[i].fd, answer, SIZE, MSG_WAITALL) != SIZE) fail("recv");
    all[i].missing = 0;
  }

  start = now();
  int64_t from = start + (int64_t) (atof(argv[3]) * 1e9);
  int64_t end = from + (int64_t) (atof(argv[4]) * 1e9);
  double interval = rate > 0 ? 1e9 / rate : 0;
  int64_t scheduled = 0;               /* with a rate: messages that have become due */
  uint64_t count = 0;
  int64_t worst = 0;
  if (rate == 0) {
    for (int i = 0; i < n; i++) {
      send_message(&all[i], start);
    }
  }
  int64_t t = now();
  while (t < end) {
    struct timespec wait = {0, 100000000};
    if (rate > 0) {
      for (; start + (int64_t) (scheduled * interval) <= t; scheduled++) {
        connection* c = &all[scheduled % n];
        if (c->missing == 0) {
          c->sent++;
          send_message(c, start + (int64_t) (scheduled * interval));
        }                              /* else it follows the answer that is missing */
      }
      int64_t left = start + (int64_t) (scheduled * interval) - now();
      wait.tv_nsec = left <= 0 ? 0 : left < 100000000 ? left : 100000000;
    }
    struct pollfd p = {epoll, POLLIN, 0};
    struct epoll_event events[256];
    if (ppoll(&p, 1, &wait, NULL) < 0) fail("ppoll");
    int k = epoll_wait(epoll, events, 256, 0);
    t = now();
    for (int i = 0; i < k; i++) {
      connection* c = events[i].data.ptr;
      char answer[SIZE];
      ssize_t r = recv(c->fd, answer, c->missing > 0 ? c->missing : 1, MSG_DONTWAIT);
      if (r <= 0) fail("recv");
      c->missing -= r;
      if (c->missing > 0) {
        continue;
      }
      int64_t took = t - c->due;
      if (t >= from) {
        count++;
        histogram[bucket_of(took)]++;
        if (took > worst) worst = took;
      }
      if (rate == 0) {
        send_message(c, t);
      } else {
        int64_t index = c->sent * n + (c - all);
        if (index < scheduled) {       /* the next one was due meanwhile */
          c->sent++;
          send_message(c, start + (int64_t) (index * interval));
        }
      }
    }
  }
  printf("%.0f %.1f %.1f %.1f\n", count / ((t - from) / 1e9), percentile(count, 0.5), percentile(count, 0.99), worst / 1e3);
  return 0;
}
