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

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

volatile jlong CoroutineConnections::_last = 0;
volatile jlong CoroutineConnections::_stuck_until = 0;
volatile int   CoroutineConnections::_listeners[Listeners] = { -1, -1, -1, -1 };
volatile int   CoroutineConnections::_next = 0;

void CoroutineConnections::connected() {
  _last = os::javaTimeNanos();
}

bool CoroutineConnections::has_just_connected() {
  return _last != 0 && os::javaTimeNanos() - _last < RecentNanos;
}

void CoroutineConnections::listens(int fd) {
  for (int i = 0; i < Listeners; i++) {
    if (_listeners[i] == fd) {
      return;
    }
  }
  int slot = _next;
  _next = (slot + 1) % Listeners;
  _listeners[slot % Listeners] = fd;
}

// Those that other carriers connect at the same time come on top. The kernel keeps one more than it says; none is never too many.
bool CoroutineConnections::is_full(int fd, bool* listens) {
  struct tcp_info info;
  socklen_t length = sizeof(info);
  *listens = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_LISTEN;
  return *listens && info.tcpi_unacked > 0 && info.tcpi_unacked + CoroutineScheduler::active_count() > info.tcpi_sacked;
}

// The descriptor may be another's meanwhile: then this is about another listener, or none.
bool CoroutineConnections::may_connect(Coroutine* self, int tries) {
  bool full = false;
  for (int i = 0; i < Listeners && !full; i++) {
    int fd = _listeners[i];
    bool listens = true;
    full = fd >= 0 && is_full(fd, &listens);
    if (!listens) {
      _listeners[i] = -1;
    }
  }
  if (!full || self->is_pinned() || os::javaTimeNanos() < _stuck_until) {
    return true;
  }
  if (tries >= Tries) {
    _stuck_until = os::javaTimeNanos() + StuckMillis * (jlong) NANOSECS_PER_MILLISEC;
    return true;
  }
  if (tries >= Yields) {
    self->sleep_in_native(1);
  }
  return false;
}
