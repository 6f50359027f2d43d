/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/runRing.inline.hpp"
#include "runtime/orderAccess.hpp"

volatile jlong RunQueue::_times_since = 0;
jlong RunQueue::_times_before[COUNTERS];
RunQueue::Shared RunQueue::_shared;

RunQueue::RunQueue(int id, uint capacity) :
  _switches(0), _since_due(0), _due_at(0), _looked(-1), _takes_share(false), _share_looked(0), _attention(false), _connects(0), _shorts(0), _nexts(0), _refusals(0), _refusals_limit(RefusalsMax), _left_at(0), _gave_way_at(0), _next_at(-1), _computed(false), _round_end(0),
  _round_began(0), _came_at(0), _turn_began(0), _others_took(0), _only_yielded(false), _light_end(0), _lights(0), _lights_end(0), _greedy_since(0), _heavy_since(0), _yields(false), _idled_at(0), _id(id), _seen_yields(0), _kernel_yielded(false), _kernel_rounds(0), _yield_rounds(0), _not_yields(0),
  _ring(capacity), _computing(capacity), _short(capacity),
  _inbox(NULL), _next(NULL), _interrupted(NULL), _idle(0), _carrier(NULL), _napping(false), _looking(false), _helps(0), _sent(false),
  _greedy(false), _heavy(false), _light_came(false), _light_waits(false), _give_way(false), _slow(false), _long_turns(false), _surplus(false), _resting(false),
  _handed_at(0), _free_since(0), _next_give_way(0), _polled_until(0), _polled_since(0), _polled_in_vain(0), _short_park(0), _measured_at(0), _measured(0), _measured_length(0) {
  memset(_own, 0, sizeof(_own));
  memset((void*) _others, 0, sizeof(_others));
}

jlong RunQueue::total(Counter c) {
  jlong sum = 0;
  for (int i = 0; i < CoroutineScheduler::count(); i++) {
    sum += CoroutineScheduler::queue(i)->counter(c);
  }
  return sum;
}

void RunQueue::count_times(bool on) {
  for (int c = QUEUED_NANOS; on && c <= DESCRIPTOR_NANOS; c++) {
    _times_before[c] = total((Counter) c);
  }
  _times_since = on ? os::javaTimeNanos() : 0;
}

jlong RunQueue::counted_time(Counter c) {
  return total(c) - _times_before[c];
}

uint RunQueue::length() const {
  Coroutine* top = _inbox;
  return _ring.length() + _short.length() + _computing.length() + (top != NULL ? top->_depth : 0) + (_next != NULL ? 1 : 0) +
         (_interrupted != NULL ? 1 : 0);
}

// Those in the inbox who compute, and have come from another queue or whose carrier had lost its queue, count as others, but for
// the newest.
uint RunQueue::others() const {
  Coroutine* top = _inbox;
  return _ring.length() + _short.length() + (top != NULL ? top->_depth - (top->computes() ? 1 : 0) : 0) + (_next != NULL ? 1 : 0);
}

// Those in the inbox are taken for greedy if the newest is: several carriers may have just sent theirs here.
uint RunQueue::computing() const {
  Coroutine* top = _inbox;
  return _computing.length() + (top != NULL && top->computes() ? top->_depth : 0) + (_interrupted != NULL ? 1 : 0);
}

// ---- Counters

jlong RunQueue::counter(Counter c) const {
  switch (c) {
    case SWITCHES: return _switches;
    case WAITING:  return length();
    case TIMERS:   return _timers.size();
    case IS_IDLE:  return _idle;
    case TIMEOUTS: return _timers.fired();
    default:       return _own[c] + _others[c];
  }
}

const char* RunQueue::name(Counter c) {
  static const char* const names[COUNTERS] = {
    "switches", "waiting", "timers", "idle",
    "steals", "failed-steals", "starts", "ends", "parks", "unparks", "yields", "preempts", "pinned-parks", "timeouts",
    "polls", "events", "poll-interrupts", "descriptor-waits",
    "queued-ns", "run-ns", "parked-ns", "descriptor-ns",
    "max-queued-ns", "max-run-ns", "max-parked-ns", "max-descriptor-ns"
  };
  return names[c];
}

void RunQueue::count_time(Counter total, Counter max, jlong nanos) {
  if (nanos > 0) {                     // the clocks of two CPUs may differ a little
    _own[total] += nanos;
    if (nanos > _own[max]) {
      _own[max] = nanos;
    }
  }
}

// ---- The inbox

void RunQueue::push_inbox(Coroutine* co) {
  for (;;) {
    Coroutine* top = _inbox;
    co->_next = top;
    co->_depth = top != NULL ? top->_depth + 1 : 1;   // a hint: top may be gone already
    if (Atomic::cmpxchg(co, &_inbox, top) == top) {
      return;
    }
  }
}

bool RunQueue::push_next(Coroutine* co, Claim claim) {
  const Claim limit = claim == NO_CLAIM ? NO_CLAIM : claim == CONNECTION ? GIVEN_WAY : CONNECTION;
  co->_claim = (u1) claim;
  bool taken = false;
  Coroutine* there = _next;
  if (there == NULL || there->_gave_way || there->_claim < limit) {
    Coroutine* before = Atomic::cmpxchg(co, &_next, there);
    if (before == there) {
      taken = true;
      co = there;
      if (there != NULL && there->_gave_way) {
        there->_displaced = true;
      }
    }
  }
  if (co != NULL) {
    push_inbox(co);
  }
  return taken;
}

Coroutine* RunQueue::take_next() {
  return _next != NULL ? Atomic::xchg((Coroutine*) NULL, &_next) : NULL;
}

Coroutine* RunQueue::take_interrupted() {
  return _interrupted != NULL ? Atomic::xchg((Coroutine*) NULL, &_interrupted) : NULL;
}

// All of them, linked by _next. The newest is on top: reversed, so that the oldest runs first.
Coroutine* RunQueue::empty_inbox() {
  if (_inbox == NULL) {
    return NULL;
  }
  Coroutine* top = Atomic::xchg((Coroutine*) NULL, &_inbox);
  Coroutine* first = NULL;
  while (top != NULL) {
    Coroutine* next = top->_next;
    top->_next = first;
    first = top;
    top = next;
  }
  return first;
}

bool RunQueue::push_ring(Coroutine* co) {
  if (co->computes()) {
    _attention = true;
    if (_computing.push(co)) {
      return true;
    }
  }
  return (_long_turns && !co->computes() && !co->moves_much() && co->has_short_turns() && _short.push(co)) || _ring.push(co);
}

void RunQueue::push_all(Coroutine* first) {
  uint lights = 0;
  while (first != NULL) {
    Coroutine* next = first->_next;
    first->_light = is_light(first) && !first->moves_much();
    lights += first->_light ? 1 : 0;
    if (!push_ring(first)) {
      CoroutineScheduler::push_global(first);
    }
    first = next;
  }
  if (lights > 0) {
    lights_wait(lights);
  }
}

// Until when, at most: thieves take some, of which nothing is known here. Of the turns before that of the last one in a ring each second may
// be that of one who comes before all others, and of those with short turns there may be ShortsMax for one of the others.
void RunQueue::lights_wait(uint n) {
  _lights = MIN2((_switches < _lights_end ? _lights : 0) + n, others());
  _lights_end = _switches + (_short.is_empty() ? 2 : 2 + ShortsMax) * (jlong) (others() + 1);
}

// From now on turns are taken for long ones until sysmon has measured them: those whose own are short come before the others then.
bool RunQueue::waits_for_mover() {
  if (!_long_turns && others() > 0) {
    _long_turns = true;
  }
  Coroutine* co = _next;
  if ((co != NULL && !co->moves_much()) || !_short.is_empty() || lights_may_wait()) {
    return true;
  }
  co = _inbox;
  for (int i = 0; i < InboxSeen && co != NULL; i++) {   // records are never freed, whoever takes them meanwhile
    if (is_light(co) && !co->moves_much()) {
      return true;
    }
    co = co->_next;
  }
  return false;
}

bool RunQueue::take_inbox(RunQueue* from) {
  if (from->_inbox == NULL) {
    return false;
  }
  has_come();
  _only_yielded = false;               // before a greedy one that is mounted, perhaps. Sysmon sees that, or the inbox
  Coroutine* first = from->empty_inbox();
  push_all(first);
  return first != NULL;
}

void RunQueue::inbox_to_global() {
  Coroutine* co = take_next();
  if (co != NULL) {
    CoroutineScheduler::push_global(co);
  }
  co = take_interrupted();
  if (co != NULL) {
    CoroutineScheduler::push_global(co);
  }
  co = empty_inbox();
  while (co != NULL) {
    Coroutine* next = co->_next;
    CoroutineScheduler::push_global(co);
    co = next;
  }
}

void RunQueue::empty() {
  for (Coroutine* co = _ring.pop(); co != NULL; co = _ring.pop()) {
    CoroutineScheduler::push_global(co);
  }
  for (Coroutine* co = _short.pop(); co != NULL; co = _short.pop()) {
    CoroutineScheduler::push_global(co);
  }
  for (Coroutine* co = _computing.pop(); co != NULL; co = _computing.pop()) {
    CoroutineScheduler::push_global(co);
  }
  inbox_to_global();
}

// ---- Operations

// Whoever has given way goes on after the one that it has woken, which has been taken already, as
// a rule, and before all others, unless somebody else is woken meanwhile.
void RunQueue::push_back(Coroutine* co) {
  co->_queued_since = CoroutineEvents::queue_clock();
  co->_gave_way = true;
  push_next(co, NO_CLAIM);
}

bool RunQueue::push_interrupted(Coroutine* co) {
  if (_turn_began == 0) {
    _turn_began = _greedy_since;
  }
  if (_interrupted != NULL || os::javaTimeNanos() - _turn_began >= ResumeNanos) {
    _turn_began = 0;
    return false;
  }
  co->_queued_since = CoroutineEvents::queue_clock();
  _attention = true;
  OrderAccess::release_store(&_interrupted, co);   // partner: take_interrupted() of a thief
  return true;
}

// Behind those in the inbox, who came earlier.
void RunQueue::push(Coroutine* co) {
  co->_queued_since = CoroutineEvents::queue_clock();
  if (_inbox != NULL) {
    take_inbox(this);
  }
  if (WispAlwaysMigrate) {
    enqueue(co, NULL);
  } else if (!push_ring(co)) {
    CoroutineScheduler::push_global(co);
  }
}

bool RunQueue::take_global() {
  uint room = _ring.room();
  Coroutine* first = room > 0 ? CoroutineScheduler::pop_global((int) room) : NULL;
  if (first != NULL) {
    has_come();
  }
  push_all(first);
  return first != NULL;
}

// After the turn of a greedy one, which is not queued yet.
void RunQueue::begin_round() {
  _computed = false;
  _round_end = _switches + others();
  _round_began = os::javaTimeNanos();
}

// Whether a greedy one has a turn, though others may wait. Soon if these have only yielded for a round, as who waits for
// something that another thread computes. Not at once: they may wait for each other.
inline bool RunQueue::computes_now() const {
  bool round_over = _switches >= _round_end;
  bool only_yield = round_over && _inbox == NULL && _next == NULL && all_had_turn(_switches);
  return os::javaTimeNanos() - _round_began >= (only_yield ? (jlong) YieldsMin : round_over ? (jlong) OthersMin : (jlong) OthersMax);
}

inline Coroutine* RunQueue::pop_computing() {
  Coroutine* co = take_interrupted();
  if (co == NULL) {
    _turn_began = 0;
    co = _computing.pop();
  }
  return co;
}

Coroutine* RunQueue::pop() {
  if (_computed) {
    begin_round();
  }
  if (_long_turns && _switches % InboxInterval != 0) {
    take_inbox(this);
  } else if (_switches % InboxInterval == 0) {
    // As only_yields() will see it, but for one that yields now.
    _kernel_yielded = _seen_yields != _shared._kernel_yields && _switches - _own[YIELDS] <= _not_yields + 1;
    _attention = _attention || _kernel_yielded;
    // By turns, as either may fill the ring again and again. Those who yield fill it, too: then one of the global ones runs
    // at once.
    Coroutine* co = CoroutineScheduler::global_size() > 0 && _ring.room() == 0 ? CoroutineScheduler::pop_global(1) : NULL;
    if (co != NULL) {
      return co;
    }
    bool global_first = _switches / InboxInterval % 2 == 0;
    if (global_first) {
      take_global();
    }
    take_inbox(this);
    if (!global_first) {
      take_global();
    }
  }
  Coroutine* co = (!_computing.is_empty() || _interrupted != NULL) && computes_now() ? pop_computing() : NULL;
  if (co != NULL) {
    _nexts = 0;
    return co;
  }
  co = _nexts < NextMax ? take_next() : NULL;
  if (co != NULL) {
    _nexts++;
    return co;
  }
  _nexts = 0;
  if (!_short.is_empty() && (_shorts < ShortsMax || _ring.is_empty())) {
    co = _short.pop(_recent_stacks.is_empty());
    if (co != NULL) {
      _shorts++;
      return co;
    }
  }
  _shorts = 0;
  co = _ring.pop(_recent_stacks.is_empty());
  if (co == NULL) {
    co = empty_inbox();
    if (co != NULL) {
      has_come();
    }
    if (co != NULL && co->computes()) {   // behind those that are here
      push_all(co);
      co = _ring.pop();
    } else if (co != NULL) {
      push_all(co->_next);
    } else if (take_global()) {
      co = _ring.pop();
    }
  }
  if (co == NULL) {
    co = _short.pop();                 // a thief may have had the others, or what came is short
  }
  if (co == NULL) {
    co = take_next();
  }
  return co != NULL ? co : pop_computing();
}

// Its carrier may not come to the queue before sysmon takes the CPU from it.
void RunQueue::mounts_greedy() {
  _computed = true;
  OrderAccess::fence();                // _greedy before the load of the inbox; partner: enqueue(), which pushes and reads _greedy then
  jlong now = os::javaTimeNanos();
  _others_took = now - _round_began;
  _only_yielded = all_had_turn(_switches - 1);   // but for its own
  _greedy_since = now;
  jlong time = _timers.next_deadline();
  CoroutineSysmon::look_by(others() > 0 ? MIN2(time, CoroutineSysmon::greedy_slice_end(this, now)) : time);
}

// Somebody may wait in the ring for whom another heavy one has been interrupted. For those who wait there for longer it is interrupted later.
void RunQueue::mounts_heavy() {
  if (_light_came) {
    uint there = others();
    if (there == 0 || (_light_end != 0 && _switches >= _light_end)) {
      _light_came = false;
      _light_end = 0;
    } else if (_light_end == 0) {
      _light_end = _switches + 2 * (jlong) there;   // each second turn is that of one who was interrupted
    }
  }
  OrderAccess::fence();                // _heavy, and that, before the loads; partner: enqueue()
  jlong now = os::javaTimeNanos();
  _heavy_since = now;
  jlong time = _timers.next_deadline();
  bool waits = false;
  if (_light_came || is_light(_next) || is_light(_inbox) || !_short.is_empty()) {
    _light_came = true;
    time = MIN2(time, CoroutineSysmon::may_be_early_at(now + HeavyNanos));
  } else if (_inbox != NULL || lights_may_wait()) {   // there below a heavy one, perhaps
    waits = true;
    time = MIN2(time, CoroutineSysmon::patient_slice_end(now));
  }
  if (_light_waits != waits) {
    _light_waits = waits;
  }
  CoroutineSysmon::look_by(time);
}

// Two switches may be a short time. Only while turns are long, so that the clock costs nothing.
bool RunQueue::is_due_early() const {
  return _since_due >= LongDueInterval && os::javaTimeNanos() - _due_at >= LongDueNanos;
}

// Before one that computes is next, and after a kernel thread has yielded.
bool RunQueue::is_due_at_once() const {
  return (_looked != _switches && computes_next()) ||
         ((_kernel_yielded || _kernel_rounds > 0) && _since_due > others());
}

bool RunQueue::reset_due() {
  bool interval = _since_due >= DueInterval;
  _takes_share = computes_next() || ((_interrupted != NULL || !_computing.is_empty()) && all_had_turn(_switches));
  _since_due = _connects = 0;
  _looked = _switches;
  if (_long_turns) {
    _due_at = os::javaTimeNanos();
  }
  return interval;
}

// Threads that wait for each other by Thread.yield. If the other one is mounted on a carrier that has to wait for this CPU
// all could yield here until the kernel's slice is over; a kernel thread would give it the CPU at once. One that is a kernel thread, and
// waits in the same way, is known, and for that one it is in each round. One yield may not do: the kernel goes by its own shares and slices.
bool RunQueue::only_yields(bool interval) {
  int kernel_yields = _shared._kernel_yields;
  _kernel_yielded = false;
  if (_seen_yields != kernel_yields) {
    _seen_yields = kernel_yields;
    _kernel_rounds = KernelRounds;
  }
  jlong others = _switches - _own[YIELDS];
  bool only = others == _not_yields;
  _not_yields = others;
  if (_yields != only) {
    _yields = only;
  }
  _yield_rounds = !only ? 0 : interval ? _yield_rounds + 1 : _yield_rounds;
  _kernel_rounds = only && _kernel_rounds > 0 ? _kernel_rounds - 1 : 0;
  _attention = _interrupted != NULL || !_computing.is_empty() || _kernel_rounds > 0;
  if (_yield_rounds < YieldRounds && _kernel_rounds == 0) {
    return false;
  }
  _yield_rounds = 0;
  _takes_share = true;
  return true;
}

// Of the ring, or of those with short turns, who wait for long ones.
uint RunQueue::take_from_rings(RunQueue* victim) {
  uint n = _ring.take_half(&victim->_short);
  if (n == 0) {
    n = _ring.take_half(&victim->_ring);
  }
  if (n == 0) {
    return 0;
  }
  has_come();
  _only_yielded = false;
  uint lights = 0;
  for (uint i = 0; i < MIN2(n, (uint) StolenSeen); i++) {
    lights += _ring.newest(i)->_light ? 1 : 0;
  }
  if (lights > 0) {
    lights_wait(lights);
  }
  return n;
}

bool RunQueue::wants_share() {
  if (!_takes_share) {
    return false;
  }
  _takes_share = false;
  jlong now = os::javaTimeNanos();
  bool wants = now - _share_looked >= ShareNanos;
  if (wants) {
    _share_looked = now;
  }
  return wants;
}

// The victim's carrier will see to its inbox soon, and run those that have come together, unless it runs one that stays.
bool RunQueue::take_share(RunQueue* victim) {
  uint n = take_from_rings(victim);
  if (n == 0 && victim->stays_long() && take_inbox(victim)) {
    n = 1;
  }
  count(STEALS, n);
  return n > 0;
}

// If the rings are empty the whole inbox, of which the victim's carrier has
// seen nothing yet. If that is empty, too, half of the greedy ones, and then the one who would be next, or the one that was interrupted.
bool RunQueue::steal_from(RunQueue* victim) {
  uint n = take_from_rings(victim);
  if (n == 0 && take_inbox(victim)) {
    n = 1;
  }
  if (n == 0) {
    n = _computing.take_half(&victim->_computing);
    _attention = _attention || n > 0;
  }
  if (n == 0) {
    Coroutine* next = victim->take_next();
    if (next == NULL) {
      next = victim->take_interrupted();
    }
    if (next != NULL) {
      next->_next = NULL;
      push_all(next);
      n = 1;
    }
  }
  if (n == 0) {
    count(FAILED_STEALS);
    return false;
  }
  count(STEALS, n);
  return true;
}
