/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// Native methods that wait, and what wakes them: Unsafe.park and unpark, on which LockSupport rests, and Thread.sleep.
//
// Upstream's functions for these enter the VM and leave it, which is a transition with a fence at both ends, and wait behind two more.
// Each fence and each line of code and data counts here, so with UseWisp2 the methods are bound to functions of this file. They stay in
// native, a safe state, or are blocked, and touch the heap as compiled code does, for a few instructions, in in_Java:
//
//   park, sleep  native -> in_Java    fence, and a safepoint is waited for. The status of the Thread object is written, its blocker read
//                in_Java -> blocked   plain, as compiled code goes to native
//                ... waits
//                blocked -> native    plain, both are safe
//                native -> in_Java    as before. The status is written
//   unpark       native -> in_Java    as before. The JavaThread is read from the Thread object, and the permit is given: who gives way
//                                     arms its poll, and a safepoint that ended meanwhile would disarm it
//                in_Java -> native    plain
//
// and the wrapper of the native method has the last fence. Upstream's functions serve kernel threads, coroutines that are pinned, who is
// interrupted in its sleep, the recorder when it wants an event, and everybody if an agent has changed these methods or is told
// when natives are bound. They wait for a Parker or a ParkEvent, and whatever
// unparks these ends here, too: an interrupt gives the permit, as it does upstream, after it has set its flag, and so wakes a sleeper.
//
// Rejected: plain stores on the ways out of in_vm. The VM has counted a thread that it has seen in this state, and waits until it comes by,
// so it has to look for a safepoint on its way out of the VM.

#include "precompiled.hpp"
#include "classfile/javaClasses.inline.hpp"
#include "classfile/symbolTable.hpp"
#include "classfile/systemDictionary.hpp"
#include "classfile/vmSymbols.hpp"
#include "jfr/jfrEvents.hpp"
#include "logging/log.hpp"
#include "oops/oop.inline.hpp"
#include "prims/jvmtiExport.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineClock.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/fieldDescriptor.inline.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/jniHandles.inline.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "services/threadService.hpp"
#include OS_CPU_HEADER(coroutinePrefetch)

// The field threadStatus of Thread. Set at boot, as upstream's accessor wants the VM to be entered.
static int status_offset = 0;

// No safepoint begins while one of these is there: nothing may wait or take long.
class HeapFromNative : public ThreadStateTransition {
  const JavaThreadState _to;

 public:
  HeapFromNative(JavaThread* thread, JavaThreadState to = _thread_in_native) : ThreadStateTransition(thread), _to(to) {
    trans_from_native(_thread_in_Java);
  }
  ~HeapFromNative() {
    OrderAccess::release();            // for who sees the thread safe
    _thread->set_thread_state(_to);
  }

  // The one before.
  java_lang_Thread::ThreadStatus set_status(java_lang_Thread::ThreadStatus status) {
    oop object = _thread->threadObj();
    jint before = object->int_field(status_offset);
    java_lang_Thread::set_thread_status(object, status);
    return (java_lang_Thread::ThreadStatus) before;
  }
};

// ---- Park

// A permit that comes after this look is seen by the one before each wait.
inline bool Coroutine::passes(bool absolute, jlong time) {
  return (_permit > 0 && Atomic::xchg(0, &_permit) > 0) || Thread::is_interrupted(_thread, false) || time < 0 || (absolute && time == 0);
}

inline jlong Coroutine::deadline_of_park(bool absolute, jlong time) {
  if (time == 0) {
    return 0;
  }
  if (!absolute) {
    jlong deadline = deadline_after_nanos(MAX2(time, _shortest_park));
    if (time <= _shortest_park) {
      current()->_home->is_parked_shortly(deadline);
    }
    return deadline;
  }
  jlong millis = time - os::javaTimeMillis();
  return millis <= 0 ? -1 : deadline_after_nanos(millis > max_jlong / NANOSECS_PER_MILLISEC ? max_jlong : millis * NANOSECS_PER_MILLISEC);
}

// Blocked, in a wait that is suspend-equivalent: until there is a permit, if it waits for that, or an interrupt, or the time is over;
// until: that of the wall clock, in milliseconds, or 0.
bool Coroutine::wait_until(jlong deadline, jlong until) {
  for (bool first = true;; first = false) {   // a time that is over already gives way to others, too
    clear_notification();
    // interrupt() sets its flag before it unparks the parker.
    if ((_permit > 0 && _cause == LOCK_SUPPORT) || Thread::is_interrupted(_thread, false)) {
      return false;
    }
    if (until != 0 && (deadline = deadline_of_park(true, until)) < 0) {
      return true;
    }
    if (!first && deadline != 0 && os::javaTimeNanos() >= deadline) {
      return true;
    }
    park(deadline);
  }
}

bool Coroutine::wait_for_clock(jlong until) {
  CoroutineClock::Wait wait(this);
  return wait_until(0, until);
}

bool Coroutine::park(Parker* parker, bool absolute, jlong time) {
  JavaThread* thread = JavaThread::current();
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return false;
  }
  jlong deadline = co->passes(absolute, time) ? -1 : deadline_of_park(absolute, time);
  if (deadline >= 0) {
    co->waits_for(LOCK_SUPPORT);
    co->waits_for_blocker(java_lang_Thread::park_blocker(thread->threadObj()));
    ThreadBlockInVM blocked(thread);
    OSThreadWaitState osts(thread->osthread(), false /* not Object.wait() */);
    thread->set_suspend_equivalent();
    const bool over = absolute ? co->wait_for_clock(time) : co->wait_until(deadline);
    co->count_poll(over && !absolute && is_short(time), deadline);
    thread->clear_suspend_equivalent();
    Atomic::xchg(0, &co->_permit);     // the fence of end_suspend_equivalent()
    wait_while_suspended(thread);
  }
  return true;
}

void Coroutine::note_turn(jlong nanos) {
  jlong turn = MAX2(MIN2(nanos, (jlong) TurnMax), (jlong) 1);
  _turn_nanos = _turn_nanos == 0 ? (uint) turn : (uint) ((3 * (jlong) _turn_nanos + turn) / 4 + 1);
}

void Coroutine::note_poll(bool polls, jlong deadline) {
  _polls = polls ? MIN2(_polls + 1, (uint) PollsMin) : 0;
  if (_polls == PollsMin) {
    _home->is_polled_at(deadline);
  }
}

// The wait of a native method, as those for sockets. Blocked; in native afterwards. until: as of wait_until().
void Coroutine::wait_in_native(jlong deadline, bool is_short, jlong until) {
  JavaThread* thread = _thread;
  thread->set_suspend_equivalent();
  OSThreadWaitState osts(thread->osthread(), false /* not Object.wait() */);
  const bool over = until != 0 ? wait_for_clock(until) : wait_until(deadline);
  count_poll(over && is_short, deadline);
  if (_cause == LOCK_SUPPORT) {
    Atomic::xchg(0, &_permit);
  }
  end_native_wait(thread);
}

// Who moves many bytes is in system calls nearly all the time, where nobody can take the CPU from it, and each of which is too short to hand
// its queue on: others would wait until it has to wait itself, for milliseconds. The kernel preempts such a thread for whoever wakes up. So it
// looks itself for events and timers, and lets those run that move less. Not others of its kind, for a while: each finds warm caches, and much
// to move, when the others have had time.
void Coroutine::moved_much(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  const jlong now = os::javaTimeNanos();
  if (!co->moves_much()) {
    co->_bulk_turn = co->_active;
    co->_bulk_began = co->_bulk_since = now;
    return;
  }
  RunQueue* queue = co->_carrier->queue();   // NULL, or not its own any more: sysmon may take it meanwhile
  const jlong interval = (jlong) BulkNanos << MAX2(co->_bulk_finds - BulkFinds, 0);
  if (now - co->_bulk_since < interval || WispTimeSliceMillis == 0 || queue == NULL || co->is_pinned() || thread->in_critical() ||
      co->_carrier->has_lost_queue()) {
    return;
  }
  co->_bulk_since = now;
  if (EventPump::last_poll() + BulkNanos <= now && EventPump::waiters() > 0) {
    EventPump::poll(queue, true);
  }
  if (queue->timers()->next_deadline() <= now) {
    queue->timers()->fire(now, queue);
  }
  const bool waits = queue->waits_for_mover();
  co->_bulk_finds = waits ? MIN2(co->_bulk_finds + 1, (int) BulkFindsMax) : 0;
  if (!waits && (now - co->_bulk_began < BulkTurnNanos || queue->others() == 0)) {
    return;
  }
  thread->set_suspend_equivalent();
  thread->_thread_state = _thread_blocked;
  if (!co->_preempt) {                 // else it has used up its slice, which sysmon has said
    co->_gives_way = co->_steps_back = true;
  }
  co->switch_out(PREEMPT);
  end_native_wait(thread);
}

// deadline: as of deadline_of_park(); until: as of wait_until().
void Coroutine::park_in_native(bool timed, jlong deadline, bool is_short, jlong until) {
  JavaThread* thread = _thread;
  java_lang_Thread::ThreadStatus before;
  waits_for(LOCK_SUPPORT);
  {
    HeapFromNative heap(thread, _thread_blocked);
    before = heap.set_status(timed ? java_lang_Thread::PARKED_TIMED : java_lang_Thread::PARKED);
    waits_for_blocker(java_lang_Thread::park_blocker(thread->threadObj()));
  }
  ThreadStatistics* statistics = thread->get_thread_stat();
  const bool measured = ThreadService::is_thread_monitoring_contention();
  statistics->monitor_wait();
  if (measured) {
    statistics->monitor_wait_begin();
  }
  wait_in_native(deadline, is_short, until);
  if (measured) {
    statistics->monitor_wait_end();
  }
  HeapFromNative(thread).set_status(before);
}

// A permit that is there, or comes, is left.
void Coroutine::sleep_in_native(jlong millis, bool may_poll) {
  JavaThread* thread = _thread;
  java_lang_Thread::ThreadStatus before;
  waits_for(SLEEP);
  {
    HeapFromNative heap(thread, _thread_blocked);
    before = heap.set_status(java_lang_Thread::SLEEPING);
  }
  ThreadStatistics* statistics = thread->get_thread_stat();
  const bool measured = ThreadService::is_thread_monitoring_contention();
  statistics->thread_sleep();
  if (measured) {
    statistics->thread_sleep_begin();
  }
  wait_in_native(deadline_after_nanos(millis > max_jlong / NANOSECS_PER_MILLISEC ? max_jlong : millis * NANOSECS_PER_MILLISEC),
                 may_poll && millis <= PollMillis);
  if (measured) {
    statistics->thread_sleep_end();
  }
  HeapFromNative(thread).set_status(before);
}

typedef void (JNICALL* ParkFunction)(JNIEnv*, jobject, jboolean, jlong);
typedef void (JNICALL* UnparkFunction)(JNIEnv*, jobject, jobject);
typedef void (JNICALL* SleepFunction)(JNIEnv*, jclass, jlong);

// Of upstream; set at boot, before there is a coroutine.
static ParkFunction   upstream_park = NULL;
static UnparkFunction upstream_unpark = NULL;
static SleepFunction  upstream_sleep = NULL;

extern "C" {

static void JNICALL Wisp_park(JNIEnv* env, jobject unsafe, jboolean absolute, jlong time) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  Coroutine* co = thread->coroutine();
  if (co == NULL || co->is_pinned() || EventThreadPark::is_enabled()) {
    upstream_park(env, unsafe, absolute, time);
    return;
  }
  jlong deadline = co->passes(absolute != 0, time) ? -1 : Coroutine::deadline_of_park(absolute != 0, time);
  if (deadline < 0) {
    thread->get_thread_stat()->monitor_wait();   // counts as one
  } else {
    co->park_in_native(time != 0, deadline, absolute == 0 && Coroutine::is_short(time), absolute != 0 ? time : 0);
  }
}

static void JNICALL Wisp_unpark(JNIEnv* env, jobject unsafe, jobject jthread) {
  if (jthread == NULL) {
    return;
  }
  {
    HeapFromNative heap(JavaThread::thread_from_jni_environment(env));
    JavaThread* thread = java_lang_Thread::thread(JNIHandles::resolve_non_null(jthread));
    if (thread == NULL || Coroutine::unpark(thread)) {
      return;
    }
  }
  upstream_unpark(env, unsafe, jthread);
}

static void JNICALL Wisp_sleep(JNIEnv* env, jclass klass, jlong millis) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  Coroutine* co = thread->coroutine();
  if (co == NULL || co->is_pinned() || millis <= 0 || EventThreadSleep::is_enabled() || Thread::is_interrupted(thread, false)) {
    upstream_sleep(env, klass, millis);
    return;
  }
  co->sleep_in_native(millis);
  if (Thread::is_interrupted(thread, false)) {
    upstream_sleep(env, klass, millis);   // which throws at once
  }
}

}

// Who parks meanwhile finds one function or the other. An agent that is told of each binding, and calls what it was told of last from a
// function of its own, would come back to that by way of upstream_park.
void CoroutineThread::bind_waits(TRAPS) {
  Klass* unsafe = link("jdk/internal/misc/Unsafe", CHECK);
  Method* park = native_method(unsafe, "park", "(ZJ)V", CHECK);
  Method* unpark = native_method(unsafe, "unpark", "(Ljava/lang/Object;)V", CHECK);
  Method* sleep = native_method(SystemDictionary::Thread_klass(), "sleep", "(J)V", CHECK);
  TempNewSymbol name = SymbolTable::new_symbol("threadStatus", CHECK);
  fieldDescriptor status;
  Klass* found = InstanceKlass::cast(SystemDictionary::Thread_klass())->find_field(name, vmSymbols::int_signature(), &status);
  guarantee(found != NULL, "no field threadStatus in Thread");
  status_offset = status.offset();     // also for who sleeps in native without this
  if (park == NULL || unpark == NULL || sleep == NULL || JvmtiExport::should_post_native_method_bind()) {
    log_info(wisp)("an agent has changed LockSupport's native methods, or is told of them; they are upstream's, which take longer");
    return;
  }
  upstream_park = CAST_TO_FN_PTR(ParkFunction, park->native_function());
  upstream_unpark = CAST_TO_FN_PTR(UnparkFunction, unpark->native_function());
  upstream_sleep = CAST_TO_FN_PTR(SleepFunction, sleep->native_function());
  OrderAccess::release();
  bind(park, CAST_FROM_FN_PTR(address, &Wisp_park));
  bind(unpark, CAST_FROM_FN_PTR(address, &Wisp_unpark));
  bind(sleep, CAST_FROM_FN_PTR(address, &Wisp_sleep));
}

// ---- Unpark

void Coroutine::give_permit() {
  CoroutinePrefetch::write(this, 0);   // while it waits for the line of the permit
  Atomic::xchg(1, &_permit);
  ready();
}

bool Coroutine::unpark(Parker* parker) {
  Coroutine* co = parker->_coroutine.get();
  if (co == NULL) {
    return false;
  }
  co->give_permit();
  return true;
}

bool Coroutine::unpark(JavaThread* thread) {
  Coroutine* co = CoroutineRecords::record_of(thread);
  if (co == NULL) {
    return false;
  }
  co->give_permit();
  return true;
}

// Each wait starts with the event or the permit that it waits for: a permit that is left ends the next park, an old event of Object.wait is
// forgotten when the next one begins. So the event is set first. Upstream sets it last; who is woken from a sleep before, on another carrier
// while the system call that wakes it goes on, would find it in its next Object.wait, which would return with neither notification nor
// interrupt. The flag is there for whoever sees one of these: the fence is before them all.
bool Coroutine::interrupt(Thread* thread) {
  if (!thread->is_Java_thread() || ((JavaThread*) thread)->coroutine() == NULL) {
    return false;
  }
  OSThread* os_thread = thread->osthread();
  const bool first = !os_thread->interrupted();
  if (first) {
    os_thread->set_interrupted(true);
    OrderAccess::fence();
  }
  ParkEvent* event = thread->_ParkEvent;
  if (event != NULL) {
    event->unpark();
  }
  ParkEvent* sleep = first ? thread->_SleepEvent : NULL;    // forgets old ones as well
  if (sleep != NULL) {
    sleep->unpark();
  }
  ((JavaThread*) thread)->parker()->unpark();
  return true;
}
