/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEEVENTS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEEVENTS_HPP

// Flight recorder events of the scheduler; make/jfr/events.xml describes them.
//
// An event is written in _thread_in_vm, as everywhere in HotSpot: the recorder
// rotates its buffers at safepoints and walks the writer's stack. The code around
// a switch is _thread_blocked, so it changes its state for an event that is long
// enough to be recorded, and for no other. Sysmon is not a Java thread and writes
// at any time.
//
// Queue time is the only event that costs something when nothing is recorded of
// it: two reads of the time stamp counter a switch, while the event is enabled.

#include "jfr/jfrEvents.hpp"
#include "jfr/utilities/jfrTime.hpp"
#include "memory/allocation.hpp"

class CarrierThread;
class Coroutine;
class JavaThread;

class CoroutineEvents : AllStatic {
 public:
  // A time stamp for queued(), 0 while the event is disabled.
  static JfrTicks queue_clock();

  // By the coroutine, just mounted: it was woken at that time.
  static void queued(JavaThread* thread, JfrTicks since, int queue);

  // By the coroutine, at the end of a pinned park that the event has timed.
  static void pinned(JavaThread* thread, EventCoroutinePinned& event, int carrier);

  // A thread that blocks the carrier, which loses its queue. Noted while the thread cannot end, and written by sysmon, or
  // by the carrier that has taken the queue, blocked and without a lock.
  struct HandOff {
    u8          _thread;               // its id for the recorder
    const char* _state;
    int         _carrier;
    int         _queue;
    HandOff() : _thread(0), _state(NULL), _carrier(0), _queue(0) {}
  };
  static void note(HandOff* hand_off, JavaThread* thread, int carrier, int queue);
  static void handed_off(const HandOff& hand_off);
  static void handed_off(const HandOff& hand_off, CarrierThread* taker);

  // By a carrier in native state.
  static void stolen(CarrierThread* carrier, int from, int queue, int count);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEEVENTS_HPP
