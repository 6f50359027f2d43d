/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/thread.inline.hpp"

#if INCLUDE_JFR

#include "jfr/recorder/service/jfrEvent.hpp"
#include "jfr/support/jfrThreadId.hpp"

// From a wait into the VM and back. Not while the thread is suspended: a safepoint would not
// wait for it.
class InVMFromBlocked : public StackObj {
  JavaThread* _thread;
 public:
  InVMFromBlocked(JavaThread* thread) : _thread(thread) {
    ThreadStateTransition::transition_and_fence(thread, _thread_blocked, _thread_in_vm);
  }
  ~InVMFromBlocked() {
    _thread->frame_anchor()->make_walkable(_thread);
    ThreadStateTransition::transition_and_fence(_thread, _thread_in_vm, _thread_blocked);
  }
};

JfrTicks CoroutineEvents::queue_clock() {
  return EventCoroutineQueued::is_enabled() ? JfrTicks::now() : JfrTicks();
}

void CoroutineEvents::queued(JavaThread* thread, JfrTicks since, int queue) {
  JfrTicks now = JfrTicks::now();
  if (now.value() - since.value() < JfrEventSetting::threshold(EventCoroutineQueued::eventId) || thread->is_ext_suspended()) {
    return;
  }
  InVMFromBlocked in_vm(thread);
  EventCoroutineQueued event(UNTIMED);
  event.set_starttime(since);
  event.set_endtime(now);
  event.set_queue(queue);
  event.commit();
}

void CoroutineEvents::pinned(JavaThread* thread, EventCoroutinePinned& event, int carrier) {
  if (!event.should_commit() || thread->is_ext_suspended()) {
    return;
  }
  InVMFromBlocked in_vm(thread);
  event.set_reason(thread->in_critical() ? "JNI critical region" :
                   thread->coroutine()->holds_raw_monitor() ? "JVMTI raw monitor" :
                   thread->coroutine()->is_bound() ? "bound by nativeAffinity" : "native code on the stack");
  event.set_carrier(carrier);
  event.commit();
}

void CoroutineEvents::note(HandOff* hand_off, JavaThread* thread, int carrier, int queue) {
  hand_off->_thread = JFR_THREAD_ID(thread);
  hand_off->_state = thread->is_ext_suspended() ? "suspended" :
                     thread->thread_state() == _thread_in_native ? "in native code" : "blocked in the VM";
  hand_off->_carrier = carrier;
  hand_off->_queue = queue;
}

void CoroutineEvents::handed_off(const HandOff& hand_off) {
  EventCoroutineHandOff event;
  if (event.should_commit()) {
    event.set_coroutine(hand_off._thread);
    event.set_state(hand_off._state);
    event.set_carrier(hand_off._carrier);
    event.set_queue(hand_off._queue);
    event.commit();
  }
}

void CoroutineEvents::handed_off(const HandOff& hand_off, CarrierThread* taker) {
  if (EventCoroutineHandOff::is_enabled()) {
    InVMFromBlocked in_vm(taker);
    handed_off(hand_off);
  }
}

void CoroutineEvents::stolen(CarrierThread* carrier, int from, int queue, int count) {
  EventCoroutineSteal event;
  if (event.should_commit()) {
    ThreadInVMfromNative in_vm(carrier);
    event.set_from(from);
    event.set_queue(queue);
    event.set_count(count);
    event.commit();
  }
}

#else

JfrTicks CoroutineEvents::queue_clock()                                               { return JfrTicks(); }
void  CoroutineEvents::queued(JavaThread* thread, JfrTicks since, int queue)          {}
void  CoroutineEvents::pinned(JavaThread* thread, EventCoroutinePinned& event, int carrier) {}
void  CoroutineEvents::note(HandOff* hand_off, JavaThread* thread, int carrier, int queue) {}
void  CoroutineEvents::handed_off(const HandOff& hand_off)                            {}
void  CoroutineEvents::handed_off(const HandOff& hand_off, CarrierThread* taker)      {}
void  CoroutineEvents::stolen(CarrierThread* carrier, int from, int queue, int count) {}

#endif // INCLUDE_JFR
