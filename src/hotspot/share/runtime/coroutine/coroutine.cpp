/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/osThread.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/safepointMechanism.inline.hpp"
#include "runtime/thread.inline.hpp"

Coroutine* volatile Coroutine::_free_list = NULL;

// ---- Records

Coroutine::Coroutine() :
  _sp(NULL), _state(ENDED), _thread(NULL), _stack_base(NULL), _stack_size(0), _carrier(NULL),
  _home(NULL), _next(NULL), _depth(0), _deadline(0), _timer_index(-1), _timer_queue(NULL),
  _preempt(false), _pinned(false), _os_blocked(false), _active(0), _steals(0), _preempts(0) {}

Coroutine::~Coroutine() {
  ShouldNotReachHere();
}

static volatile int free_list_lock = 0;

// A spin lock rather than a lock-free stack: with type-stable records a pop by
// CAS would suffer from ABA.
Coroutine* Coroutine::allocate() {
  Thread::SpinAcquire(&free_list_lock, "Coroutine - allocate");
  Coroutine* co = _free_list;
  if (co != NULL) {
    _free_list = co->_next;
  }
  Thread::SpinRelease(&free_list_lock);
  if (co == NULL) {
    co = new Coroutine();
  }
  assert(co->_state == ENDED, "free record in use");
  co->_next = NULL;
  co->_carrier = NULL;
  co->_deadline = 0;
  co->_preempt = false;
  co->_pinned = false;
  co->_active = co->_steals = co->_preempts = 0;
  OrderAccess::release_store(&co->_state, (int) NEW);
  return co;
}

void Coroutine::release(Coroutine* co) {
  assert(co->_timer_index == -1, "ended with a timer");
  co->_thread = NULL;
  co->_state = ENDED;
  Thread::SpinAcquire(&free_list_lock, "Coroutine - release");
  co->_next = _free_list;
  _free_list = co;
  Thread::SpinRelease(&free_list_lock);
}

const char* Coroutine::state_name() const {
  switch (_state) {
    case NEW:      return "new";
    case RUNNABLE: return "runnable";
    case RUNNING:  return "running";
    case NOTIFIED: return "notified";
    case PARKED:   return "parked";
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

// ---- Park and unpark

// May this coroutine leave its carrier here? The callers are in a safe state and
// hold nothing that another coroutine on this OS thread could mistake for its own.
bool Coroutine::can_switch() const {
  assert(_thread->thread_state() == _thread_blocked, "must be safe for the whole time");
  assert(!_thread->owns_locks(), "parking with a VM lock held");
  assert(_thread == Thread::current(), "not the current coroutine");
  return !_pinned && !_thread->in_critical();
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

void Coroutine::ready(RunQueue* near) {
  for (;;) {
    int s = _state;
    if (s == PARKED) {
      if (Atomic::cmpxchg((int) RUNNABLE, &_state, (int) PARKED) == PARKED) {
        RunQueue::enqueue(this, near);
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

// The counterpart of os::PlatformEvent::park, with its transitions of _event:
// 1 to 0 and return, or 0 to -1 and wait until an unpark has made it 1.
int Coroutine::park_event(ParkEvent* event, jlong deadline) {
  assert(event == _thread->_ParkEvent || event == _thread->_SleepEvent, "not an event for Java code");
  event->_coroutine.set(this);
  int v;
  do {
    v = event->_event;
  } while (Atomic::cmpxchg(v - 1, &event->_event, v) != v);
  guarantee(v >= 0, "two waiters on one event");
  int result = OS_OK;
  if (v == 0) {
    for (;;) {
      clear_notification();
      if (event->_event >= 0 || (deadline != 0 && os::javaTimeNanos() >= deadline)) {
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

bool Coroutine::park(Parker* parker, bool absolute, jlong time) {
  JavaThread* thread = JavaThread::current();
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return false;
  }
  if (Atomic::xchg(0, &parker->_counter) > 0) {
    return true;
  }
  if (Thread::is_interrupted(thread, false) || time < 0 || (absolute && time == 0)) {
    return true;
  }
  jlong deadline = 0;
  if (absolute) {
    jlong millis = time - os::javaTimeMillis();
    if (millis <= 0) {
      return true;
    }
    deadline = deadline_after_nanos(millis > max_jlong / NANOSECS_PER_MILLISEC
                                    ? max_jlong : millis * NANOSECS_PER_MILLISEC);
  } else if (time > 0) {
    deadline = deadline_after_nanos(time);
  }
  ThreadBlockInVM tbivm(thread);
  OSThreadWaitState osts(thread->osthread(), false /* not Object.wait() */);
  thread->set_suspend_equivalent();
  for (;;) {
    co->clear_notification();
    // interrupt() sets its flag before it unparks the parker.
    if (parker->_counter > 0 || Thread::is_interrupted(thread, false) ||
        (deadline != 0 && os::javaTimeNanos() >= deadline)) {
      break;
    }
    co->park(deadline);
  }
  Atomic::xchg(0, &parker->_counter);
  if (thread->handle_special_suspend_equivalent_condition()) {
    thread->java_suspend_self();
  }
  return true;
}

bool Coroutine::unpark(Parker* parker) {
  Coroutine* co = parker->_coroutine.get();
  if (co == NULL) {
    return false;
  }
  if (Atomic::xchg(1, &parker->_counter) < 1) {
    co->ready();
  }
  return true;
}

// ---- Yield

void Coroutine::yield() {
  if (!_pinned) {
    switch_out(YIELD);
  }
}

bool Coroutine::yield_current() {
  Coroutine* co = current();
  if (co == NULL) {
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
  if (thread->handle_special_suspend_equivalent_condition()) {
    thread->java_suspend_self();
  }
  return true;
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
  if (thread->coroutine() == NULL) {
    return;
  }
  // Whether or not _preempt is set: sysmon sets it first and arms then, and in
  // between a safepoint can have led here.
  SafepointMechanism::disarm_local_poll(thread);
  OrderAccess::fence();
  if (SafepointSynchronize::is_synchronizing() || SafepointSynchronize::is_at_safepoint() || thread->has_handshake()) {
    SafepointMechanism::arm_local_poll(thread);
  }
}

// The thread is in Java or in the VM at a place where a safepoint may stop it:
// whatever can happen in a safepoint can happen while it is unmounted.
void Coroutine::preemption_point(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co == NULL || !co->_preempt) {
    return;
  }
  co->_preempt = false;
  if (co->_pinned || thread->in_critical() || thread->is_exiting() ||
      thread->has_pending_exception() || thread->has_async_condition()) {
    return;
  }
  JavaThreadState state = thread->thread_state();
  if (state == _thread_in_Java) {
    ThreadInVMfromJavaNoAsyncException tiv(thread);
    ThreadBlockInVM tbivm(thread);
    thread->set_suspend_equivalent();
    co->switch_out(PREEMPT);
    if (thread->handle_special_suspend_equivalent_condition()) {
      thread->java_suspend_self();
    }
  } else if (state == _thread_in_vm) {
    assert(!thread->owns_locks(), "preempted with a VM lock held");
    ThreadBlockInVM tbivm(thread);
    thread->set_suspend_equivalent();
    co->switch_out(PREEMPT);
    if (thread->handle_special_suspend_equivalent_condition()) {
      thread->java_suspend_self();
    }
  }
}

// ---- Leaving the carrier

// The registers of a switch are saved by a call, and nothing that was read from
// the carrier or from thread-local variables before it is used after it: the
// coroutine may come back on another carrier.
NOINLINE void Coroutine::switch_out(Action action) {
  CarrierThread* carrier = _carrier;
  Coroutine* next = NULL;
  if (carrier->begin_switch()) {
    next = carrier->next_direct();
    if (next == NULL && action == YIELD && !carrier->is_due()) {
      carrier->end_switch();     // nobody to give way to
      return;
    }
  }
  carrier->leave(this, action, next);
  // Mounted again.
  _carrier->finish_switch();
  _carrier->end_switch();
}

// Pinned: the OS thread waits, and its run queue goes to a spare carrier. ready()
// finds _os_blocked set, because it is written before the CAS that makes the
// coroutine PARKED, and wakes the carrier instead of queueing.
void Coroutine::block_os_thread(jlong deadline) {
  CarrierThread* carrier = _carrier;
  carrier->release_queue();
  _os_blocked = true;
  if (Atomic::cmpxchg((int) PARKED, &_state, (int) RUNNING) == RUNNING) {
    while (_state == PARKED && (deadline == 0 || os::javaTimeNanos() < deadline)) {
      carrier->sleep(deadline);
    }
    // Either nobody has woken it, or a waker has made it RUNNABLE.
    Atomic::xchg((int) RUNNING, &_state);
  }
  _os_blocked = false;
}
