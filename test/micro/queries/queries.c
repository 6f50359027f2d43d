/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Requests of twenty rows from PostgreSQL, each a query of its own, as WebServer.java makes them, without a JVM and without a web server:
 * what the kernel takes for them in each way to wait. They arrive at random, spread over 20 connections. "threads": one thread for each
 * connection, which blocks in recv(); "epoll": one or two threads that wait in epoll_wait() for all; "ring": one or two that send and
 * receive through io_uring. Loops learn from a timerfd when the next request arrives. A wait with a time limit, which the first version
 * had, sets the timer of the processor each time, which a virtual machine pays with two exits. Defends what doc/performance.md says of
 * twenty queries.
 *
 * Usage: queries threads|epoll1|epoll2|ring1|ring2 PORT REQUESTS-PER-SECOND SECONDS; the database "postgres" of the user "wisp" without a
 * password, with the table of make/bench-apps.sh. Prints requests per second, and for each request microseconds of CPU time in user mode,
 * in the kernel, and context switches. Exit status 2: the kernel does not allow io_uring.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <math.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 20, QUERIES = 20, ROWS = 10000, BUFFER = 8192, ENTRIES = 128 };

struct connection {
  int      fd;
  int      left;                       /* queries of this request that are not answered yet */
  size_t   got;                        /* bytes of the answer */
  double   next;                       /* when the next request arrives */
  unsigned seed;
  char     in[BUFFER];
  char     out[256];
};

static int port, threads;
static double rate;
static volatile int stop;
static volatile long requests;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static struct timespec until(double time) {
  double d = time - now();
  struct timespec t = {0, 0};
  if (d > 0) {
    t.tv_sec = (time_t) d;
    t.tv_nsec = (long) ((d - t.tv_sec) * 1e9);
  }
  return t;
}

/* ---- The protocol */

static size_t put(char* to, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) {
    to[i] = (char) (value >> 8 * (bytes - 1 - i));
  }
  return bytes;
}

/* Ends with ReadyForQuery: 'Z', length 5, state. */
static int is_complete(const struct connection* c) {
  return c->got >= 6 && memcmp(c->in + c->got - 6, "Z\0\0\0\5", 5) == 0;
}

static void receive_all(struct connection* c) {
  for (c->got = 0; !is_complete(c); ) {
    ssize_t n = recv(c->fd, c->in + c->got, BUFFER - c->got, 0);
    if (n <= 0) fail("recv");
    c->got += n;
  }
}

static void open_connection(struct connection* c, unsigned seed) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int one = 1;
  c->seed = seed;
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(c->fd, (struct sockaddr*) &address, sizeof(address)) != 0) fail("connect");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  static const char parameters[] = "user\0wisp\0database\0postgres\0";
  char* p = c->out + put(c->out, 8 + sizeof(parameters), 4);
  p += put(p, 3 << 16, 4);
  memcpy(p, parameters, sizeof(parameters));
  send(c->fd, c->out, 8 + sizeof(parameters), 0);
  receive_all(c);
  static const char text[] = "select id, number from world where id = $1";
  p = c->out;
  *p++ = 'P';
  p += put(p, 4 + 2 + sizeof(text) + 2 + 4, 4);
  p = stpcpy(p, "s") + 1;
  p = stpcpy(p, text) + 1;
  p += put(p, 1, 2);
  p += put(p, 23, 4);                  /* int4 */
  *p++ = 'S';
  p += put(p, 4, 4);
  send(c->fd, c->out, p - c->out, 0);
  receive_all(c);
  if (c->in[0] == 'E') { fprintf(stderr, "queries: PostgreSQL refuses the statement\n"); exit(1); }
}

/* Bind, Execute, Sync, in binary. */
static size_t query(struct connection* c) {
  char* p = c->out;
  c->got = 0;
  *p++ = 'B';
  p += put(p, 4 + 1 + 2 + 2 + 2 + 2 + 4 + 4 + 2 + 2 + 2, 4);
  *p++ = '\0';
  p = stpcpy(p, "s") + 1;
  p += put(p, 1, 2); p += put(p, 1, 2);
  p += put(p, 1, 2); p += put(p, 4, 4); p += put(p, 1 + rand_r(&c->seed) % ROWS, 4);
  p += put(p, 2, 2); p += put(p, 1, 2); p += put(p, 1, 2);
  *p++ = 'E';
  p += put(p, 4 + 1 + 4, 4); *p++ = '\0'; p += put(p, 0, 4);
  *p++ = 'S';
  p += put(p, 4, 4);
  return p - c->out;
}

static void send_query(struct connection* c) {
  size_t n = query(c);
  if (send(c->fd, c->out, n, 0) != (ssize_t) n) fail("send");
}

/* ---- Requests: at random times; who is late by more than a second does not make up for it. */

static void next_request(struct connection* c) {
  double time = now();
  c->next = c->next < time - 1 ? time : c->next - log(1 - (rand_r(&c->seed) + 0.5) / (RAND_MAX + 1.0)) * CONNECTIONS / rate;
}

static void ended_request(struct connection* c) {
  __sync_fetch_and_add(&requests, 1);
  next_request(c);
}

static void* by_thread(void* number) {
  struct connection* c = calloc(1, sizeof(*c));
  open_connection(c, 1 + (unsigned) (long) number);
  for (c->next = now(), next_request(c); !stop; ended_request(c)) {
    struct timespec t = until(c->next);
    nanosleep(&t, NULL);
    for (int i = 0; i < QUERIES; i++) {
      send_query(c);
      receive_all(c);
    }
  }
  return NULL;
}

static struct connection* open_share(long number, int n) {
  struct connection* all = calloc(n, sizeof(*all));
  for (int i = 0; i < n; i++) {
    open_connection(&all[i], 1 + number * n + i);
    all[i].next = now();
    next_request(&all[i]);
  }
  return all;
}

/* Begins what is due by `begin`, and sets the timer for the next one, whose time it returns. */
static double begin_due(struct connection* all, int n, void (*begin)(struct connection*), int timer) {
  double first = now() + 1;
  for (int i = 0; i < n; i++) {
    if (all[i].left == 0 && all[i].next <= now()) {
      all[i].left = QUERIES;
      begin(&all[i]);
    }
    if (all[i].left == 0 && all[i].next < first) first = all[i].next;
  }
  struct itimerspec t = { .it_value = until(first) };
  t.it_value.tv_nsec += t.it_value.tv_sec == 0 && t.it_value.tv_nsec == 0;
  if (timerfd_settime(timer, 0, &t, NULL) != 0) fail("timerfd_settime");
  return first;
}

static int create_timer(int flags) {
  int timer = timerfd_create(CLOCK_MONOTONIC, flags);
  if (timer < 0) fail("timerfd_create");
  return timer;
}

static void* by_epoll(void* number) {
  int n = CONNECTIONS / threads, set = epoll_create1(0);
  struct connection* all = open_share((long) number, n);
  int timer = create_timer(TFD_NONBLOCK);
  uint64_t ignored;
  struct epoll_event events[CONNECTIONS + 1];
  struct epoll_event t = { .events = EPOLLIN | EPOLLET, .data.ptr = NULL };
  if (epoll_ctl(set, EPOLL_CTL_ADD, timer, &t) != 0) fail("epoll_ctl");
  for (int i = 0; i < n; i++) {
    struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.ptr = &all[i] };
    if (epoll_ctl(set, EPOLL_CTL_ADD, all[i].fd, &e) != 0) fail("epoll_ctl");
  }
  double first = begin_due(all, n, send_query, timer);
  while (!stop) {
    int count = epoll_wait(set, events, CONNECTIONS + 1, -1), due = 0;
    for (int i = 0; i < count; i++) {
      struct connection* c = events[i].data.ptr;
      if (c == NULL) {
        due |= read(timer, &ignored, sizeof(ignored)) > 0;
        continue;
      }
      ssize_t got = recv(c->fd, c->in + c->got, BUFFER - c->got, MSG_DONTWAIT);
      c->got += got > 0 ? got : 0;
      if (c->left > 0 && is_complete(c)) {
        if (--c->left > 0) {
          send_query(c);
        } else {
          ended_request(c);
          due |= c->next < first;
        }
      }
    }
    if (due) first = begin_due(all, n, send_query, timer);
  }
  return NULL;
}

/* ---- io_uring, without a library */

struct ring {
  int fd;
  unsigned submit;
  unsigned *sq_tail, *sq_array, sq_mask, *cq_head, *cq_tail, cq_mask;
  struct io_uring_sqe* entries;
  struct io_uring_cqe* done;
};

static __thread struct ring ring;

static void make_ring(void) {
  struct io_uring_params p;
  memset(&p, 0, sizeof(p));
  p.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  ring.fd = (int) syscall(SYS_io_uring_setup, ENTRIES, &p);
  if (ring.fd < 0) { fprintf(stderr, "queries: io_uring_setup: %s\n", strerror(errno)); exit(2); }
  char* sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
  char* cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_CQ_RING);
  ring.entries = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
  if (sq == MAP_FAILED || cq == MAP_FAILED || (void*) ring.entries == MAP_FAILED) fail("mmap");
  ring.sq_tail = (unsigned*) (sq + p.sq_off.tail);
  ring.sq_array = (unsigned*) (sq + p.sq_off.array);
  ring.sq_mask = *(unsigned*) (sq + p.sq_off.ring_mask);
  ring.cq_head = (unsigned*) (cq + p.cq_off.head);
  ring.cq_tail = (unsigned*) (cq + p.cq_off.tail);
  ring.cq_mask = *(unsigned*) (cq + p.cq_off.ring_mask);
  ring.done = (struct io_uring_cqe*) (cq + p.cq_off.cqes);
}

static struct io_uring_sqe* entry(struct connection* c, int opcode, char* buffer, size_t length) {
  unsigned tail = *ring.sq_tail, at = tail & ring.sq_mask;
  struct io_uring_sqe* e = &ring.entries[at];
  memset(e, 0, sizeof(*e));
  e->opcode = opcode;
  e->fd = c->fd;
  e->addr = (uint64_t) (uintptr_t) buffer;
  e->len = (unsigned) length;
  e->user_data = (uint64_t) (uintptr_t) c;
  ring.sq_array[at] = at;
  __atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
  ring.submit++;
  return e;
}

static void ring_receive(struct connection* c) {
  entry(c, IORING_OP_RECV, c->in + c->got, BUFFER - c->got)->ioprio = IORING_RECVSEND_POLL_FIRST;
}

static void ring_query(struct connection* c) {
  size_t n = query(c);
  struct io_uring_sqe* e = entry(c, IORING_OP_SEND, c->out, n);
  e->flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK;
  e->user_data = 0;
  ring_receive(c);
}

static void* by_ring(void* number) {
  int n = CONNECTIONS / threads;
  make_ring();
  struct connection* all = open_share((long) number, n);
  struct connection timer = { .fd = create_timer(0) };
  double first = begin_due(all, n, ring_query, timer.fd);
  entry(&timer, IORING_OP_READ, timer.in, sizeof(uint64_t));
  while (!stop) {
    if (syscall(SYS_io_uring_enter, ring.fd, ring.submit, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 && errno != EINTR) fail("io_uring_enter");
    ring.submit = 0;
    int due = 0;
    unsigned head = *ring.cq_head, tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) {
      struct connection* c = (struct connection*) (uintptr_t) ring.done[head & ring.cq_mask].user_data;
      int got = ring.done[head & ring.cq_mask].res;
      if (c == NULL || got <= 0) { fprintf(stderr, "queries: io_uring: %s\n", strerror(-got)); exit(1); }
      if (c == &timer) {
        due = 1;
        entry(&timer, IORING_OP_READ, timer.in, sizeof(uint64_t));
        continue;
      }
      c->got += got;
      if (!is_complete(c)) {
        ring_receive(c);
      } else if (--c->left > 0) {
        ring_query(c);
      } else {
        ended_request(c);
        due |= c->next < first;
      }
    }
    __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
    if (due) first = begin_due(all, n, ring_query, timer.fd);
  }
  return NULL;
}

int main(int count, char** args) {
  if (count != 5) {
    fprintf(stderr, "usage: queries threads|epoll1|epoll2|ring1|ring2 PORT REQUESTS-PER-SECOND SECONDS\n");
    return 1;
  }
  char kind = args[1][0];
  threads = kind == 't' ? CONNECTIONS : args[1][strlen(args[1]) - 1] - '0';
  port = atoi(args[2]);
  rate = atof(args[3]);
  int seconds = atoi(args[4]);
  if ((kind != 't' && threads != 1 && threads != 2) || port <= 0 || rate <= 0 || seconds <= 0) {
    fprintf(stderr, "queries: %s %s %s %s: not a way to wait, a port, a rate and a time\n", args[1], args[2], args[3], args[4]);
    return 1;
  }
  for (long i = 0; i < threads; i++) {
    pthread_t ignored;
    if (pthread_create(&ignored, NULL, kind == 't' ? by_thread : kind == 'e' ? by_epoll : by_ring, (void*) i) != 0) fail("pthread_create");
  }
  struct rusage a, b;
  sleep(1);
  getrusage(RUSAGE_SELF, &a);
  long before = requests;
  double begin = now();
  sleep(seconds);
  getrusage(RUSAGE_SELF, &b);
  double n = requests - before, time = now() - begin;
  if (n == 0) { fprintf(stderr, "queries: no request has ended\n"); return 1; }
  printf("%.0f %.1f %.1f %.2f\n", n / time,
         ((b.ru_utime.tv_sec - a.ru_utime.tv_sec) * 1e6 + b.ru_utime.tv_usec - a.ru_utime.tv_usec) / n,
         ((b.ru_stime.tv_sec - a.ru_stime.tv_sec) * 1e6 + b.ru_stime.tv_usec - a.ru_stime.tv_usec) / n,
         (b.ru_nvcsw - a.ru_nvcsw + b.ru_nivcsw - a.ru_nivcsw) / n);
  return 0;
}
