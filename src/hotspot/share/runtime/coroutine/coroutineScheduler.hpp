/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINESCHEDULER_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINESCHEDULER_HPP

// What the run queues and carriers have in common: who sleeps, who searches, who is
// woken, and which carrier holds which queue. WispCarrier.java puts these
// operations in order; the loop of a carrier is
//
//     run its queue; when it is due or empty: serve events and timers; when it is
//     empty: take from others, else sleep.
//
// Affinity first. A coroutine goes where it ran last. If the carrier there sleeps,
// it goes to the carrier of the waker: two coroutines that talk to each other end
// on one carrier, where a switch costs tens of nanoseconds and not a wake-up of
// another CPU. An idle carrier is woken for a busy one when several coroutines wait there,
// or fewer while another one runs, at intervals that double when the help has soon found nothing
// more to do (ping-pong, a few requests now and then: the wake-up costs more than their wait) and
// shrink when it goes on (load, a long computation after an unpark). Whoever is greedy has it woken
// for each one that it wakes, instead of giving way (help_computing()). Sysmon looks after the rest
// at its ticks, and helps come at once again after it has found somebody that waits.
// Two threads that hand each other some microseconds of work, and go on meanwhile, would run one after the other so. How long a
// coroutine goes on after it has woken somebody is measured now and then (Coroutine::is_sender()): who does for long, or for a
// large share of its time, sends that one to a carrier that has nothing to do (free_queue()). One that sleeps needs about as long
// until it comes, so while this happens again and again one carrier looks for work for a while before it sleeps. Rejected:
// to send for whoever goes on for ten microseconds (the waker has run who was sent before the other carrier is awake).
// Who reads from a socket again and again goes where its packets arrive, when the carrier there takes the
// event, and if that queue is not the longer one: a peer on this machine runs on that CPU, and what is sent to it
// wakes it there instead of interrupting another one.
// An idle carrier looks at the other queues once before it sleeps, and stays awake only while
// somebody waits alone there, whom it takes when that queue has not switched for a few
// microseconds. Meanwhile it counts as asleep for those that choose a queue: what wakes up
// goes to its waker, and does not spread over carriers that have nothing to do. One that was woken to help looks for that long after
// the last switch of another queue, up to SpinNanos: who gives way to the one that it was woken for may be left behind only then.
//
// Carriers nap while a kernel thread starts many coroutines (startSeries.hpp).
//
// Processors come and go: a container's quota can be changed while it runs. Queues are
// never taken away, because everybody may have a pointer to one. Those whose number is
// _active or higher are surplus. Transitions of a queue, all but the first under the lock of
// the spare list:
//
//   (none)   -> orphan    follow() by the daemon: made, and counted when it can be seen
//   held     -> held and surplus           follow(): _active has fallen. Its carrier is due at once
//   held and surplus -> resting            rest() by its carrier, SCHEDULING: _carrier is NULL,
//                         the carrier becomes a spare; or give() by who hands it off
//   orphan   -> resting   follow(): _active has fallen
//   held and surplus -> held               follow(): _active has risen
//   resting  -> orphan    follow(): _active has risen; a spare takes it
//
// Whoever makes a queue resting empties it into the global one then.
//
// Nobody queues anything in a surplus queue who sees that it is one (active()); who has
// looked before has pushed before rest() empties the queue, or sees _resting after the
// push, and empties it himself: each writes, passes a full fence, and reads the other's.
// Timers stay in the heap of a resting queue. The carriers that are awake serve it as all others;
// the watcher is woken when a queue rests, or a timer comes into one that does, to read its deadline.
//
// Sleeping loses no wake-up: a carrier sets _idle of its queue and counts itself
// idle, passes a full fence, and looks for work again; who queues pushes first,
// passes a full fence, and looks at _idle then.

#include "memory/allocation.hpp"
#include "memory/padded.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/runQueue.hpp"

class CoroutineScheduler : AllStatic {
  friend class CoroutineSysmon;
  friend class StartSeries;
  friend class TimerHeap;

  enum {
    StaleNanos        = 5 * 1000,      // a queue that has not switched for so long shares its last coroutine
    SpinNanos         = 25 * 1000,     // for which a carrier looks for work, the next
    SpinsTried        = 2,             // so many times after somebody has been sent to one that slept, for a try, and
    SpinsMax          = 8,             // so many after somebody has been sent to one that looked
    TryIntervalMin    = 100 * 1000,    // between two tries, which doubles when nobody has been sent then
    TryIntervalMax    = 10 * 1000 * 1000,
    OwnTimerNanos     = 100 * 1000,    // within which a carrier that sleeps wakes up for a short park, and after which others do that
    HelpCrowd         = 4,             // so many that wait in a queue are helped in any case
    HelpWorthNanos    = 100 * 1000,    // for which who has been woken to help shall find something to do, or the
    HelpIntervalMin   = 20 * 1000,     // interval doubles
    HelpIntervalMax   = 4 * 1000 * 1000,
    GlobalTurns       = 4,             // of which one is that of those who have not run yet
    MaxFollowed       = 1024,          // carriers, as many as can be set
    SparesKept        = 2,             // spares that stay however long they are idle
    HeldLogMin        = 64,            // held kernel threads from which on their number is logged
    EndNanos          = 5 * 1000 * 1000,  // between the ends of two spares
    AttemptMillis     = 200,           // within which the daemon tries to create a spare, if it is asked to
    RetryMillisMin    = 10,            // between attempts to create a spare
    RetryMillisMax    = 1000
  };

  static RunQueue**        _queues;
  static volatile int      _count;           // grows only, after the queue is in its slot
  static int               _room;            // slots
  static bool              _follows;         // the number of processors, rather than a setting
  static volatile int      _active;          // by the daemon under _spare_lock
  static volatile int      _resting_count;   // under _spare_lock
  static volatile int      _processors;      // by sysmon; what _active shall be. A hint
  static bool              _knew_quota;      // by sysmon: at one of its looks

  // Written whenever a carrier goes to sleep, or wakes up. In cache lines of its own, as what is declared above is read at
  // each wake-up of a coroutine, by all carriers.
  struct Idle {
    DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
    volatile int      _count;
    volatile int      _searching;
    volatile jlong    _last_help;            // for fewer than HelpCrowd coroutines; a hint, as is the next one
    volatile jlong    _help_interval;
    volatile jlong    _last_try;             // to send somebody to a carrier that sleeps, so that it looks for more: likewise
    volatile jlong    _try_interval;
    volatile int      _spins;                // how often who has nothing to do looks for SpinNanos yet, unless another one looks: likewise
    volatile intptr_t _watcher;              // the sleeping carrier that minds everybody's timers and the events
    DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, 0);
  };
  static Idle              _idle;

  // The global queue: what does not fit into a ring. All of it under its lock; its size, read without it, is a hint. Those that have not run yet are a part of their own. They may be as many as somebody starts in
  // a loop, and all come to the same call site, which is linked by whoever gets through that first: it has lost its turn, or its queue, behind
  // them. Three turns of four are those of the others. Rejected: one order for all; each that came joined those who linked it, and none got through.
  enum { GLOBAL_NEW, GLOBAL_BEGUN, GLOBAL_PARTS };
  static volatile int      _global_lock;
  static Coroutine*        _global_first[GLOBAL_PARTS];
  static Coroutine*        _global_last[GLOBAL_PARTS];
  static uint              _global_turn;
  static volatile int      _global_size;

  // Carriers without a queue, and queues without a carrier; under one lock.
  // There are no spares, of either list, or no orphans.
  static volatile int      _spare_lock;
  static CarrierThread*    _spares;
  static CarrierThread*    _eldest;          // the last one of them
  static CarrierThread*    _lasting_spares;  // those that cannot end, for when there is no other one
  static volatile int      _spare_count;     // of both
  static RunQueue**        _orphans;
  static int               _orphan_count;
  static CarrierThread* volatile _daemon;    // creates spares, and has them end
  static int               _coming;          // asked for, not yet among the spares
  static int               _registered;      // carriers that have a queue, are spare or are held
  static volatile bool     _failed;          // a spare is needed, and the last attempt to create it has failed;
                                             // by the daemon, and cleared by a new spare
  static volatile bool     _asked;           // by who waits in is_exhausted(): try at once; cleared by the daemon
  static volatile int      _failures;        // attempts that have failed; by the daemon
  static CarrierThread*    _ending;          // has been asked to end, and has not been deleted yet; at most one at a time
  static jlong             _next_end;        // there have been too many, and the daemon looks then, before which no spare ends, or when one that has
                                             // been asked has ended, or has been woken to do that; 0: there have not
  static jlong             _next_warning;    // by the daemon: before which no failure is logged
  static int               _retry_millis;    // by the daemon
  static int               _held_logged;     // by the daemon: the number to log next
  static volatile jlong    _hand_offs;

  static bool needs_spare();
  static void link_spare(CarrierThread* carrier);
  static void unlink_spare(CarrierThread* carrier);
  static jlong surplus_spare(CarrierThread** carrier);
  static void follow();
  static bool wake_up(RunQueue* queue);
  static void mark_resting(RunQueue* queue);
  static void wake_watcher();
  static bool seems_exhausted();
  static void keep_polled(RunQueue* queue);
  static void give(RunQueue* queue);        // to a spare, or to the next one that comes
  static void log_held(int held);
  static void wake(RunQueue* queue, bool help = false);
  static void wake_one(bool help = false);
  static void judge_help(RunQueue* own, bool over);
  static bool crowd_waits_elsewhere(RunQueue* own);
  static bool has_work(RunQueue* own);
  static bool next_deadline_reached(jlong now);
  static void judge_spin(bool paid);
  static jlong next_deadline(RunQueue* own, bool all);
  static bool nobody_sees_events()     { return _idle._watcher == 0 && EventPump::waiters() != 0; }
  static bool share_of(RunQueue* victim, uint length, jlong seen, bool stale);
  static void take_share(RunQueue* own);

 public:
  // How long a spare is idle before it ends, unless only a few are.
  static const jlong SpareIdleNanos = 5 * (jlong) NANOSECS_PER_SEC;

  // After which sysmon looks for events while nobody is in the pump, and somebody blocks elsewhere.
  static const jlong WatchNanos = 250 * 1000;

  // follow: the number of carriers changes with that of the processors.
  static void initialize(int count, bool follow, uint capacity);

  static int       count()             { return _count; }
  static RunQueue* queue(int i)        { return _queues[i]; }
  static int       idle_count()        { return _idle._count; }
  // For one of that home that self wakes on the carrier of near, and sends away as it goes on itself: a queue whose carrier looks for work,
  // or is idle; NULL: there is none, or that would be of no use. Hints.
  static RunQueue* free_queue(RunQueue* home, RunQueue* near, const Coroutine* self);
  static bool      wants_work(const RunQueue* queue);   // its carrier is awake, or waking up, and has nothing to do. A hint
  static bool      may_have_free_queue()   { return _idle._count != 0 || _idle._searching != 0; }
  static jlong     hand_offs()         { return _hand_offs; }
  static int       global_size()       { return _global_size; }
  static bool      is_all_idle()       { return _idle._count + _resting_count >= _count; }
  static bool      is_queued_behind_busy();  // somebody waits in a queue whose carrier is not idle; a hint
  // The queue of which one should have a share in which only so many wait that are not greedy: at least HelpCrowd wait there, and twice as
  // many. *crowd: how many; NULL: none. A hint.
  static RunQueue* queue_to_share(uint own, uint* crowd);
  static bool      all_compute();      // each carrier runs a greedy coroutine, or has done so last; a hint
  static bool      any_computes();     // some do; likewise. Or are heavy (runQueue.hpp), both
  static jlong     switches();         // of all queues
  static void      missed_help()       { _idle._help_interval = HelpIntervalMin; }   // by sysmon: somebody waited, and a carrier was idle
  static int       active_count()      { return _active; }
  static int       resting_count()     { return _resting_count; }
  static bool      follows()           { return _follows; }
  static int       spare_count()       { return _spare_count; }
  static int       coming_count()      { return _coming; }
  static int       orphan_count()      { return _orphan_count; }
  static bool      may_have_spare()    { return _spare_count > 0 || !_failed; }
  static CarrierThread* watcher()      { return (CarrierThread*) _idle._watcher; }
  static void      keep_watch(RunQueue* queue);   // by its carrier, which is about to block elsewhere and keeps it

  // ---- Who is where
  static RunQueue* start_queue();      // for a new coroutine
  static RunQueue* next_queue(RunQueue* queue);
  // Whose carrier sleeps, but not in the event pump, or there if there is no other one; NULL: none. A hint.
  static RunQueue* idle_queue(bool even_in_pump = false);
  static RunQueue* active(RunQueue* queue)  { return queue->_surplus ? _queues[queue->id() % _active] : queue; }
  // Computing threads would share two carriers unequally for ever, as long as no carrier is idle: by the carrier that holds the queue,
  // which runs another coroutine meanwhile, or NULL. True: the computing one, which it has preempted, is in a queue now that has no
  // more such threads than there are left in this one.
  static bool share_computation(RunQueue* queue, const Coroutine* running, Coroutine* co);
  static void push_global(Coroutine* co);
  static Coroutine* next_global();     // there is one; under the lock
  static Coroutine* pop_global(int room);   // a share of what is there, at most room
  static bool pushed(RunQueue* queue); // after a push: see that somebody runs it; true: a carrier comes, or has been woken for it
  // After that: none does, and who has pushed computes, and does not give way as one was idle. Or it goes on for long, gives way, and waits here then.
  static void help_computing(bool waker_waits = false);
  static void end_nap(RunQueue* queue);

  // ---- The operations of WispCarrier.java, on a carrier's own stack
  static bool serve(RunQueue* near);   // events and timers; true: somebody was woken
  static bool steal(CarrierThread* carrier);
  static void idle(CarrierThread* carrier);
  static bool rest(CarrierThread* carrier); // its queue is surplus; true: the carrier has none now

  // ---- Hand-off
  static void hand_off(RunQueue* queue);
  static void add_spare(CarrierThread* carrier);
  static void look_at_processors();         // by sysmon, every few seconds while it is awake
  static bool retire(CarrierThread* carrier);   // true: it does not become a spare, and ends
  static bool may_end();
  static void ended(const CarrierThread* carrier);
  // No queue has a carrier, and none can be created: a thread that starts now may never run.
  // May take a few milliseconds to find out.
  static bool is_exhausted(JavaThread* self);
  static void wait_for_spare_request(CarrierThread* daemon);
  static void spare_failed(CarrierThread* daemon);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESCHEDULER_HPP
