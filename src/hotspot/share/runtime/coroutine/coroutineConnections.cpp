/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineConnections.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.hpp"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

volatile jlong CoroutineConnections::_last = 0;
volatile int   CoroutineConnections::_listeners[Listeners] = { -1, -1, -1, -1 };
volatile jlong CoroutineConnections::_stuck_until[2][Listeners] = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };
volatile int   CoroutineConnections::_next = 0;
volatile int   CoroutineConnections::_accepts[Listeners] = { 0, 0, 0, 0 };

void CoroutineConnections::connected() {
  _last = os::javaTimeNanos();
}

bool CoroutineConnections::has_just_connected() {
  return _last != 0 && os::javaTimeNanos() - _last < RecentNanos;
}

void CoroutineConnections::listens(Coroutine* self, int fd) {
  if (self != NULL) {
    self->set_accepts();
  }
  for (int i = 0; i < Listeners; i++) {
    if (_listeners[i] == fd) {
      _accepts[i] = (_accepts[i] + 1) & AcceptsMask;
      return;
    }
  }
  if (fd < 0) {
    return;                            // of a closed channel
  }
  int slot = _next % Listeners;
  _next = slot + 1;
  _stuck_until[0][slot] = _stuck_until[1][slot] = 0;
  _listeners[slot] = fd;
}

// The kernel takes one more than it says. Those that other carriers connect at the same time come on top.
bool CoroutineConnections::is_full(int fd, bool* listens) {
  struct tcp_info info;
  socklen_t length = sizeof(info);
  *listens = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_LISTEN;
  return *listens && info.tcpi_unacked + MIN2((uint) CoroutineScheduler::active_count(), info.tcpi_sacked / 4) > info.tcpi_sacked;
}

// Neither is one that is closed: it is exchanged for another kind of socket first.
bool CoroutineConnections::is_tcp(int fd) {
  struct tcp_info info;
  socklen_t length = sizeof(info);
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0;
}

// ---- Addresses

static const u1 MappedPrefix[CoroutineConnections::Address::MappedAt] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

void CoroutineConnections::Address::set(const u1* bytes, int length) {
  if (length == Size) {
    memcpy(_bytes, bytes, Size);
  } else {
    memcpy(_bytes, MappedPrefix, MappedAt);
    memcpy(_bytes + MappedAt, bytes, Size - MappedAt);
  }
}

int CoroutineConnections::Address::set_local(int fd) {
  union {
    struct sockaddr     any;
    struct sockaddr_in  v4;
    struct sockaddr_in6 v6;
  } address;
  socklen_t length = sizeof(address);
  if (getsockname(fd, &address.any, &length) != 0) {
    return -1;
  }
  switch (address.any.sa_family) {
    case AF_INET:
      set((u1*) &address.v4.sin_addr, sizeof(address.v4.sin_addr));
      return ntohs(address.v4.sin_port);
    case AF_INET6:
      set((u1*) &address.v6.sin6_addr, sizeof(address.v6.sin6_addr));
      return ntohs(address.v6.sin6_port);
    default:
      return -1;
  }
}

bool CoroutineConnections::Address::is(const Address& other) const {
  return memcmp(_bytes, other._bytes, Size) == 0;
}

bool CoroutineConnections::Address::is_any() const {
  static const u1 none[Size] = { 0 };
  return memcmp(_bytes, none, Size) == 0 || (memcmp(_bytes, MappedPrefix, MappedAt) == 0 && memcmp(_bytes + MappedAt, none, Size - MappedAt) == 0);
}

// The kernel binds a socket to no other one, unless it was told to (ip_nonlocal_bind). Where it gives another reason, of an address that needs a
// scope for instance, it may be. Not inlined, as its caller parks: the address of errno is that of the carrier.
NOINLINE bool CoroutineConnections::Address::is_of_this_host() const {
  const bool mapped = memcmp(_bytes, MappedPrefix, MappedAt) == 0;
  int fd = ::socket(mapped ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return true;
  }
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  memset(&v4, 0, sizeof(v4));
  memset(&v6, 0, sizeof(v6));
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  memcpy(&v4.sin_addr, _bytes + MappedAt, Size - MappedAt);
  memcpy(&v6.sin6_addr, _bytes, Size);
  bool own = (mapped ? ::bind(fd, (struct sockaddr*) &v4, sizeof(v4)) : ::bind(fd, (struct sockaddr*) &v6, sizeof(v6))) == 0 ||
             errno != EADDRNOTAVAIL;
  ::close(fd);
  return own;
}

// A descriptor may be another's meanwhile: then this is about another listener, or none.
int CoroutineConnections::may_connect(Coroutine* self, int socket, int port, const Address* target, int tries, bool over, bool blocks) {
  if (tries >= Yields) {
    self->sleep_in_native(1, false);
  }
  if (self->accepts() || self->is_pinned() || Thread::is_interrupted(self->thread(), false)) {
    return -1;
  }
  volatile jlong* stuck_until = _stuck_until[blocks ? 1 : 0];
  int accepts = -1;
  for (int i = 0; i < Listeners; i++) {
    int fd = _listeners[i];
    Address local;
    if (fd < 0 || local.set_local(fd) != port) {
      continue;
    }
    bool listens = true;
    if (is_full(fd, &listens)) {
      if (target != NULL && !target->is(local) && !target->is_any() && !(local.is_any() && target->is_of_this_host())) {
        continue;                      // another one's port has the same number
      }
      jlong now = os::javaTimeNanos();
      if (target != NULL && (over || now < stuck_until[i])) {
        stuck_until[i] = now + StuckMillis * (jlong) NANOSECS_PER_MILLISEC;
      } else {
        accepts = (accepts < 0 ? 0 : accepts) + _accepts[i];
      }
    } else if (!listens) {
      _listeners[i] = -1;
    } else if (stuck_until[i] != 0) {
      stuck_until[i] = 0;
    }
  }
  return accepts < 0 || !is_tcp(socket) ? -1 : accepts;
}
