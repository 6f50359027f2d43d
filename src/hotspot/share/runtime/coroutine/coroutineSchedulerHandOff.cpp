/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// Hand-off, as the scheduler sees it: queues without a carrier, carriers without a queue (spares), and the daemon that has these created.

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
  CarrierThread* spare = queue->_surplus ? (CarrierThread*) NULL : _spares;
  queue->set_carrier(spare);
  if (spare != NULL) {
    _spares = spare->_next_spare;
    _spare_count--;
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

void CoroutineScheduler::add_spare(CarrierThread* carrier) {
  RunQueue* queue = NULL;
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - spare");
  if (!carrier->_registered) {
    carrier->_registered = true;
    _coming--;
    _registered++;
    _failed = false;
  }
  if (_orphan_count > 0) {
    queue = _orphans[--_orphan_count];
    queue->set_carrier(carrier);
  } else {
    carrier->_next_spare = _spares;
    _spares = carrier;
    _spare_count++;
  }
  Thread::SpinRelease(&_spare_lock);
  if (queue != NULL) {
    grant(carrier, queue, &carrier->_granted);
  }
}

// Those that were spare last are first on the list and are used first, so those that end
// have been idle for longest. A spare that stays when it looks finds at most SparesKept on the
// list, itself included: no more than so many sleep for good, and all others look. To end holds
// Threads_lock for as long as there are threads, so those of a burst do it one after the other.
bool CoroutineScheduler::remove_spare(CarrierThread* carrier, jlong* look_again) {
  bool found = false;
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - end");
  jlong now = os::javaTimeNanos();
  if (_spare_count <= SparesKept) {
    *look_again = 0;
  } else if (carrier->_ends_at == 0 && now < _next_end) {
    *look_again = carrier->_ends_at = _next_end;
    _next_end += EndNanos;
  } else if (CarrierThread::has_children()) {
    carrier->_ends_at = 0;
    *look_again = now + SpareIdleNanos;
  } else {
    if (carrier->_ends_at == 0) {
      _next_end = now + EndNanos;
    }
    *look_again = 0;
    CarrierThread** link = &_spares;
    while (*link != NULL && *link != carrier) {
      link = &(*link)->_next_spare;
    }
    found = *link == carrier;          // if not it is about to be given a queue
    if (found) {
      *link = carrier->_next_spare;
      _spare_count--;
      _registered--;
    }
  }
  Thread::SpinRelease(&_spare_lock);
  return found;
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

// Returns when a spare should be created. Spares are created by a thread that holds
// no queue, because creating a Thread takes monitors.
void CoroutineScheduler::wait_for_spare_request(CarrierThread* daemon) {
  daemon->_thread_state = _thread_blocked;
  _daemon = daemon;
  OrderAccess::fence();                // partner: give() and look_at_processors() write, then read _daemon
  for (;;) {
    follow();
    Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - request");
    bool needed = needs_spare();
    if (needed) {
      _coming++;
    } else {
      _failed = false;
    }
    int held = _registered - _spare_count - (_count - _orphan_count - _resting_count);
    Thread::SpinRelease(&_spare_lock);
    log_held(held);
    if (needed) {
      break;
    }
    daemon->sleep(0);
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
