/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// How a RUNNABLE coroutine gets into a queue, in four steps; the first comment of runQueue.hpp says why it is done so:
//   1. choose_queue(): its home, or the queue of its waker, and whether it comes before all others there. What a waker on that
//      queue's carrier has to do with it is decided by choose_beside().
//   2. insert(): a full fence, whose partners are idle() and rest() of the scheduler. From here on others may run it, and only
//      hints of it may be read.
//   3. Carriers that are idle, or nap, are woken, and sysmon is told of one that waits beside a computation.
//   4. The waker gives way, at its next poll, or behind the unlock in interpreted code.

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/runQueue.hpp"

// What is known of one that is queued, and what has been decided so far.
struct RunQueue::Placement {
  Coroutine* const _co;
  RunQueue*        _near;              // to prefer: the caller's choice, or of the carrier of who wakes it; NULL: there is none, or nobody has asked
  RunQueue*        _queue;             // where it goes
  Coroutine*       _self;              // who wakes or starts it; NULL: no coroutine, or nobody has asked
  Claim            _claim;
  const bool       _woken;
  const bool       _is_new;            // read before others may run it
  bool             _local;             // woken by a coroutine of the carrier that holds _near
  bool             _next;              // it comes before all others
  bool             _give_way;          // its waker gives way to it,
  bool             _slice;             // as somebody does once in a time slice,
  bool             _second_try;        // or as it owes that one a second try,
  bool             _at_once;           // or as one does of so many who would not
  bool             _sent;              // to a carrier that has nothing to do

  Placement(Coroutine* co, RunQueue* near, bool woken, Claim claim) :
    _co(co), _near(near), _queue(co->_home), _self(NULL), _claim(claim), _woken(woken), _is_new(co->_active == 0), _local(false), _next(false),
    _give_way(false), _slice(false), _second_try(false), _at_once(false), _sent(false) {}
};

// Only if the one that it wakes is the next to run. Else it would be behind all others then: who
// wakes many would start one in each round of the queue; likewise if it has lost its place before
// all others to somebody, until it parks. Nor if it has put another one there in this turn. While other
// carriers are idle they run who is woken. And only to one that it could shut out, as far as is known, and to one that
// wakes it in turn.
bool RunQueue::may_give_way(Coroutine* self, Coroutine* co) const {
  if (WispTimeSliceMillis <= 0 || _nexts >= NextMax || _switches - _gave_way_at < GiveWayInterval ||
      self->_greedy || self->_displaced || CoroutineScheduler::idle_count() != 0 ||
      (_next_at == _switches && _next != NULL)) {
    return false;
  }
  return self->was_woken_by(co) || self->has_waited_for(co);
}

// Not if it has had a turn in this round of the queue, in which the greedy ones have no part. If that was in
// another queue the comparison has no meaning, and hardly ever holds.
inline bool RunQueue::runs_next(const Coroutine* co) const {
  return (uint) _switches - co->_ran_at >= others() || _slow;
}

// By a coroutine that wakes one, on the carrier of _near.
inline void RunQueue::choose_beside(Placement* p) {
  Coroutine* const co = p->_co;
  Coroutine* const self = p->_self;
  RunQueue* const near = p->_near;
  const bool leaves = !self->is_pinned() && !self->thread()->in_critical() && !co->waits_for_descriptor();
  const bool refuses = leaves && WispTimeSliceMillis > 0;    // unless it gives way
  const bool free_home = p->_queue != near && CoroutineScheduler::wants_work(p->_queue);
  // Two that wake each other do not use up what is there once in a time slice: it would always be they. But two that
  // wait for the same thing may, or if nobody knows for what: they may be the ones whom it is for.
  p->_slice = leaves && !free_home && near->_give_way && (!self->was_woken_by(co) || self->has_waited_for(co));
  p->_second_try = refuses && self->owes(co);
  const bool gives_way_anyway = p->_slice || p->_second_try;
  const bool refuses_too_often = refuses && near->_refusals + 1 >= near->_refusals_limit;
  RunQueue* free = NULL;
  if (!gives_way_anyway && !refuses_too_often && !self->_greedy && CoroutineScheduler::may_have_free_queue() && self->is_sender(co)) {
    free = CoroutineScheduler::free_queue(p->_queue, near, self);
  }
  p->_next = free == NULL && (gives_way_anyway || near->runs_next(co));
  p->_give_way = p->_next && leaves && (gives_way_anyway || (!free_home && near->may_give_way(self, co)));
  if (p->_second_try) {
    near->_refusals = 0;
    near->_refusals_limit = RefusalsMin;
  } else if (!p->_give_way && refuses && ++near->_refusals >= near->_refusals_limit) {
    p->_next = p->_give_way = true;
    near->_refusals = 0;
    p->_at_once = true;
  }
  if (p->_give_way && !p->_second_try) {
    self->will_owe(co);
  }
  self->has_woken(co);
  self->count_wake(p->_give_way);
  p->_sent = free != NULL;
  p->_queue = free != NULL ? free : p->_queue;
  co->_sent = p->_sent;
}

inline void RunQueue::choose_queue(Placement* p, bool follows) {
  assert(!follows || p->_near != NULL, "on the carrier of that queue");
  // Not to the longer queue: a peer of one thread has the packets of all connections arrive on one CPU.
  if (follows && (!p->_near->_greedy || p->_near->_idle != 0) && !p->_near->_surplus && p->_near->length() <= p->_queue->length()) {
    p->_queue = p->_near;
  }
  if (p->_near == NULL && (p->_woken || p->_queue->is_served_late())) {
    p->_self = Coroutine::current();
    CarrierThread* carrier = p->_self != NULL ? p->_self->_carrier : NULL;
    p->_near = carrier != NULL && !p->_self->_bound ? carrier->queue() : NULL;
    p->_local = p->_woken && p->_near != NULL && !carrier->has_lost_queue();
    if (p->_local) {
      choose_beside(p);
    }
  }
  // Waking a sleeping CPU takes far longer than a switch, and a greedy coroutine
  // would not give way soon: stay with the waker.
  const bool naps = p->_woken && p->_queue->_napping && (p->_self == NULL || p->_local);   // else it ends its nap, after the push
  if (p->_near != NULL && !p->_sent && (p->_queue->is_served_late() || p->_give_way || naps)) {
    p->_queue = p->_near;
  }
  p->_next = p->_claim != NO_CLAIM || (p->_next && p->_queue == p->_near);
  p->_claim = p->_claim == NO_CLAIM && p->_give_way ? GIVEN_WAY : p->_claim;
}

// One that computes leaves who is woken to a carrier that is idle, as kernel threads would be on two CPUs. But once in a millisecond it gives way
// to one that it could shut out: who comes from another carrier finds taken what it was woken for.
inline bool RunQueue::leaves_to_idle(const Placement* p) {
  Coroutine* self = p->_self;
  if (self == NULL || !self->_greedy || p->_give_way || p->_is_new || this != p->_near || CoroutineScheduler::idle_count() == 0) {
    return false;
  }
  jlong now = os::javaTimeNanos();
  if (now - _left_at < BesideNanos || !self->has_waited_for(p->_co)) {
    return true;
  }
  _left_at = now;
  return false;
}

// Both pushes are full fences; partner: idle() and rest() of the scheduler.
inline void RunQueue::insert(Placement* p) {
  if (!p->_next || this != p->_queue) {
    push_inbox(p->_co);
    return;
  }
  assert(!p->_local || this == p->_near, "else it does not come before others");
  p->_co->_gave_way = false;
  const bool taken = push_next(p->_co, p->_claim);
  if (p->_give_way && !taken) {
    p->_give_way = false;
    p->_self->_owes = p->_second_try ? p->_self->_owes : NULL;   // it has not tried yet
    p->_near->_refusals = p->_near->_refusals_limit;
  } else if (p->_at_once) {
    p->_near->_refusals_limit = MIN2(p->_near->_refusals_limit * 2, (uint) RefusalsMax);
  }
  if (taken && p->_local && !p->_give_way) {
    p->_near->_next_at = p->_near->_switches;
  }
}

// Whether it waits beside a greedy one that does not see to the queue soon, or a heavy one, which does not give way by itself. After the push.
inline bool RunQueue::waits_beside(const Placement* p) {
  if (!_greedy && !(_heavy && is_light(p->_co))) {
    return false;
  }
  const Coroutine* self = p->_self;
  bool beside = this != p->_near || (self != NULL && (self->_carrier->has_lost_queue() || self->is_pinned() || self->thread()->in_critical()));
  if (_heavy) {
    _light_came = true;
    beside = beside || (self != NULL && !p->_give_way);
  }
  return beside;
}

void RunQueue::enqueue(Coroutine* co, RunQueue* near, bool woken, Claim claim, bool follows) {
  co->_queued_since = CoroutineEvents::queue_clock();
  Placement p(co, near, woken, claim);
  if (WispAlwaysMigrate) {
    p._queue = CoroutineScheduler::next_queue(p._queue);
  } else {
    choose_queue(&p, follows);
  }
  RunQueue* active = CoroutineScheduler::active(p._queue);
  const bool left = active->leaves_to_idle(&p);
  active->insert(&p);
  const bool beside = active->waits_beside(&p);
  const bool woke = CoroutineScheduler::pushed(active);

  Coroutine* const self = p._self;
  const bool lets_greedy_go_on = p._is_new && self != NULL && self->_greedy && active == p._near;   // its starter
  if (beside || lets_greedy_go_on) {   // one that has been started just now may wait for a moment, so that its starter goes on
    CoroutineSysmon::look_by(p._is_new ? os::javaTimeNanos() + BesideNanos : (jlong) 0);
  }
  if (woken && active->_napping) {
    CoroutineScheduler::end_nap(active);
  }
  if (left) {
    if (!woke) {
      CoroutineScheduler::help_computing();
    }
    CoroutineSysmon::look_by(os::javaTimeNanos() + BesideNanos);   // the other carrier may run somebody else
    return;
  }
  // A waker that is greedy itself gives way at once. Not to one that somebody else comes before, behind whom it would be again: the next
  // one to whom nobody gives way runs at once then. Nor to one that it has started.
  if (self != NULL && ((self->_greedy && !lets_greedy_go_on) || p._give_way) && active == p._near) {
    if (p._give_way) {
      if (!woke && self->goes_on_long()) {
        CoroutineScheduler::help_computing(true);   // an idle carrier, if there is one, runs the waker meanwhile
      }
      if (p._slice) {
        active->_give_way = false;
      }
      active->_nexts = 0;              // it runs next, whoever ran before all others just now
      active->_gave_way_at = active->_switches;
      self->_gives_way = true;
    }
    self->_yielded = true;
    CoroutineSysmon::arm_preemption(self);
  }
}
