/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * What the proxy of the benchmark talks to: an echo server with one thread and epoll, so that it takes little of the machine.
 *
 * Usage: backend; prints its port, and ends when its standard input does.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void watch(int epoll, int fd) {
  struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0) fail("epoll_ctl");
}

int main(void) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t length = sizeof(address);
  int server = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), one = 1;
  if (server < 0 || epoll < 0) fail("socket");
  if (bind(server, (struct sockaddr*) &address, length) != 0 || listen(server, 20000) != 0) fail("listen");
  getsockname(server, (struct sockaddr*) &address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  watch(epoll, server);
  watch(epoll, 0);
  for (;;) {
    struct epoll_event events[256];
    int n = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < n; i++) {
      int fd = events[i].data.fd;
      char buffer[65536];
      if (fd == server) {
        int client = accept(server, NULL, NULL);
        if (client < 0) fail("accept");
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        watch(epoll, client);
        continue;
      }
      ssize_t k = read(fd, buffer, sizeof(buffer));
      if (fd == 0) {
        if (k <= 0) return 0;
      } else if (k <= 0 || write(fd, buffer, (size_t) k) != k) {
        close(fd);
      }
    }
  }
}
