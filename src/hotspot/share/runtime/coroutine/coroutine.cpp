/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "classfile/vmSymbols.hpp"
#include "code/compiledMethod.hpp"
#include "prims/jvmtiExport.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineAffinity.hpp"
#include "runtime/coroutine/coroutineCalls.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "runtime/frame.inline.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/osThread.hpp"
#include "runtime/prefetch.inline.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/safepointMechanism.inline.hpp"
#include "runtime/thread.inline.hpp"
#include OS_CPU_HEADER(coroutinePrefetch)

#include <sys/resource.h>

jlong Coroutine::_shortest_park = 0;
volatile bool Coroutine::_count_cpu = false;

// ---- Records

Coroutine::Coroutine() :
  _sp(NULL), _state(ENDED), _depth(0), _next(NULL), _thread(NULL), _carrier(NULL), _home(NULL), _active(0), _cpu_start(0),
  _parked(false), _preempt(false), _greedy(false), _was_greedy(false), _gives_way(false), _gave_way(false), _displaced(false), _heavy(0), _claim(0), _was_asked(false), _cut_nanos(0), _light(false), _accepts(false), _turn_nanos(0),
  _suspend_parks(false), _yielded(false), _blocks(false), _faults(false), _daemon(false), _destroys_vm(false), _exited(false),
  _cause(NO_CAUSE), _cause_fd(-1), _pinned(0), _served(0), _raw_monitors(0), _ran_at(0), _permit(0), _queued_since(),
  _timer_index(-1), _read_fd(-1), _deadline(0), _timer_queue(NULL),
  _parker(NULL), _blocker(0), _woke_at(0), _woke(NULL), _owes(NULL), _owes_at(0), _owes_blocker(0), _owes_cause(0), _wake_at(0), _sampled_at(0), _wakes(0), _wake_interval(0), _goes_on(0), _sent(false), _kept_slot(0), _recent_slot(0), _kept(), _recent(),
  _thread_id(0), _handles(NULL), _more_handles(NULL), _resource_base(NULL), _handle_base(NULL), _renewable(false), _bound(false),
  _above(NULL), _id_next(NULL), _first_list(0), _last_list(0),
  _started_at(0), _start_cpu(-1), _starter(NULL), _start_over(false), _stack_base(NULL), _stack_size(0),
  _steals(0), _preempts(0), _spin_waits(0), _spun_at(0), _bulk_turn(-1), _bulk_began(0), _bulk_since(0), _bulk_finds(0), _steps_back(false), _early_reads(0), _read_early_at(0), _calls(), _call_began(0), _call_blocked(0), _stays(0), _blocked_at(0), _stays_fd(-1), _stayed_at(0), _stay_blocks(0), _polls(0),
  _cpu_nanos(0), _cpu_sampled(0), _cpu_seen(0), _left_at(0), _queued_at(0), _mounted_at(0) {}

Coroutine::~Coroutine() {
  ShouldNotReachHere();
}

Coroutine* Coroutine::allocate() {
  Coroutine* co = CoroutineRecords::allocate();
  if (co == NULL) {
    return NULL;
  }
  assert(co->_state == ENDED, "free record in use");
  co->_next = NULL;
  co->_carrier = NULL;
  co->_deadline = 0;
  co->_preempt = false;
  co->_greedy = co->_was_greedy = co->_gives_way = co->_displaced = co->_yielded = co->_blocks = co->_faults = co->_was_asked = co->_light = co->_steps_back = co->_accepts = false;
  co->_heavy = 0;
  co->_pinned = 0;
  co->_served = 0;
  co->_stays = co->_blocked_at = 0;
  co->_bound = false;
  co->_raw_monitors = 0;
  co->_above = NULL;
  co->_daemon = co->_exited = false;
  co->_suspend_parks = false;
  co->_queued_since = JfrTicks();
  co->_cpu_nanos = co->_cpu_sampled = co->_cpu_start = co->_cpu_seen = 0;
  co->_active = co->_steals = co->_preempts = 0;
  co->_left_at = co->_queued_at = co->_mounted_at = 0;
  co->_parked = false;
  memset(co->_kept, 0, sizeof(co->_kept));
  memset(co->_recent, 0, sizeof(co->_recent));
  co->_blocker = 0;
  co->_woke = NULL;
  co->_owes = NULL;
  co->_wake_at = co->_sampled_at = 0;
  co->_goes_on = 0;
  co->_sent = false;
  co->_spun_at = co->_read_early_at = 0;
  co->_bulk_turn = -1;
  co->_bulk_finds = 0;
  co->_polls = 0;
  co->_turn_nanos = 0;
  memset((void*) co->_calls, 0, sizeof(co->_calls));
  OrderAccess::release_store(&co->_state, (int) NEW);
  return co;
}

void Coroutine::release(Coroutine* co) {
  assert(co->_timer_index == -1, "ended with a timer");
  co->_state = ENDED;
  CoroutineRecords::release(co);
}

const char* Coroutine::state_name() const {
  switch (_state) {
    case NEW:      return "new";
    case RUNNABLE: return "runnable";
    case RUNNING:  return "running";
    case NOTIFIED: return "notified";
    case PARKED:   return "parked";
    case BLOCKED:  return "blocked";
    default:       return "ended";
  }
}

Coroutine* Coroutine::current() {
  Thread* thread = Thread::current_or_null();
  return thread != NULL && thread->is_Java_thread() ? ((JavaThread*) thread)->coroutine() : NULL;
}

jlong Coroutine::deadline_after_nanos(jlong nanos) {
  jlong now = os::javaTimeNanos();
  return nanos > max_jlong - now ? max_jlong : now + MAX2(nanos, (jlong) 1);
}

// The lines that the way from a park back to Java code touches. The memory of a slot stays
// mapped (coroutineRecords.hpp), so the fields of a thread that was destroyed, or never constructed,
// can be read, but mean nothing.
const int CacheLine = 64;              // DEFAULT_CACHE_LINE_SIZE is two
const int StackLines = 8;
const int WalkLines = 24;

void Coroutine::prefetch_record() {
  CoroutinePrefetch::write(this, 0);
  CoroutinePrefetch::write(this, CacheLine);
  char* thread = (char*) CoroutineRecords::thread_memory(this);
  Prefetch::read(thread, in_bytes(JavaThread::osthread_offset()));
  CoroutinePrefetch::write(thread, in_bytes(JavaThread::thread_state_offset()));
  CoroutinePrefetch::write(thread, in_bytes(JavaThread::last_Java_sp_offset()));
  Prefetch::read(thread, in_bytes(JavaThread::active_handles_offset()));   // and the last HandleMark
  Prefetch::read(thread, (int) ((char*) &((JavaThread*) thread)->_thread_stat - thread));
}

// A new one may get another stack, and the address translation of this one is what takes longest.
void Coroutine::prefetch_stack(bool even_new) {
  if (even_new || _active != 0) {
    for (int i = 0; i < StackLines; i++) {
      CoroutinePrefetch::write(_sp, i * CacheLine);
    }
  }
  JavaThread* thread = (JavaThread*) CoroutineRecords::thread_memory(this);
  OSThread* osthread = thread->osthread();
  CoroutinePrefetch::write(osthread, 0);
  CoroutinePrefetch::write(osthread, CacheLine);
  CoroutinePrefetch::write(osthread, sizeof(OSThread) - sizeof(intptr_t));
  CoroutinePrefetch::write(thread->last_handle_mark(), 0);
  CoroutinePrefetch::write(thread->_thread_stat, 0);
}

// Lines of the object itself that JavaThread::oops_do() reads, and prefetch_frames(),
void Coroutine::prefetch_roots(JavaThread* thread) {
  char* start = (char*) thread;
  Prefetch::read(start, 0);
  Prefetch::read(start, in_bytes(JavaThread::active_handles_offset()));
  Prefetch::read((char*) &thread->omInUseList, 0);
  Prefetch::read((char*) &thread->_handle_area, 0);                        // and the base of the stack
  Prefetch::read(start, in_bytes(JavaThread::last_Java_sp_offset()));      // and the Thread object
  Prefetch::read(start, in_bytes(JavaThread::last_Java_pc_offset()));
  Prefetch::read(start, in_bytes(JavaThread::thread_state_offset()));
  Prefetch::read(start, in_bytes(JavaThread::vm_result_offset()));
  Prefetch::read(start, in_bytes(JavaThread::exception_oop_offset()));
  Prefetch::read((char*) &thread->_privileged_stack_top, 0);
  Prefetch::read((char*) &thread->_array_for_gc, 0);                       // and what a debugger knows of it
}

// and lines behind its pointers: the frames up to the first one, and handles.
void Coroutine::prefetch_frames(JavaThread* thread) {
  char* sp = (char*) thread->last_Java_sp();
  if (sp != NULL) {
    char* end = MIN2((char*) thread->stack_base(), sp + WalkLines * CacheLine);
    for (char* line = sp - sizeof(intptr_t); line < end; line += CacheLine) {
      Prefetch::read(line, 0);
    }
  }
  Prefetch::read(thread->active_handles(), 0);
  Prefetch::read(thread->active_handles(), JNIHandleBlock::top_offset_in_bytes());
  Prefetch::read(thread->handle_area(), 0);
}

// ---- Park and unpark

// May this coroutine leave its carrier here? The callers are in a safe state and
// hold nothing that another coroutine on this OS thread could mistake for its own.
bool Coroutine::can_switch() const {
  assert(_thread->thread_state() == _thread_blocked, "must be safe for the whole time");
  assert(!_thread->owns_locks(), "parking with a VM lock held");
  assert(_thread == Thread::current(), "not the current coroutine");
  return _pinned == 0 && !_thread->in_critical();
}

void Coroutine::clear_notification() {
  if (_state == NOTIFIED) {
    Atomic::cmpxchg((int) RUNNING, &_state, (int) NOTIFIED);
  }
}

void Coroutine::park(jlong deadline) {
  bool timed = deadline != 0 && deadline != max_jlong;
  if (!can_switch()) {
    block_os_thread(timed ? deadline : 0);
    return;
  }
  if (timed) {
    TimerHeap::add(this, deadline);
  }
  switch_out(PARK);
  if (timed) {
    TimerHeap::remove(this);
  }
}

void Coroutine::ready(RunQueue* near, int claim, bool follows) {
  for (;;) {
    int s = _state;
    if (s == PARKED) {
      if (Atomic::cmpxchg((int) RUNNABLE, &_state, (int) PARKED) == PARKED) {
        if (RunQueue::counts_times()) {
          _queued_at = os::javaTimeNanos();
        }
        RunQueue::enqueue(this, near, true, (RunQueue::Claim) claim, follows);
        return;
      }
    } else if (s == BLOCKED) {
      CarrierThread* carrier = _carrier;
      if (Atomic::cmpxchg((int) RUNNING, &_state, (int) BLOCKED) == BLOCKED) {
        // If it has moved on already these are spurious. It may even block again, on another
        // carrier; whoever wakes it there finds it RUNNING.
        if (carrier != NULL) {
          carrier->wake();
        }
        CarrierThread* latest = _carrier;
        if (latest != NULL && latest != carrier) {
          latest->wake();
        }
        return;
      }
    } else if (s == RUNNING) {
      if (Atomic::cmpxchg((int) NOTIFIED, &_state, (int) RUNNING) == RUNNING) {
        return;
      }
    } else {
      return;
    }
  }
}

void Coroutine::waits_for_blocker(oop object) {
  uintptr_t address = cast_from_oop<uintptr_t>(object) & right_n_bits(42);   // of ZGC's addresses without the colour
  uint blocker = (uint) (address >> LogHeapWordSize);
  if (_blocker == blocker) {
    return;
  }
  _blocker = blocker;
  for (int i = 0; i < KeptBlockers; i++) {
    if (_kept[i] == blocker) {
      return;
    }
  }
  for (int i = 0; i < RecentBlockers; i++) {
    if (_recent[i] == blocker) {
      return;
    }
  }
  if (blocker != 0) {
    _recent[_recent_slot++ % RecentBlockers] = blocker;
  }
}

// Whoever is found among the recent ones changes places with one that is kept.
bool Coroutine::has_waited_for(const Coroutine* waiter) {
  if (waiter->waits_for_descriptor()) {   // nobody is shut out
    return false;
  }
  uint blocker = waiter->_blocker;
  if (waiter->_cause != LOCK_SUPPORT || blocker == 0) {
    return true;
  }
  for (int i = 0; i < KeptBlockers; i++) {
    if (_kept[i] == blocker) {
      return true;
    }
  }
  for (int i = 0; i < RecentBlockers; i++) {
    if (_recent[i] == blocker) {
      uint* kept = &_kept[_kept_slot++ % KeptBlockers];
      _recent[i] = *kept;
      *kept = blocker;
      return true;
    }
  }
  return false;
}

// The counterpart of os::PlatformEvent::park, with its transitions of _event:
// 1 to 0 and return, or 0 to -1 and wait until an unpark has made it 1.
int Coroutine::park_event(ParkEvent* event, jlong deadline) {
  assert(event == _thread->_ParkEvent || event == _thread->_SleepEvent, "not an event for Java code");
  event->_coroutine.set(this);
  waits_for(event == _thread->_SleepEvent ? SLEEP : MONITOR);
  int v;
  do {
    v = event->_event;
  } while (Atomic::cmpxchg(v - 1, &event->_event, v) != v);
  guarantee(v >= 0, "two waiters on one event");
  int result = OS_OK;
  if (v == 0) {
    for (bool first = true;; first = false) {   // who has a deadline waits a millisecond at least, so the first look is at _event only
      clear_notification();
      if (event->_event >= 0 || (!first && deadline != 0 && os::javaTimeNanos() >= deadline)) {
        break;
      }
      park(deadline);
    }
    // An unpark that comes now finds 0 and leaves a permit, as in upstream.
    result = Atomic::xchg(0, &event->_event) >= 0 ? OS_OK : OS_TIMEOUT;
  }
  event->_coroutine.set(NULL);
  return result;
}

// ---- Yield

void Coroutine::yield() {
  // With no coroutine to run, give way to OS threads as upstream does.
  if (_pinned > 0 || _thread->in_critical() || stays_without_queue() || !switch_out(YIELD)) {
    os::naked_yield();
  }
}

// One that blocks in native code, again and again, and whose queue another carrier has: back in a queue it would stop
// that next. It goes back when it has not blocked since it yielded last; for the kernel a yield is no block.
bool Coroutine::stays_without_queue() {
  if (!_blocks || _preempt || !_carrier->has_lost_queue() || _home->carrier() == NULL) {
    return false;
  }
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) {
    return false;
  }
  bool first = _stayed_at != _active;
  bool blocked = first || usage.ru_nvcsw != _stay_blocks;
  _stayed_at = _active;
  _stay_blocks = usage.ru_nvcsw;
  return blocked;
}

void Coroutine::end_native_wait(JavaThread* thread) {
  if (thread->is_external_suspend() && thread->handle_special_suspend_equivalent_condition()) {
    suspend_self(thread);
  }
  thread->_thread_state = _thread_in_native;
  thread->clear_suspend_equivalent();
}

bool Coroutine::yield_current() {
  Coroutine* co = current();
  if (co == NULL) {
    RunQueue::kernel_thread_yields();
    return false;
  }
  JavaThread* thread = co->_thread;
  assert(!thread->owns_locks(), "yielding with a VM lock held");
  if (thread->thread_state() != _thread_in_vm || thread->in_critical()) {
    return false;
  }
  ThreadBlockInVM tbivm(thread);
  thread->set_suspend_equivalent();
  co->yield();
  end_suspend_equivalent(thread);
  return true;
}

// ---- Suspension

// Who requests a suspension sets its flag and then reads that of the wait, both under SR_lock. It need not be
// taken here: this side clears that of the wait, passes a full fence, and reads the other one.
void Coroutine::end_suspend_equivalent(JavaThread* thread) {
  thread->clear_suspend_equivalent();
  OrderAccess::fence();
  wait_while_suspended(thread);
}

// A thread that was suspended during a wait stays suspended where the wait ends. Each one
// would take an OS thread there, thousands when a debugger suspends a program of sleepers,
// so a coroutine parks. The condition is is_ext_suspended(), which java_resume clears by a
// CAS before it calls resumed().
bool Coroutine::park_suspended(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co == NULL || !co->_suspend_parks) {
    return false;
  }
  thread->SR_lock()->unlock();
  co->waits_for(SUSPENSION);
  co->clear_notification();
  if (thread->is_ext_suspended()) {
    co->park((jlong) 0);
  }
  thread->SR_lock()->lock_without_safepoint_check();
  return true;
}

void Coroutine::resumed(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co != NULL) {
    co->ready();
  }
}

void Coroutine::stay_suspended() {
  while (_thread->handle_special_suspend_equivalent_condition()) {
    suspend_self(_thread);
    _thread->set_suspend_equivalent();
  }
  _thread->set_suspend_equivalent();
}

// ---- Waiting on SystemDictionary_lock

// Threads wait on this VM lock for Java code that another thread runs (class
// loaders, superclass loading), so blocking the OS thread could take the carrier
// from the very coroutine that is waited for. Coroutines wait here instead; the
// list is guarded by the lock itself. OS threads keep waiting in Monitor::wait,
// and notify_all reaches both.
class DictionaryWaiter : public StackObj {
 public:
  Coroutine*        _coroutine;
  DictionaryWaiter* _next;
  volatile int      _notified;
};

static DictionaryWaiter* dictionary_waiters = NULL;

bool Coroutine::wait(Monitor* lock) {
  if (lock != SystemDictionary_lock) {
    return false;
  }
  Coroutine* co = current();
  if (co == NULL) {
    return false;
  }
  DictionaryWaiter waiter;
  waiter._coroutine = co;
  waiter._notified = 0;
  waiter._next = dictionary_waiters;
  dictionary_waiters = &waiter;
  lock->unlock();
  {
    ThreadBlockInVM tbivm(co->_thread);
    OSThreadWaitState osts(co->_thread->osthread(), false /* not Object.wait() */);
    co->waits_for(CLASS_LOADING);
    for (;;) {
      co->clear_notification();
      if (waiter._notified != 0) {
        break;
      }
      co->park((jlong) 0);
    }
  }
  lock->lock();
  return true;
}

void Coroutine::notify_all(Monitor* lock) {
  if (lock != SystemDictionary_lock) {
    return;
  }
  DictionaryWaiter* waiter = dictionary_waiters;
  dictionary_waiters = NULL;
  while (waiter != NULL) {
    DictionaryWaiter* next = waiter->_next;
    Coroutine* co = waiter->_coroutine;
    Atomic::xchg(1, &waiter->_notified);   // the waiter may be gone after this
    co->ready();
    waiter = next;
  }
}

// ---- Preemption

// Sysmon has armed the thread-local poll of one thread. Nobody else disarms a
// poll without a reason of its own, so the thread does it before it goes on; the
// poll would trap for ever otherwise. A safepoint or a handshake that is armed at
// the same time is not lost: the VM publishes its cause before it arms the poll,
// so after the fence either its arming is the later one, or the cause is seen.
void Coroutine::disarm_poll(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return;
  }
  if (co->_preempt) {                  // stays armed until the next preemption point; a safepoint that has ended has disarmed it
    SafepointMechanism::arm_local_poll(thread);
    return;
  }
  SafepointMechanism::disarm_local_poll(thread);
  OrderAccess::fence();                // partners: who begins a safepoint or a handshake, and request_preemption()
  if (co->_preempt || SafepointSynchronize::is_synchronizing() || SafepointSynchronize::is_at_safepoint() || thread->has_handshake()) {
    SafepointMechanism::arm_local_poll(thread);
  }
}

// The thread is in Java or in the VM at a place where a safepoint may stop it, or behind a
// native call, before it goes on in Java: whatever can happen in a safepoint can happen while
// it is unmounted. A compiled loop around native calls has no other poll than theirs.
void Coroutine::preemption_point(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co == NULL || !co->_preempt) {
    return;
  }
  // Not here, at the next poll: the handler of an exception has one, and native code from outside the JDK
  // may leave its error number with the OS thread, for the next call to ask for.
  JavaThreadState state = thread->thread_state();
  if (thread->has_pending_exception() || (state == _thread_in_native_trans && is_below_foreign_code(thread))) {
    return;
  }
  co->_preempt = false;
  disarm_poll(thread);
  if (co->_pinned > 0 || thread->in_critical() || thread->do_critical_native_unlock() || thread->is_exiting() ||
      thread->has_async_condition()) {
    co->_gives_way = false;
    return;
  }
  if (state == _thread_in_Java) {
    ThreadInVMfromJavaNoAsyncException tiv(thread);
    co->leave_preempted();
  } else if (state == _thread_in_vm) {
    assert(!thread->owns_locks(), "preempted with a VM lock held");
    co->leave_preempted();
  } else if (state == _thread_in_native_trans) {
    ThreadInVMForHandshake tiv(thread);  // the one that comes back to this state, by way of a poll
    co->leave_preempted();
  }
}

// Who wakes another one with an unlock may give way to it (RunQueue::enqueue()). In interpreted code the next poll may be where a method
// returns that is called behind the unlock, between what has been asked for there and what is done about the answer: a kernel thread is
// hardly ever stopped there by whom it has woken, and every coroutine would be. So it leaves here, as if the unlock had taken longer. A
// compiled synchronized method has a poll behind its unlock; any other compiled unlock is a call that nobody can leave in, and its next poll counts.
// Not for a frame that the collector may not see all of: vm_result holds the exception that ends the method, and no Java code may
// run meanwhile; an agent that makes methods return has their result, or arguments, where there is no root. Nor behind a native
// method, which may have left its error number. The request stands, for the next poll.
void Coroutine::after_unlock(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co != NULL && co->_preempt && thread->vm_result() == NULL && native_method(thread) == NULL &&
      !JvmtiExport::can_force_early_return() && !JvmtiExport::can_pop_frame()) {
    preemption_point(thread);
  }
}

void Coroutine::leave_preempted() {
  const bool by_itself = _gives_way && !computes();
  EventCoroutinePreempt event;
  if (event.should_commit()) {
    event.set_carrier(_carrier->id());
  }
  {
    ThreadBlockInVM tbivm(_thread);
    _thread->set_suspend_equivalent();
    switch_out(PREEMPT);
    end_suspend_equivalent(_thread);
  }
  if (!by_itself && event.should_commit()) {
    event.commit();
  }
}

// A loop of Thread.onSpinWait() waits for another thread, which may wait behind it for its turn on this
// carrier. The kernel would let that one preempt the loop as soon as it is woken; here it would wait for
// the end of a time slice. So the loop yields every now and then while somebody waits there. Not at each
// call: who spins does so because he expects the other one in less time than a switch takes. One whose queue another
// carrier has goes back to it; a pinned one cannot leave.
bool Coroutine::should_spin() {
  if (_spun_at != _active) {
    _spun_at = _active;
    _spin_waits = 0;
  }
  return (++_spin_waits & (SpinWaits - 1)) != 0 || is_pinned() || _thread->in_critical() ||
         (!_carrier->has_lost_queue() && _home->length() == 0 && CoroutineScheduler::global_size() == 0 && !_home->is_surplus());
}

// ---- Who goes on

static uint mean(uint before, jlong nanos, uint most) {
  uint n = (uint) MAX2(MIN2(nanos, (jlong) most), (jlong) 1);
  return before == 0 ? n : before - before / 4 + n / 4;
}

// Who has not left since the last measure goes on for that long at least.
void Coroutine::sample_wake() {
  jlong now = os::javaTimeNanos();
  if (_wake_at != 0 && now - _wake_at > (jlong) _goes_on) {
    _goes_on = mean(_goes_on, now - _wake_at, GoesOnMax);
  }
  _wake_interval = _sampled_at == 0 ? (uint) GoesOnMax : mean(_wake_interval, (now - _sampled_at) / _wakes, GoesOnMax);
  _sampled_at = _wake_at = now;
  _wakes = 0;
}

void Coroutine::note_goes_on() {
  _goes_on = mean(_goes_on, os::javaTimeNanos() - _wake_at, GoesOnMax);
  _wake_at = 0;
}

// ---- Pins and clocks

bool Coroutine::is_in_native(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  return thread->thread_state() == _thread_in_native ||
         (co != NULL && (co->is_staying() ||
                         ((co->state() == PARKED || co->state() == BLOCKED) && co->waits_for_descriptor())));
}

bool Coroutine::is_stand_in(oop thread_object) {
  return CoroutineThread::is_stand_in(thread_object);
}

Method* Coroutine::native_method(JavaThread* thread) {
  if (!thread->has_last_Java_frame()) {
    return NULL;
  }
  frame top = thread->last_frame();
  Method* method = NULL;
  if (top.is_interpreted_frame()) {
    method = top.interpreter_frame_method();
  } else if (top.cb() != NULL && top.cb()->is_compiled()) {
    method = top.cb()->as_compiled_method()->method();
  }
  return method != NULL && method->is_native() ? method : NULL;
}

// Who calls a JNI function? A native method, the one on top of the Java stack: the JDK's
// own, of the boot and the platform loader, holds nothing, except that System.loadLibrary
// runs the JNI_OnLoad of others. With any other frame on top, or none, it is the callback of
// a JVMTI agent.
bool Coroutine::is_below_foreign_code(JavaThread* thread) {
  Method* method = native_method(thread);
  if (method == NULL) {
    return true;
  }
  InstanceKlass* holder = method->method_holder();
  return !CoroutineAffinity::is_of_jdk(holder) || holder->name() == vmSymbols::java_lang_ClassLoader_NativeLibrary();
}

void Coroutine::count_raw_monitor(Thread* self, int change) {
  Coroutine* co = self->is_Java_thread() ? ((JavaThread*) self)->coroutine() : NULL;
  if (co != NULL && co->_raw_monitors + change >= 0) {   // it may have been entered with the previous one of the address
    co->_raw_monitors += change;
    co->_pinned += change;
  }
}

void Coroutine::count_cpu_time() {
  CarrierThread::begin_count();
}

jlong Coroutine::cpu_time(Thread* thread) {
  Coroutine* co = ((JavaThread*) thread)->coroutine();
  if (!_count_cpu) {
    CarrierThread::begin_count();
  }
  // Before the start: if it leaves in between, this answer lacks a part instead of having it twice.
  jlong nanos = OrderAccess::load_acquire(&co->_cpu_nanos) + co->_cpu_sampled;
  jlong start = OrderAccess::load_acquire(&co->_cpu_start);
  CarrierThread* carrier = co->_carrier;
  if (carrier != NULL && carrier->mounted() == co) {
    if (start == 0) {
      co->_cpu_start = os::javaTimeNanos();    // mounted before anybody asked
    } else {
      nanos += MAX2(carrier->cpu_since(start, os::javaTimeNanos(), false), (jlong) 0);
    }
  }
  // One that is leaving has taken the time already, an earlier one than this, and will
  // have used less than was said here. Nobody may see that its time goes back.
  jlong seen = co->_cpu_seen;
  while (nanos > seen) {
    jlong before = Atomic::cmpxchg(nanos, &co->_cpu_seen, seen);
    if (before == seen) {
      return nanos;
    }
    seen = before;
  }
  return seen;
}

// ---- Leaving the carrier

// The registers of a switch are saved by a call, and nothing that was read from
// the carrier or from thread-local variables before it is used after it: the
// coroutine may come back on another carrier.
NOINLINE bool Coroutine::switch_out(Action action) {
  CarrierThread* carrier = _carrier;
  Coroutine* next = NULL;
  if (carrier->begin_switch()) {
    // The direct way costs half of the way through the carrier. It is left when the carrier has something else to do: timers,
    // events, an empty queue. Asked once, as the answer may change.
    bool due = carrier->is_due();
    next = due ? NULL : carrier->queue()->pop();
    if (next == NULL && action == YIELD && !due) {
      carrier->queue()->count_lone_yield();
      carrier->end_switch();
      return false;              // nobody to give way to
    }
  }
  carrier->leave(this, action, next);
  // Mounted again. A request to leave that it has not seen is fulfilled.
  _carrier->finish_switch();
  _carrier->end_switch();
  mounted_again();
  return true;
}

void Coroutine::mounted_again() {
  if (_preempt) {
    _preempt = _gives_way = false;
    disarm_poll(_thread);
  }
  if (_queued_since.value() != 0) {
    JfrTicks since = _queued_since;
    _queued_since = JfrTicks();
    CoroutineEvents::queued(_thread, since, _home->id());
  }
}

// Pinned: the OS thread waits, and its run queue goes to a spare carrier.
void Coroutine::block_os_thread(jlong deadline) {
  CarrierThread* carrier = _carrier;
  _home->count_other(RunQueue::PINNED_PARKS);
  EventCoroutinePinned event;
  carrier->release_queue();
  carrier->restore_slice();            // it has none now, whoever has taken it
  if (Atomic::cmpxchg((int) BLOCKED, &_state, (int) RUNNING) == RUNNING) {
    while (_state == BLOCKED && (deadline == 0 || os::javaTimeNanos() < deadline)) {
      carrier->sleep(deadline);
    }
    Atomic::cmpxchg((int) RUNNING, &_state, (int) BLOCKED);
  }
  CoroutineEvents::pinned(_thread, event, carrier->id());
}
