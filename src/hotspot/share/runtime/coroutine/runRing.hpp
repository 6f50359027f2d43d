/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_RUNRING_HPP
#define SHARE_VM_RUNTIME_COROUTINE_RUNRING_HPP

// A bounded FIFO of coroutines, a part of a run queue (runQueue.hpp). Only the carrier
// that holds the queue pushes, while it is SCHEDULING, with a plain store; it pops, and others steal, by CAS of
// _head. The indices run on and overflow; a slot is that of an index less the multiples of the capacity.
//
// A record that a thief reads from a slot just before its CAS fails is never used, and records are never freed,
// so reading it is harmless.

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutine.hpp"

class RunRing {
  friend class CoroutineTest;

  Coroutine* volatile* _slots;
  uint                 _mask;
  volatile uint        _tail;          // release by push() and take_half(), acquire by pop() and take_half()
  volatile uint        _head;          // CAS by pop() and take_half()

  void prefetch(uint head, bool new_stacks) const;

 public:
  explicit RunRing(uint capacity);     // rounded up to a power of two, at least 4

  // By anybody, a hint unless it is the holder who finds it empty.
  bool is_empty() const                { return _head == _tail; }
  uint length() const {
    uint n = _tail - _head;            // can be off by what happens between the loads
    return n > _mask + 1 ? 0 : n;
  }

  // By the holder.
  bool       push(Coroutine* co);      // false: it is full
  Coroutine* pop(bool new_stacks = true);  // NULL: it is empty. new_stacks: those that are new use the stacks that they have
  uint       room() const;             // there may be more meanwhile
  Coroutine* newest(uint i) const      { return _slots[(_tail - 1 - i) & _mask]; }   // that was pushed last but so many; a thief may have had it
  // By the holder of this one, from the head of somebody else's: half of it, as far as there is room, those that have
  // waited longest. How many it has taken.
  uint       take_half(RunRing* victim);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_RUNRING_HPP
