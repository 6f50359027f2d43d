/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_RUNRING_INLINE_HPP
#define SHARE_VM_RUNTIME_COROUTINE_RUNRING_INLINE_HPP

// What each switch does.

#include "runtime/atomic.hpp"
#include "runtime/coroutine/runRing.hpp"
#include "runtime/orderAccess.hpp"

// With thousands of coroutines nothing of one is in the cache when its turn comes. While the one before it
// runs, its stack is fetched and what its thread points to; while the one before that runs, its record and
// thread. Thieves may have taken them, so these are hints: their memory can be read for ever.
inline void RunRing::prefetch(uint head, bool new_stacks) const {
  int waiting = (int) (_tail - head);
  if (waiting >= 1) {
    _slots[head & _mask]->prefetch_stack(new_stacks);
    if (waiting >= 2) {
      _slots[(head + 1) & _mask]->prefetch_record();
    }
  }
}

inline bool RunRing::push(Coroutine* co) {
  uint tail = _tail;
  if (tail - OrderAccess::load_acquire(&_head) > _mask) {
    return false;
  }
  _slots[tail & _mask] = co;
  OrderAccess::release_store(&_tail, tail + 1);   // partner: load_acquire in take_half()
  return true;
}

inline Coroutine* RunRing::pop(bool new_stacks) {
  for (;;) {
    uint head = OrderAccess::load_acquire(&_head);
    if (head == OrderAccess::load_acquire(&_tail)) {
      return NULL;
    }
    Coroutine* co = _slots[head & _mask];
    if (Atomic::cmpxchg(head + 1, &_head, head) == head) {
      prefetch(head + 1, new_stacks);
      return co;
    }
  }
}

#endif // SHARE_VM_RUNTIME_COROUTINE_RUNRING_INLINE_HPP
