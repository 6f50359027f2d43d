/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// What sysmon does in one look, for each queue (look_at()); coroutineSysmon.hpp says what for. In this order, where a stage may be the last one
// for a queue:
//   1. see_mounted(): who is mounted, and whether it is in native code, blocks or polls;
//   2. see_to_timers(), those that its carrier does not come to;
//   3. look_at_free(): a queue without a carrier waits for a spare, and its coroutines do not wait with it;
//   4. look_at_fresh(): somebody else is mounted than in the look before. Only short slices may be over;
//   5. look_at_staying(): the same one. It may sleep for a page, not come to its poll, or have been looked at just now;
//   6. look_at_lone(): nobody waits in this queue, but in another one perhaps;
//   7. end_stay(): who waits behind somebody that stays gets the CPU, or the queue gets another carrier.
// The counts, statuses and flags of queue, carrier and coroutine change meanwhile, and are hints, unless the comment at a load says what it pairs
// with. What is done because of them is safe at any time: an armed poll is looked at by who is mounted, and retake() wins or loses a CAS.

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/thread.inline.hpp"

// What a look knows of all queues.
struct CoroutineSysmon::Look {
  const jlong _now;
  const jlong _since_last;             // ns since the look before
  const jlong _slice;                  // a time slice in ns, 0: there are none
  const bool  _stopped;                // a safepoint has stopped everybody, or is about to
  bool        _waiting;                // somebody waits for what this look, or the next one, does: there is something to watch
  bool        _helped;                 // a carrier comes that had none of these queues
  int         _share;                  // so many more may take from the fullest queue, -1: not known yet

  Look(jlong now, jlong since_last, bool stopped) :
    _now(now), _since_last(since_last), _slice(WispTimeSliceMillis * (jlong) NANOSECS_PER_MILLISEC), _stopped(stopped), _waiting(false),
    _helped(false), _share(-1) {}
};

// What it knows of one.
struct CoroutineSysmon::View {
  RunQueue* const      _queue;
  CarrierThread* const _carrier;       // NULL: waits for one
  const bool           _early;         // it has been looked at just now: that the same one is mounted says nothing
  const bool           _stays;         // the same one as in the look before is
  Coroutine*           _current;       // who is mounted, NULL: nobody
  bool                 _computes;      // that one is greedy or heavy
  bool                 _in_native;
  bool                 _called;        // so, in a call that is taken to block, and is not timed therefore
  bool                 _blocks;        // it may keep others waiting, in its native code or for a page
  bool                 _polled;        // it runs while others of its queue look for something again and again

  View(RunQueue* queue, CarrierThread* carrier, bool early) :
    _queue(queue), _carrier(carrier), _early(early),
    _stays(carrier != NULL && carrier->_status == CarrierThread::MOUNTED && queue->switches() == carrier->_seen_switches && !early),
    _current(NULL), _computes(false), _in_native(false), _called(false), _blocks(false), _polled(false) {}
};

void CoroutineSysmon::ask(CarrierThread* carrier, Coroutine* co, jlong now) {
  _found_at = now;
  carrier->_asked_at = now;
  carrier->_asked_clock = carrier->clock();
  co->_gives_way = false;              // it has used up its slice, whatever it has asked for
  co->_yielded = false;
  request_preemption(co);
}

// Somebody waits for whom it was interrupted just now. Not the time of the look, as sysmon may have had to wait for a CPU since that.
inline void CoroutineSysmon::expect_answer(CarrierThread* carrier) {
  carrier->_interrupted_stay = carrier->_seen_switches;
  carrier->_interrupted_at = os::javaTimeNanos();
  if (carrier->_interrupted_at < _unanswered_until) {
    _answer = MIN2(_answer, carrier->_interrupted_at + AnswerNanos);
  }
}

// Whether the queue is slow. Not if nobody waited when the time began, or if all were stopped meanwhile.
void CoroutineSysmon::measure_round(RunQueue* queue, jlong now) {
  jlong switches = queue->switches();
  uint length = queue->others();
  // Of those who have waited for each other all the time. A mean: short turns between long ones do not end it.
  jlong turns = switches - queue->_measured;
  jlong elapsed = now - queue->_measured_at;
  bool measured = elapsed < MeasuredMax && MIN2(length, queue->_measured_length) >= 2;
  bool long_turns = measured && turns * (queue->_long_turns ? (jlong) LongTurnNanos / 5 : (jlong) LongTurnNanos) <= elapsed;
  if (queue->_long_turns != long_turns && (!measured || _stopped_at < queue->_measured_at)) {
    queue->_long_turns = long_turns;
  }
  bool slow = switches - queue->_measured < (jlong) MIN2(length, queue->_measured_length) && _stopped_at < queue->_measured_at;
  if (queue->_slow != slow) {
    queue->_slow = slow;
  }
  queue->_measured = switches;
  queue->_measured_length = length;
  queue->_measured_at = now;
}

// Once in a slice whoever runs gives way to those that wait, though he has not run for long. Timers are fired, and others run, when
// somebody waits. So one that releases a lock for a moment, and waits only while he has it, would have it each time that those look who
// sleep when they cannot take it: they would be as late as he is, each time, and never get it. The kernel's timers interrupt him.
// Those who poll are looked at more often, as such an owner may have it for ever otherwise; keep_polled() asks for the first look.
// Not one that has neither waited nor yielded since it was asked last: he would never be found to use up a slice, and come before those that are.
// If there have been few turns since the look before this one is likely to be long, and is interrupted as soon as somebody wakes up from then on.
void CoroutineSysmon::interrupt(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now) {
  queue->timers()->fire(now, NULL);
  if (queue->length() > 0) {
    // Not known if the carrier has been idle since then, or had another queue.
    bool known = queue->_idled_at < carrier->_seen_switches && queue->_free_since <= carrier->_seen_since;
    if (known && (queue->switches() - carrier->_seen_switches + 1) * (jlong) ShortTickNanos <= ran_for(carrier->_seen_since, now)) {
      co->_heavy = Coroutine::HeavyParks;
    }
    co->_cut_nanos = 0;
    co->_gives_way = co->_was_asked = true;
    request_preemption(co);
  }
}

// Since that time, but for pauses of the VM.
jlong CoroutineSysmon::ran_for(jlong since, jlong now) {
  return now - MAX3(since, _stopped_at, _paused_at);
}

// From one look to another one. It may do so again, and now. The carrier writes the queue's flag at its next switch, perhaps at this moment.
inline void CoroutineSysmon::found_to_stay(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now) {
  if (co == NULL || co->_heavy != 0 || co->_greedy || ran_for(carrier->_seen_since, now) < ShortTickNanos) {
    return;
  }
  if (is_in(_thread_in_Java, co) || is_in(_thread_in_vm, co) ||
      (computes_in_native(co) && share_of_cpu(carrier, carrier->_seen_switches, now, ShortTickNanos / 2) == MUCH)) {
    co->_heavy = Coroutine::HeavyParks;
    queue->_light_came = queue->_heavy = true;
  }
}

// It does so in native code, while others wait in the queue, which may have what it waits for.
// The kernel is asked about it once early; if it does not sleep then, its time is that of any other. Or it is one that has waited for memory.
bool CoroutineSysmon::is_quick(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now) {
  if (queue->length() == 0 || CoroutineScheduler::idle_count() > 0 || now == _stopped_at) {
    return false;
  }
  return is_in(_thread_in_native, co) ? carrier->_probed_for != carrier->_seen_switches && blocked_lately(queue, co, now)
                                      : may_fault(queue, co, now);
}

// Who only yields need not be early.
inline bool CoroutineSysmon::others_yield(RunQueue* queue) {
  return queue->_only_yielded && queue->_inbox == NULL && queue->_next == NULL;
}

jlong CoroutineSysmon::greedy_slice(RunQueue* queue, jlong since, jlong early) {
  if (others_yield(queue)) {
    return GreedyNanos;
  }
  return MIN2(MAX3(queue->_others_took, early - since, (jlong) EarlyRunNanos), (jlong) GreedyNanos);
}

// Ends of whole slices of many queues would be as many looks as these, each an early one for who waits now and then.
inline jlong CoroutineSysmon::slice_end(RunQueue* queue, jlong since, jlong slice) {
  jlong end = since + slice;
  return slice >= GreedyNanos && CoroutineScheduler::active_count() > ExactQueues && others_yield(queue) ?
         (end + LookNanos - 1) / LookNanos * LookNanos : end;
}

jlong CoroutineSysmon::greedy_slice_end(RunQueue* queue, jlong since) {
  return slice_end(queue, since, greedy_slice(queue, since, _early));
}

inline bool CoroutineSysmon::is_interruptible(RunQueue* queue, const Coroutine* co) {
  return co->_greedy || ((queue->_light_came || queue->_light_waits) && co->is_heavy());
}

// One that was asked already, and is in native code or does not leave, has a whole one, and so has one that has yielded, who would not be
// found to compute otherwise. An early look is one for all that it finds.
inline jlong CoroutineSysmon::greedy_slice_now(RunQueue* queue, jlong since, const Coroutine* co) {
  bool whole = co->_preempt || !(is_in(_thread_in_Java, co) || computes_in_native(co)) || co->is_pinned();
  jlong early = _is_early ? since : _early;
  if (co->_greedy) {
    return whole || !co->computes() ? (jlong) GreedyNanos : greedy_slice(queue, since, early);
  }
  return whole ? full_slice(co) : MIN2(queue->_light_came ? MAX2(early - since, (jlong) EarlyRunNanos) : (jlong) RivalNanos, full_slice(co));
}

// While no others wait, or of one that is not greedy.
inline jlong CoroutineSysmon::full_slice(const Coroutine* co) {
  jlong slice = WispTimeSliceMillis * (jlong) NANOSECS_PER_MILLISEC;
  return co->_greedy || co->_was_greedy ? MIN2(slice, (jlong) RivalNanos) : slice;
}

// A heavy one is interrupted: with its turns since it has parked or yielded.
inline bool CoroutineSysmon::uses_up_slice(Coroutine* co, jlong mounted_for, jlong full) {
  if (co->_greedy) {
    return false;
  }
  co->_cut_nanos = mounted_for + (co->_was_asked ? co->_cut_nanos : 0);
  co->_was_asked = true;
  if (mounted_for >= SeenNanos) {      // its parks since are those that others have caused by that, perhaps
    co->_heavy = Coroutine::HeavyParks;
  }
  return co->_cut_nanos >= full;
}

// Of those who compute alone so many give way in a look to those that wait in another queue, of whom their carriers take some then
// (CoroutineScheduler::take_share()). Most of any others would find nobody any more.
int CoroutineSysmon::sharers() {
  uint crowd = 0;
  if (CoroutineScheduler::idle_count() == 0) {
    CoroutineScheduler::queue_to_share(0, &crowd);
  }
  return (int) crowd / CoroutineScheduler::HelpCrowd;
}

// When somebody greedy, beside whom nobody waits, should make room for such, or max_jlong.
inline jlong CoroutineSysmon::lone_slice_end(RunQueue* queue, const CarrierThread* carrier, const Coroutine* co, int* share) {
  if (co == NULL || !co->_greedy || WispTimeSliceMillis == 0 || co->is_pinned() || queue->length() > 0) {
    return max_jlong;
  }
  *share = *share < 0 ? sharers() : *share;
  return *share > 0 ? carrier->_seen_since + (jlong) GreedyNanos : max_jlong;
}

// Who yields is queued without a wake-up for those that are idle, as a few that have short turns are faster on one carrier. If each computes for
// some time it is not so: true if that was found in two looks in a row.
inline bool CoroutineSysmon::takes_long_turns(const RunQueue* queue, CarrierThread* carrier, bool stopped, jlong now) {
  const jlong turns = queue->switches() - carrier->_seen_switches;
  const bool before = carrier->_seen_long_turns;
  carrier->_seen_long_turns = turns > 0 && turns * (jlong) LongTurnNanos <= now - carrier->_seen_since && queue->length() > 0 &&
                              CoroutineScheduler::idle_count() > 0 && !stopped && _paused_at <= carrier->_seen_since;
  return before && carrier->_seen_long_turns;
}

// ---- The stages

void CoroutineSysmon::see_mounted(const Look* look, View* view) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  const jlong now = look->_now;
  view->_computes = carrier != NULL && queue->stays_long() && !queue->is_idle();   // partner: RunQueue::mounts_greedy()
  Coroutine* co = carrier != NULL && carrier->_status == CarrierThread::MOUNTED ? carrier->mounted() : NULL;
  view->_current = co;
  if (view->_stays && !look->_stopped && look->_slice > 0) {
    found_to_stay(queue, carrier, co, now);
  }
  view->_in_native = is_in(_thread_in_native, co);
  // Those that wait in the queue, or sleep, may have what it waits for.
  view->_blocks = view->_in_native ? blocked_lately(queue, co, now) : may_fault(queue, co, now);
  _blocked = _blocked || view->_blocks;
  view->_called = view->_in_native && co->_call_began == 1;   // partner: keep_watch()
  if (view->_called && CoroutineScheduler::nobody_sees_events()) {
    if (view->_stays) {
      CoroutineScheduler::wake_one();    // a call that takes so long is worth it
    } else {
      _due = MIN2(_due, now + CoroutineScheduler::WatchNanos);
    }
  }
  if (now < queue->_polled_until && !look->_stopped) {   // partners: Coroutine::wait_in_native(), keep_polled()
    view->_polled = co != NULL;
    queue->_polled_in_vain = view->_polled ? 0 : MIN2(queue->_polled_in_vain + 1, (uint) RunQueue::PolledInVainMax);
  }
}

// Whether timers were fired. A carrier that switches comes to its timers itself; one that has not since the last look may not soon. A carrier that
// is idle takes those who poll, so that they do not always wait for the same turns.
bool CoroutineSysmon::see_to_timers(const Look* look, const View* view, bool interrupts) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  Coroutine* co = view->_current;
  const jlong now = look->_now;
  const bool computes = view->_computes;
  RunQueue* idle = view->_polled ? CoroutineScheduler::idle_queue(true) : NULL;
  int fired = 0;
  jlong deadline = queue->timers()->next_deadline();
  if ((interrupts || (look->_slice > 0 && view->_polled && idle == NULL)) && !computes && is_in(_thread_in_Java, co) && !co->_was_asked) {
    interrupt(queue, carrier, co, now);
  } else if (deadline <= (view->_stays || computes || view->_in_native || view->_polled || carrier == NULL ? now : now - _tick_nanos)) {
    bool late = view->_stays || computes || view->_blocks || deadline <= now - _tick_nanos;
    fired = queue->timers()->fire(now, idle != NULL ? idle : computes ? queue : NULL, idle != NULL);   // what is to be done here is done below
    _found_at = fired > 0 && late ? now : _found_at;
  }
  jlong next = queue->timers()->next_deadline();
  const bool in_vm = view->_stays && !look->_stopped && is_in(_thread_blocked, co);
  if (computes || view->_blocks || view->_called || in_vm || carrier == NULL ||
      (view->_in_native && (view->_stays || !view->_polled))) {   // partner: keep_watch(), and TimerHeap::add()
    _due = MIN2(_due, next);
  } else if (view->_polled) {
    _due = MIN2(_due, MAX2(next, now + ShortTickNanos));
    if (next < now + LookNanos && now - queue->_polled_since < ShortTickNanos &&
        (_again != max_jlong || may_look_early(now))) {
      _again = MIN2(_again, MAX2(next, now + AgainLookNanos));
    }
  }
  if (view->_blocks || (computes && queue->length() > 0)) {
    _found_at = now;
  }
  return fired > 0;
}

// Waits for a spare. Others run what has waited here for a tick.
void CoroutineSysmon::look_at_free(Look* look, RunQueue* queue) {
  if (queue->length() > 0) {
    look->_waiting = true;
    _found_at = look->_now;
    if (queue->_free_since + _tick_nanos <= look->_now) {
      queue->empty();
    }
  }
}

// True: somebody has used up a short slice all the same.
bool CoroutineSysmon::look_at_fresh(Look* look, const View* view, bool fired) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  const jlong now = look->_now;
  // It has been woken, and waits for its CPU, perhaps. Who is idle may take what waits.
  if (!look->_stopped && queue->switches() == carrier->_seen_switches && queue->length() > 0) {
    if (carrier->_seen_waiting) {
      look->_waiting = true;
      carrier->wake_again();
    }
    _soon = carrier->_seen_waiting = true;
  } else {
    carrier->_seen_waiting = false;
  }
  const jlong seen = carrier->_seen_since;
  look->_waiting = takes_long_turns(queue, carrier, look->_stopped, now) || look->_waiting;
  carrier->_seen_switches = queue->switches();
  carrier->_seen_since = now;
  look->_waiting = look->_waiting || (fired && view->_in_native);   // whoever is idle helps
  Coroutine* co = carrier->mounted();
  if (computes_in_native(co) && queue->length() > 0 && co->_heavy == 0 && !co->_greedy) {
    share_of_cpu(carrier, carrier->_seen_switches, now, 0);   // partner: found_to_stay()
  }
  if (may_fault(queue, co, now) && hand_off_faulting(queue, carrier, co, now)) {
    look->_waiting = look->_helped = true;
    return false;
  }
  _quick = _quick || is_quick(queue, carrier, co, now);
  if (co == NULL || !is_interruptible(queue, co) || queue->length() == 0) {
    _due = MIN2(_due, lone_slice_end(queue, carrier, co, &look->_share));
    return false;
  }
  const bool beside = queue->others() > 0;
  // Its short slice may be over already. Not if somebody else is mounted meanwhile. The time is that of the one that is
  // mounted if the status is read first; partner: end_switch(), which releases what mounts_greedy() has written.
  bool mounted = OrderAccess::load_acquire(&carrier->_status) == CarrierThread::MOUNTED;
  jlong since = queue->_greedy ? queue->_greedy_since : queue->_heavy ? MAX2((jlong) queue->_heavy_since, seen) : now;
  jlong short_slice = beside ? greedy_slice_now(queue, since, co) : full_slice(co);
  if (!mounted || now - since < short_slice || queue->switches() != carrier->_seen_switches) {
    if (mounted && queue->switches() == carrier->_seen_switches) {
      carrier->_seen_since = since;
    }
    _due = beside ? MIN2(_due, slice_end(queue, since, short_slice)) : _due;
    return false;
  }
  carrier->_seen_since = since;
  return true;
}

// A thread that a safepoint has stopped looks blocked, and uses up no time slice.
void CoroutineSysmon::look_at_stopped(const Look* look, const View* view) {
  CarrierThread* carrier = view->_carrier;
  if (!view->_in_native) {
    carrier->_seen_since = MIN2(carrier->_seen_since + look->_since_last, look->_now);
  }
  _soon = _soon || view->_queue->others() > 0;
}

// True: there is more to do about it.
bool CoroutineSysmon::look_at_staying(Look* look, const View* view, Coroutine* co) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  const jlong now = look->_now;
  if (co != NULL && hand_off_faulting(queue, carrier, co, now)) {
    look->_waiting = look->_helped = true;
    return false;
  }
  if (co != NULL && is_interruptible(queue, co) && queue->others() > 0 && does_not_leave(carrier, co)) {
    look->_waiting = true;             // who is idle helps
    _found_at = now;
    JavaThread* thread = co->thread();
    if (thread != NULL) {
      arm_preemption(co);              // the end of a safepoint, or of a handshake, may have disarmed it
    }
    if (thread != NULL && may_lose_queue() && queue->switches() == carrier->_seen_switches && take(queue, carrier, co, thread, now)) {
      look->_helped = true;
      return false;
    }
  }
  if (view->_early && !is_quick(queue, carrier, co, now)) {
    bool beside = co != NULL && is_interruptible(queue, co) && queue->others() > 0;
    jlong short_slice = beside ? greedy_slice_now(queue, carrier->_seen_since, co) : 0;
    if (!beside || now - carrier->_seen_since < short_slice) {
      _due = MIN2(_due, beside ? slice_end(queue, carrier->_seen_since, short_slice) : lone_slice_end(queue, carrier, co, &look->_share));
      _soon = _soon || (queue->length() > 0 && now - queue->_handed_at < AgainNanos);
      return false;
    }
  }
  return true;
}

// Who computes makes room for those that wait elsewhere. True: whoever is mounted is stuck, and its carrier does not take them. Once in a look:
// the carrier that comes may be enough.
bool CoroutineSysmon::look_at_lone(Look* look, const View* view, Coroutine* co) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  JavaThread* thread = co != NULL ? co->thread() : NULL;
  const jlong now = look->_now;
  bool may_ask = is_in(_thread_in_Java, co) && look->_slice > 0 && !co->is_pinned() && !thread->is_ext_suspended();
  if (may_ask && queue->is_surplus()) {
    ask(carrier, co, now);             // nobody waits here, but its carrier is one too many
  } else if (may_ask && now - carrier->_seen_since >= (co->_greedy ? (jlong) GreedyNanos : full_slice(co))) {
    look->_share = look->_share < 0 ? sharers() : look->_share;
    if (look->_share > 0) {
      look->_share--;
      carrier->_seen_since = now;
      ask(carrier, co, now);
    }
  } else if (may_ask) {
    _due = MIN2(_due, lone_slice_end(queue, carrier, co, &look->_share));
  }
  bool stuck = thread != NULL && (is_in(_thread_in_native, co) || is_in(_thread_blocked, co) || thread->is_ext_suspended());
  return stuck && !look->_helped && CoroutineScheduler::idle_count() <= 0 && CoroutineScheduler::may_have_spare() &&
         CoroutineScheduler::is_queued_behind_busy();
}

// It is in native code, blocked, suspended or has a pin: the queue gets another carrier, when it has been so for long enough. While one is idle
// that takes what waits here, without a spare.
void CoroutineSysmon::look_at_stuck(Look* look, const View* view, Coroutine* co, JavaThread* thread, JavaThreadState state, bool slice_over) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  const jlong now = look->_now;
  bool again = now - queue->_handed_at < AgainNanos;
  _soon = _soon || again;
  bool quick = is_quick(queue, carrier, co, now);
  _quick = _quick || quick;
  jlong kept_for = MIN2(now - carrier->_seen_since, now - _stopped_at);
  bool due = kept_for >= (quick ? QuickNanos : again ? ShortTickNanos : HandOffNanos) && CoroutineScheduler::idle_count() == 0;
  if (due && quick && kept_for < ShortTickNanos) {   // or its carrier waits for a CPU
    due = probe(carrier, carrier->_seen_switches) == BLOCKS && queue->switches() == carrier->_seen_switches;
  } else if (state == _thread_in_native && look->_slice > 0 && (due || slice_over)) {
    due = must_hand_off(queue, carrier, co, slice_over, now) && due;
  } else if (due && state == _thread_blocked && kept_for < AskedNanos) {
    due = probe(carrier, carrier->_seen_switches) == BLOCKS;   // or has been woken, by the end of a safepoint perhaps
  }
  if (due || WispAlwaysHandOff) {
    look->_helped = hand_off(queue, carrier, thread, now) || look->_helped;
  }
}

// A thread that waits most of the time must not wait a whole slice of each one that computes, each time it is woken. The kernel preempts for
// those that wake.
void CoroutineSysmon::end_stay(Look* look, const View* view, Coroutine* co, JavaThread* thread) {
  RunQueue* queue = view->_queue;
  CarrierThread* carrier = view->_carrier;
  const jlong now = look->_now;
  const bool beside = is_interruptible(queue, co) && queue->others() > 0;
  const jlong mounted_for = now - carrier->_seen_since;
  const jlong full = beside && co->_greedy ? MIN2(look->_slice, (jlong) GreedyNanos) : full_slice(co);
  const jlong short_slice = beside ? greedy_slice_now(queue, carrier->_seen_since, co) : 0;
  if (beside) {
    _soon = true;
    jlong end = mounted_for < short_slice ? short_slice : full;
    _due = mounted_for < end ? MIN2(_due, slice_end(queue, carrier->_seen_since, end)) : _due;
  }
  const bool slice_over = look->_slice > 0 && mounted_for >= (beside ? MIN2(full, short_slice) : full);
  const JavaThreadState state = thread->thread_state();
  // A thread that is suspended at a poll waits in the state that it had before; one with a pin does not leave.
  // In native code it may soon, or loses its queue. One that has been there for as long as others have to sleep there may do so.
  bool leaves = state != _thread_in_native ||
                (beside && slice_over && !co->_preempt && computes_in_native(co) &&
                 (mounted_for < HandOffNanos || probe(carrier, carrier->_seen_switches) != BLOCKS));
  if (!leaves || state == _thread_blocked || thread->is_ext_suspended() || (co->is_pinned() && slice_over)) {
    look_at_stuck(look, view, co, thread, state, slice_over);
  } else if (slice_over && beside && mounted_for < full && !uses_up_slice(co, MIN2(mounted_for, ran_for(0, now)), full)) {
    if (mounted_for < GreedyNanos) {
      is_early(now);
    }
    co->_gives_way = true;
    request_preemption(co);
    expect_answer(carrier);
  } else if (slice_over) {
    carrier->_seen_since = now;
    ask(carrier, co, now);
    if (beside) {
      expect_answer(carrier);
    }
  }
}

void CoroutineSysmon::look_at(Look* look, RunQueue* queue) {
  CarrierThread* carrier = queue->carrier();
  const jlong now = look->_now;
  // Not if the look before was just now, for those who poll.
  View view(queue, carrier, carrier != NULL && now - carrier->_seen_since < MIN2((jlong) SeenNanos, _tick_nanos / 2));
  bool interrupts = false;
  if (look->_slice > 0 && !view._stays && queue->_next_give_way <= now) {   // who stays is preempted, and greedy
    queue->_next_give_way = now + look->_slice;
    queue->_give_way = true;
    interrupts = !look->_stopped && CoroutineScheduler::idle_count() == 0;
  }
  if (now - queue->_measured_at >= SlowNanos) {
    measure_round(queue, now);
  }
  see_mounted(look, &view);
  const bool fired = see_to_timers(look, &view, interrupts);
  if (carrier == NULL) {
    look_at_free(look, queue);
    return;
  }
  const bool fresh = queue->switches() != carrier->_seen_switches || carrier->_status != CarrierThread::MOUNTED;
  if (fresh && !look_at_fresh(look, &view, fired)) {
    return;
  }
  if (look->_stopped) {
    look_at_stopped(look, &view);
    return;
  }
  Coroutine* co = carrier->mounted();
  if (!fresh && !look_at_staying(look, &view, co)) {
    return;
  }
  if (fresh && (co == NULL || !is_interruptible(queue, co) || queue->switches() != carrier->_seen_switches)) {
    carrier->_seen_since = now;        // it has gone, or ceased to be interruptible
    return;
  }
  if (queue->length() == 0 && CoroutineScheduler::_global_size == 0 && !look_at_lone(look, &view, co)) {
    return;
  }
  look->_waiting = true;
  _found_at = now;
  JavaThread* thread = co != NULL ? co->thread() : NULL;
  if (thread != NULL) {
    end_stay(look, &view, co, thread);
  }
}

// True: there is something to watch.
bool CoroutineSysmon::look(jlong now) {
  int safepoints = SafepointSynchronize::safepoint_counter();
  if (_look_safepoints != safepoints) {
    _look_safepoints = safepoints;
    _paused_at = now;
  }
  Look look(now, now - _last_look, is_stopped());
  if (look._stopped) {
    _stopped_at = now;
  }
  _memory_turn++;
  _last_look = now;
  for (int i = 0; i < CoroutineScheduler::count(); i++) {
    look_at(&look, CoroutineScheduler::queue(i));
  }
  if (look._slice > 0 && !look._stopped && _lost_looked + ShortTickNanos <= now) {
    _lost_looked = now;
    look_at_lost(look._waiting);
  }
  if (look._waiting && CoroutineScheduler::idle_count() > 0) {
    CoroutineScheduler::missed_help();
    CoroutineScheduler::wake_one();
  }
  return look._waiting;
}
