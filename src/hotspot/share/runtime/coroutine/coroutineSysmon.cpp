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
