/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_TIMERHEAP_HPP
#define SHARE_VM_RUNTIME_COROUTINE_TIMERHEAP_HPP

// The timers of one run queue, under a spin lock: a lane, and a heap of those that do not
// fit into it. A coroutine is in at most one of them, between its own add() and remove()
// around a timed park; whoever fires the timer takes it out earlier.
//
// The lane is a queue in the order of the deadlines: whoever comes with a deadline that is not
// before that of the last one lines up. Threads that sleep equally long do, and each comes and goes
// without a look at the others. Who comes before the last one sends that one to the heap, so that a single far
// deadline does not keep all others out. Who is removed leaves a gap, but at the ends; while more than half
// of the lane is gaps, as with time-outs that are seldom over, newcomers go to the heap. So the lane is
// never put in order, and never much longer than twice what it has had of timers.
//
// A node of the heap has four children and the deadlines lie in the heap: where there
// are 100,000 sleepers, each look into a record misses the cache, and each change of place is one.
//
// Every carrier and sysmon may fire every heap: a timer does not wait for a carrier
// that is busy or blocked. The lock is held for a few comparisons, or when there have never been so many
// timers, until the entries lie in a larger place, which is never given back; and never while
// a coroutine is made runnable.
//
// Rejected: a wheel (deadlines are in nanoseconds and mostly cancelled: a lone
// contender of a monitor arms 1 ms and is woken after a microsecond; adding at the
// end of a heap and removing from there is as cheap), and lazy cancellation (the
// heap would hold on to records of coroutines that have ended; a gap of the lane holds on to
// nothing).

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"
#include "utilities/globalDefinitions.hpp"

class RunQueue;

struct TimerEntry {
  jlong      _deadline;
  Coroutine* _coroutine;               // NULL: a gap
};

// All by who has the lock of the heap. The first and the last entry are no gaps.
class TimerLane {
  friend class CoroutineTest;

  enum {
    CapacityMin = 64,
    GapsMin     = 64                   // so many in any case
  };

  TimerEntry* _entries;
  uint        _capacity;               // a power of two
  uint        _head;                   // positions, not slots; the difference is the length
  uint        _tail;
  int         _count;                  // without the gaps

  TimerEntry* at(uint position) const  { return &_entries[position & (_capacity - 1)]; }
  void trim();
  void grow();

 public:
  TimerLane();

  int   count() const                  { return _count; }
  jlong first_deadline() const         { return _count > 0 ? at(_head)->_deadline : max_jlong; }
  jlong last_deadline() const          { return _count > 0 ? at(_tail - 1)->_deadline : 0; }

  // True: it has lined up, at that position.
  bool push(Coroutine* co, jlong deadline, uint* position);
  Coroutine* remove(uint position);
  Coroutine* remove_first()            { return remove(_head); }
  Coroutine* remove_last()             { return remove(_tail - 1); }
  // Of those that are to be removed first, but so many; NULL: there is none, or a gap.
  Coroutine* look_ahead(uint count) const { return count < _tail - _head ? at(_head + count)->_coroutine : NULL; }
};

class TimerHeap {
  friend class CoroutineTest;

  enum {
    Children  = 4,
    Batch     = 16,                    // timers that fire() takes out at once
    LaneIndex = 1 << 30                // Coroutine::_timer_index: this and the position in the lane, or the slot in the heap
  };

  typedef TimerEntry Entry;

  volatile int   _lock;
  TimerLane      _lane;
  Entry*         _heap;
  int            _size;
  int            _capacity;
  jlong          _fired;               // how many were due; under the lock
  volatile jlong _next_deadline;       // of the first timer, max_jlong when there is none;
                                       // written under the lock, read without it as a hint

  void lock();
  void unlock();
  void place(int index, Entry entry);
  void sift_up(int index, Entry entry);
  void sift_down(int index, Entry entry);
  void take_out(int index);
  Coroutine* take_first(jlong now);
  void insert(Coroutine* co, jlong deadline);
  bool push_lane(Coroutine* co, jlong deadline);
  void push_heap(Coroutine* co, jlong deadline);
  bool erase(Coroutine* co);

 public:
  TimerHeap();

  jlong next_deadline() const  { return _next_deadline; }
  int   size() const           { return _size + _lane.count(); }
  jlong fired() const          { return _fired; }

  // By the coroutine that is going to park, or has parked.
  static void add(Coroutine* co, jlong deadline);
  static void remove(Coroutine* co);

  // Makes the coroutines ready whose time has come, near the given queue, or there (to); how many.
  int fire(jlong now, RunQueue* near, bool to = false);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_TIMERHEAP_HPP
