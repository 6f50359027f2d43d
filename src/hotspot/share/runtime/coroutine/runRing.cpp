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
#include "runtime/prefetch.inline.hpp"

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

bool RunRing::push(Coroutine* co) {
  uint tail = _tail;
  if (tail - OrderAccess::load_acquire(&_head) > _mask) {
    return false;
  }
  _slots[tail & _mask] = co;
  OrderAccess::release_store(&_tail, tail + 1);   // partner: load_acquire in take_half()
  return true;
}

Coroutine* RunRing::pop() {
  for (;;) {
    uint head = OrderAccess::load_acquire(&_head);
    if (head == OrderAccess::load_acquire(&_tail)) {
      return NULL;
    }
    Coroutine* co = _slots[head & _mask];
    if (Atomic::cmpxchg(head + 1, &_head, head) == head) {
      prefetch(head + 1);
      return co;
    }
  }
}

// With thousands of coroutines nothing of one is in the cache when its turn comes. While the one before it
// runs, its stack is fetched and what its thread points to; while the one before that runs, its record and
// thread. Thieves may have taken them, so these are hints: their memory can be read for ever.
inline void RunRing::prefetch(uint head) const {
  int waiting = (int) (_tail - head);
  if (waiting >= 1) {
    _slots[head & _mask]->prefetch_stack();
    if (waiting >= 2) {
      _slots[(head + 1) & _mask]->prefetch_record();
    }
  }
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
