/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINECLOCK_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINECLOCK_HPP

// Waits until a time of the wall clock (LockSupport.parkUntil, Condition.awaitUntil), which somebody may set meanwhile, or which goes on
// while the machine is suspended and the other clock stands still.
//
// Timers are of the monotonic clock. Who waits for the wall clock has a deadline that was computed when the wait began, and stands in a list.
// The kernel tells of each step of the wall clock by a timerfd (TFD_TIMER_CANCEL_ON_SET), whose time never comes, in the event pump. Whoever
// takes that event wakes all of the list, and they compute their deadlines anew. A coroutine enters the list before it reads the clock, so
// a step was before that, or finds it there; and who is woken between that and its park does not park (Coroutine::clear_notification()).
// The descriptor is there from the start: a late one might get a number for which somebody who has closed it just then still changes the
// interest. Where the kernel refuses it steps are not seen.
//
// Rejected: to look each second. Idle threads of pools wait so (ForkJoinPool), and would be woken for nothing. Likewise to count them among those
// that wait for descriptors, which sysmon would look after more often, in programs without any.

#include "memory/allocation.hpp"

class Coroutine;

class CoroutineClock : AllStatic {
 public:
  class Wait;

 private:
  static int            _descriptor;   // -1: none. Set at boot
  static volatile int   _lock;         // of the list, and of the links in it
  static Wait* volatile _first;        // changed under _lock; read by sysmon without, as a hint

 public:
  static void initialize();

  // On the stack of a coroutine that waits so, in a safe state.
  class Wait : public StackObj {
    friend class CoroutineClock;
    Coroutine* const _coroutine;
    Wait*            _next;
    Wait*            _previous;

   public:
    Wait(Coroutine* co);
    ~Wait();
  };

  static bool is_waited_for() { return _first != NULL; }   // a hint
  static bool tells(int fd)   { return fd == _descriptor; }
  static void was_set();               // by who has taken the event
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINECLOCK_HPP
