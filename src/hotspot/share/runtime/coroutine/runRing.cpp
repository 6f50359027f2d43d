/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/runRing.hpp"
#include "runtime/orderAccess.hpp"

RunRing::RunRing(uint capacity) : _tail(0), _head(0) {
  uint slots = 4;
  while (slots < capacity) {
    slots *= 2;
  }
  _mask = slots - 1;
  _slots = NEW_C_HEAP_ARRAY(Coroutine* volatile, slots, mtThread);
}

uint RunRing::room() const {
  return _mask + 1 - (_tail - OrderAccess::load_acquire(&_head));
}

uint RunRing::take_half(RunRing* victim) {
  for (;;) {
    uint head = OrderAccess::load_acquire(&victim->_head);
    uint tail = OrderAccess::load_acquire(&victim->_tail);
    uint n = tail - head;
    n = n - n / 2;
    if (n == 0) {
      return 0;
    }
    if (n > victim->_mask / 2 + 1) {
      continue;                        // head and tail do not belong together
    }
    uint own = _tail;
    n = MIN2(n, room());
    if (n == 0) {
      return 0;
    }
    for (uint i = 0; i < n; i++) {
      _slots[(own + i) & _mask] = victim->_slots[(head + i) & victim->_mask];
    }
    if (Atomic::cmpxchg(head + n, &victim->_head, head) == head) {
      OrderAccess::release_store(&_tail, own + n);
      return n;
    }
  }
}
