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
#include "runtime/orderAccess.hpp"
#include "runtime/prefetch.inline.hpp"

volatile jlong RunQueue::_times_since = 0;

RunQueue::RunQueue(int id, uint capacity) :
  _tail(0), _switches(0), _since_due(0), _nexts(0), _gave_way_at(0), _greedy_at(0), _stays_until(0), _id(id),
  _head(0), _inbox(NULL), _next(NULL), _idle(0), _carrier(NULL), _napping(false), _looking(false), _helps(0),
  _woken(false), _greedy(false), _give_way(false), _slow(false), _surplus(false), _resting(false),
  _handed_at(0), _next_give_way(0), _measured_at(0), _measured(0), _measured_length(0) {
  memset(_own, 0, sizeof(_own));
  memset((void*) _others, 0, sizeof(_others));
  uint slots = 4;
  while (slots < capacity) {
    slots *= 2;
  }
  _mask = slots - 1;
  _ring = NEW_C_HEAP_ARRAY(Coroutine* volatile, slots, mtThread);
}

uint RunQueue::length() const {
  uint ring = _tail - _head;           // can be off by what happens between the loads
  Coroutine* top = _inbox;
  return (ring > _mask + 1 ? 0 : ring) + (top != NULL ? top->_depth : 0) + (_next != NULL ? 1 : 0);
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

// ---- The ring

bool RunQueue::push_ring(Coroutine* co) {
  uint tail = _tail;
  if (tail - OrderAccess::load_acquire(&_head) > _mask) {
    return false;
  }
  _ring[tail & _mask] = co;
  OrderAccess::release_store(&_tail, tail + 1);   // partner: load_acquire in steal_from()
  return true;
}

Coroutine* RunQueue::pop_ring() {
  for (;;) {
    uint head = OrderAccess::load_acquire(&_head);
    if (head == OrderAccess::load_acquire(&_tail)) {
      return NULL;
    }
    Coroutine* co = _ring[head & _mask];
    if (Atomic::cmpxchg(head + 1, &_head, head) == head) {
      prefetch(head + 1);
      return co;
    }
  }
}

// With thousands of coroutines nothing of one is in the cache when its turn comes. While the one before it
// runs, its stack is fetched and what its thread points to; while the one before that runs, its record and
// thread. Thieves may have taken them, so these are hints: their memory can be read for ever.
inline void RunQueue::prefetch(uint head) const {
  int waiting = (int) (_tail - head);
  if (waiting >= 1) {
    _ring[head & _mask]->prefetch_stack();
    if (waiting >= 2) {
      _ring[(head + 1) & _mask]->prefetch_record();
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

void RunQueue::push_next(Coroutine* co, bool displace) {
  Coroutine* there = _next;
  if (there == NULL || there->_gave_way || (displace && !there->_by_timer)) {
    Coroutine* before = Atomic::cmpxchg(co, &_next, there);
    if (before == there) {
      co = there;
      if (there != NULL && there->_gave_way) {
        there->_displaced = true;
      }
    }
  }
  if (co != NULL) {
    push_inbox(co);
  }
}

Coroutine* RunQueue::take_next() {
  return _next != NULL ? Atomic::xchg((Coroutine*) NULL, &_next) : NULL;
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

void RunQueue::push_all(Coroutine* first) {
  while (first != NULL) {
    Coroutine* next = first->_next;
    if (!push_ring(first)) {
      CoroutineScheduler::push_global(first);
    }
    first = next;
  }
}

bool RunQueue::take_inbox(RunQueue* from) {
  Coroutine* first = from->empty_inbox();
  push_all(first);
  return first != NULL;
}

void RunQueue::inbox_to_global() {
  Coroutine* co = take_next();
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
  for (Coroutine* co = pop_ring(); co != NULL; co = pop_ring()) {
    CoroutineScheduler::push_global(co);
  }
  inbox_to_global();
}

// ---- Operations

// Whoever has given way goes on after the one that it has woken, which has been taken already, as
// a rule, and before all others, unless somebody else is woken meanwhile.
void RunQueue::push_back(Coroutine* co) {
  co->_queued_since = CoroutineEvents::queue_clock();
  co->_by_timer = false;
  co->_gave_way = true;
  push_next(co, false);
}

// Only if the one that it wakes is the next to run. Else it would be behind all others then: who
// wakes many would start one in each round of the queue; likewise if it has lost its place before
// all others to somebody, until it parks. While other carriers are idle they run who is woken.
bool RunQueue::may_give_way(Coroutine* self) const {
  return WispTimeSliceMillis > 0 && _nexts < NextMax && _switches - _gave_way_at >= GiveWayInterval &&
         !self->_greedy && !self->_displaced && CoroutineScheduler::idle_count() == 0;
}

// Whether the first of the ring would take a time slice. A hint: thieves may have taken it.
inline bool RunQueue::greedy_waits() const {
  uint head = _head;
  if (head == _tail) {
    return false;
  }
  Coroutine* co = _ring[head & _mask];
  return co->_greedy && !co->_yielded;
}

// Whether a round of the queue is short: as far as can be told without counting them there are no greedy ones.
inline bool RunQueue::gathers() const {
  return ((uint) _switches - _greedy_at) / GatherRounds >= length() && !greedy_waits() && !_slow;
}

// Not if it has come before the others in this round of the queue. If that was in another queue the
// comparison has no meaning, and hardly ever holds.
inline bool RunQueue::runs_next(const Coroutine* co) const {
  return (uint) _switches - co->_next_at >= length() || !gathers();
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
  uint room = _mask + 1 - (_tail - OrderAccess::load_acquire(&_head));
  Coroutine* co = room > 0 ? CoroutineScheduler::pop_global((int) room) : NULL;
  bool any = co != NULL;
  while (co != NULL) {
    Coroutine* next = co->_next;
    bool pushed = push_ring(co);
    assert(pushed, "only this carrier fills the ring");
    co = next;
  }
  return any;
}

// Whether _next has one more turn before the first of the ring, which would take a time slice.
bool RunQueue::may_stay() {
  if (_next == NULL || !greedy_waits()) {
    return false;
  }
  jlong now = os::javaTimeNanos();
  if (_nexts == NextMax) {
    _stays_until = now + NextNanos;
  }
  return now < _stays_until;
}

Coroutine* RunQueue::pop() {
  if (_switches % InboxInterval == 0) {
    take_inbox(this);
    take_global();
  }
  Coroutine* co = _nexts < NextMax || may_stay() ? take_next() : NULL;
  if (co != NULL) {
    _nexts++;
    return co;
  }
  _nexts = 0;
  co = pop_ring();
  if (co == NULL) {
    co = empty_inbox();
    if (co != NULL) {
      push_all(co->_next);
    } else if (take_global()) {
      co = pop_ring();
    }
  }
  return co != NULL ? co : take_next();
}

// Half of the ring, from the head: those that have waited longest. If the ring is
// empty the whole inbox, of which the victim's carrier has seen nothing yet. If that
// is empty, too, the one who would be next.
bool RunQueue::steal_from(RunQueue* victim) {
  for (;;) {
    uint head = OrderAccess::load_acquire(&victim->_head);
    uint tail = OrderAccess::load_acquire(&victim->_tail);
    uint n = tail - head;
    n = n - n / 2;
    if (n == 0) {
      break;
    }
    if (n > victim->_mask / 2 + 1) {
      continue;                        // head and tail do not belong together
    }
    uint own = _tail;
    uint room = _mask + 1 - (own - OrderAccess::load_acquire(&_head));
    n = MIN2(n, room);
    if (n == 0) {
      break;
    }
    for (uint i = 0; i < n; i++) {
      _ring[(own + i) & _mask] = victim->_ring[(head + i) & victim->_mask];
    }
    if (Atomic::cmpxchg(head + n, &victim->_head, head) == head) {
      OrderAccess::release_store(&_tail, own + n);
      count(STEALS, n);
      _woken = _woken || victim->_woken;
      return true;
    }
  }
  Coroutine* next = NULL;
  if (take_inbox(victim) || (next = victim->take_next()) != NULL) {
    if (next != NULL) {
      next->_next = NULL;
      push_all(next);
    }
    count(STEALS);
    _woken = _woken || victim->_woken;
    return true;
  }
  count(FAILED_STEALS);
  return false;
}

void RunQueue::enqueue(Coroutine* co, RunQueue* near, bool woken, bool timer, bool follows) {
  co->_queued_since = CoroutineEvents::queue_clock();
  RunQueue* queue = co->_home;
  Coroutine* self = NULL;
  bool local = false;                  // woken by a coroutine of the carrier that holds near
  bool next = false;
  bool give_way = false;
  if (WispAlwaysMigrate) {
    queue = CoroutineScheduler::next_queue(queue);
  } else {
    assert(!follows || near != NULL, "on the carrier of that queue");
    // Not to the longer queue: a peer of one thread has the packets of all connections arrive on one CPU.
    if (follows && !near->_greedy && !near->_surplus && near->length() <= queue->length()) {
      queue = near;
    }
    if (near == NULL && (woken || queue->_idle != 0 || queue->_looking || queue->_greedy)) {
      self = Coroutine::current();
      CarrierThread* carrier = self != NULL ? self->_carrier : NULL;
      near = carrier != NULL ? carrier->queue() : NULL;
      local = woken && near != NULL && !carrier->has_lost_queue();
      next = local && (near->_give_way || near->runs_next(co));
      give_way = next && (near->_give_way || near->may_give_way(self)) && !self->is_pinned() && !self->thread()->in_critical();
    }
    // Waking a sleeping CPU takes far longer than a switch, and a greedy coroutine
    // would not give way soon: stay with the waker.
    bool naps = woken && queue->_napping && (self == NULL || local);   // else it ends its nap, below
    if (near != NULL && (queue->_idle != 0 || queue->_looking || queue->_greedy || give_way || naps)) {
      queue = near;
    }
    next = timer || (next && queue == near);
  }
  RunQueue* active = CoroutineScheduler::active(queue);
  if (!active->_woken) {
    active->_woken = true;
  }
  if (next && active == queue) {       // both are full fences; partner: idle() and rest() of the scheduler
    co->_by_timer = timer;
    co->_gave_way = false;
    if (!timer) {
      co->_next_at = (uint) active->_switches;
    }
    active->push_next(co, timer || give_way);
  } else {
    active->push_inbox(co);
  }
  CoroutineScheduler::pushed(active);
  if (woken && active->_napping) {
    CoroutineScheduler::end_nap(active);
  }
  // A waker that is greedy itself gives way at once.
  if (self != NULL && (self->_greedy || give_way) && active == near) {
    if (give_way) {
      near->_give_way = false;
      near->_gave_way_at = near->_switches;
      self->_gives_way = true;
    }
    self->_yielded = true;
    CoroutineSysmon::arm_preemption(self);
  }
}
