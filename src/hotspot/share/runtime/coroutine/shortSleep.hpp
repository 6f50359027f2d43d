/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_SHORTSLEEP_HPP
#define SHARE_VM_RUNTIME_COROUTINE_SHORTSLEEP_HPP

// Around the sleep of a carrier until the time of a timer. The kernel adds the slack of the thread, 50 us by default, to each sleep. Who parks for a
// nanosecond, again and again, gets half of that from the engine (Coroutine::_shortest_park), as others on its carrier shall have a turn in
// between. If nobody else is there the carrier sleeps, and both add up: so the slack of a short sleep is the other half.
//
// Rejected: the smaller slack for carriers from their start. A process that is started by a thread inherits it.

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutine.hpp"

#include <sys/prctl.h>

class ShortSleep : public StackObj {
  const bool _short;

 public:
  ShortSleep(jlong nanos) : _short(nanos > 0 && nanos <= Coroutine::shortest_park()) {
    if (_short) {
      prctl(PR_SET_TIMERSLACK, (unsigned long) Coroutine::shortest_park());
    }
  }
  ~ShortSleep() {
    if (_short) {
      prctl(PR_SET_TIMERSLACK, 0);     // its default
    }
  }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_SHORTSLEEP_HPP
