/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// When a queue is taken from its carrier, by sysmon or by a new spare: what the kernel says of the carrier's thread, and what is made of that.

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/vmOperations.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// co is mounted, or NULL.
bool CoroutineSysmon::is_in(JavaThreadState state, const Coroutine* co) {
  JavaThread* thread = co != NULL ? co->thread() : NULL;
  return thread != NULL && thread->thread_state() == state;
}

// As far as is known, if it is greedy or heavy.
bool CoroutineSysmon::computes_in_native(const Coroutine* co) {
  return is_in(_thread_in_native, co) && !co->_blocks && co->_call_began != 1;
}

// What the kernel says of a thread, and if it runs, or waits for a CPU, how often it has blocked so far.
enum KernelState { RUNS, SLEEPS, UNREADABLE };
enum { KeptOfStatus = 128 };           // of what has been read, as a line may go on in what comes next

static KernelState kernel_state(OSThread::thread_id_t tid, jlong* blocked) {
  char text[4096];
  jio_snprintf(text, sizeof(text), "/proc/self/task/%d/status", (int) tid);
  int fd = EventPump::above_standard_streams(::open(text, O_RDONLY | O_CLOEXEC));
  if (fd < 0) {
    return UNREADABLE;
  }
  const char* const State = "\nState:\t";
  const char* const Count = "\nvoluntary_ctxt_switches:\t";
  KernelState result = UNREADABLE;
  bool counted = false;
  size_t kept = 0;
  ssize_t n;
  // The count stands behind the list of the user's groups, which may fill the text many times.
  while (!counted && (n = ::read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
    const size_t length = kept + n;
    text[length] = '\0';
    const char* state = strstr(text, State);
    if (state != NULL) {
      result = state[strlen(State)] == 'R' ? RUNS : SLEEPS;
    }
    const char* count = strstr(text, Count);
    if (count != NULL) {
      char* end;
      *blocked = (jlong) strtoll(count + strlen(Count), &end, 10);
      counted = *end == '\n';
    }
    kept = MIN2(length, (size_t) KeptOfStatus);
    memmove(text, text + length - kept, kept);
  }
  ::close(fd);
  return counted ? result : UNREADABLE;
}

// Whether the kernel thread has blocked since the last call for the same stay of a coroutine, which
// is a number: the first call says whether it blocks now. If that cannot be read, it does. To be stopped
// by a safepoint does not count.
CoroutineSysmon::Probe CoroutineSysmon::probe(CarrierThread* carrier, jlong stay) {
  jlong blocked;
  bool asleep = kernel_state(carrier->tid(), &blocked) != RUNS;
  int safepoints = SafepointSynchronize::safepoint_counter();
  if (safepoints != _look_safepoints) {
    return UNKNOWN;                    // stopped by a safepoint
  }
  if (asleep) {
    return BLOCKS;
  }
  Probe result = carrier->_probed_for != stay ? UNKNOWN :
                 blocked != carrier->_probed_count && safepoints == carrier->_probed_safepoints ? BLOCKS : COMPUTES;
  carrier->_probed_safepoints = safepoints;
  carrier->_probed_for = stay;
  carrier->_probed_count = blocked;
  return result;
}

// It was interrupted for those who wait now and then, and does not leave: the kernel gives it no CPU, as more threads compute than there are CPUs,
// of this process or others, and each of them has its for milliseconds; or there is no poll where it is, in a long array that is filled or copied, in
// frames that an exception leaves, in the VM, in native code. The kernel would let a thread that has slept run soon. So one
// that has serves those who wait, and this coroutine is back in a queue when it comes to its poll.
bool CoroutineSysmon::does_not_leave(CarrierThread* carrier, Coroutine* co) {
  const jlong interrupted = carrier->_interrupted_at;
  if (!co->_preempt || carrier->_interrupted_stay != carrier->_seen_switches || interrupted < MAX2(_stopped_at, _paused_at) ||
      co->is_pinned() ||
      !(is_in(_thread_in_Java, co) || is_in(_thread_in_vm, co) || (is_in(_thread_in_native, co) && !co->_blocks))) {
    return false;
  }
  const jlong now = os::javaTimeNanos();
  if (now - interrupted < AnswerNanos) {
    if (now < _unanswered_until) {
      _answer = MIN2(_answer, interrupted + AnswerNanos);
    }
    return false;
  }
  _unanswered_until = now + ContendedNanos;
  return true;
}

// How much of the CPU it has had since the last call that has said so, so long ago at least, for the same stay of a coroutine.
CoroutineSysmon::Share CoroutineSysmon::share_of_cpu(CarrierThread* carrier, jlong stay, jlong now, jlong least) {
  const jlong elapsed = now - carrier->_clock_since;
  const bool known = carrier->_clock_stay == stay && elapsed < MeasuredMax;
  if (known && elapsed < least) {
    return NOT_KNOWN;
  }
  const jlong clock = carrier->clock();
  const Share share = !known ? NOT_KNOWN : (clock - carrier->_clock_seen) * 2 > elapsed ? MUCH : LITTLE;
  carrier->_clock_stay = stay;
  carrier->_clock_since = now;
  carrier->_clock_seen = clock;
  return share;
}

// A coroutine in Java or in the VM sleeps where the kernel has to read a page for it, of a mapped file or of swap space. Its poll does not come
// until that is done. It may come to one between two pages, so how much of the CPU it has had tells of it, and the kernel, as that
// is little as well where others have the CPU: it must sleep just now. At one that has been found to do so sysmon looks early, and asks the
// kernel at once, as it is likely to be in the next page already. Of many queues some are asked about in each look.
bool CoroutineSysmon::waits_for_memory(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now) {
  const jlong stay = carrier->_seen_switches;
  if (!is_in(_thread_in_Java, co) && !is_in(_thread_in_vm, co)) {
    return false;
  }
  const bool first = carrier->_clock_stay != stay;
  const Share share = share_of_cpu(carrier, stay, now, co->_faults ? (jlong) QuickNanos / 2 : (jlong) ShortTickNanos);
  if (share == MUCH && ran_for(carrier->_seen_since, now) >= ShortTickNanos) {
    co->_faults = false;
  }
  const uint groups = (uint) CoroutineScheduler::count() / MemoryLooks + 1;
  if (!(share == LITTLE || (first && may_fault(queue, co, now))) || ((uint) queue->id() + _memory_turn) % groups != 0) {
    return false;
  }
  jlong ignored;
  const bool sleeps = kernel_state(carrier->tid(), &ignored) == SLEEPS;
  if (!sleeps || !(is_in(_thread_in_Java, co) || is_in(_thread_in_vm, co)) || queue->switches() != stay ||
      SafepointSynchronize::safepoint_counter() != _look_safepoints) {
    return false;
  }
  co->_faults = true;
  return true;
}

bool CoroutineSysmon::may_fault(RunQueue* queue, const Coroutine* co, jlong now) {
  return co != NULL && co->_faults && now - queue->_handed_at < AgainNanos && (is_in(_thread_in_Java, co) || is_in(_thread_in_vm, co));
}

bool CoroutineSysmon::hand_off_faulting(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now) {
  JavaThread* thread = co->thread();
  if (thread == NULL || is_stopped() || queue->length() == 0 || CoroutineScheduler::idle_count() > 0 ||
      !CoroutineScheduler::may_have_spare() || !waits_for_memory(queue, carrier, co, now) || !hand_off(queue, carrier, thread, now)) {
    return false;
  }
  _found_at = now;
  _quick = true;                       // whoever is next may be such a one
  return true;
}

// One without a queue. In a queue it would stop that next. What has little of the CPU and has not slept since it was asked about last computes,
// while others have the CPU.
bool CoroutineSysmon::goes_on_faulting(CarrierThread* carrier, Coroutine* co) {
  if (!co->_faults) {
    return false;
  }
  const Share share = share_of_cpu(carrier, carrier->_lost_at, _looked_at, ShortTickNanos);
  co->_faults = share == NOT_KNOWN || (share == LITTLE && CoroutineScheduler::may_have_spare() &&
                                       probe(carrier, carrier->_lost_at) != COMPUTES);
  return co->_faults;
}

// Each of them is one thread more that computes, until it comes to its poll.
bool CoroutineSysmon::may_lose_queue() {
  if (_taken_count == TakenMax || CoroutineScheduler::idle_count() > 0 || !CoroutineScheduler::may_have_spare()) {
    return false;
  }
  int lost = 0;
  for (CarrierThread* carrier = CarrierThread::first(); carrier != NULL; carrier = carrier->next()) {
    Coroutine* co = carrier->has_lost_queue() ? carrier->mounted() : NULL;
    if (((is_in(_thread_in_Java, co) || is_in(_thread_in_vm, co)) && !co->_faults) || computes_in_native(co)) {
      lost++;
    }
  }
  return lost < 2 * CoroutineScheduler::count();
}

// Wakes a spare, which may take the CPU from sysmon, after the look, as others wait for its lock. The event tells who blocks a carrier. One in native
// code may be found to do that only now.
bool CoroutineSysmon::take(RunQueue* queue, CarrierThread* carrier, Coroutine* co, JavaThread* thread, jlong now) {
  const jlong stay = carrier->_seen_switches;
  if (is_in(_thread_in_native, co) && probe(carrier, stay) == BLOCKS) {
    if (queue->switches() != stay) {
      return false;
    }
    co->_blocks = true;
    return hand_off(queue, carrier, thread, now);
  }
  CoroutineEvents::HandOff ignored;
  carrier->lengthen_slice();
  if (queue->switches() != stay || !retake(queue, carrier, thread, now, false, &ignored)) {
    carrier->restore_slice();
    return false;
  }
  _taken[_taken_count++] = queue;
  return true;
}

void CoroutineSysmon::give_taken() {
  while (_taken_count > 0) {
    CoroutineScheduler::hand_off(_taken[--_taken_count]);
  }
}

// A coroutine in native code, while others wait. The kernel is not asked again about one that was
// found to block: threads that block one after the other shall do so at the same time.
bool CoroutineSysmon::must_hand_off(RunQueue* queue, CarrierThread* carrier, Coroutine* co, bool slice_over, jlong now) {
  if (co->_blocks || co->is_pinned()) {
    return true;
  }
  Probe found = probe(carrier, carrier->_seen_switches);
  if (queue->switches() != carrier->_seen_switches) {
    return false;                      // that was about another one
  }
  if (found == BLOCKS) {
    co->_blocks = true;
    return true;
  }
  if (co->_preempt && carrier->_asked_at >= carrier->_seen_since) {   // who gets no CPU cannot end its call
    return carrier->clock() - carrier->_asked_clock >= HandOffNanos || now - carrier->_asked_at >= AskedNanos;
  }
  if (found == COMPUTES && slice_over) {
    ask(carrier, co, now);
  }
  _soon = _soon || found == UNKNOWN;
  return false;
}

// It has been found to block in native code, and the queue was taken from somebody lately.
bool CoroutineSysmon::blocked_lately(RunQueue* queue, Coroutine* co, jlong now) {
  return co->_blocks && now - queue->_handed_at < AgainNanos;
}

// The thread may leave as soon as it has no queue. True: the queue is the caller's, who hands it off, as soon as he has released the
// look lock if he is a carrier.
bool CoroutineSysmon::retake(RunQueue* queue, CarrierThread* carrier, JavaThread* thread, jlong now, bool blocks,
                             CoroutineEvents::HandOff* note) {
  JavaThreadState state = thread->thread_state();
  CoroutineEvents::note(note, thread, carrier->id(), queue->id());
  if (Atomic::cmpxchg((int) CarrierThread::RETAKEN, &carrier->_status, (int) CarrierThread::MOUNTED) != CarrierThread::MOUNTED) {
    return false;
  }
  log_debug(wisp)("hand-off: carrier %d keeps its coroutine in state %d, queue %d moves", carrier->id(), state, queue->id());
  carrier->_lost_at = now;
  if (blocks) {
    queue->_handed_at = _retaken_at = now;
  }
  queue->taken_from_carrier(now);
  if (!Coroutine::counts_cpu_time()) {
    carrier->sample_cpu();
  }
  return true;
}

bool CoroutineSysmon::hand_off(RunQueue* queue, CarrierThread* carrier, JavaThread* thread, jlong now) {
  CoroutineEvents::HandOff note;
  bool taken = retake(queue, carrier, thread, now, true, &note);
  if (taken) {
    CoroutineScheduler::hand_off(queue);
    CoroutineEvents::handed_off(note);
  }
  return taken;
}

// Of threads that block in native code for each other the one whose turn it is has no queue, and parks, perhaps, while those
// behind it keep the queues: nobody would see to what it waits for. A carrier that is idle can, if it is in the pump. Who sleeps
// in native code for whatever reason has no use for its queue; one that is on its way there is looked at again.
bool CoroutineSysmon::relieve(CarrierThread* self) {
  if (!has_retaken_lately() || VM_Exit::vm_exited()) {
    return false;
  }
  if (Atomic::cmpxchg(1, &_look_lock, 0) != 0) {
    return true;                       // sysmon looks, or another one does
  }
  bool again = false;
  bool idle = false;
  RunQueue* taken = NULL;
  int asked = 0;
  CoroutineEvents::HandOff note;
  jlong now = os::javaTimeNanos();
  const int count = CoroutineScheduler::count();
  for (int i = 0; i < count && taken == NULL && !idle && asked < LostLooks && self->_granted == NULL && !is_stopped(); i++) {
    RunQueue* queue = CoroutineScheduler::queue((_relief_turn + i) % count);
    CarrierThread* carrier = queue->carrier();
    jlong stay = queue->switches();
    Coroutine* co = carrier != NULL && carrier->_status == CarrierThread::MOUNTED ? carrier->mounted() : NULL;
    JavaThread* thread = co != NULL ? co->thread() : NULL;
    if (thread == NULL || queue->is_surplus() || !blocked_lately(queue, co, now)) {
      continue;
    }
    idle = CoroutineScheduler::idle_count() > 0;
    if (!idle && thread->thread_state() == _thread_in_native) {
      jlong ignored;
      bool asleep = kernel_state(carrier->tid(), &ignored) == SLEEPS;
      asked++;
      if (asleep && thread->thread_state() == _thread_in_native && queue->switches() == stay && !is_stopped() &&
          retake(queue, carrier, thread, now, true, &note)) {
        taken = queue;
      }
    }
    again = true;
  }
  _relief_turn = (_relief_turn + asked) % count;
  end_look();
  if (taken != NULL) {
    CoroutineScheduler::hand_off(taken);
    CoroutineEvents::handed_off(note, self);
    look_by(now + QuickNanos);         // the next one may take the queue along at once
  } else if (idle && (CoroutineScheduler::nobody_sees_events() || CoroutineScheduler::is_queued_behind_busy())) {
    CoroutineScheduler::wake_one();
  }
  return again && taken == NULL && !idle;
}
