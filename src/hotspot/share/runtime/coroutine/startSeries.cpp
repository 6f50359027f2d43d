/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/startSeries.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"

#include <string.h>
#include <sys/resource.h>

StartSeries::State StartSeries::_state;

// ---- The starter

RunQueue* StartSeries::next_queue() {
  jlong now = os::javaTimeNanos();
  count(Thread::current(), now);
  if (_state._starts % CheckInterval == 0) {
    // Not ru_utime and ru_stime, which the kernel brings up to date at its ticks only.
    struct rusage usage;
    memset(&usage, 0, sizeof(usage));
    jlong cpu = os::current_thread_cpu_time();
    if (cpu >= 0 && getrusage(RUSAGE_THREAD, &usage) == 0) {
      check(now, usage.ru_nvcsw, cpu);
    } else {
      end();
    }
  }
  int queues = CoroutineScheduler::_active;
  if (now < _state._room_until && queues > 1 && _state._long >= LongMin) {
    queues--;
  }
  return CoroutineScheduler::_queues[Atomic::add(1u, &_state._next) % (uint) queues];
}

void StartSeries::end() {
  _state._count = 0;
  _state._long = 0;
}

void StartSeries::count(Thread* starter, jlong now) {
  jlong pause = now - _state._at;
  if (_state._by != starter) {
    _state._by = starter;
    _state._starts = 0;
    _state._checked_at = 0;
    end();
  } else if (pause > FedPauseNanos) {
    _state._count /= 2;
    if (pause > LongEndNanos) {
      end();
    }
  }
  _state._at = now;
  _state._count = MIN2(_state._count + 1, (int) LongMax);
  _state._starts++;
}

// Whoever blocks often in between waits for what it has started.
void StartSeries::check(jlong now, jlong blocked, jlong cpu) {
  if (_state._checked_at != 0) {       // else what is there is of another thread
    jlong waits = blocked - _state._blocked;
    jlong used = cpu - _state._cpu;
    bool computes = waits == 0 || used * 100 >= (now - _state._checked_at) * ComputesPercent;
    if (waits > FedBlocked) {
      end();
    } else if (computes && used <= SlowNanos * CheckInterval) {
      _state._long = MIN2(_state._long + CheckInterval, (int) LongMax);
    } else {
      _state._long /= 2;
    }
  }
  _state._checked_at = now;
  _state._blocked = blocked;
  _state._cpu = cpu;
}

// ---- Carriers

bool StartSeries::wait_for_starts(CarrierThread* carrier) {
  RunQueue* own = carrier->queue();
  if (_state._long >= LongMin && is_for_room(own) && is_long(os::javaTimeNanos())) {
    make_room(carrier);
  } else if (_state._count >= FedMin) {
    nap(carrier);
  }
  return own->length() > 0;
}

void StartSeries::sleep(CarrierThread* carrier, jlong deadline) {
  RunQueue* own = carrier->queue();
  carrier->_thread_state = _thread_blocked;
  own->_napping = true;
  OrderAccess::fence();                // partner: enqueue(), which pushes, then looks at _napping
  if (own->length() == 0) {
    carrier->sleep(deadline);
  }
  own->_napping = false;
  carrier->_thread_state = _thread_in_native;
}

void StartSeries::nap(CarrierThread* carrier) {
  jlong now = os::javaTimeNanos();
  if (now - _state._at > FedPauseNanos || CoroutineScheduler::nobody_sees_events()) {
    return;
  }
  jlong deadline = CoroutineScheduler::next_deadline(carrier->queue(), true);
  sleep(carrier, deadline == 0 ? now + FedNapNanos : MIN2(deadline, now + FedNapNanos));
  if (os::javaTimeNanos() - _state._at > FedPauseNanos) {
    _state._count = 0;                 // the starter waits for what it has started, perhaps
  }
}

// More processors than -XX:ActiveProcessorCount says are there for the starter, too.
bool StartSeries::is_for_room(const RunQueue* own) {
  int active = CoroutineScheduler::_active;
  return own->id() == active - 1 && active > 1 && CoroutineScheduler::_count <= RoomCarriers &&
         active == CoroutineScheduler::_processors && (ActiveProcessorCount <= 0 || active >= os::processor_count());
}

// The naps of a carrier that is woken again and again are short, and those that wait are judged by what has been since a look
// that is as long ago as a nap.
bool StartSeries::others_keep_up(const RunQueue* own, jlong now) {
  jlong passed = now - _state._looked_at;
  if (passed < RoomNapNanos) {
    return true;
  }
  int count = MIN2((int) CoroutineScheduler::_count, (int) RoomCarriers);
  jlong share = CoroutineScheduler::_global_size / MAX2(count - 1, 1) + (CoroutineScheduler::_global_size > 0 ? 1 : 0);
  bool keeps_up = true;
  for (int i = 0; i < count; i++) {
    RunQueue* queue = CoroutineScheduler::_queues[i];
    if (queue != own) {
      uint length = queue->length();
      jlong switches = queue->switches() - _state._switches[i];
      _state._switches[i] += switches;
      keeps_up = keeps_up && keep_up(length + share, switches, passed);
    }
  }
  _state._looked_at = now;
  return keeps_up || passed > RoomForgetNanos;
}

// The processor is the starter's.
void StartSeries::make_room(CarrierThread* carrier) {
  RunQueue* own = carrier->queue();
  own->recent_stacks()->release();
  own->_helps = 0;                     // it does not help,
  own->_greedy = own->_heavy = false;                // and nobody computes
  jlong begin = os::javaTimeNanos();
  jlong now = begin;
  while (own->length() == 0 && is_long(now)) {
    if (!is_for_room(own) || !others_keep_up(own, now) || CoroutineScheduler::nobody_sees_events()) {
      _state._room_until = 0;
      break;
    }
    _state._room_until = now + RoomHoldNanos;
    sleep(carrier, now + RoomNapNanos);
    now = os::javaTimeNanos();
    jlong deadline = CoroutineScheduler::next_deadline(own, true);
    if (deadline != 0 && now - deadline > RoomLateNanos) {
      CoroutineScheduler::serve(own);
    }
  }
  _state._room_nanos += now - begin;
}
