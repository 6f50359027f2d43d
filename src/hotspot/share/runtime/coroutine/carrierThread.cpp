/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "classfile/systemDictionary.hpp"
#include "classfile/vmSymbols.hpp"
#include "logging/log.hpp"
#include "runtime/coroutine/carrierPrivileges.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/coroutineThreadKey.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/javaCalls.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "services/threadService.hpp"

#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

extern "C" void coroutine_switch(intptr_t** save_sp, intptr_t* new_sp, Thread* next);

CarrierThread* volatile CarrierThread::_carriers = NULL;
CarrierThread* CarrierThread::_free = NULL;
volatile int   CarrierThread::_free_lock = 0;
volatile uint  CarrierThread::_waiters_of_ended = 0;

// ---- Birth and death

void* CarrierThread::operator new(size_t size) throw() {
  Thread::SpinAcquire(&_free_lock, "CarrierThread - new");
  CarrierThread* memory = _free;
  if (memory != NULL) {
    _free = memory->_next_spare;
  }
  Thread::SpinRelease(&_free_lock);
  return memory != NULL ? (void*) memory : Thread::operator new(size);
}

void CarrierThread::operator delete(void* p) {
  CarrierThread* memory = (CarrierThread*) p;
  CoroutineScheduler::ended(memory);
  Thread::SpinAcquire(&_free_lock, "CarrierThread - delete");
  memory->_next_spare = _free;
  _free = memory;
  Thread::SpinRelease(&_free_lock);
}

CarrierThread::CarrierThread(int id, RunQueue* queue) :
  JavaThread(&CarrierThread::entry), _status(SCHEDULING), _privileges(0), _queue(queue), _base_sp(NULL), _mounted(NULL), _latest(NULL),
  _previous(NULL), _action(Coroutine::NO_ACTION), _wake(0), _woken_by(0), _short_slice(false), _long_slice(false), _polling(false), _granted(NULL), _next_spare(NULL), _previous_spare(NULL), _spare_since(0),
  _registered(queue != NULL), _lasts(false), _asked_to_end(false), _retires(false),
  _waiters(0), _id(id),
  _seen_switches(0), _seen_since(0), _seen_waiting(false), _seen_long_turns(false), _turn_began(0), _asked_at(0), _asked_clock(0), _interrupted_at(0), _interrupted_stay(-1),
  _probed_for(-1), _probed_count(0), _probed_safepoints(0),
  _clock_stay(-1), _clock_since(0), _clock_seen(0), _lost_at(0), _tid(0), _pthread(0), _unloads(0),
  _sampled(0), _sampled_switches(-1), _clock_read(0), _short_nanos(0) {}

void CarrierThread::start(Handle thread_object, int id, RunQueue* queue, TRAPS) {
  CarrierThread* carrier = NULL;
  {
    MutexLocker mu(Threads_lock);
    carrier = new CarrierThread(id, queue);
    if (carrier->osthread() != NULL) {
      java_lang_Thread::set_thread(thread_object(), carrier);
      java_lang_Thread::set_daemon(thread_object());
      carrier->set_threadObj(thread_object());
      if (queue != NULL) {
        queue->set_carrier(carrier);
      }
      if (id < 0) {
        CoroutineThread::_daemon = carrier;
      }
      carrier->_next_carrier = _carriers;
      OrderAccess::release_store(&_carriers, carrier);
      Threads::add(carrier);
      Thread::start(carrier);
    }
  }
  if (carrier->osthread() == NULL) {
    carrier->smr_delete();
    THROW_MSG(vmSymbols::java_lang_OutOfMemoryError(), os::native_thread_creation_failed_msg());
  }
}

void CarrierThread::entry(JavaThread* thread, TRAPS) {
  CarrierThread* carrier = (CarrierThread*) thread;
  carrier->_tid = carrier->osthread()->thread_id();
  carrier->_pthread = carrier->osthread()->pthread_id();
  carrier->_sampled = carrier->clock();
  carrier->_short_slice = shorten_slice(KernelSliceNanos);
  carrier->_unloads = unloads();
  admit_signal();
  HandleMark hm(THREAD);
  JavaValue result(T_VOID);
  JavaCalls::call_static(&result, CoroutineThread::carrier_klass(),
                         vmSymbols::run_method_name(), vmSymbols::void_method_signature(), THREAD);
  carrier->take_off_list();
}

// It has no queue and runs nothing. Who looks at it under the look lock has not
// found it on the list, or is done with it.
void CarrierThread::take_off_list() {
  MutexLocker mu(Threads_lock);
  CoroutineSysmon::begin_look();
  CarrierThread* before = _carriers;
  if (before == this) {
    _carriers = _next_carrier;
  } else {
    while (before->_next_carrier != this) {
      before = before->_next_carrier;
    }
    before->_next_carrier = _next_carrier;
  }
  _waiters_of_ended += _waiters;
  CoroutineSysmon::end_look();
}

// Who begins to wait on one that has been read, and ends on one that has not, counts as less than nobody.
int CarrierThread::waiters() {
  uint sum = _waiters_of_ended;
  for (CarrierThread* carrier = first(); carrier != NULL; carrier = carrier->next()) {
    sum += carrier->_waiters;
  }
  return MAX2((int) sum, 0);
}

bool CarrierThread::is_carrier(const JavaThread* thread) {
  return thread->entry_point() == &CarrierThread::entry;
}

CarrierThread* CarrierThread::current() {
  Thread* thread = Thread::current_or_null();
  if (thread == NULL || !thread->is_Java_thread()) {
    return NULL;
  }
  Coroutine* co = ((JavaThread*) thread)->coroutine();
  return co != NULL ? co->_carrier : NULL;
}

jlong CarrierThread::mounted_since() const {
  RunQueue* queue = _queue;
  if (has_lost_queue()) {
    return _lost_at;
  }
  return queue != NULL && _seen_switches == queue->switches() ? _seen_since : 0;
}

// ---- Switching

bool CarrierThread::begin_switch() {
  if (Atomic::cmpxchg((int) SCHEDULING, &_status, (int) MOUNTED) == MOUNTED) {
    return true;
  }
  assert(_status == RETAKEN, "switching twice");
  if (!Coroutine::counts_cpu_time()) {
    sample_cpu();
  }
  _queue = NULL;
  _status = SCHEDULING;
  return false;
}

// Release: what finish_switch() did to the queue comes before sysmon may take it.
void CarrierThread::end_switch() {
  OrderAccess::release_store(&_status, (int) MOUNTED);
}

bool CarrierThread::is_due() const {
  return _queue == NULL || _queue->is_due();
}

// Of another thread by its kernel id, in the kernel's encoding of per-thread clocks: the
// C library would look into the memory of a thread that may have ended.
jlong CarrierThread::clock() const {
  struct timespec t;
  clockid_t id = CLOCK_THREAD_CPUTIME_ID;
  if (Thread::current() != this && CarrierThread::current() != this) {
    id = (clockid_t) (~(unsigned int) _tid << 3 | 6);
  }
  return clock_gettime(id, &t) == 0 ? (jlong) t.tv_sec * NANOSECS_PER_SEC + t.tv_nsec : (jlong) 0;
}

// To ask the kernel for the CPU clock costs more than a switch, so short times count as they
// passed: whoever is taken off its CPU is away for longer. Of a longer time counts what the CPU clock has
// gained since it was read last, less the short times in between.
jlong CarrierThread::cpu_since(jlong time, jlong now, bool leaves) {
  jlong passed = MAX2(now - time, (jlong) 0);
  if (leaves && passed < ShortNanos) {
    _short_nanos += passed;
    return passed;
  }
  jlong gained = MAX2(clock() - _clock_read - _short_nanos, (jlong) 0);
  if (leaves) {
    read_clock();
  }
  return MIN2(passed, gained);
}

void CarrierThread::read_clock() {
  _clock_read = clock();
  _short_nanos = 0;
}

// To count what each coroutine uses, a switch has to read the clock, which costs more than the switch. Most programs never ask, and those
// that do often ask when the work is done. So until somebody has asked, sysmon takes samples, as kernels did at each tick of their
// timer: who computes for a while is found then, and gets all that his carrier has used since; who runs for a moment, now and
// then, gets the time of some like him. Each piece of time is taken by one sample, as _sampled only grows. What is used behind an
// ended coroutine, until the next one is mounted, belongs to nobody.
void CarrierThread::sample_cpu() {
  if (_tid == 0) {
    return;                            // about to start
  }
  Coroutine* co = _latest;
  jlong now = clock();
  for (jlong before = _sampled; now > before; ) {
    jlong seen = Atomic::cmpxchg(now, &_sampled, before);
    if (seen == before) {
      if (co != NULL) {
        Atomic::add(now - before, &co->_cpu_sampled);
      }
      return;
    }
    before = seen;
  }
}

// One that was idle at the last sample, and still is, has used nothing.
void CarrierThread::sample_queues() {
  for (int i = 0; i < CoroutineScheduler::count(); i++) {
    RunQueue* queue = CoroutineScheduler::queue(i);
    CarrierThread* carrier = queue->carrier();
    jlong switches = queue->switches();
    if (carrier != NULL && (!queue->is_idle() || carrier->_sampled_switches != switches)) {
      carrier->_sampled_switches = switches;
      carrier->sample_cpu();
    }
  }
}

// Who is mounted counts from now on. If he leaves meanwhile that is overwritten when he is mounted again.
void CarrierThread::start_clocks() {
  for (CarrierThread* carrier = first(); carrier != NULL; carrier = carrier->next()) {
    Coroutine* co = carrier->_mounted;
    if (co != NULL && co->_cpu_start == 0) {
      Atomic::cmpxchg(os::javaTimeNanos(), &co->_cpu_start, (jlong) 0);
    }
  }
}

// Who is being mounted meanwhile, by a carrier that has not seen yet that they count, is found by sysmon.
void CarrierThread::begin_count() {
  CoroutineSysmon::begin_look();
  if (!Coroutine::_count_cpu) {
    for (CarrierThread* carrier = first(); carrier != NULL; carrier = carrier->next()) {
      carrier->sample_cpu();
      carrier->_clock_read = carrier->_sampled;
    }
    start_clocks();
    OrderAccess::release_store(&Coroutine::_count_cpu, true);
  }
  CoroutineSysmon::end_look();
}

// A kernel thread needs tens of microseconds until it runs for the first time, and who has started it has left start() by then, and goes on.
// Programs have been tried like that, and some hand over behind the start what the new thread needs. A carrier would be faster, on its way,
// than the rest of start(), for which it waits on another CPU; or have the starter's CPU, as the kernel lets it come before whoever has
// had more. There it yields, and while the starter has not left start() all the same, it sleeps, unless there is something else to
// do here. Not in the middle of a switch, where somebody is on his way out, who may be woken meanwhile.
NOINLINE void CarrierThread::let_starter_go_on(const Coroutine* co, bool may_sleep) {
  const jlong end = co->_started_at + LeadNanos;
  jlong now = os::javaTimeNanos();
  if (now >= end && co->_start_over) {
    return;
  }
  if (may_sleep && sched_getcpu() == co->_start_cpu && _queue->length() == 0) {
    os::naked_yield();
  }
  while (os::javaTimeNanos() < end && sched_getcpu() != co->_start_cpu) {
    SpinPause();
  }
  const jlong latest = now + LeadMaxNanos;
  for (jlong nanos = LeadSleepMin; may_sleep && !co->_start_over; nanos = MIN2(2 * nanos, (jlong) LeadSleepMax)) {
    now = os::javaTimeNanos();
    if (now >= latest || _queue->length() > 0 || _queue->timers()->next_deadline() <= now || EventPump::has_events()) {
      return;
    }
    sleep_exactly(nanos);
  }
}

// Without the slack that the kernel adds to the times of threads, 50 us.
void CarrierThread::sleep_exactly(jlong nanos) {
  struct timespec time;
  time.tv_sec = 0;
  time.tv_nsec = nanos;
  prctl(PR_SET_TIMERSLACK, 1);
  nanosleep(&time, NULL);
  prctl(PR_SET_TIMERSLACK, 0);         // its default
}

// now: the time, 0 while nobody asks for CPU times.
inline void CarrierThread::mount(Coroutine* next, intptr_t** save_sp, jlong now) {
  if (_privileges != CarrierPrivileges::version()) {
    _privileges = CarrierPrivileges::give_up();
  }
  int before = Atomic::xchg((int) Coroutine::RUNNING, &next->_state);
  assert(before == Coroutine::RUNNABLE, "mounting a coroutine that is not queued");
  next->_carrier = this;
  if (next->_home != _queue) {
    next->_home = _queue;
    next->_steals++;
  }
  if (next->_active++ == 0) {
    if (next->_started_at != 0 && next->_starter != this) {
      let_starter_go_on(next, save_sp == &_base_sp);
      if (now != 0) {                  // that was nobody's time
        read_clock();
        now = os::javaTimeNanos();
      }
    }
    CoroutineThread::prepare_stack(next, _queue->recent_stacks());
  }
  if (next->_parked) {
    _queue->count_unpark();
  }
  if (next->_light) {
    next->_light = false;
    _queue->count_light();
  }
  if (RunQueue::counts_times()) {
    count_mount(next);
  }
  // Who looks for the thread by its kernel identity finds the carrier.
  JavaThread* thread = next->_thread;
  thread->osthread()->set_thread_id(_tid);
  thread->osthread()->set_pthread_id(_pthread);
  next->_cpu_start = now;
  _turn_began = _queue->has_long_turns() || next->_sent ? os::javaTimeNanos() : 0;
  next->_sent = false;
  _mounted = _latest = next;
  _queue->count_switch(next->computes(), next->is_heavy());
  next->_ran_at = (uint) _queue->switches();
  CoroutineThreadKey::set(thread);
  coroutine_switch(save_sp, next->_sp, thread);
}

// Times before counting began are not known.
void CarrierThread::count_mount(Coroutine* next) {
  jlong since = RunQueue::times_since();
  jlong now = os::javaTimeNanos();
  next->_mounted_at = now;
  if (next->_queued_at >= since) {
    _queue->count_time(RunQueue::QUEUED_NANOS, RunQueue::MAX_QUEUED_NANOS, now - next->_queued_at);
    if (next->_parked && next->_left_at >= since) {
      jlong parked = next->_queued_at - next->_left_at;
      _queue->count_time(RunQueue::PARKED_NANOS, RunQueue::MAX_PARKED_NANOS, parked);
      if (next->waits_for_descriptor()) {
        _queue->count_time(RunQueue::DESCRIPTOR_NANOS, RunQueue::MAX_DESCRIPTOR_NANOS, parked);
      }
    }
  }
}

void CarrierThread::count_leave(Coroutine* co) {
  jlong now = os::javaTimeNanos();
  co->_left_at = co->_queued_at = now;
  if (co->_mounted_at >= RunQueue::times_since()) {
    if (_queue != NULL) {
      _queue->count_time(RunQueue::RUN_NANOS, RunQueue::MAX_RUN_NANOS, now - co->_mounted_at);
    } else {
      co->_home->count_other(RunQueue::RUN_NANOS, now - co->_mounted_at);
    }
  }
}

// The queue may have gone while the coroutine was mounted.
inline void CarrierThread::count(Coroutine* co, RunQueue::Counter c) {
  if (_queue != NULL) {
    _queue->count(c);
  } else {
    co->_home->count_other(c);
  }
}

void CarrierThread::leave(Coroutine* co, Coroutine::Action action, Coroutine* next) {
  assert(_previous == NULL && _status == SCHEDULING, "one switch at a time");
  _previous = co;
  _action = action;
  jlong now = 0;
  if (Coroutine::_count_cpu) {
    now = os::javaTimeNanos();
    jlong start = co->_cpu_start;
    if (start != 0) {
      co->_cpu_nanos += cpu_since(start, now, true);
    } else {
      read_clock();
    }
    co->_cpu_start = 0;
  }
  if (RunQueue::counts_times()) {
    count_leave(co);
  }
  co->note_leave();
  if (_turn_began != 0) {
    co->note_turn(os::javaTimeNanos() - _turn_began);
  }
  if (next != NULL) {
    mount(next, &co->_sp, now);
  } else {
    _mounted = NULL;
    CoroutineThreadKey::set(this);
    coroutine_switch(&co->_sp, _base_sp, this);
  }
  // Nothing here: this may be another carrier's OS thread.
}

void CarrierThread::finish_switch() {
  Coroutine* co = _previous;
  if (co == NULL) {
    return;
  }
  _previous = NULL;
  bool gave_way = false;
  bool interrupted = false;
  bool steps_back = false;
  switch (_action) {
    case Coroutine::PARK:
      if (co->_greedy != co->_was_greedy) {
        co->_was_greedy = co->_greedy;
      }
      if (co->_greedy) {
        co->_greedy = false;
      }
      if (co->_heavy != 0) {
        co->_heavy--;
      }
      if (co->_displaced) {
        co->_displaced = false;
      }
      if (co->_was_asked) {
        co->_was_asked = false;
      }
      // Counted before it can be woken and run elsewhere, or end.
      count(co, RunQueue::PARKS);
      if (co->waits_for_descriptor()) {
        count(co, RunQueue::DESCRIPTOR_WAITS);
      }
      co->_parked = true;
      if (Atomic::cmpxchg((int) Coroutine::PARKED, &co->_state, (int) Coroutine::RUNNING) == Coroutine::RUNNING) {
        return;                        // it may run elsewhere already
      }
      assert(co->_state == Coroutine::NOTIFIED, "the only other way");
      break;
    case Coroutine::PREEMPT:
      gave_way = co->_gives_way;
      steps_back = co->_steps_back;
      co->_gives_way = co->_steps_back = false;
      interrupted = gave_way && co->computes();
      if (gave_way && !interrupted) {
        if (co->_heavy != 0 && !co->_was_asked) {
          co->_heavy--;                // sysmon adds its turns up else
        }
        count(co, RunQueue::YIELDS);
      } else {
        co->_preempts++;
        if (!co->_greedy && _queue != NULL) {
          _queue->becomes_greedy();
        }
        co->_greedy = true;
        if (!co->_yielded) {           // by sysmon, not as it wakes somebody
          co->_heavy = Coroutine::HeavyParks;
        }
        count(co, RunQueue::PREEMPTS);
      }
      co->_parked = false;
      break;
    case Coroutine::YIELD:
      count(co, RunQueue::YIELDS);
      co->_yielded = true;
      co->_parked = co->_was_asked = false;
      if (co->_heavy != 0) {           // who yields again and again is not worth a look each time
        co->_heavy = 0;
      }
      break;
    case Coroutine::END:
      count(co, RunQueue::ENDS);
      if (_latest == co) {
        _latest = NULL;
      }
      CoroutineThread::ended(co, _queue != NULL ? _queue->recent_stacks() : (RecentStacks*) NULL);
      return;
    default:
      ShouldNotReachHere();
  }
  co->_state = Coroutine::RUNNABLE;
  if (_queue == NULL) {
    RunQueue::enqueue(co, NULL);
  } else if (gave_way && !co->_greedy && !steps_back) {
    _queue->push_back(co);
  } else if (interrupted && _queue->push_interrupted(co)) {
    // it goes on there
  } else if (_action == Coroutine::PREEMPT && co->computes() && CoroutineScheduler::share_computation(_queue, _mounted, co)) {
    // another queue has it
  } else {
    _queue->push(co);
  }
}

CarrierThread::Result CarrierThread::run_queue() {
  assert(thread_state() == _thread_in_native && Thread::current() == this, "called by WispCarrier");
  Result result;
  _thread_state = _thread_blocked;     // safe to safe, and the native wrapper polls on return
  if (Coroutine::_count_cpu) {
    read_clock();                      // what the carrier has done itself belongs to nobody
  }
  for (;;) {
    if (_queue == NULL) {
      result = NO_QUEUE;
      break;
    }
    if (_queue->is_due()) {
      if (_queue->only_yields(_queue->reset_due())) {
        os::naked_yield();
      }
      result = _queue->is_surplus() && CoroutineScheduler::rest(this) ? NO_QUEUE : DUE;
      break;
    }
    Coroutine* next = _queue->pop();
    if (next == NULL) {
      result = EMPTY;
      break;
    }
    mount(next, &_base_sp, Coroutine::_count_cpu ? os::javaTimeNanos() : 0);
    finish_switch();
  }
  _thread_state = _thread_in_native;
  return result;
}

// ---- Hand-off

// Under the lock of sysmon's look, which reads a queue's carrier, then the status of the carrier: in between the carrier must not give the
// queue away and take another. Out of that lock before it wakes anybody, who may take the CPU from it: others would spin for the lock.
void CarrierThread::release_queue() {
  if (has_lost_queue()) {
    return;                            // until its coroutine leaves
  }
  CoroutineSysmon::begin_look();
  bool released = Atomic::cmpxchg((int) RETAKEN, &_status, (int) MOUNTED) == MOUNTED;
  if (released) {
    _lost_at = os::javaTimeNanos();
    _queue->taken_from_carrier(_lost_at);
  }
  CoroutineSysmon::end_look();
  if (released) {
    if (!Coroutine::counts_cpu_time()) {
      sample_cpu();
    }
    CoroutineScheduler::hand_off(_queue);
  }
}

// To a process its parent is the thread that has started it: where it has asked for that (PR_SET_PDEATHSIG) it is killed when the thread ends. Who
// is traced goes on then.
NOINLINE bool CarrierThread::has_children() {
  siginfo_t child;
  return ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT | __WNOTHREAD | __WALL) == 0;
}

extern "C" int read_unloads(struct dl_phdr_info* library, size_t size, void* unloads) {
  *(jlong*) unloads = (jlong) library->dlpi_subs;
  return 1;                            // the same for all
}

// How many libraries have been unloaded so far.
jlong CarrierThread::unloads() {
  jlong unloads = 0;
  dl_iterate_phdr(&read_unloads, &unloads);
  return unloads;
}

// At the end of a kernel thread the C library calls the destructors of its thread-local variables, which may lie in a library that has been unloaded since: its
// threads had ended before, as coroutines.
bool CarrierThread::outlives_library() const {
  return unloads() != _unloads;
}

bool CarrierThread::wait_for_queue() {
  _thread_state = _thread_blocked;
  restore_slice();
  if (_retires) {
    _retires = false;
    if (CoroutineScheduler::retire(this)) {
      while (outlives_library()) {
        sleep(0);                      // for good: it serves nobody else, and cannot end
      }
      _thread_state = _thread_in_native;
      return false;
    }
  }
  CoroutineScheduler::add_spare(this);
  for (int i = 0; _granted == NULL && CoroutineSysmon::relieve(this) && i < ReliefLooks - 1; i++) {
    sleep(os::javaTimeNanos() + ReliefNanos);
  }
  while (OrderAccess::load_acquire(&_granted) == NULL) {
    if (_asked_to_end) {
      _asked_to_end = false;
      _lasts = outlives_library();
      if (!_lasts && !has_children() && CoroutineScheduler::may_end()) {
        _thread_state = _thread_in_native;
        return false;
      }
      CoroutineScheduler::add_spare(this);
    } else {
      sleep(0);
    }
  }
  _queue = _granted;
  _granted = NULL;
  _queue->set_carrier(this);
  _thread_state = _thread_in_native;
  return true;
}

void CarrierThread::ask_to_end() {
  _asked_to_end = true;
  wake();                              // a fence; partner: sleep() in wait_for_queue()
}

// By the signal of NativeThread.c and linux_close.c, whose handler does nothing.
void CarrierThread::end_call(pthread_t thread) {
  pthread_kill(thread, __SIGRTMAX - 2);
}

// The libraries that send it admit it as well, for the thread that loads them, and those that it starts then.
void CarrierThread::admit_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, __SIGRTMAX - 2);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}
