/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_STARTSERIES_HPP
#define SHARE_VM_RUNTIME_COROUTINE_STARTSERIES_HPP

// A kernel thread that starts coroutines one after the other, and how carriers make it easy for it: it is the one that
// the program waits for.
//
// It is slower than the carriers that run what it starts. They would search between any two, and take the CPU from it,
// or sleep, and it would have to wake them for each. So while a series goes on (FedMin starts without pauses, and without
// waiting in between) a carrier that finds its queue empty naps, and runs together those that have come meanwhile. If none
// has come lately then, the series is over, and naps end until the next one. Who naps counts as awake. Who is woken
// meanwhile goes to the carrier of his waker, or ends the nap; others wait for its end, at most. Nobody begins a nap while
// nobody sees events.
//
// A starter that computes keeps a processor busy, and with a carrier for each of them all share one too few. So in a long
// series (LongMin starts) the carrier of the last queue makes room when that is empty: it naps, again and again, starts go
// to the other queues meanwhile, and it takes none from these. At the end of each nap it looks at them, and goes on as ever
// (make_room() ends) when
//   - the starter has paused, perhaps to wait for what it has started; or nobody sees events;
//   - somebody waits for longer than RoomWaitNanos in one of them, by what it has switched since the last look, or behind one
//     that does not switch: it computes, is blocked for less than a hand-off takes, or has no carrier.
// It serves timers that are late: the others serve those of all queues, but may compute. While that goes on the starter uses
// the CPU that the carrier does not, but for pauses, and for a quarter at most (ComputesPercent). Not with more or fewer
// carriers than processors, and not with more than RoomCarriers, where one more thread is a small part of all.
//
// Whether the starter computes is asked every CheckInterval starts: its CPU time is most of the time that has passed, or it
// has not waited at all. Whoever has been preempted has not, and is the one for whom room should be made. A check that finds
// it waiting, or its starts so expensive that carriers have little to do, halves the length of the series, so that single
// ones do not end it.
//
// Rejected: naps whenever several have come just now, too, when the starter waits for them: a main thread that starts a few
// threads and joins them, again and again, would wait for the naps. Room by the count of starts since the last pause: a
// starter that is preempted looks as if it paused, and gets less room the more it needs. Longer naps instead of room: half
// as good, and everybody waits for their ends.

#include "memory/allocation.hpp"
#include "memory/padded.hpp"
#include "utilities/globalDefinitions.hpp"

class CarrierThread;
class RunQueue;
class Thread;

class StartSeries : AllStatic {
  friend class StartSeriesTest;

  enum {
    FedMin            = 128,           // so many starts by kernel threads are a series
    FedPauseNanos     = 50 * 1000,     // which this interrupts,
    CheckInterval     = 64,            // unless the starter has blocked, within so many,
    FedBlocked        = 4,             // more often than that
    FedNapNanos       = 100 * 1000,    // of a nap, at most; the timer slack of the kernel makes it 150 us
    LongMin           = 1024,          // so many that have been checked are a long series,
    LongMax           = 4096,          // and more not longer,
    LongPauseNanos    = 150 * 1000,    // which this interrupts,
    LongEndNanos      = 100 * 1000 * 1000,  // and this ends
    ComputesPercent   = 75,            // of the time the starter has been on a CPU, or has not waited, and
    SlowNanos         = 50 * 1000,     // has needed no more than that for a start
    RoomNapNanos      = 200 * 1000,
    RoomWaitNanos     = 2 * 1000 * 1000,    // that others wait
    RoomHoldNanos     = 5 * 1000 * 1000,    // for which starts go to other queues from the begin of a nap on
    RoomLateNanos     = 1000 * 1000,   // that timers may be late before the carrier that makes room serves them
    RoomForgetNanos   = 100 * 1000 * 1000,  // a look that was longer ago says nothing
    RoomCarriers      = 8
  };

  // Without a lock: hints, but for _by, which is compared only. In cache lines of their own, as they change with each start.
  struct State {
    DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
    // By the starter, in next_queue(); read by carriers
    volatile uint     _next;                 // queue of the next start
    volatile uint     _starts;               // by the same thread
    volatile int      _count;                // halved at each pause; a carrier sets it to 0 if nothing has come in a nap
    volatile int      _long;                 // the length of the series by its checks, halved by some
    volatile jlong    _at;                   // the last one
    Thread* volatile  _by;                   // who makes them. At the last check, at
    volatile jlong    _checked_at;           // 0: none yet
    volatile jlong    _blocked;              // so often he had waited, and
    volatile jlong    _cpu;                  // used this CPU time, ns
    DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, 0);
    // By the carrier of the last queue, while it is SCHEDULING
    volatile jlong    _room_until;           // starts go to other queues, 0: no more; read by the starter
    volatile jlong    _room_nanos;           // it has made room for so long; read by Wisp.status
    jlong             _looked_at;            // the last look at the other queues, and
    jlong             _switches[RoomCarriers];   // theirs at that time
    DEFINE_PAD_MINUS_SIZE(2, DEFAULT_CACHE_LINE_SIZE, 0);
  };
  static State             _state;

  static void count(Thread* starter, jlong now);
  static void check(jlong now, jlong blocked, jlong cpu);
  static void end();
  static bool is_long(jlong now)       { return _state._long >= LongMin && now - _state._at <= LongPauseNanos; }
  static void sleep(CarrierThread* carrier, jlong deadline);
  static void nap(CarrierThread* carrier);
  static bool is_for_room(const RunQueue* own);
  // So many wait in a queue, which has switched so often in this time.
  static bool keep_up(jlong waiting, jlong switched, jlong nanos) { return waiting * nanos <= switched * RoomWaitNanos; }
  static bool others_keep_up(const RunQueue* own, jlong now);
  static void make_room(CarrierThread* carrier);

 public:
  // By a kernel thread that starts a coroutine: for which queue.
  static RunQueue* next_queue();

  // Who runs what is started need not let the starter go on first (CarrierThread::let_starter_go_on()); a hint.
  static bool goes_on()                { return _state._count >= FedMin; }

  // By a carrier whose queue is empty. True: it is not any more.
  static bool wait_for_starts(CarrierThread* carrier);

  static jlong room_nanos()            { return _state._room_nanos; }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_STARTSERIES_HPP
