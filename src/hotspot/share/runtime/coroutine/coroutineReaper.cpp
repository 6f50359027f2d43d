/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineReaper.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/coroutineThreadList.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/vmOperations.hpp"

static volatile int _never = 0;        // of naps that nobody ends

Coroutine* volatile CoroutineReaper::_ended = NULL;
volatile int        CoroutineReaper::_wake = 0;
volatile int        CoroutineReaper::_urgent = 0;
volatile bool       CoroutineReaper::_hurry = false;
jlong               CoroutineReaper::_period_end = 0;

CoroutineReaper::CoroutineReaper() : NamedThread() {
  set_name("WispReaper");
}

void CoroutineReaper::ended(Coroutine* co) {
  bool urgent = CoroutineThreadList::ended(co);
  Coroutine* top;
  do {
    top = _ended;
    co->_next = top;
  } while (Atomic::cmpxchg(co, &_ended, top) != top);
  CoroutineSysmon::end_nap(&_wake);
  if (urgent && _hurry) {
    CoroutineSysmon::end_nap(&_urgent);
  }
}

// Partner: ended(), which counts before it looks at _hurry.
void CoroutineReaper::hurry(JavaThread* thread) {
  if (thread->coroutine() != NULL) {
    thread->coroutine()->_destroys_vm = true;
    thread->coroutine()->_pinned++;    // for ever: foreign code called, and goes on where it was
  }
  _hurry = true;
  OrderAccess::fence();
  CoroutineSysmon::end_nap(&_urgent);
}

// How long to wait until the next call; 0: until another one has ended.
jlong CoroutineReaper::trim(jlong now) {
  bool more = CoroutineStack::trim();
  more = CoroutineThread::trim() || more;
  if (more) {                          // at most a fifth of the time
    return MAX2((os::javaTimeNanos() - now) * 4, (jlong) TrimNanos);
  }
  if (now >= _period_end) {
    bool any = CoroutineStack::begin_period();
    any = CoroutineRecords::begin_period() || any;
    _period_end = any ? now + TrimPeriod : 0;
    return any ? (jlong) TrimNanos : 0;
  }
  return _period_end - now;
}

void CoroutineReaper::run() {
  os::set_native_thread_name(name());
  CoroutineChain kept;                 // off the Threads list, and perhaps in somebody's older one
  jlong look_again = 0;                // at those
  jlong interval = IntervalMin;
  for (;;) {
    jlong now = os::javaTimeNanos();
    jlong wait = trim(now);              // after main has returned, too: others go on for weeks
    if (kept.first() != NULL) {
      jlong until_look = MAX2(look_again - now, (jlong) 1);
      wait = wait == 0 ? until_look : MIN2(wait, until_look);
    }
    if (_ended == NULL && Atomic::xchg(0, &_wake) == 0) {
      CoroutineSysmon::nap(&_wake, wait);
    }
    if (VM_Exit::vm_exited()) {
      break;
    }
    if (_ended == NULL && (kept.first() == NULL || os::javaTimeNanos() < look_again)) {
      continue;
    }
    if (_ended != NULL && Atomic::xchg(0, &_urgent) == 0) {
      CoroutineSysmon::nap(&_urgent, interval);         // those that end meanwhile are taken off with the same pass
    }
    Coroutine* first = Atomic::xchg((Coroutine*) NULL, &_ended);
    if (first != NULL) {
      jlong cost = CoroutineThreadList::remove(first, &kept);
      interval = MIN2(MAX2(cost * CostFactor, (jlong) IntervalMin), (jlong) IntervalMax);
    }
    CoroutineSysmon::begin_look();
    CoroutineSysmon::end_look();
    CoroutineChain free;
    CoroutineThreadList::take_unreachable(&kept, &free);
    look_again = os::javaTimeNanos() + IntervalMax;
    CoroutineRecords::release_undead(&free);
  }
  for (;;) {
    CoroutineSysmon::nap(&_never, 0);                   // the VM is gone, and a thread of its must not return
  }
}
