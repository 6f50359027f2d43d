/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/startSeries.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"
#include "osContainer_linux.hpp"

#include <sched.h>

RunQueue**        CoroutineScheduler::_queues = NULL;
volatile int      CoroutineScheduler::_count = 0;
int               CoroutineScheduler::_room = 0;
bool              CoroutineScheduler::_follows = false;
volatile int      CoroutineScheduler::_active = 0;
volatile int      CoroutineScheduler::_resting_count = 0;
volatile int      CoroutineScheduler::_processors = 0;
bool              CoroutineScheduler::_knew_quota = false;
CoroutineScheduler::Idle CoroutineScheduler::_idle;
volatile int      CoroutineScheduler::_global_lock = 0;
Coroutine*        CoroutineScheduler::_global_first[GLOBAL_PARTS];
Coroutine*        CoroutineScheduler::_global_last[GLOBAL_PARTS];
uint              CoroutineScheduler::_global_turn = 0;
volatile int      CoroutineScheduler::_global_size = 0;
volatile int      CoroutineScheduler::_spare_lock = 0;
CarrierThread*    CoroutineScheduler::_spares = NULL;
CarrierThread*    CoroutineScheduler::_eldest = NULL;
CarrierThread*    CoroutineScheduler::_lasting_spares = NULL;
volatile int      CoroutineScheduler::_spare_count = 0;
RunQueue**        CoroutineScheduler::_orphans = NULL;
int               CoroutineScheduler::_orphan_count = 0;
CarrierThread* volatile CoroutineScheduler::_daemon = NULL;
int               CoroutineScheduler::_coming = 1;   // the one that the engine starts with
int               CoroutineScheduler::_registered = 0;
volatile bool     CoroutineScheduler::_failed = false;
volatile bool     CoroutineScheduler::_asked = false;
volatile int      CoroutineScheduler::_failures = 0;
CarrierThread*    CoroutineScheduler::_ending = NULL;
jlong             CoroutineScheduler::_next_end = 0;
jlong             CoroutineScheduler::_next_warning = 0;
int               CoroutineScheduler::_retry_millis = RetryMillisMin;
int               CoroutineScheduler::_held_logged = HeldLogMin;
volatile jlong    CoroutineScheduler::_hand_offs = 0;
const jlong       CoroutineScheduler::SpareIdleNanos;

void CoroutineScheduler::initialize(int count, bool follow, uint capacity) {
  _follows = follow;
  _room = follow ? MAX2(count, MIN2(os::processor_count(), (int) MaxFollowed)) : count;
  _queues = NEW_C_HEAP_ARRAY(RunQueue*, _room, mtThread);
  _orphans = NEW_C_HEAP_ARRAY(RunQueue*, _room, mtThread);
  for (int i = 0; i < count; i++) {
    _queues[i] = new RunQueue(i, capacity);
  }
  _idle._help_interval = HelpIntervalMin;
  _idle._try_interval = TryIntervalMin;
  _processors = os::active_processor_count();
  _count = _active = _registered = count;
}

// ---- Who is where

// A coroutine starts near its starter, unless that is bound and has no queue; threads that own an OS thread spread theirs.
RunQueue* CoroutineScheduler::start_queue() {
  Coroutine* co = Coroutine::current();
  if (co != NULL && co->is_bound()) {
    co->_home = next_queue(co->_home);
    return co->_home;
  }
  RunQueue* queue = co != NULL ? co->_carrier->queue() : NULL;
  if (queue == NULL) {
    queue = StartSeries::next_queue();
  }
  return queue;
}

RunQueue* CoroutineScheduler::next_queue(RunQueue* queue) {
  return _queues[(queue->id() + 1) % _count];
}

RunQueue* CoroutineScheduler::idle_queue(bool even_in_pump) {
  RunQueue* in_pump = NULL;
  for (int i = 0; i < _count && _idle._count > 0; i++) {
    RunQueue* queue = _queues[i];
    CarrierThread* carrier = queue->_idle != 0 ? queue->_carrier : NULL;
    if (carrier != NULL && !carrier->_polling) {
      return queue;
    }
    in_pump = carrier != NULL ? queue : in_pump;
  }
  return even_in_pump ? in_pump : NULL;
}

bool CoroutineScheduler::wants_work(const RunQueue* queue) {
  CarrierThread* carrier = queue->_carrier;
  return carrier != NULL && carrier->_status == CarrierThread::SCHEDULING && carrier->_mounted == NULL && queue->_idle == 0 &&
         !queue->_napping && queue->length() == 0;
}

// A carrier that sleeps comes too late for one whose waker goes on for a moment only. If it is sent there all the same, now and then, that
// carrier looks for more for a while, and takes the next one at once.
RunQueue* CoroutineScheduler::free_queue(RunQueue* home, RunQueue* near, const Coroutine* self) {
  if (home != near && home->_idle == 0 && !home->_looking) {
    return NULL;                       // its carrier is busy, and its caches are there
  }
  if (_idle._searching != 0) {
    RunQueue* free = home->_looking && !home->_surplus ? home : NULL;
    for (int i = 0; free == NULL && i < _count; i++) {
      free = _queues[i]->_looking && !_queues[i]->_surplus ? _queues[i] : NULL;
    }
    if (free != NULL) {
      free->_sent = true;
      return free;
    }
  }
  bool tries = false;
  if (!self->goes_on_long()) {
    jlong now = os::javaTimeNanos();
    tries = now - _idle._last_try >= _idle._try_interval;
    if (!tries) {
      return NULL;
    }
    _idle._last_try = now;
  }
  RunQueue* free = home->_idle != 0 && home->_carrier != NULL && !home->_surplus ? home : idle_queue(true);
  if (free != NULL && tries) {
    free->_sent = true;
  }
  return free;
}

void CoroutineScheduler::push_global(Coroutine* co) {
  const int part = co->_active == 0 ? GLOBAL_NEW : GLOBAL_BEGUN;
  Thread::SpinAcquire(&_global_lock, "CoroutineScheduler - push");
  co->_next = NULL;
  if (_global_last[part] == NULL) {
    _global_first[part] = co;
  } else {
    _global_last[part]->_next = co;
  }
  _global_last[part] = co;
  _global_size++;
  Thread::SpinRelease(&_global_lock);
}

// The first of a part, by turns.
inline Coroutine* CoroutineScheduler::next_global() {
  const int turn = _global_turn++ % GlobalTurns == 0 ? GLOBAL_NEW : GLOBAL_BEGUN;
  const int part = _global_first[turn] != NULL ? turn : GLOBAL_BEGUN - turn;
  Coroutine* co = _global_first[part];
  _global_first[part] = co->_next;
  if (co->_next == NULL) {
    _global_last[part] = NULL;
  }
  _global_size--;
  return co;
}

// In the order in which they shall run, linked by _next.
Coroutine* CoroutineScheduler::pop_global(int room) {
  if (_global_size == 0) {
    return NULL;
  }
  Thread::SpinAcquire(&_global_lock, "CoroutineScheduler - pop");
  Coroutine* first = NULL;
  Coroutine* last = NULL;
  for (int n = MIN2(room, _global_size / _active + 1); n > 0 && _global_size > 0; n--) {
    Coroutine* co = next_global();
    co->_next = NULL;
    if (last == NULL) {
      first = co;
    } else {
      last->_next = co;
    }
    last = co;
  }
  Thread::SpinRelease(&_global_lock);
  return first;
}

bool CoroutineScheduler::is_queued_behind_busy() {
  for (int i = 0; i < _count; i++) {
    if (_queues[i]->length() > 0 && !_queues[i]->is_idle()) {
      return true;
    }
  }
  return false;
}

// Those that yield to each other, for a moment each, may wait for each other.
RunQueue* CoroutineScheduler::queue_to_share(uint own, uint* crowd) {
  uint most = MAX2((uint) HelpCrowd, 2 * own + 1) - 1;
  RunQueue* fullest = NULL;
  for (int i = 0; i < _count; i++) {
    RunQueue* queue = _queues[i];
    uint there = queue->others();
    if (there > most && (!queue->_yields || queue->has_long_turns())) {
      fullest = queue;
      most = there;
    }
  }
  *crowd = fullest != NULL ? most : 0;
  return fullest;
}

bool CoroutineScheduler::all_compute() {
  for (int i = 0; i < _count; i++) {
    RunQueue* queue = _queues[i];
    if (queue->_carrier != NULL && (!queue->stays_long() || queue->is_idle())) {
      return false;
    }
  }
  return true;
}

bool CoroutineScheduler::any_computes() {
  for (int i = 0; i < _count; i++) {
    RunQueue* queue = _queues[i];
    if (queue->_carrier != NULL && queue->stays_long() && !queue->is_idle()) {
      return true;
    }
  }
  return false;
}

// Others that wait in a queue count as one, as each of them is served between two that compute.
bool CoroutineScheduler::share_computation(RunQueue* queue, const Coroutine* running, Coroutine* co) {
  const uint computing = queue->_computing.length() + (queue->_interrupted != NULL ? 1 : 0) + (running != NULL && running->computes() ? 1 : 0);
  uint left = computing + (queue->others() > 0 ? 1 : 0);
  if (left == 0 || WispAlwaysMigrate || _active == 1) {
    return false;
  }
  RunQueue* fewest = NULL;
  for (int i = 1; i < _active; i++) {
    RunQueue* other = _queues[(queue->id() + i) % _active];
    if (other == queue || other->_carrier == NULL || other->_surplus) {
      continue;
    }
    uint there = other->computing() + (other->_greedy && !other->is_idle() ? 1 : 0);
    if (computing == 0 && there == 0) {
      continue;                        // there is nobody to change places with
    }
    there += other->others() > 0 ? 1 : 0;
    if (there < left || (there == left && fewest == NULL) || (there == 0 && other->is_idle())) {
      fewest = other;
      left = there;
      if (there == 0 && other->is_idle()) {
        break;
      }
    }
  }
  if (fewest == NULL) {
    return false;
  }
  co->_queued_since = CoroutineEvents::queue_clock();
  fewest->push_inbox(co);
  pushed(fewest);
  return true;
}

// A hint: the counts are read one after the other.
jlong CoroutineScheduler::switches() {
  jlong sum = 0;
  for (int i = 0; i < _count; i++) {
    sum += _queues[i]->switches();
  }
  return sum;
}

// ---- Waking

void CoroutineScheduler::wake(RunQueue* queue, bool help) {
  if (queue->_idle != 0 && Atomic::cmpxchg(0, &queue->_idle, 1) == 1) {
    Atomic::dec(&_idle._count);
    if (help) {
      queue->_helps = -1;
    }
    CoroutineSysmon::busy();           // first: who wakes may lose its CPU to whom it has woken
    CarrierThread* carrier = queue->_carrier;
    if (carrier != NULL) {
      carrier->wake();
    }
  }
}

// The one in the pump last: others cannot be woken by events.
void CoroutineScheduler::wake_one(bool help) {
  RunQueue* queue = idle_queue();
  for (int i = 0; queue == NULL && i < _count; i++) {
    queue = _queues[i]->_idle != 0 ? _queues[i] : NULL;
  }
  if (queue != NULL) {
    wake(queue, help);
  }
}

// The watcher, which reads all deadlines afresh and the global queue when it is awake. If there
// is none, then who becomes one reads them after it has said so.
void CoroutineScheduler::wake_watcher() {
  CarrierThread* watcher = (CarrierThread*) _idle._watcher;
  if (watcher != NULL) {
    watcher->wake();
    CoroutineSysmon::busy();
  } else {
    wake_one();
  }
}

// Of those that are idle only the one in the pump knows the timers of all, and those only that there were when it went there. If there is
// none events wait for sysmon, a moment: to wake another one for each such call costs more than it brings, as most are over by then.
void CoroutineScheduler::keep_watch(RunQueue* queue) {
  jlong time = queue->timers()->next_deadline();
  if (nobody_sees_events()) {
    time = MIN2(time, os::javaTimeNanos() + WatchNanos);
  }
  if (time != max_jlong) {
    CoroutineSysmon::look_by(time);
  }
}

// Its carrier has woken up, for a timer perhaps, and those who poll keep step with whom it runs now: see CoroutineSysmon::interrupt().
void CoroutineScheduler::keep_polled(RunQueue* queue) {
  jlong now = os::javaTimeNanos();
  if (now >= queue->_polled_until) {
    queue->_polled_until = 0;
  } else {
    queue->_polled_since = now;
    queue->timers()->fire(now, queue);
    jlong next = queue->timers()->next_deadline();
    if (next < queue->_polled_until && (queue->_polled_in_vain < RunQueue::PolledInVainMax || (queue->switches() & RunQueue::PolledInVainMask) == 0) &&
        CoroutineSysmon::may_look_early(now)) {
      CoroutineSysmon::look_by(next);
    }
  }
}

bool CoroutineScheduler::pushed(RunQueue* queue) {
  if (queue->_resting) {               // since it was chosen
    queue->inbox_to_global();
    wake_watcher();
    return true;
  }
  if (queue->_idle != 0) {
    wake(queue);
    return true;
  }
  if (_idle._count == 0 || _idle._searching != 0) {
    return false;
  }
  uint length = queue->length();
  if (length < HelpCrowd) {
    CarrierThread* carrier = queue->_carrier;
    if (length < 2 && carrier != NULL && carrier->_status == CarrierThread::SCHEDULING && carrier->_mounted == NULL) {
      return true;                     // it is about to look at its queue, or naps; if not, sysmon will see
    }
    jlong now = os::javaTimeNanos();
    if (now - _idle._last_help < _idle._help_interval) {
      return false;
    }
    _idle._last_help = now;
  }
  wake_one(length < HelpCrowd);
  return true;
}

void CoroutineScheduler::help_computing(bool waker_waits) {
  if (_idle._count != 0 && _idle._searching == 0) {
    wake_one(waker_waits);             // whether it was worth it lately or not: he goes on for long
  }
}

// Help is worth a wake-up when it goes on for a while: of the few coroutines that wait while it comes
// most would have run before long.
void CoroutineScheduler::judge_help(RunQueue* own, bool over) {
  if (os::javaTimeNanos() - own->_helps >= HelpWorthNanos) {
    _idle._help_interval = MAX2(_idle._help_interval / 4, (jlong) HelpIntervalMin);
  } else if (over) {
    _idle._help_interval = MIN2(_idle._help_interval * 2, (jlong) HelpIntervalMax);
  } else {
    return;
  }
  own->_helps = 0;
}

// ---- The operations of a carrier

bool CoroutineScheduler::serve(RunQueue* near) {
  if (near->_helps > 0) {
    judge_help(near, false);
  }
  int fired = EventPump::poll(near, true) ? 1 : 0;
  const bool busy = near->length() > 0;
  jlong now = 0;
  for (int i = 0; i < _count; i++) {
    TimerHeap* timers = _queues[i]->timers();
    const jlong next = timers->next_deadline();
    if (next != max_jlong) {
      if (now == 0) {
        now = os::javaTimeNanos();
      }
      // Who parks for a nanosecond, again and again, waits for somebody else, to whom it has something to give then, or from whom it takes
      // that. Its carrier sleeps until then, and here it would take turns with that one, who yields perhaps.
      const bool wakes_up = busy && _queues[i]->_idle != 0 && next == _queues[i]->_short_park && now - next < OwnTimerNanos;
      if (!wakes_up) {
        fired += timers->fire(now, near);
      }
    }
  }
  take_share(near);
  return fired > 0;
}

// A carrier whose coroutine computes, or only yields, is never idle, and those that wait elsewhere would have the other carriers only: a hundred
// that compute for a moment now and then no more of two than that one. Who is idle comes first.
void CoroutineScheduler::take_share(RunQueue* own) {
  if (!own->wants_share() || _idle._count > 0 || own->is_surplus()) {
    return;
  }
  uint crowd;
  RunQueue* victim = queue_to_share(own->others(), &crowd);
  if (victim != NULL && victim != own && own->take_share(victim)) {
    CoroutineEvents::stolen(own->carrier(), victim->id(), own->id(), (int) own->length());
  }
}

bool CoroutineScheduler::share_of(RunQueue* victim, uint length, jlong seen, bool stale) {
  return length >= 2 || (length == 1 && stale && victim->switches() == seen);
}

void CoroutineScheduler::end_nap(RunQueue* queue) {
  CarrierThread* carrier = queue->_carrier;
  if (carrier != NULL) {
    carrier->wake();
  }
}

bool CoroutineScheduler::steal(CarrierThread* carrier) {
  RunQueue* own = carrier->queue();
  if (StartSeries::wait_for_starts(carrier)) {
    return true;
  }
  if (_count == 1) {
    return false;
  }
  const int Sampled = 64;
  jlong seen[Sampled];
  jlong seen_at[Sampled];              // after so many ns
  int first = (int) (os::random() % _count);
  int victims = MIN2(_count, (int) Sampled);
  for (int i = 0; i < victims; i++) {
    seen[i] = _queues[(first + i) % _count]->switches();
    seen_at[i] = 0;
  }
  bool found = false;
  RunQueue* stolen_from = NULL;
  bool last = false;                   // looks once more, and is not counted any more
  own->_sent = false;                  // before it can be set
  own->_looking = true;
  Atomic::inc(&_idle._searching);
  jlong start = os::javaTimeNanos();
  jlong elapsed = 0;
  const bool spun = _idle._spins > 0 && _idle._searching == 1;
  bool spins = spun;
  bool helps = own->_helps > 0;        // it was woken for somebody: its waker may give way to him, and be the one that waits, only now
  jlong stays_until = helps ? (jlong) StaleNanos : 0;   // while two change places nobody waits
  for (;;) {
    if (own->length() > 0 || _global_size > 0) {
      found = true;
      break;
    }
    bool any = false;                  // of those that wait alone, and may wait on
    for (int i = 0; i < victims && !found; i++) {
      RunQueue* victim = _queues[(first + i) % _count];
      uint length = victim != own ? victim->length() : 0;
      any = any || length > 0;
      if (share_of(victim, length, seen[i], elapsed - seen_at[i] >= StaleNanos)) {
        found = own->steal_from(victim);
        stolen_from = found ? victim : NULL;
      } else if ((spins || helps) && victim->switches() != seen[i]) {
        seen[i] = victim->switches();
        seen_at[i] = elapsed;
        stays_until = helps ? elapsed + StaleNanos : 0;
      }
    }
    if (found || (!spins && !helps && elapsed >= StaleNanos)) {
      break;
    }
    const bool over = (spins || helps) && (elapsed >= SpinNanos || EventPump::has_events() || next_deadline_reached(start + elapsed));
    if (over || (!any && !spins && elapsed >= stays_until)) {
      if (last) {
        break;
      }
      spins = helps = false;
      stays_until = 0;
      // Who pushes onto another queue because of _looking may see _searching, and wake nobody.
      own->_looking = false;
      Atomic::dec(&_idle._searching);  // a full fence; partner: pushed()
      last = true;
      continue;
    }
    if (last) {
      last = false;
      own->_looking = true;
      Atomic::inc(&_idle._searching);
    }
    for (int i = 0; i < 16; i++) {
      SpinPause();
    }
    elapsed = os::javaTimeNanos() - start;
  }
  if (!last) {
    own->_looking = false;
    Atomic::dec(&_idle._searching);
  }
  if (spun) {
    judge_spin(own->_sent);
  }
  if (own->_helps > 0) {
    own->_helps += elapsed;            // to look is no help
  }
  if (found && _idle._count > 0 && (own->length() >= 2 || (_idle._searching == 0 && crowd_waits_elsewhere(own)))) {
    wake_one();                        // there is enough for another one; who pushed meanwhile has left it to those who search
  }
  if (stolen_from != NULL) {
    CoroutineEvents::stolen(carrier, stolen_from->id(), own->id(), (int) own->length());
  }
  return found;
}

// Somebody has been sent meanwhile, or not.
void CoroutineScheduler::judge_spin(bool paid) {
  _idle._spins = paid ? (int) SpinsMax : _idle._spins - 1;
  if (paid) {
    _idle._try_interval = TryIntervalMin;
  } else if (_idle._spins <= 0) {
    _idle._try_interval = MIN2(_idle._try_interval * 2, (jlong) TryIntervalMax);
  }
}

bool CoroutineScheduler::next_deadline_reached(jlong now) {
  for (int i = 0; i < _count; i++) {
    if (_queues[i]->timers()->next_deadline() <= now) {
      return true;
    }
  }
  return false;
}

// After the full fence with which own ceased to search. Partner: pushed(), which pushes with one before it looks whether somebody does.
bool CoroutineScheduler::crowd_waits_elsewhere(RunQueue* own) {
  for (int i = 0; i < _count; i++) {
    if (_queues[i] != own && _queues[i]->length() >= HelpCrowd) {
      return true;
    }
  }
  return false;
}

// A single coroutine that waits behind a busy one is not a reason to stay awake.
bool CoroutineScheduler::has_work(RunQueue* own) {
  if (own->length() > 0 || _global_size > 0 || own->_surplus) {
    return true;
  }
  for (int i = 0; i < _count; i++) {
    if (_queues[i]->length() >= 2) {
      return true;
    }
  }
  return false;
}

jlong CoroutineScheduler::next_deadline(RunQueue* own, bool all) {
  jlong next = own->timers()->next_deadline();
  for (int i = 0; all && i < _count; i++) {
    next = MIN2(next, _queues[i]->timers()->next_deadline());
  }
  return next == max_jlong ? 0 : next;
}

void CoroutineScheduler::idle(CarrierThread* carrier) {
  RunQueue* own = carrier->queue();
  carrier->_thread_state = _thread_blocked;
  own->_idled_at = own->_switches;
  own->_idle = 1;
  Atomic::inc(&_idle._count);          // a full fence; partner: pushed()
  EventPump::Batch events;
  bool awoke = false;
  if (!has_work(own)) {
    own->recent_stacks()->release();
    if (own->_helps > 0) {
      judge_help(own, true);
    }
    bool watch = _idle._watcher == 0 && Atomic::cmpxchg((intptr_t) carrier, &_idle._watcher, (intptr_t) 0) == 0;
    if (watch) {
      carrier->sleep_in_pump(next_deadline(own, true), &events);
      _idle._watcher = 0;
    } else {
      carrier->sleep(next_deadline(own, false));
    }
    if (events.is_empty()) {
      carrier->let_waker_go_on();
    }
  }
  if (Atomic::cmpxchg(0, &own->_idle, 1) == 1) {
    Atomic::dec(&_idle._count);
    awoke = true;                      // by itself, for a timer or an event
  } else if (own->_helps < 0) {
    own->_helps = os::javaTimeNanos();
  } else if (own->_sent) {
    _idle._spins = MAX2((int) _idle._spins, (int) SpinsTried);
  }
  if (!events.is_empty()) {
    EventPump::wake_waiters(events, own, sched_getcpu());
  }
  if (awoke) {
    CoroutineSysmon::busy();           // after that, because sysmon looks for events, too
  }
  if (own->_polled_until != 0) {
    keep_polled(own);
  }
  carrier->_thread_state = _thread_in_native;
}

// ---- Following the processors

// Reading their number looks into files of the control group. Out of descriptors these cannot be opened, and there would be no quota.
void CoroutineScheduler::look_at_processors() {
  bool knows_quota = !OSContainer::is_containerized() || OSContainer::cpu_quota() != OSCONTAINER_ERROR;
  int processors = MAX2(os::active_processor_count(), 1);
  knows_quota = knows_quota && (!OSContainer::is_containerized() || OSContainer::cpu_quota() != OSCONTAINER_ERROR);
  _knew_quota |= knows_quota;
  if (processors != _processors && (knows_quota || !_knew_quota || processors < _processors)) {
    _processors = processors;
    OrderAccess::fence();              // partner: wait_for_spare_request()
    CarrierThread* daemon = _daemon;
    if (_follows && daemon != NULL) {
      daemon->wake();
    }
  }
}

// By the daemon.
void CoroutineScheduler::follow() {
  int target = MIN2((int) _processors, _room);
  if (!_follows || target == _active) {
    return;
  }
  log_info(wisp)("carriers: %d, %d before, because %d processors are available now", target, _active, _processors);
  int before = _count;
  while (_count < target) {            // there before _active says so
    _queues[_count] = new RunQueue(_count, (uint) WispRunQueueCapacity);
    OrderAccess::release_store(&_count, _count + 1);
  }
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - follow");
  _active = target;
  for (int i = 0; i < _count; i++) {
    _queues[i]->_surplus = i >= target;
  }
  int orphans = 0;
  for (int i = 0; i < _orphan_count; i++) {
    if (_orphans[i]->_surplus) {
      mark_resting(_orphans[i]);
    } else {
      _orphans[orphans++] = _orphans[i];
    }
  }
  _orphan_count = orphans;
  Thread::SpinRelease(&_spare_lock);
  OrderAccess::fence();                // partner: idle() looks at _surplus after it has set _idle
  for (int i = 0; i < _count; i++) {
    RunQueue* queue = _queues[i];
    if (i >= target) {
      if (queue->_resting) {
        queue->empty();
      } else {
        wake(queue);                   // to rest
      }
    } else if (i >= before || wake_up(queue)) {
      give(queue);
    }
  }
  wake_watcher();                      // for what was emptied, and for timers
  CoroutineSysmon::busy();
}

// Under the lock. Afterwards, without it: a fence, whose partner is pushed() after the fence
// of the push, then the queue is emptied.
void CoroutineScheduler::mark_resting(RunQueue* queue) {
  queue->_resting = true;
  _resting_count++;
  queue->set_carrier(NULL);
}

// True: it rested, and needs a carrier now.
bool CoroutineScheduler::wake_up(RunQueue* queue) {
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - wake up");
  bool rested = queue->_resting;
  if (rested) {
    queue->_resting = false;
    _resting_count--;
  }
  Thread::SpinRelease(&_spare_lock);
  return rested;
}

// The look lock, as in release_queue().
bool CoroutineScheduler::rest(CarrierThread* carrier) {
  RunQueue* queue = carrier->_queue;
  queue->recent_stacks()->release();
  CoroutineSysmon::begin_look();
  Thread::SpinAcquire(&_spare_lock, "CoroutineScheduler - rest");
  bool rests = queue->_surplus;
  if (rests) {
    mark_resting(queue);
    carrier->_queue = NULL;
  }
  Thread::SpinRelease(&_spare_lock);
  CoroutineSysmon::end_look();
  if (rests) {
    OrderAccess::fence();
    queue->empty();
    wake_watcher();                    // for what was emptied, and for timers and events
  }
  return rests;
}
