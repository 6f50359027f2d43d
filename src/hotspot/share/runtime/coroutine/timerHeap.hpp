/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_TIMERHEAP_HPP
#define SHARE_VM_RUNTIME_COROUTINE_TIMERHEAP_HPP

// The timers of one run queue: a heap of coroutines, ordered by deadline, under a
// spin lock. A node has four children and the deadlines lie in the heap: where there
// are 100,000 sleepers, each look into a record misses the cache. A coroutine is in at
// most one heap, between its own add() and remove() around a timed park; whoever fires
// the timer takes it out earlier.
//
// Every carrier and sysmon may fire every heap: a timer does not wait for a carrier
// that is busy or blocked. The lock is held for a few comparisons, and never while
// a coroutine is made runnable.
//
// Rejected: a wheel (deadlines are in nanoseconds and mostly cancelled: a lone
// contender of a monitor arms 1 ms and is woken after a microsecond; adding at the
// end of a heap and removing from there is as cheap), and lazy cancellation (the
// heap would hold on to records of coroutines that have ended).

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"
#include "utilities/globalDefinitions.hpp"

class RunQueue;

class TimerHeap {
  friend class CoroutineTest;

  enum {
    Children = 4,
    Batch    = 16                      // timers that fire() takes out at once
  };

  struct Entry {
    jlong      _deadline;
    Coroutine* _coroutine;
  };

  volatile int   _lock;
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
  void insert(Coroutine* co, jlong deadline);
  bool erase(Coroutine* co);

 public:
  TimerHeap();

  jlong next_deadline() const  { return _next_deadline; }
  int   size() const           { return _size; }
  jlong fired() const          { return _fired; }

  // By the coroutine that is going to park, or has parked.
  static void add(Coroutine* co, jlong deadline);
  static void remove(Coroutine* co);

  // Makes the coroutines ready whose time has come, near the given queue; how many.
  int fire(jlong now, RunQueue* near);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_TIMERHEAP_HPP
