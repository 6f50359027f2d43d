/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINESCHEDULER_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINESCHEDULER_HPP

// What the run queues and carriers have in common: who sleeps, who searches, who is
// woken, and which carrier holds which queue. WispCarrier.java puts these
// operations in order; the loop of a carrier is
//
//     run its queue; when it is due or empty: serve events and timers; when it is
//     empty: take from others, else sleep.
//
// Affinity first. A coroutine goes where it ran last. If the carrier there sleeps,
// it goes to the carrier of the waker: two coroutines that talk to each other end
// on one carrier, where a switch costs tens of nanoseconds and not a wake-up of
// another CPU. An idle carrier is woken for a busy one when two or more coroutines
// wait there, or one, at intervals that double while the help finds nothing to do
// (ping-pong) and start anew when it does (a long computation after an unpark).
// A single coroutine is only stolen when its queue has not switched for a few
// microseconds. Sysmon looks after the rest at its ticks.
//
// Sleeping loses no wake-up: a carrier sets _idle of its queue and counts itself
// idle, passes a full fence, and looks for work again; who queues pushes first,
// passes a full fence, and looks at _idle then.

#include "memory/allocation.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/runQueue.hpp"

class CoroutineScheduler : AllStatic {
  friend class CoroutineSysmon;
  friend class TimerHeap;

  enum {
    SearchNanos       = 20 * 1000,     // how long an idle carrier looks for work before it sleeps
    StaleNanos        = 5 * 1000,      // a queue that has not switched for so long shares its last coroutine
    HelpIntervalMin   = 20 * 1000,
    HelpIntervalMax   = 1000 * 1000
  };

  static RunQueue**        _queues;
  static int               _count;
  static volatile int      _idle_count;
  static volatile int      _searching;
  static volatile jlong    _next_help;       // earliest time of the next help for one coroutine; a hint
  static volatile jlong    _help_interval;
  static volatile intptr_t _watcher;         // the sleeping carrier that minds everybody's timers and the events
  static volatile uint     _next_start;

  // The global queue: what does not fit into a ring
  static volatile int      _global_lock;
  static Coroutine*        _global_first;
  static Coroutine*        _global_last;
  static volatile int      _global_size;

  // Carriers without a queue, and queues without a carrier; under one lock.
  // At most one of the two lists is not empty.
  static volatile int      _spare_lock;
  static CarrierThread*    _spares;
  static volatile int      _spare_count;
  static RunQueue**        _orphans;
  static int               _orphan_count;
  static CarrierThread* volatile _daemon;    // creates spares
  static int               _coming;          // asked for, not yet among the spares
  static volatile jlong    _hand_offs;

  static bool needs_spare();
  static void wake(RunQueue* queue);
  static void wake_one();
  static bool has_work(RunQueue* own);
  static jlong next_deadline(RunQueue* own, bool all);
  static bool share_of(RunQueue* victim, jlong seen, bool stale);

 public:
  static void initialize(int count, uint capacity);

  static int       count()             { return _count; }
  static RunQueue* queue(int i)        { return _queues[i]; }
  static int       idle_count()        { return _idle_count; }
  static jlong     hand_offs()         { return _hand_offs; }
  static int       global_size()       { return _global_size; }
  static int       spare_count()       { return _spare_count; }
  static int       coming_count()      { return _coming; }
  static int       orphan_count()      { return _orphan_count; }
  static CarrierThread* watcher()      { return (CarrierThread*) _watcher; }

  // ---- Who is where
  static RunQueue* start_queue();      // for a new coroutine
  static RunQueue* next_queue(RunQueue* queue);
  static void push_global(Coroutine* co);
  static Coroutine* pop_global(int room);   // a share of what is there, at most room
  static void pushed(RunQueue* queue); // after a push: see that somebody runs it

  // ---- The operations of WispCarrier.java, on a carrier's own stack
  static bool serve(RunQueue* near);   // events and timers; true: somebody was woken
  static bool steal(CarrierThread* carrier);
  static void idle(CarrierThread* carrier);

  // ---- Hand-off
  static void hand_off(RunQueue* queue);
  static void add_spare(CarrierThread* carrier);
  static void wait_for_spare_request(CarrierThread* daemon);
  static void spare_failed(CarrierThread* daemon);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESCHEDULER_HPP
