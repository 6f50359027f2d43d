/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// When sysmon looks, and where it sleeps until then.

#include "precompiled.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/thread.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void CoroutineSysmon::nap(volatile int* word, jlong nanos) {
  struct timespec timeout;
  timeout.tv_sec = nanos / NANOSECS_PER_SEC;
  timeout.tv_nsec = nanos % NANOSECS_PER_SEC;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, nanos > 0 ? &timeout : NULL, NULL, 0);
}

void CoroutineSysmon::end_nap(volatile int* word) {
  if (Atomic::xchg(1, word) == 0) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

// The exchange is a full fence. Partner: watch(), which sets _watches, passes a fence, and reads _wake.
void CoroutineSysmon::wake() {
  if (Atomic::xchg(1, &_wake) == 0) {
    if (_watches != 0) {
      EventPump::signal(_signal);
    } else {
      syscall(SYS_futex, &_wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
  }
}

// Partner: run(), which sets _asleep, passes a fence, and looks once more.
void CoroutineSysmon::busy() {
  if (_asleep != 0 && Atomic::cmpxchg(0, &_asleep, 1) == 1) {
    wake();
  }
}

// What the caller has done comes before the load of _wanted. Partners: run(), which takes that, a full fence, and looks, so that either
// what he has done is seen, or what he wants; and wait(), which sets _next_look, passes a fence, and reads _wanted.
void CoroutineSysmon::look_by(jlong time) {
  OrderAccess::fence();
  for (jlong wanted = _wanted; time < wanted; ) {
    jlong before = Atomic::cmpxchg(time, &_wanted, wanted);
    if (before == wanted) {
      if (time < _next_look) {
        wake();
      }
      return;
    }
    wanted = before;
  }
}

bool CoroutineSysmon::may_look_early(jlong now) {
  jlong before = _polled_look;
  if (before > now) {
    return false;
  }
  _polled_look = MAX2(before, now - PolledBurst * (jlong) PolledLookNanos) + PolledLookNanos;
  return true;
}

bool CoroutineSysmon::has_retaken_lately() {
  return os::javaTimeNanos() - _retaken_at < AgainNanos;
}

void CoroutineSysmon::is_early(jlong now) {
  if (!_is_early) {
    _is_early = true;
    _early = MAX2(_early, now - EarlyBurst * (jlong) EarlyNanos) + EarlyNanos;
  }
}

// A look takes the CPU from somebody. One that is counted already need not wait.
jlong CoroutineSysmon::next_look_after(jlong look) {
  return look + (CoroutineScheduler::any_computes() ? MIN2(MAX2(_is_early ? (jlong) 0 : _early - look, (jlong) AgainLookNanos), (jlong) LookNanos) : (jlong) LookNanos);
}

bool CoroutineSysmon::may_watch(jlong now) {
  if (!may_be_early(now) || WispTimeSliceMillis == 0 || EventPump::waiters() == 0 || is_stopped() || CoroutineScheduler::idle_count() > 0 ||
      !CoroutineScheduler::all_compute()) {
    return false;
  }
  if (_signal < 0) {                   // or there was no descriptor free the time before
    _signal = EventPump::create_signal();
  }
  return _signal >= 0;
}

bool CoroutineSysmon::watch(jlong nanos) {
  _watches = 1;
  OrderAccess::fence();                // partner: wake()
  bool events = _wake == 0 && EventPump::await_events(_signal, nanos);
  _watches = 0;
  return events;
}

// Nobody sleeps in the pump, and a signal for one who did keeps the set ready. One that is meant for who has gone there meanwhile may be
// taken as well: its sender had seen that one there (CarrierThread::sleep_in_pump()), so he is seen here, after a fence, unless he is awake.
void CoroutineSysmon::clear_stale_signal() {
  EventPump::clear_leave_sleep();
  OrderAccess::fence();
  if (CoroutineScheduler::watcher() != NULL) {
    EventPump::leave_sleep();
  }
}

// Until the next look at everything, which somebody may want to have earlier. Whether all compute is asked again now and then: nobody says
// that the last one of the others has parked, or that a safepoint is over.
void CoroutineSysmon::wait(jlong nanos, bool waiting) {
  jlong now = os::javaTimeNanos();
  jlong end = now + nanos;
  bool in_vain = false;
  for (;;) {
    _wake = 0;
    _next_look = end;
    OrderAccess::fence();              // partner: look_by()
    end = MIN2(end, MAX2(_wanted, next_look_after(_looked_at)));
    if (now >= end) {
      break;
    }
    if (!in_vain && may_watch(now)) {
      bool events = watch(end - now);
      now = os::javaTimeNanos();
      if (events) {
        in_vain = !EventPump::poll(NULL);   // a carrier has had them
        if (in_vain) {
          clear_stale_signal();
        }
      }
      if (events && !in_vain) {
        _found_at = now;
        _unpolled_until = now + ContendedNanos;
        _is_early = false;             // one each time, as there may be no look between them
        is_early(now);
      }
      continue;
    }
    bool often = polls_often(now, waiting);
    bool asks_again = EventPump::waiters() != 0 && CoroutineScheduler::idle_count() == 0 && CoroutineScheduler::any_computes();
    jlong longest = often ? pump_interval() : asks_again ? (jlong) ShortTickNanos : end - now;
    nap(&_wake, MIN2(end - now, longest));
    now = os::javaTimeNanos();
    in_vain = false;
    if (often && now < end) {
      watch_pump(now);
      now = os::javaTimeNanos();
    }
  }
  _next_look = 0;
}
