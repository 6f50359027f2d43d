/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEREAPER_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEREAPER_HPP

// A thread of the VM that takes coroutines that have ended off the Threads list
// (coroutineThreadList.hpp) and frees their JavaThreads. Neither a carrier nor sysmon may
// do it: whoever holds a ThreadsList that names the thread can be a coroutine that waits
// for just this carrier, or to be preempted. It also trims what is kept for the next start.

#include "runtime/thread.hpp"

class Coroutine;

class CoroutineReaper : public NamedThread {
  enum {
    IntervalMin = 5 * 1000 * 1000,     // between two passes over the Threads list
    IntervalMax = 500 * 1000 * 1000,
    CostFactor  = 10,                  // or so many times what the last pass has cost however few it took off
    TrimNanos   = 10 * 1000 * 1000     // between two parts of what is trimmed
  };
  static const jlong TrimPeriod = 5 * (jlong) 1000000000;   // stacks and JavaThreads that nobody has needed so long

  static Coroutine* volatile  _ended;  // pushed by carriers by CAS, taken by xchg
  static volatile int         _urgent; // futex word: 1 when DestroyJavaVM may wait for just this pass
  static volatile bool        _hurry;  // DestroyJavaVM waits for the last end, perhaps for weeks; set once
  static volatile int         _wake;   // futex word: 1 when the list may not be empty
  static jlong                _period_end;   // by the reaper

  static jlong trim(jlong now);

 public:
  CoroutineReaper();
  virtual void run();
  char* name() const { return (char*) "WispReaper"; }

  // Hook in Threads::destroy_vm: the last end of a thread that is no daemon is carried out without delay from now on.
  static void hurry(JavaThread* thread);

  static void ended(Coroutine* co);    // by the carrier, when the stack is not in use any more
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEREAPER_HPP
