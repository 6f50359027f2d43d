/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINESYSMON_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINESYSMON_HPP

// The thread that watches the carriers. It is not a Java thread, so it neither
// stops at safepoints nor needs a carrier. At each tick, and when somebody wants it to (look_by()), it
//   - fires timers that a busy carrier has not come to;
//   - looks for a coroutine that has been mounted for a whole tick while others
//     wait: in Java or in the VM it is preempted, by arming its own safepoint poll;
//     in native code, blocked in the VM or suspended its carrier's queue is handed off, also if
//     nobody waits in that queue, but in others, and no carrier is idle.
//     A loop of short native calls that do not block, as writes to a file, is in native
//     code at nearly each look. So the kernel is asked whether the carrier has blocked
//     meanwhile; if not, the coroutine is preempted behind the end of its call, and
//     handed off if that does not come. Each such thread would get a kernel thread of
//     its own else, and the carriers no more of the processors than any of those;
//     One that is interrupted for those who wait now and then (see below), and does not leave, as it gets no CPU or comes to no poll,
//     loses its queue as well (does_not_leave()). So does one that computes in native code and is greedy or heavy: it is interrupted like
//     one in Java (computes_in_native());
//     One that sleeps in Java or in the VM, as it touches a page that the kernel has to read first, loses its queue like one in native
//     code (waits_for_memory()), and is left alone for as long as it sleeps more than it computes;
//   - once in a time slice lets those that wait run, whoever is mounted at that time and however short (interrupt());
//   - looks soon again for one in native code that has blocked there before, while others wait in a queue that was handed
//     off lately: they may wait for each other. Who runs without a queue is asked to go back to one; once more at each look,
//     as the end of a safepoint disarms each poll;
//   - wakes an idle carrier when coroutines wait elsewhere, also those that yield to each other after long turns, and gives it the events that a
//     carrier has been woken for which does not get its CPU, or that have come while it
//     runs something else and nobody is in the pump;
//   - while each carrier runs a coroutine that computes, sees to timers and events on time, as nobody else does, so it sleeps
//     in the pump then (watch()). It is woken when somebody is queued beside a greedy coroutine, or such a one mounted while others wait,
//     if it would look later than the end of that one's short slice (look_by()). For those who wait now and then it looks at once, and
//     takes the CPU from the greedy one, or the heavy one (runQueue.hpp), for a moment (RunQueue::push_interrupted(), push_back()):
//     EarlyBurst times in a row, and one time in EarlyNanos on average, as each costs the CPU some microseconds;
//   - looks whose CPU time it is that the carriers have used, until these count it themselves (CarrierThread::sample_cpu());
//   - looks now and then how many processors there are, for a container's quota can change.
// With nothing to do for a while it sleeps until the first wake-up of a carrier.
//
// Sysmon reads the thread of a coroutine that it finds mounted, and arms its poll.
// The thread cannot be freed meanwhile: sysmon holds _look_lock during a look; a
// coroutine is not mounted any more when it gets onto the list _ended; and the reaper
// passes through _look_lock between taking the list and freeing what is on it (coroutineReaper.hpp).

#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineEvents.hpp"
#include "runtime/thread.hpp"

class CoroutineSysmon : public NamedThread {
  enum {
    TickNanos      = 5 * 1000 * 1000,
    CalmTickNanos  = 10 * 1000 * 1000, // the tick, unless somebody has set another one, when for
    CalmNanos      = 50 * 1000 * 1000, // so long nobody has waited for one that stays mounted, nor had anything to wait for sysmon: a look
                                       // takes a CPU, and its caches, from somebody
    ShortTickNanos = 1000 * 1000,
    KernelSliceNanos = 100 * 1000,     // CarrierThread::shorten_slice()
    SlowNanos      = 20 * 1000 * 1000, // a queue that needs longer for a round is slow
    MeasuredMax    = 100 * 1000 * 1000,   // a longer time is that of one that nobody has looked at
    LongTurnNanos  = 100 * 1000,       // a mean length of turns, from which on their lengths count
    GreedyNanos    = 1000 * 1000,      // time slice of one that has used up a slice, while others wait that have not
    RivalNanos     = 4 * 1000 * 1000,  // likewise, or of one that had when it parked last, while only others wait that have, too: as the kernel
                                       // has it; less than a tick
    LookNanos      = 500 * 1000,       // between two looks, at least, unless its tick is shorter, or for those who wait beside computations:
    SeenNanos      = LookNanos - 50 * 1000,   // after which a stay has lasted from one of them to the next
    EarlyLookNanos = 350 * 1000,       // after a shorter time a look is an early one, of which one may come in
    EarlyNanos     = 200 * 1000,       // so long on average, after
    EarlyBurst     = 32,               // so many in a row. With more than
    ExactQueues    = 4,                // so many queues ends of whole slices are looked at together. Those who compute are
    EarlyRunNanos  = 20 * 1000,        // not interrupted before that, nor before they have had as long as others before them
    AgainLookNanos = 20 * 1000,        // or so short, for those who poll; such looks are
    PolledLookNanos = 100 * 1000,      // so far from each other on average of
    PolledBurst    = 32,               // so many
    HandOffNanos   = 4 * 1000 * 1000,  // how long native code may keep a queue that others wait in,
    AgainNanos     = 25 * 1000 * 1000, // or ShortTickNanos, within such a time after a hand-off of that queue:
                                       // many threads that block one after the other should not cost 10 ms each,
    QuickNanos     = 100 * 1000,       // and those that have been found to block, for each other perhaps, not a tick
    IdleTicks      = 4,                // without work, before it sleeps for good: a timer of an idle service costs so many looks
    ConfirmNanos   = 100 * 1000,       // for which events wait unseen until another idle carrier gets them
    ContendedNanos = 100 * 1000 * 1000,   // within which of such an event, or one for which all carriers compute, the tick is short,
    PumpNanos      = 250 * 1000,       // and that between two looks for events only, if somebody
    QuietNanos     = 2 * 1000 * 1000,  // is awake, or has polled within so long
    TakenMax       = 16,               // queues that are taken from such ones in a look
    AnswerNanos    = 50 * 1000,        // after which one that is interrupted has left, as a rule: ContendedNanos after one that has
                                       // not, sysmon looks so soon after each interruption
    AskedNanos     = 100 * 1000 * 1000,   // how long one that is asked to leave has at most for the end of its call
    SampleNanos    = 4 * 1000 * 1000,  // between two samples of what each carrier has used, at least
    MemoryLooks    = 8,                // queues whose carriers may be asked about in a look, as they sleep in Java or in the VM, or nearly
    LostLooks      = 2,                // carriers without a queue that are asked in a look whether they run; with one, in relieve()
    ProcessorSeconds = 3,              // between two looks at the number of processors, while it is awake
    CleanupMillis  = 1000,             // between two pauses that only clean up, as long as there are no more than
    CleanupThreads = 10 * 1000,        // so many threads; in proportion to their number then
    CleanupMillisMax = 10 * 1000       // unused monitors gather meanwhile, and their memory is never given back
  };

  static volatile int         _asleep;
  static volatile int         _wake;
  static volatile int         _watches;  // 1: sleeps in the pump, not on _wake. By itself, read by wake()
  static int                  _signal;   // an eventfd for that; -1: there is none yet. Before it starts, or by itself, before _watches; read by wake() after that
  static volatile int         _look_lock;
  static volatile jlong       _preempt_requests;
  static jlong                _tick_nanos;
  static jlong                _calm_tick_nanos;  // set once, as that is
  static jlong                _found_at;  // by itself: when a look has found somebody who stays mounted while others wait, or timers or events
                                       // that busy carriers have not come to, or a carrier that may block others, or when it was woken. Not events of one that waits for its
                                       // CPU: for these there are looks of their own
  static volatile jlong       _next_look;  // when it looks next, 0 while it does or sleeps for good: by itself, read by look_by()
  static volatile jlong       _wanted; // when somebody wants it to: lowered by look_by() by CAS, set to max_jlong before a look
  static jlong                _looked_at;
  static jlong                _last_look;  // the time of look()
  static uint                 _memory_turn;  // which queues waits_for_memory() asks about next
  static jlong                _due;    // the first timer that nobody else sees to, or end of a greedy one's short slice, in this look
  static volatile jlong       _early;  // when it may look early, or before: by itself, read by greedy_slice() and may_be_early_at()
  static bool                 _is_early;  // the next look, or this one, is counted as such
  static jlong                _again;  // when it looks again early at those who poll
  static volatile jlong       _polled_look;   // when somebody may have such a look, or earlier: by may_look_early(), a hint
  static jlong                _own_poll;  // the time of the last poll, if that was its own
  static jlong                _unpolled_until;  // ContendedNanos after it has taken events last that no busy carrier had looked for
  static bool                 _quick;  // look() has seen one that has blocked before in native code, soon after a hand-off
  static jlong                _lost_looked;   // time of the last look_at_lost()
  static bool                 _soon;   // look() has seen something that cannot wait for a whole tick

  static bool                 _pending;  // events were there in the last look:
  static jlong                _pending_since;  // the time of the last poll,
  static jlong                _pending_switches;  // how often coroutines had been mounted,
  static CarrierThread*       _starved;  // and who slept in the pump, or NULL
  static jlong                _contended_until;
  static jlong                _unanswered_until;  // ContendedNanos after one was found that was interrupted and has not left, and
  static RunQueue*            _taken[TakenMax];  // from such ones in this look, by itself
  static int                  _taken_count;
  static jlong                _answer; // when it looks whether the ones that are interrupted since have left
  static int                  _lost_turn;  // which of those in native code look_at_lost() asks next
  static bool                 _blocked;  // look() has found a carrier in native code which may block others
  static volatile jlong       _retaken_at;  // when a queue was taken from a carrier that blocks last; under the look lock, and a hint without it
  static int                  _relief_turn;  // the queue that relieve() looks at first; under the look lock
  static int                  _look_safepoints;  // begun and ended before this look
  static jlong                _stopped_at;  // when a look has found a safepoint last, and
  static jlong                _paused_at;   // that there had been one since the look before
  static jlong                _next_sample; // of what each carrier has used, before which there is none

  enum Probe { BLOCKS, COMPUTES, UNKNOWN };
  static Probe probe(CarrierThread* carrier, jlong stay);
  static void ask(CarrierThread* carrier, Coroutine* co, jlong now);
  static void expect_answer(CarrierThread* carrier);   // in a look soon, perhaps
  static bool does_not_leave(CarrierThread* carrier, Coroutine* co);
  enum Share { NOT_KNOWN, LITTLE, MUCH };
  static Share share_of_cpu(CarrierThread* carrier, jlong stay, jlong now, jlong least);   // by the coroutine that has it for that stay, a number
  static bool waits_for_memory(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now);
  static bool may_fault(RunQueue* queue, const Coroutine* co, jlong now);   // one that has been found to do so, as one of that queue has lately
  static bool goes_on_faulting(CarrierThread* carrier, Coroutine* co);
  static bool hand_off_faulting(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now);   // one that does, while others wait
  static bool may_lose_queue();        // one that does not leave
  static bool take(RunQueue* queue, CarrierThread* carrier, Coroutine* co, JavaThread* thread, jlong now);
  static void give_taken();            // after the look
  static void measure_round(RunQueue* queue, jlong now);
  static bool has_retaken_lately();    // a hint
  static bool is_stopped();            // all Java threads are, or will be
  static bool may_be_early(jlong now)  { return _early <= now; }
  static void is_early(jlong now);     // the look, which is counted once
  static jlong next_look_after(jlong look);   // at least
  static void wake();
  static jlong pump_interval();        // between two looks for events that nobody else looks for
  static bool may_watch(jlong now);
  static bool watch(jlong nanos);      // sleeps in the pump; true: there are events
  static void clear_stale_signal();
  static bool blocked_lately(RunQueue* queue, Coroutine* co, jlong now);
  static jlong greedy_slice(RunQueue* queue, jlong since, jlong early);
  static bool others_yield(RunQueue* queue);    // a hint
  static jlong slice_end(RunQueue* queue, jlong since, jlong slice);
  static bool is_interruptible(RunQueue* queue, const Coroutine* co);
  static jlong full_slice(const Coroutine* co);
  static bool uses_up_slice(Coroutine* co, jlong mounted_for, jlong full);
  static jlong greedy_slice_now(RunQueue* queue, jlong since, const Coroutine* co);   // in a look
  static bool is_in(JavaThreadState state, const Coroutine* co);
  static bool computes_in_native(const Coroutine* co);
  static bool takes_long_turns(const RunQueue* queue, CarrierThread* carrier, bool stopped, jlong now);   // those who yield, while a carrier is idle
  static int sharers();
  static jlong lone_slice_end(RunQueue* queue, const CarrierThread* carrier, const Coroutine* co, int* share);
  static void interrupt(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now);   // whom it runs, once in a slice
  static void found_to_stay(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now);
  static jlong ran_for(jlong since, jlong now);
  static bool is_quick(RunQueue* queue, CarrierThread* carrier, Coroutine* co, jlong now);
  static bool must_hand_off(RunQueue* queue, CarrierThread* carrier, Coroutine* co, bool slice_over, jlong now);
  static bool retake(RunQueue* queue, CarrierThread* carrier, JavaThread* thread, jlong now, bool blocks, CoroutineEvents::HandOff* note);
  static bool hand_off(RunQueue* queue, CarrierThread* carrier, JavaThread* thread, jlong now);   // by itself, in a look
  static void look_at_lost(bool waiting);

  // A look, and its stages: in a file of their own, coroutineSysmonLook.cpp.
  struct Look;
  struct View;
  static bool look(jlong now);
  static void look_at(Look* look, RunQueue* queue);
  static void see_mounted(const Look* look, View* view);
  static bool see_to_timers(const Look* look, const View* view, bool interrupts);
  static void look_at_free(Look* look, RunQueue* queue);
  static bool look_at_fresh(Look* look, const View* view, bool fired);
  static void look_at_stopped(const Look* look, const View* view);
  static bool look_at_staying(Look* look, const View* view, Coroutine* co);
  static bool look_at_lone(Look* look, const View* view, Coroutine* co);
  static void look_at_stuck(Look* look, const View* view, Coroutine* co, JavaThread* thread, JavaThreadState state, bool slice_over);
  static void end_stay(Look* look, const View* view, Coroutine* co, JavaThread* thread);

  void look_at_pump(jlong now);
  void watch_pump(jlong now);          // and once more, if there are events
  void wait(jlong nanos, bool waiting);   // until the next look; waiting: the last one has found something to do
  bool is_contended(jlong now);
  bool polls_often(jlong now, bool waiting);
  jlong until_next_look(bool waiting);
  void set_cleanup_interval();

 public:
  CoroutineSysmon();
  virtual void run();
  char* name() const { return (char*) "WispSysmon"; }

  static bool start(jlong tick_nanos); // and the reaper
  static void nap(volatile int* word, jlong nanos);   // until somebody ends it, or it is over, or, 0, without an end; if the word is 0
  static void end_nap(volatile int* word);
  static void busy();                  // a carrier has been woken
  static void look_by(jlong time);     // by anybody: at that time, or as soon as it may
  static bool may_look_early(jlong now);   // by who is going to ask for a look at those who poll
  // By a carrier that has just become a spare, in a safe state: takes a queue from one that sleeps in native code. True: it did not
  // sleep yet, look again.
  static bool relieve(CarrierThread* self);
  static jlong may_be_early_at(jlong time)   { return MAX2(time, _early); }   // at that time or later; a hint
  static jlong greedy_slice_end(RunQueue* queue, jlong since);   // of the one that is mounted there since that time, while others wait
  static jlong patient_slice_end(jlong since)   { return since + RivalNanos; }   // of a heavy one beside those who have not just come
  static void begin_look();            // excludes sysmon's look, the reaper, and others that take a queue from a carrier, or its coroutine
  static void end_look();
  // By sysmon in a look, or by the coroutine itself.
  static void request_preemption(Coroutine* co);
  static void arm_preemption(Coroutine* co);   // the same by itself; not counted
  static jlong preempt_requests()      { return _preempt_requests; }
  static jlong tick_nanos()            { return _tick_nanos; }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESYSMON_HPP
