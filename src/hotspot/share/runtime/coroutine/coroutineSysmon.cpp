/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineClock.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/coroutine/coroutineReaper.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/safepointMechanism.inline.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/vmOperations.hpp"

#include <sys/prctl.h>

volatile int        CoroutineSysmon::_asleep = 0;
volatile int        CoroutineSysmon::_wake = 0;
volatile int        CoroutineSysmon::_watches = 0;
int                 CoroutineSysmon::_signal = -1;
volatile int        CoroutineSysmon::_look_lock = 0;
volatile jlong      CoroutineSysmon::_preempt_requests = 0;
jlong               CoroutineSysmon::_tick_nanos = TickNanos;
jlong               CoroutineSysmon::_calm_tick_nanos = TickNanos;
jlong               CoroutineSysmon::_found_at = 0;
volatile jlong      CoroutineSysmon::_next_look = 0;
volatile jlong      CoroutineSysmon::_wanted = max_jlong;
jlong               CoroutineSysmon::_looked_at = 0;
jlong               CoroutineSysmon::_last_look = 0;
uint                CoroutineSysmon::_memory_turn = 0;
jlong               CoroutineSysmon::_due = 0;
volatile jlong      CoroutineSysmon::_early = 0;
bool                CoroutineSysmon::_is_early = false;
jlong               CoroutineSysmon::_again = 0;
volatile jlong      CoroutineSysmon::_polled_look = 0;
jlong               CoroutineSysmon::_own_poll = 0;
jlong               CoroutineSysmon::_unpolled_until = 0;
bool                CoroutineSysmon::_quick = false;
jlong               CoroutineSysmon::_lost_looked = 0;
bool                CoroutineSysmon::_soon = false;
static volatile int _never = 0;        // of naps that nobody ends
bool                CoroutineSysmon::_pending = false;
jlong               CoroutineSysmon::_pending_since = 0;
jlong               CoroutineSysmon::_pending_switches = 0;
CarrierThread*      CoroutineSysmon::_starved = NULL;
jlong               CoroutineSysmon::_contended_until = 0;
jlong               CoroutineSysmon::_unanswered_until = 0;
jlong               CoroutineSysmon::_answer = max_jlong;
RunQueue*           CoroutineSysmon::_taken[TakenMax];
int                 CoroutineSysmon::_taken_count = 0;
int                 CoroutineSysmon::_lost_turn = 0;
int                 CoroutineSysmon::_look_safepoints = 0;
jlong               CoroutineSysmon::_stopped_at = 0;
jlong               CoroutineSysmon::_paused_at = 0;
jlong               CoroutineSysmon::_next_sample = 0;
bool                CoroutineSysmon::_blocked = false;
volatile jlong      CoroutineSysmon::_retaken_at = 0;
int                 CoroutineSysmon::_relief_turn = 0;

bool CoroutineSysmon::is_stopped() {
  return SafepointSynchronize::is_synchronizing() || SafepointSynchronize::is_at_safepoint();
}

static bool start_thread(NamedThread* thread) {
  if (!os::create_thread(thread, os::watcher_thread)) {
    return false;
  }
  os::start_thread(thread);
  return true;
}

CoroutineSysmon::CoroutineSysmon() : NamedThread() {
  set_name("WispSysmon");
}

bool CoroutineSysmon::start(jlong tick_nanos) {
  jlong slice = WispTimeSliceMillis * (jlong) NANOSECS_PER_MILLISEC;
  jlong tick = slice == 0 ? (jlong) TickNanos : MIN2((jlong) TickNanos, MAX2(slice / 2, (jlong) ShortTickNanos));
  _tick_nanos = tick_nanos > 0 ? tick_nanos : tick;
  _calm_tick_nanos = tick_nanos > 0 || tick < TickNanos ? _tick_nanos : (jlong) CalmTickNanos;
  _signal = EventPump::create_signal();   // at start, as who counts descriptors later should find no more than before
  return start_thread(new CoroutineSysmon()) && start_thread(new CoroutineReaper());
}

void CoroutineSysmon::request_preemption(Coroutine* co) {
  _preempt_requests++;
  arm_preemption(co);
}

void CoroutineSysmon::arm_preemption(Coroutine* co) {
  co->_preempt = true;
  SafepointMechanism::arm_local_poll_release(co->thread());
}

// The kernel wakes the one carrier that sleeps in the pump, and may let it wait for its CPU
// for milliseconds, while another CPU is free and its carrier sleeps. Or it runs a coroutine
// that computes, and nobody is in the pump, as the other one has gone to sleep before. Events
// that nobody has taken from one look to the next, with the same carrier in the pump or none,
// are taken here for the one that sleeps. If there is none in the pump and somebody has switched
// meanwhile, he polls before long, so that he has a tick's time for it: under full load another
// carrier would only take the CPU from others. Who is in the pump stays there: there is one event
// descriptor to wake it, for one sleeper. While sysmon sleeps itself, nobody looks.
void CoroutineSysmon::look_at_pump(jlong now) {
  jlong polled = EventPump::last_poll();
  CarrierThread* watcher = CoroutineScheduler::watcher();
  bool seen = _pending && _pending_since == polled && _starved == watcher;
  _pending = false;
  if (EventPump::waiters() == 0 && !CoroutineClock::is_waited_for()) {
    return;
  }
  RunQueue* idle = is_stopped() ? (RunQueue*) NULL : CoroutineScheduler::idle_queue();
  if (idle == NULL) {
    jlong interval = _blocked || now < _unpolled_until ? MIN2(pump_interval(), _tick_nanos) : _tick_nanos;
    bool looks = polled + interval <= now;
    bool found = looks && EventPump::poll(NULL);
    if (found) {
      _found_at = now;
      // Nobody else looks. Not if all are stopped.
      if (!is_stopped() && (polled == _own_poll || polled + _tick_nanos <= now || CoroutineScheduler::all_compute())) {
        _unpolled_until = now + ContendedNanos;
      }
      if (_blocked) {
        look_by(now);                  // those who are woken may be in a queue whose carrier is in native code
      }
    }
    if (looks) {
      _own_poll = EventPump::last_poll();
    }
  } else if (polled + MIN2((jlong) ConfirmNanos, _tick_nanos) <= now) {
    jlong switches = seen || EventPump::has_events() ? CoroutineScheduler::switches() : 0;
    if (!seen) {
      _pending = switches != 0;
      _pending_since = polled;
      _pending_switches = switches;
      _starved = watcher;
    } else if ((watcher != NULL || switches == _pending_switches || polled + _tick_nanos <= now) && EventPump::poll(idle)) {
      _contended_until = now + ContendedNanos;
      CoroutineScheduler::wake(idle);  // those whose queue is busy are in that one; or it goes into the pump
    }
  }
}

// Where somebody switches his carrier looks itself, as a rule.
jlong CoroutineSysmon::pump_interval() {
  return _blocked || CoroutineScheduler::all_compute() ? (jlong) PumpNanos : (jlong) ShortTickNanos;
}

void CoroutineSysmon::watch_pump(jlong now) {
  look_at_pump(now);
  if (_pending) {                      // the look at everything else keeps its interval
    nap(&_never, MIN2((jlong) ConfirmNanos, _tick_nanos));
    look_at_pump(os::javaTimeNanos());
    _pending = false;
  }
}

// Whether events are looked for more often than everything else. Those that have waited lately, for a carrier that got
// no CPU or computed, while another one was idle; or since all of them compute.
bool CoroutineSysmon::polls_often(jlong now, bool waiting) {
  if (is_stopped()) {
    return false;
  }
  bool often = CoroutineScheduler::idle_count() > 0 ? !waiting && is_contended(now) : _blocked || now < _unpolled_until;
  return often && EventPump::waiters() != 0;
}

bool CoroutineSysmon::is_contended(jlong now) {
  if (_contended_until != 0 && now >= _contended_until) {
    _contended_until = 0;
  }
  return _contended_until != 0 && EventPump::waiters() != 0 &&
         (!CoroutineScheduler::is_all_idle() || EventPump::last_poll() + QuietNanos > now);
}

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

// Coroutines that run without a queue since their native code has returned: they would be one
// running thread too many until they switch by themselves. A few of those that are in native code
// again are asked by turns.
void CoroutineSysmon::look_at_lost(bool waiting) {
  int in_native = 0;
  for (CarrierThread* carrier = CarrierThread::first(); carrier != NULL; carrier = carrier->next()) {
    Coroutine* co = carrier->has_lost_queue() ? carrier->mounted() : NULL;
    JavaThread* thread = co != NULL ? co->thread() : NULL;
    if (thread == NULL || co->is_pinned() || _looked_at - carrier->_lost_at < ShortTickNanos) {   // its call may have been short
      continue;
    }
    if (co->_preempt) {                // the end of a safepoint has disarmed it meanwhile, perhaps
      arm_preemption(co);
      continue;
    }
    JavaThreadState state = thread->thread_state();
    if (state == _thread_in_Java && goes_on_faulting(carrier, co)) {
      continue;
    } else if (state == _thread_in_Java) {
      _found_at = _looked_at;
      co->_gives_way = true;           // it may have run for a moment since its call, and has a slice to itself when it has a queue
      request_preemption(co);
    } else if (state == _thread_in_native && waiting && in_native++ / LostLooks == _lost_turn) {
      Probe found = probe(carrier, carrier->_lost_at);
      if (found == COMPUTES) {
        _found_at = _looked_at;
        co->_blocks = false;
        co->_gives_way = false;
        request_preemption(co);
      } else if (found == BLOCKS && carrier->mounted() == co) {
        co->_blocks = true;
      }
    }
  }
  _lost_turn = (_lost_turn + 1) * LostLooks < in_native ? _lost_turn + 1 : 0;
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

// True: there is something to watch.
bool CoroutineSysmon::look(jlong now) {
  bool waiting = false;
  bool helped = false;                 // a carrier comes that had none of these queues
  int share = -1;                      // so many more may take from the fullest queue; not known yet
  int safepoints = SafepointSynchronize::safepoint_counter();
  if (_look_safepoints != safepoints) {
    _look_safepoints = safepoints;
    _paused_at = now;
  }
  bool stopped = is_stopped();
  if (stopped) {
    _stopped_at = now;
  }
  _memory_turn++;
  const jlong since_last = now - _last_look;
  _last_look = now;
  jlong slice = WispTimeSliceMillis * (jlong) NANOSECS_PER_MILLISEC;
  for (int i = 0; i < CoroutineScheduler::count(); i++) {
    RunQueue* queue = CoroutineScheduler::queue(i);
    CarrierThread* carrier = queue->carrier();
    // A carrier that switches comes to its timers itself; one that has not since the last look may not soon. Not if that was just now,
    // for those who poll.
    bool early = carrier != NULL && now - carrier->_seen_since < MIN2((jlong) SeenNanos, _tick_nanos / 2);
    bool stays = carrier != NULL && carrier->_status == CarrierThread::MOUNTED && queue->switches() == carrier->_seen_switches && !early;
    bool interrupts = false;
    if (slice > 0 && !stays && queue->_next_give_way <= now) {   // who stays is preempted, and greedy
      queue->_next_give_way = now + slice;
      queue->_give_way = true;
      interrupts = !stopped && CoroutineScheduler::idle_count() == 0;
    }
    if (now - queue->_measured_at >= SlowNanos) {
      measure_round(queue, now);
    }
    bool computes = carrier != NULL && queue->stays_long() && !queue->is_idle();   // partner: RunQueue::mounts_greedy()
    Coroutine* current = carrier != NULL && carrier->_status == CarrierThread::MOUNTED ? carrier->mounted() : NULL;
    if (stays && !stopped && slice > 0) {
      found_to_stay(queue, carrier, current, now);
    }
    bool in_native = is_in(_thread_in_native, current);
    bool blocks = in_native ? blocked_lately(queue, current, now) : may_fault(queue, current, now);   // those that wait in the queue, or sleep, may have what it waits for
    _blocked = _blocked || blocks;
    bool called = in_native && current->_call_began == 1;   // partner: keep_watch()
    if (called && CoroutineScheduler::nobody_sees_events()) {
      if (stays) {
        CoroutineScheduler::wake_one();    // a call that takes so long is worth it
      } else {
        _due = MIN2(_due, now + CoroutineScheduler::WatchNanos);
      }
    }
    // Partner: Coroutine::wait_in_native(). A carrier that is idle takes those who poll, so that they do not always wait for the same turns.
    bool polls = now < queue->_polled_until && !stopped;
    bool polled = polls && current != NULL;
    if (polls) {                       // partner: keep_polled()
      queue->_polled_in_vain = polled ? 0 : MIN2(queue->_polled_in_vain + 1, (uint) RunQueue::PolledInVainMax);
    }
    RunQueue* idle = polled ? CoroutineScheduler::idle_queue(true) : NULL;
    int fired = 0;
    jlong deadline = queue->timers()->next_deadline();
    if ((interrupts || (slice > 0 && polled && idle == NULL)) && !computes && is_in(_thread_in_Java, current) && !current->_was_asked) {
      interrupt(queue, carrier, current, now);
    } else if (deadline <= (stays || computes || in_native || polled || carrier == NULL ? now : now - _tick_nanos)) {
      bool late = stays || computes || blocks || deadline <= now - _tick_nanos;
      fired = queue->timers()->fire(now, idle != NULL ? idle : computes ? queue : NULL, idle != NULL);   // what is to be done here is done below
      _found_at = fired > 0 && late ? now : _found_at;
    }
    jlong next = queue->timers()->next_deadline();
    const bool in_vm = stays && !stopped && is_in(_thread_blocked, current);
    if (computes || blocks || called || in_vm || carrier == NULL || (in_native && (stays || !polled))) {   // partner: keep_watch(), and TimerHeap::add()
      _due = MIN2(_due, next);
    } else if (polled) {
      _due = MIN2(_due, MAX2(next, now + ShortTickNanos));
      if (next < now + LookNanos && now - queue->_polled_since < ShortTickNanos &&
          (_again != max_jlong || may_look_early(now))) {
        _again = MIN2(_again, MAX2(next, now + AgainLookNanos));
      }
    }
    if (blocks || (computes && queue->length() > 0)) {
      _found_at = now;
    }
    if (carrier == NULL) {             // waits for a spare. Others run what has waited here for a tick
      if (queue->length() > 0) {
        waiting = true;
        _found_at = now;
        if (queue->_free_since + _tick_nanos <= now) {
          queue->empty();
        }
      }
      continue;
    }
    bool fresh = queue->switches() != carrier->_seen_switches || carrier->_status != CarrierThread::MOUNTED;
    if (fresh) {
      // It has been woken, and waits for its CPU, perhaps. Who is idle may take what waits.
      if (!stopped && queue->switches() == carrier->_seen_switches && queue->length() > 0) {
        if (carrier->_seen_waiting) {
          waiting = true;
          carrier->wake_again();
        }
        _soon = carrier->_seen_waiting = true;
      } else {
        carrier->_seen_waiting = false;
      }
      const jlong seen = carrier->_seen_since;
      waiting = takes_long_turns(queue, carrier, stopped, now) || waiting;
      carrier->_seen_switches = queue->switches();
      carrier->_seen_since = now;
      waiting = waiting || (fired > 0 && in_native);   // whoever is idle helps
      Coroutine* co = carrier->mounted();
      if (computes_in_native(co) && queue->length() > 0 && co->_heavy == 0 && !co->_greedy) {
        share_of_cpu(carrier, carrier->_seen_switches, now, 0);   // partner: found_to_stay()
      }
      if (may_fault(queue, co, now) && hand_off_faulting(queue, carrier, co, now)) {
        waiting = helped = true;
        continue;
      }
      _quick = _quick || is_quick(queue, carrier, co, now);
      if (co == NULL || !is_interruptible(queue, co) || queue->length() == 0) {
        _due = MIN2(_due, lone_slice_end(queue, carrier, co, &share));
        continue;
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
        continue;
      }
      carrier->_seen_since = since;
    }
    if (stopped) {                     // a thread that a safepoint has stopped looks blocked, and uses up no time slice
      if (!in_native) {
        carrier->_seen_since = MIN2(carrier->_seen_since + since_last, now);
      }
      _soon = _soon || queue->others() > 0;
      continue;
    }
    Coroutine* co = carrier->mounted();
    if (!fresh && co != NULL && hand_off_faulting(queue, carrier, co, now)) {
      waiting = helped = true;
      continue;
    }
    if (!fresh && co != NULL && is_interruptible(queue, co) && queue->others() > 0 && does_not_leave(carrier, co)) {
      waiting = true;                  // who is idle helps
      _found_at = now;
      JavaThread* thread = co->thread();
      if (thread != NULL) {
        arm_preemption(co);            // the end of a safepoint, or of a handshake, may have disarmed it
      }
      if (thread != NULL && may_lose_queue() && queue->switches() == carrier->_seen_switches && take(queue, carrier, co, thread, now)) {
        helped = true;
        continue;
      }
    }
    if (early && !fresh && !is_quick(queue, carrier, co, now)) {
      bool beside = co != NULL && is_interruptible(queue, co) && queue->others() > 0;
      jlong short_slice = beside ? greedy_slice_now(queue, carrier->_seen_since, co) : 0;
      if (!beside || now - carrier->_seen_since < short_slice) {
        _due = MIN2(_due, beside ? slice_end(queue, carrier->_seen_since, short_slice) : lone_slice_end(queue, carrier, co, &share));
        _soon = _soon || (queue->length() > 0 && now - queue->_handed_at < AgainNanos);
        continue;
      }
    }
    if (fresh && (co == NULL || !is_interruptible(queue, co) || queue->switches() != carrier->_seen_switches)) {
      carrier->_seen_since = now;
      continue;
    }
    JavaThread* thread = co != NULL ? co->thread() : NULL;
    if (queue->length() == 0 && CoroutineScheduler::_global_size == 0) {
      bool may_ask = is_in(_thread_in_Java, co) && slice > 0 && !co->is_pinned() && !thread->is_ext_suspended();
      if (may_ask && queue->is_surplus()) {
        ask(carrier, co, now);         // nobody waits here, but its carrier is one too many
      } else if (may_ask && now - carrier->_seen_since >= (co->_greedy ? (jlong) GreedyNanos : full_slice(co))) {
        share = share < 0 ? sharers() : share;
        if (share > 0) {
          share--;
          carrier->_seen_since = now;
          ask(carrier, co, now);
        }
      } else if (may_ask) {
        _due = MIN2(_due, lone_slice_end(queue, carrier, co, &share));
      }
      // Nor does its carrier take what waits elsewhere, while it is with somebody who stays. One in a look: he may be enough.
      bool stuck = thread != NULL && (is_in(_thread_in_native, co) || is_in(_thread_blocked, co) || thread->is_ext_suspended());
      if (!stuck || helped || CoroutineScheduler::idle_count() > 0 || !CoroutineScheduler::may_have_spare() ||
          !CoroutineScheduler::is_queued_behind_busy()) {
        continue;
      }
    }
    waiting = true;
    _found_at = now;
    if (thread == NULL) {
      continue;
    }
    // A thread that waits most of the time must not wait a whole slice of each one
    // that computes, each time it is woken. The kernel preempts for those that wake.
    bool greedy = is_interruptible(queue, co) && queue->others() > 0;
    jlong mounted_for = now - carrier->_seen_since;
    jlong full = greedy && co->_greedy ? MIN2(slice, (jlong) GreedyNanos) : full_slice(co);
    jlong short_slice = greedy ? greedy_slice_now(queue, carrier->_seen_since, co) : 0;
    if (greedy) {
      _soon = true;
      jlong end = mounted_for < short_slice ? short_slice : full;
      _due = mounted_for < end ? MIN2(_due, slice_end(queue, carrier->_seen_since, end)) : _due;
    }
    bool slice_over = slice > 0 && mounted_for >= (greedy ? MIN2(full, short_slice) : full);
    JavaThreadState state = thread->thread_state();
    // A thread that is suspended at a poll waits in the state that it had before; one with a pin does not leave.
    // In native code it may soon, or loses its queue. One that has been there for as long as others have to sleep there may do so.
    bool leaves = state != _thread_in_native ||
                  (greedy && slice_over && !co->_preempt && computes_in_native(co) &&
                   (mounted_for < HandOffNanos || probe(carrier, carrier->_seen_switches) != BLOCKS));
    if (!leaves || state == _thread_blocked || thread->is_ext_suspended() || (co->is_pinned() && slice_over)) {
      bool again = now - queue->_handed_at < AgainNanos;
      _soon = _soon || again;
      bool quick = is_quick(queue, carrier, co, now);
      _quick = _quick || quick;
      // While another carrier is idle it can take what waits here, without a spare.
      jlong kept_for = MIN2(mounted_for, now - _stopped_at);
      bool due = kept_for >= (quick ? QuickNanos : again ? ShortTickNanos : HandOffNanos) && CoroutineScheduler::idle_count() == 0;
      if (due && quick && kept_for < ShortTickNanos) {   // or its carrier waits for a CPU
        due = probe(carrier, carrier->_seen_switches) == BLOCKS && queue->switches() == carrier->_seen_switches;
      } else if (state == _thread_in_native && slice > 0 && (due || slice_over)) {
        due = must_hand_off(queue, carrier, co, slice_over, now) && due;
      } else if (due && state == _thread_blocked && kept_for < AskedNanos) {
        due = probe(carrier, carrier->_seen_switches) == BLOCKS;   // or has been woken, by the end of a safepoint perhaps
      }
      if (due || WispAlwaysHandOff) {
        helped = hand_off(queue, carrier, thread, now) || helped;
      }
    } else if (slice_over && greedy && mounted_for < full && !uses_up_slice(co, MIN2(mounted_for, ran_for(0, now)), full)) {
      if (mounted_for < GreedyNanos) {
        is_early(now);
      }
      co->_gives_way = true;
      request_preemption(co);
      expect_answer(carrier);
    } else if (slice_over) {
      carrier->_seen_since = now;
      ask(carrier, co, now);
      if (greedy) {
        expect_answer(carrier);
      }
    }
  }
  if (slice > 0 && !stopped && _lost_looked + ShortTickNanos <= now) {
    _lost_looked = now;
    look_at_lost(waiting);
  }
  if (waiting && CoroutineScheduler::idle_count() > 0) {
    CoroutineScheduler::missed_help();
    CoroutineScheduler::wake_one();
  }
  return waiting;
}

jlong CoroutineSysmon::until_next_look(bool waiting) {
  bool idle = CoroutineScheduler::idle_count() > 0;
  bool soon = WispAlwaysHandOff || _soon || (idle && (waiting || is_contended(os::javaTimeNanos())));
  jlong tick = _looked_at - _found_at >= CalmNanos && !CoroutineScheduler::is_all_idle() ? _calm_tick_nanos : _tick_nanos;
  jlong until = soon ? MIN2((jlong) ShortTickNanos, tick) : tick;
  if (_quick) {
    until = MIN2((jlong) QuickNanos, until);
  }
  jlong time = MIN3(_again, _answer, _due == max_jlong ? _due : MAX2(_due, next_look_after(_looked_at)));
  return time == max_jlong ? until : MIN2(until, MAX2(time - os::javaTimeNanos(), (jlong) 0));
}

// While nine tenths of all ObjectMonitors are in use the VM stops everybody once in GuaranteedSafepointInterval
// to reclaim some, and then looks at each stack for the sweeper of compiled code. That takes 0.1 s
// for 150,000 threads, so with many threads it is done less often, for about one percent of the time.
// The VM thread reads the flag each time; one that somebody has set stays.
void CoroutineSysmon::set_cleanup_interval() {
  jlong share = (jlong) CleanupMillis * Threads::number_of_threads() / CleanupThreads;
  intx millis = MIN2(MAX2(share, (jlong) CleanupMillis), (jlong) CleanupMillisMax);
  if (GuaranteedSafepointInterval != millis && FLAG_IS_DEFAULT(GuaranteedSafepointInterval)) {
    GuaranteedSafepointInterval = millis;
  }
}

void CoroutineSysmon::begin_look() {
  Thread::SpinAcquire(&_look_lock, "CoroutineSysmon - look");
}

void CoroutineSysmon::end_look() {
  Thread::SpinRelease(&_look_lock);
}

void CoroutineSysmon::run() {
  os::set_native_thread_name(name());
  prctl(PR_SET_TIMERSLACK, 1);
  CarrierThread::shorten_slice(KernelSliceNanos);
  int idle_ticks = 0;
  _found_at = os::javaTimeNanos();
  jlong next_count = os::javaTimeNanos() + ProcessorSeconds * (jlong) NANOSECS_PER_SEC;
  for (;;) {
    while (VM_Exit::vm_exited()) {
      nap(&_never, 0);
    }
    jlong wanted = Atomic::xchg(max_jlong, &_wanted);   // partner: look_by()
    jlong now = os::javaTimeNanos();
    if (now - _looked_at < MIN2((jlong) EarlyLookNanos, _tick_nanos) && _again == max_jlong && _answer == max_jlong && !_quick) {
      is_early(now);
    }
    _looked_at = now;
    if (now >= next_count) {
      CoroutineScheduler::look_at_processors();
      next_count = now + ProcessorSeconds * (jlong) NANOSECS_PER_SEC;
    }
    set_cleanup_interval();
    watch_pump(now);
    begin_look();
    _soon = _blocked = false;
    _quick = now - _retaken_at < QuickNanos;   // partner: relieve(), whose request another one may have come before
    if (wanted > now) {                // what that is for may not have come to anything yet that the look sees
      look_by(wanted);
    }
    _due = _again = _answer = max_jlong;
    if (Coroutine::counts_cpu_time()) {
      CarrierThread::start_clocks();
    } else if (now >= _next_sample) {  // before the look asks those to leave that have used the time
      _next_sample = now + SampleNanos;
      CarrierThread::sample_queues();
    }
    bool waiting = look(os::javaTimeNanos());
    end_look();
    give_taken();
    _is_early = false;
    jlong until = until_next_look(waiting);
    if (!CoroutineScheduler::is_all_idle() || waiting) {
      idle_ticks = 0;
    } else if (!is_contended(now)) {
      idle_ticks++;
    }
    if (idle_ticks < IdleTicks) {
      wait(until, waiting);
      continue;
    }
    _wake = 0;
    idle_ticks = 0;
    _asleep = 1;
    OrderAccess::fence();              // partner: busy()
    if (CoroutineScheduler::is_all_idle()) {
      nap(&_wake, 0);
    }
    _asleep = 0;
    _found_at = os::javaTimeNanos();   // nobody knows yet what there is
  }
}
