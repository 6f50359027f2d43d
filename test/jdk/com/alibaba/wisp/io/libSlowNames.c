/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * To be preloaded: name look-ups that answer when the file that SLOW_NAMES names is there.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void await_file(void) {
  const char* name = getenv("SLOW_NAMES");
  while (name != NULL && access(name, F_OK) != 0) {
    usleep(1000);
  }
}

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** result) {
  int (*real)(const char*, const char*, const struct addrinfo*, struct addrinfo**) = dlsym(RTLD_NEXT, "getaddrinfo");
  await_file();
  return real("127.0.0.1", service, hints, result);
}

int getnameinfo(const struct sockaddr* a, socklen_t length, char* host, socklen_t host_length, char* service,
                socklen_t service_length, int flags) {
  int (*real)(const struct sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int) = dlsym(RTLD_NEXT, "getnameinfo");
  await_file();
  return real(a, length, host, host_length, service, service_length, (flags & ~NI_NAMEREQD) | NI_NUMERICHOST);
}
