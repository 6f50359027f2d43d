/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// Hand-off, as the scheduler sees it: queues without a carrier, carriers without a queue (spares), and the daemon that has these created,
// and ended when they are too many.

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"

static void grant(CarrierThread* carrier, RunQueue* queue, RunQueue* volatile* granted) {
  OrderAccess::release_store(granted, queue);
  carrier->wake();
}

// There should be one spare more than queues that wait for a carrier. Under the lock.
bool CoroutineScheduler::needs_spare() {
  return _spare_count + _coming <= _orphan_count;
}

void CoroutineScheduler::hand_off(RunQueue* queue) {
  Atomic::inc(&_hand_offs);
  give(queue);
}

void CoroutineScheduler::give(RunQueue* queue) {
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - hand off");
  CarrierThread* spare = queue->_surplus ? (CarrierThread*) NULL : _spares != NULL ? _spares : _lasting_spares;
  queue->set_carrier(spare);
  if (spare != NULL) {
    unlink_spare(spare);
  } else if (queue->_surplus) {
    mark_resting(queue);
  } else {
    _orphans[_orphan_count++] = queue;
  }
  bool rests = queue->_resting;
  bool wanted = needs_spare();
  Thread::SpinRelease(&_spare_lock);
  if (rests) {
    OrderAccess::fence();
    queue->empty();
    wake_watcher();
  }
  if (spare != NULL) {
    grant(spare, queue, &spare->_granted);
  }
  if (wanted && _daemon != NULL) {
    _daemon->wake();
  }
}

// Under the lock. The latest is the first one, which is used first.
void CoroutineScheduler::link_spare(CarrierThread* carrier) {
  CarrierThread** first = carrier->_lasts ? &_lasting_spares : &_spares;
  carrier->_next_spare = *first;
  carrier->_previous_spare = NULL;
  if (*first != NULL) {
    (*first)->_previous_spare = carrier;
  } else if (!carrier->_lasts) {
    _eldest = carrier;
  }
  *first = carrier;
  _spare_count++;
}

void CoroutineScheduler::unlink_spare(CarrierThread* carrier) {
  CarrierThread* const next = carrier->_next_spare;
  CarrierThread* const previous = carrier->_previous_spare;
  if (previous != NULL) {
    previous->_next_spare = next;
  } else if (carrier->_lasts) {
    _lasting_spares = next;
  } else {
    _spares = next;
  }
  if (next != NULL) {
    next->_previous_spare = previous;
  } else if (!carrier->_lasts) {
    _eldest = previous;
  }
  _spare_count--;
}

void CoroutineScheduler::add_spare(CarrierThread* carrier) {
  RunQueue* queue = NULL;
  bool daemon_looks = false;
  const jlong now = os::javaTimeNanos();
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - spare");
  if (!carrier->_registered) {
    carrier->_registered = true;
    _coming--;
    _registered++;
    _failed = false;
  } else if (_ending == carrier) {
    _ending = NULL;                    // it stays
    _registered++;
    daemon_looks = true;
  }
  if (_orphan_count > 0) {
    queue = _orphans[--_orphan_count];
    queue->set_carrier(carrier);
  } else {
    carrier->_spare_since = now;
    link_spare(carrier);
    if (_spare_count > SparesKept && _eldest != NULL && _next_end == 0) {
      _next_end = now + SpareIdleNanos;
      daemon_looks = true;
    }
  }
  Thread::SpinRelease(&_spare_lock);
  if (daemon_looks && _daemon != NULL) {
    _daemon->wake();                   // else it looks when it is there
  }
  if (queue != NULL) {
    grant(carrier, queue, &carrier->_granted);
  }
}

// By the daemon, under the lock: when to look again, 0: add_spare() or ended() wakes it. *carrier: which one is to end now, off the list. Those
// that were spare last are used first, so it is the one that has been idle for longest, and is taken in no time. The spares themselves
// sleep without a deadline. Rejected: each with its own, after which it looks whether it is one too many. After a pause of the process, or of the
// machine, all of a burst wake up at once, and where each holds the lock for as long as it searches the list, a thousand of them take both
// processors for minutes, as each that loses its CPU with the lock has all others spin for it. To end holds Threads_lock for as long as there
// are threads, so those of a burst do it one after the other. That there are too many for a moment is none of the daemon's business: it is woken
// once in SpareIdleNanos at most, and looks when these are over.
jlong CoroutineScheduler::surplus_spare(CarrierThread** carrier) {
  *carrier = NULL;
  if (_next_end == 0 || _ending != NULL) {
    return 0;
  }
  const jlong now = os::javaTimeNanos();
  if (now < _next_end) {
    return _next_end;
  }
  if (_spare_count <= SparesKept || _eldest == NULL) {
    return _next_end = 0;
  }
  _next_end = MAX2(_eldest->_spare_since + SpareIdleNanos, now + EndNanos);
  if (now < _eldest->_spare_since + SpareIdleNanos) {
    return _next_end;
  }
  *carrier = _ending = _eldest;
  unlink_spare(_eldest);
  _registered--;
  return 0;
}

// By one that has been asked to end, perhaps a while ago; false: there are fewer by now, or a queue waits, and perhaps no other carrier can be
// created.
bool CoroutineScheduler::may_end() {
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - may end");
  const bool may = _spare_count >= SparesKept;
  Thread::SpinRelease(&_spare_lock);
  return may;
}

// By a carrier that is being deleted, and whose thread nobody finds any more. Or by who could not create its thread, and it has not been asked.
void CoroutineScheduler::ended(const CarrierThread* carrier) {
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - ended");
  const bool asked = _ending == carrier;
  if (asked) {
    _ending = NULL;
  }
  Thread::SpinRelease(&_spare_lock);
  if (asked) {
    _daemon->wake();
  }
}

// One whose coroutine was bound leaves what native code has put into thread-local variables to nobody. While a queue
// waits for a carrier that is being created it stays; false: that has failed, and nobody else may come.
bool CoroutineScheduler::retire(CarrierThread* carrier) {
  for (;;) {
    Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - retire");
    bool needed = _orphan_count > 0;
    bool failed = _failed;
    if (!needed) {
      _registered--;
    }
    Thread::SpinRelease(&_spare_lock);
    if (!needed || failed) {
      return !needed;
    }
    os::naked_short_sleep(1);
  }
}

bool CoroutineScheduler::seems_exhausted() {
  return _failed && _orphan_count == _count - _resting_count;
}

// A coroutine that asks has a carrier, which takes a queue when it leaves, unless it is bound. The last attempt
// to create a spare may be a second old: one that began after this was asked has to fail too.
bool CoroutineScheduler::is_exhausted(JavaThread* self) {
  if (!seems_exhausted() || (self->coroutine() != NULL && !self->coroutine()->is_bound())) {
    return false;
  }
  ThreadBlockInVM blocked(self);
  int failures = _failures;
  for (int millis = 0; millis < AttemptMillis && seems_exhausted(); millis++) {
    if (_failures - failures >= 2) {
      return true;
    }
    _asked = true;
    _daemon->wake();
    os::naked_short_sleep(1);
  }
  return seems_exhausted();
}

void CoroutineScheduler::log_held(int held) {
  if (held >= _held_logged) {
    log_info(wisp)("%d kernel threads are held by native code or pins; jcmd Wisp.dump shows where", held);
    _held_logged = held * 2;
  } else if (held < _held_logged / 8) {
    _held_logged = MAX2(_held_logged / 2, (int) HeldLogMin);
  }
}

// Returns when a spare should be created, and has those end meanwhile that are too many. Spares are created by a thread that holds
// no queue, because creating a Thread takes monitors.
void CoroutineScheduler::wait_for_spare_request(CarrierThread* daemon) {
  daemon->_thread_state = _thread_blocked;
  _daemon = daemon;
  OrderAccess::fence();                // partner: give(), add_spare() and look_at_processors() write, then read _daemon
  for (;;) {
    follow();
    Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - request");
    bool needed = needs_spare();
    if (needed) {
      _coming++;
    } else {
      _failed = false;
    }
    CarrierThread* surplus;
    jlong look_again = surplus_spare(&surplus);
    int held = _registered - _spare_count - (_count - _orphan_count - _resting_count);
    Thread::SpinRelease(&_spare_lock);
    log_held(held);
    if (surplus != NULL) {
      surplus->ask_to_end();
    }
    if (needed) {
      break;
    }
    daemon->sleep(look_again);
  }
  daemon->_thread_state = _thread_in_native;
}

// The process may not have another thread now: wait, and look again. Each attempt leaves a
// line of upstream's in the log, so they get rarer.
void CoroutineScheduler::spare_failed(CarrierThread* daemon) {
  daemon->_thread_state = _thread_blocked;
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - failed");
  _coming--;
  Thread::SpinRelease(&_spare_lock);
  jlong now = os::javaTimeNanos();
  if (!_failed && now >= _next_warning) {
    log_warning(wisp)("no spare carrier can be created; run queues wait until a blocked carrier is free. "
                      "Check ulimit -u, the pids limit of the container, and whether the Java heap is full.");
    _next_warning = now + NANOSECS_PER_SEC;
  }
  if (!_failed) {
    _retry_millis = RetryMillisMin;
  }
  _failed = true;
  _failures++;
  jlong end = now + _retry_millis * (jlong) NANOSECS_PER_MILLISEC;
  while (os::javaTimeNanos() < end && !_asked) {
    daemon->sleep(end);
  }
  _asked = false;
  _retry_millis = MIN2(_retry_millis * 2, (int) RetryMillisMax);
  daemon->_thread_state = _thread_in_native;
}
