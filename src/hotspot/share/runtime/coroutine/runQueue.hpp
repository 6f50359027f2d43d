/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_RUNQUEUE_HPP
#define SHARE_VM_RUNTIME_COROUTINE_RUNQUEUE_HPP

// The run queue of a carrier, one for each CPU, type-stable and immortal.
//
// Four parts. Two, because who pushes decides what a push may cost:
//   - the ring (runRing.hpp), into which only the carrier that holds the queue pushes,
//     while it is SCHEDULING (carrierThread.hpp).
//   - the inbox, a stack onto which anybody pushes by CAS, in any thread state. The
//     carrier takes all of it by xchg when its ring is empty or it has made a
//     number of switches, reverses it, and fills the ring. Thieves take it whole.
// What does not fit into a ring goes to the global queue of the scheduler.
//
// The third, because threads that compute and threads that wait most of the time must not take
// turns: whoever has used up a time slice, and neither parked nor yielded since, is greedy, and
// waits in a ring of its own. One of it has a turn when nobody else is there; or when all others that were there
// after the turn of the one before have had theirs, and a millisecond has passed, or a tenth of it if all have had a turn since one of these ran
// that had waited (they yield, perhaps for something that it computes, perhaps for each other); or after ten milliseconds of others
// (computes_now()). Sysmon takes
// the CPU from it after a millisecond, if others wait then (coroutineSysmon.hpp). So who is woken waits for one
// of them, or a few if a round is long, however many compute; and they get a tenth of the time at least, and half
// of it from others that are few. The kernel does that by preferring whoever has run less. Those for whom somebody waits only now and then
// should not wait a millisecond each time, so sysmon may take the CPU earlier, for a while. That is no turn of the one that computes, whose
// caches are warm: it has a place of its own (_interrupted) before the others of its kind, until it has had as long as it has among these. Nor
// does it have less time than those had who ran before it. Before it goes on events and timers are looked for: a thread that has sent
// something and waits often has the answer there, or somebody else the request. Not if the one before has only yielded.
//
// Who has used up a slice in one of its last turns, and has parked or been made to give way since, may do so again: two threads that compute with
// a lock held wait for it now and then, and are never greedy for long. It is *heavy* for sixteen parks, or until it yields: it waits as others do
// and has a whole slice, but is interrupted for somebody who is neither heavy nor greedy, as those who compute are, and goes on as who has given
// way does. Its turns between such interruptions add up to a slice. For those who have come before it was mounted, some turns ago, it is
// interrupted after four milliseconds: to interrupt it at once for each of them makes those who wait for a lock that it holds many.
//
// A thread that waits most of the time, and uses its CPU for some microseconds each time, would also wait for each of those in the ring whose turns
// are short enough not to be greedy, and a hundred times as long as its own: who sends megabytes, or answers requests in half a millisecond. The
// kernel prefers it. So while turns take long (_long_turns), which sysmon finds without a clock at each switch, each turn is measured;
// those whose turns have been short go to a ring of their own (_short), of which up to ShortsMax have theirs before one of the others, which
// costs those little. Inbox, timers and events are looked at more often then, as the number of switches tells nothing of the time.
//
// Before all comes one that a coroutine of this carrier has woken: it finds warm caches,
// and what it was woken for (a connection of a pool, a lock) before somebody else takes
// that. While others wait each second turn is theirs, so that two who wake each other do
// not keep the others waiting. Whoever finds the place taken goes to the inbox, so that
// those who are woken together run in the order in which they were. It is for those of this
// queue: to pull others over from a queue that is served would make them wait for a waker that
// goes on running. Thieves take it last. Whoever has waited for a time displaces it, but not
// another one that has: those ahead in the ring may each compute for a time slice. So does who waits for
// connections: of those ahead each might make another one, and the kernel keeps fifty for a ServerSocket, by default. But not one
// to whom somebody has given way, see below: he would be behind that one again, each time perhaps.
//
// Whoever wakes another one goes on running, and as a lock or a connection of a pool may be taken by whoever
// comes first, a thread that gives it up and takes it again at once would shut out the others: they run when
// it waits, and find it taken. The kernel makes room for who wakes up. So the one that wakes another gives way
// to it, wherever that ran last: once in a time slice (_give_way), and else if the queue has switched since somebody
// last did, that one would run next, and may be shut out so, or the two wake each other (may_give_way()). It may if
// the waker has waited for the same thing itself, or the VM does not know what it waits for, as with monitors. Two that wake
// each other often find then what they would wait for; what is there once in a time slice is not for them, unless they wait for the
// same thing or for what the VM does not know: it would always be they who use it up. Nobody gives way to one whose own carrier is awake and has
// nothing to do (CoroutineScheduler::wants_work()): it runs there at once. Nor to one that waits for a descriptor: nobody takes from it
// what it is woken for, and who wakes a selector has a task for its thread, of whose end it asks to be told afterwards, often.
//
// These are guesses, and where they fail somebody may be shut out for ever: an owner that a deadlock has made give up what
// it holds, and that takes it again at once, while those that it has woken wait for their turn, comes back to the same deadlock. So
// of those to whom nobody gives way one in RefusalsMax runs at once, whatever else was found. If the waker holds a lock at that
// moment the other one may only wait for that now. Then it has a second try when the waker wakes it again in its next stay
// (Coroutine::owes()), whoever it has given way to; and there are wakers of that kind here, so the next one in RefusalsMin runs at once.
// Rejected: one in 31 always. A thread whose requests are sent together with those that others make in its round makes its own at another
// time from then on.
//
// But for these, nobody gives way who has put another one before all others in the same turn. A thread that hands on replies, or tasks, does its work faster
// at a stretch, and so do those that it wakes. The waker goes on soon after that one, from the same place before all
// others (push_back()); whoever is woken meanwhile displaces it.
//
// Nobody comes before the others who has had a turn in this round of the queue (runs_next()), unless the waker gives
// way because a time slice is over. Else a thread that takes what others put into a queue, all that is there at a time,
// would find one item each time; what gathers until its turn comes is handled, and sent, together. Not while a round
// takes long (_slow).
//
// A waker that is greedy gives way at once, whoever it wakes. While a carrier is idle that one is woken instead, and runs who was woken: else one that
// computes, and hands on what it has found each time, would have half of a CPU, and the other carrier nothing to do. But once in a millisecond it
// gives way all the same if it may have waited for the same thing (_left_at): who comes from another carrier finds that taken.
//
// Rejected: where the waker cannot go on soon, as that place has just been used, it gives way to one that it could shut out, and
// is behind all others then. A request that gives back a connection before it writes its reply waits a round longer so.
//
// Rejected: also, only the first one that somebody wakes between two parks comes before the others. More gathers,
// but a thread that first has something logged by another one, and gives up a connection then, would hand that to nobody.
// As it is that holds for a turn in which the other one has come before all, who does not while he has had his in this round.
//
// Rejected: one locked queue (two locked operations more for each switch, and a
// holder that the kernel preempts stops everybody), and Chase-Lev with a LIFO end
// (a yielding coroutine would find itself again, and spin loops that yield to each
// other would never end).

#include "memory/padded.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/runRing.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "runtime/os.hpp"

class RunQueue : public CHeapObj<mtThread> {
  friend class CoroutineScheduler;
  friend class CoroutineSysmon;
  friend class CoroutineTest;
  friend class StartSeries;

 public:
  // Why somebody comes before all others: who wakes him gives way, or it is a connection that he is to accept, or his time has come.
  enum Claim { NO_CLAIM, GIVEN_WAY, CONNECTION, TIME };

 private:
  enum {
    // Switches after which a carrier looks at its inbox and the global queue, and at
    // timers and events, even though it has work: bounds how long they wait under load.
    InboxInterval = 16,
    DueInterval   = 64,
    LongDueInterval = 2,               // while turns are long, after so many ns at least; then it looks at its inbox at each switch
    LongDueNanos  = 100 * 1000,
    ShortsMax     = 4,                 // short turns in a row, while long ones wait
    ConnectsMax   = 8,                 // connections of one that does not leave, until it should
    KernelRounds  = 64,                // after a yield of a kernel thread in which the carrier yields its CPU, too
    YieldRounds   = 8,                 // of that interval in which all have only yielded, until the carrier yields its CPU
    GiveWayInterval = 2,               // switches after which a waker gives way again
    RefusalsMin   = 5,                 // of so many to whom nobody gives way one runs at once all the same; twice as many each
    RefusalsMax   = 1021,              // time, until one needs a second try. Not the same one each time: no powers of two
    NextMax       = 1,                 // taken from _next in a row, while others wait
    ResumeNanos   = 4 * 1000 * 1000,   // since its turn began, one that is interrupted goes on before others that compute
    OthersMin     = 1000 * 1000,       // ns that those who are not greedy have between two greedy ones, at least;
    YieldsMin     = 100 * 1000,        // the same if they have only yielded for a round; and
    OthersMax     = 10 * 1000 * 1000,  // at most
    StolenSeen    = 8,                 // of those that a thief takes it asks of so many whether they are light, and
    InboxSeen     = 8,                 // who moves many bytes of so many in the inbox
    ShareNanos    = 20 * 1000,         // between two looks for a share of what waits elsewhere, at least
    BesideNanos   = 1000 * 1000,       // that one who has been started, or left to an idle carrier, waits beside one that computes, unless sysmon looks before
    HeavyNanos    = 100 * 1000,        // until a look for a heavy one, if somebody waits who has just come when it is mounted
    PolledNanos   = 10 * 1000 * 1000,  // after the last look of one who polls
    PolledInVainMax = 8,               // looks of sysmon that found nobody mounted then, after which its carrier asks for one only
    PolledInVainMask = 15              // when its switches are a multiple of that and one
  };

  // Written by the holder
  volatile jlong          _switches;   // read by sysmon and thieves as a hint
  uint                    _since_due;  // switches, by the holder
  jlong                   _due_at;     // when it was reset, while turns are long
  jlong                   _looked;     // _switches when it was due last
  bool                    _takes_share;    // it was due as those here only compute or yield: serve() looks whether others wait elsewhere,
  jlong                   _share_looked;   // as it did at this time
  bool                    _attention;  // is_due_at_once() has something to look at, perhaps: only then, so that switches are cheap
  uint                    _connects;   // connections made since events were looked for, by who is mounted; a hint
  uint                    _shorts;     // taken from _short since the ring had a turn
  uint                    _nexts;      // taken from _next since the ring or the inbox had a turn; also by the waker, as these:
  uint                    _refusals;   // to give way, since one to whom nobody gave way ran at once all the same, and
  uint                    _refusals_limit;  // when the next one does
  jlong                   _left_at;        // when one that computes gave way last though a carrier was idle: by who is mounted
  jlong                   _gave_way_at;    // _switches when a waker gave way last, and
  jlong                   _next_at;        // when one put somebody into _next without that. Hints: a waker that is in native code
                                           // may have lost the queue since it looked
  bool                    _computed;   // the last turn was that of a greedy one: a round begins. Of the last one that has:
  jlong                   _round_end;  // _switches when all that were there will have had their turn,
  jlong                   _round_began;    // the time of its begin
  jlong                   _came_at;    // _switches behind the last turn of one that had waited, or when somebody has come from elsewhere
  jlong                   _turn_began; // when one that was interrupted since had its turn, 0: nobody was
  volatile jlong          _others_took;    // the time of those that ran before the greedy one that was mounted last, and
  volatile bool           _only_yielded;   // that these have only yielded for a round, and nobody has come since. Read by sysmon, hints
  jlong                   _light_end;  // _switches when those that were there when _light_came was seen first will have had their turn, 0: it was not
  uint                    _lights;     // those in the rings who are neither, nor move many bytes, and have come by the inbox, at most; until
  jlong                   _lights_end; // _switches when the last one of them will have had its turn
  volatile jlong          _greedy_since;   // when the last greedy one was mounted; read by sysmon after CarrierThread::_status
  volatile jlong          _heavy_since;    // or heavy one, likewise
  volatile bool           _yields;     // all have only yielded between the last two times that it was due; read by who takes a share as a hint
  volatile jlong          _idled_at;   // _switches when the carrier was idle last; read by sysmon as a hint
  int                     _id;
  int                     _seen_yields;    // _kernel_yields when it was due last,
  bool                    _kernel_yielded; // that is another one since, and all here have only yielded,
  uint                    _kernel_rounds;  // and in how many rounds from now on the carrier yields its CPU for that, if all only yield
  uint                    _yield_rounds;   // how often it was due, in a row, and all had only yielded since the time before
  jlong                   _not_yields;     // switches that were no yields until then

  DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);

  RunRing                 _ring;
  RunRing                 _computing;  // those who are greedy, and have not yielded since
  RunRing                 _short;      // those whose turns are short, while others' are long

  DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, 0);

  // Written by everybody
  Coroutine* volatile     _inbox;      // CAS by push_inbox(), xchg by empty_inbox()
  Coroutine* volatile     _next;       // before all others; CAS by push_next(), xchg by take_next()
  Coroutine* volatile     _interrupted;   // one that computes: stored by the holder if there is none, xchg by take_interrupted()
  volatile int            _idle;       // 1: its carrier sleeps (not: naps) or is about to. Set by the
                                       // carrier before it looks for work a last time;
                                       // CAS to 0 by the one who wakes it
  CarrierThread* volatile _carrier;    // who holds the queue; read by wakers and sysmon
  volatile bool           _napping;    // by the carrier around a nap (startSeries.hpp); read by enqueue() after its push
  volatile bool           _looking;    // its carrier looks for work elsewhere, and sleeps if there is none: by the
                                       // carrier in steal(), read by enqueue() as a hint
  volatile jlong          _helps;      // -1: its carrier was woken for a few that wait elsewhere, by who wakes it; then
                                       // the time since when it is awake, and 0 when it knows whether that was
                                       // worth it, by the carrier. A hint
  volatile bool           _sent;       // somebody has been sent here since: by his waker, cleared by the carrier. A hint
  volatile bool           _greedy;     // the coroutine that was mounted last is greedy, and has not yielded since: written
                                       // by the carrier when it changes, read by enqueue() and sysmon as a hint
  volatile bool           _heavy;      // or that one is heavy, likewise, and by sysmon, who has found it to stay for long; and
  volatile bool           _light_came; // somebody who is neither has been queued beside it: by enqueue(), after its push and the load of
                                       // _heavy; cleared by mounts_heavy() a round later, which then looks for such itself. Read by sysmon as a hint
  volatile bool           _light_waits;    // or waits there for longer, perhaps, if it is not that: by mounts_heavy(), read by sysmon as a hint
  volatile bool           _give_way;   // who wakes one that it can queue here gives way to it, but for most who wake each
                                       // other: set by sysmon once in a time slice, cleared by enqueue() on the carrier. A hint
  volatile bool           _slow;       // a round takes longer than CoroutineSysmon::SlowNanos: written by sysmon, read by
                                       // runs_next() as a hint
  volatile bool           _long_turns; // turns take CoroutineSysmon::LongTurnNanos or longer, and some wait for theirs: written by sysmon, and
                                       // set by waits_for_mover(), by who is mounted; read by the holder as a hint
  volatile bool           _surplus;    // there are more queues than processors, and this is one too many; and
  volatile bool           _resting;    // has no carrier therefore. Written under the lock of the spare list

  DEFINE_PAD_MINUS_SIZE(2, DEFAULT_CACHE_LINE_SIZE, 0);

  TimerHeap               _timers;
  jlong                   _handed_at;  // when it was taken last from a carrier that blocked, and
  jlong                   _free_since; // when from any, or given up by one; both under the look lock of sysmon
  jlong                   _next_give_way;  // when sysmon sets _give_way next; sysmon only
  volatile jlong          _polled_until;   // until then somebody of this queue may look for something again and again, and sleep for a moment in
                                           // between: by himself; and 0 by the carrier when it is over. Read by sysmon as a hint
  volatile jlong          _polled_since;   // when the carrier woke up last while there were such; by that, read by sysmon as a hint
  volatile uint           _polled_in_vain; // looks of sysmon in a row that found nobody mounted while there were such, up to PolledInVainMax: by
                                           // sysmon; read by the carrier as a hint
  volatile jlong          _short_park; // deadline of the last park that is as short as one may be: by who parks; read by serve() as a hint
  jlong                   _measured_at;    // when it looked last how long a round takes, _switches at that time, and
  jlong                   _measured;       // others(); sysmon only
  uint                    _measured_length;

  bool push_ring(Coroutine* co);       // into the one that it belongs to, or, if that is full, _ring; false: so is that
  void begin_round();
  bool computes_now() const;
  void has_come()                      { _came_at = _switches + 1; }
  // Since then. Who leaves by the direct way is not queued yet, and has had a turn.
  bool all_had_turn(jlong switches) const { return switches - _came_at > others(); }
  Coroutine* pop_computing();
  bool is_due_early() const;
  bool is_due_at_once() const;
  bool computes_next() const           { return (_interrupted != NULL || !_computing.is_empty()) && others() == 0; }
  uint take_from_rings(RunQueue* victim);   // half of those that are not greedy: how many
  void mounts_greedy();
  void mounts_heavy();
  void lights_wait(uint n);            // so many more
  bool lights_may_wait() const         { return _lights > 0 && _switches < _lights_end && others() > 0; }
  static bool is_light(const Coroutine* co)   { return co != NULL && co->_heavy == 0 && !co->_greedy; }   // a hint, of one that may have left
  void push_inbox(Coroutine* co);
  // Whoever is there goes to the inbox if he has given way, or has a lesser claim. False: this one has gone there.
  bool push_next(Coroutine* co, Claim claim);
  Coroutine* empty_inbox();
  Coroutine* take_next();
  Coroutine* take_interrupted();
  void push_all(Coroutine* first);     // a list, into the rings; what does not fit becomes global
  void inbox_to_global();              // by anybody
  bool take_inbox(RunQueue* from);     // into these rings; false: it was empty
  bool take_global();                  // this queue's share, as far as there is room

  // Of enqueue(), which has them in a file of its own: runQueueEnqueue.cpp.
  struct Placement;
  bool is_served_late() const          { return _idle != 0 || _looking || _greedy; }   // its carrier sleeps, or nearly, or computes; a hint
  bool may_give_way(Coroutine* self, Coroutine* co) const;
  bool runs_next(const Coroutine* co) const;
  static void choose_queue(Placement* p, bool follows);
  static void choose_beside(Placement* p);
  bool leaves_to_idle(const Placement* p);
  void insert(Placement* p);
  bool waits_beside(const Placement* p);

 public:
  // What has happened here, and (the first four) what is so now; the order is the one
  // of WispCarrier.counters. Times are in nanoseconds and advance while counts_times().
  enum Counter {
    SWITCHES, WAITING, TIMERS, IS_IDLE,
    STEALS, FAILED_STEALS, STARTS, ENDS, PARKS, UNPARKS, YIELDS, PREEMPTS, PINNED_PARKS, TIMEOUTS,
    POLLS, EVENTS, POLL_INTERRUPTS, DESCRIPTOR_WAITS,
    QUEUED_NANOS, RUN_NANOS, PARKED_NANOS, DESCRIPTOR_NANOS,
    MAX_QUEUED_NANOS, MAX_RUN_NANOS, MAX_PARKED_NANOS, MAX_DESCRIPTOR_NANOS,
    COUNTERS
  };

 private:
  jlong                   _own[COUNTERS];          // by the holder while it is SCHEDULING

  RecentStacks            _recent_stacks;          // likewise

  DEFINE_PAD_MINUS_SIZE(3, DEFAULT_CACHE_LINE_SIZE, 0);

  volatile jlong          _others[COUNTERS];       // by everybody else, atomically

  static volatile jlong   _times_since;            // 0: times are not counted
  static jlong            _times_before[COUNTERS]; // those that had been counted by then; by who turns it on
  struct Shared {                      // apart from what is read at each switch
    DEFINE_PAD_MINUS_SIZE(0, DEFAULT_CACHE_LINE_SIZE, 0);
    volatile int          _kernel_yields;          // how often threads that are no coroutines have yielded; some are lost
    DEFINE_PAD_MINUS_SIZE(1, DEFAULT_CACHE_LINE_SIZE, sizeof(volatile int));
  };
  static Shared           _shared;

 public:
  RunQueue(int id, uint capacity);

  // ---- Counters. A reader adds the two parts.
  void  count(Counter c, jlong n = 1)             { _own[c] += n; }
  void  count_other(Counter c, jlong n = 1)       { Atomic::add(n, &_others[c]); }
  void  count_time(Counter total, Counter max, jlong nanos);
  jlong counter(Counter c) const;
  static const char* name(Counter c);

  // Reading the clock at each switch and wake-up costs more than counting, so somebody
  // has to ask for it.
  static bool  counts_times()                     { return _times_since != 0; }
  static void  count_times(bool on);
  static jlong times_since()                      { return _times_since; }
  static jlong total(Counter c);                  // of all queues
  static jlong counted_time(Counter c);           // one of the totals of times: what has come to it since times_since()

  int            id() const                       { return _id; }
  CarrierThread* carrier() const                  { return _carrier; }
  void           set_carrier(CarrierThread* c)    { _carrier = c; }
  TimerHeap*     timers()                         { return &_timers; }
  jlong          switches() const                 { return _switches; }
  bool           is_idle() const                  { return _idle != 0; }
  bool           stays_long() const               { return _greedy || _heavy; }   // who is mounted, perhaps; a hint
  bool           has_long_turns() const           { return _long_turns; }
  bool           is_surplus() const               { return _surplus; }
  bool           is_resting() const               { return _resting; }

  // By one of its coroutines, which looks for something again and again.
  void           is_polled_at(jlong time)         { _polled_until = time + PolledNanos; }

  // Likewise, which parks for as short a time as it may.
  void           is_parked_shortly(jlong deadline)   { _short_park = deadline; }

  // How many coroutines wait here, and how many of them are not greedy; hints.
  uint length() const;
  uint others() const;
  uint computing() const;              // and how many are

  // ---- The holder's operations, while it is SCHEDULING
  void       push_back(Coroutine* co); // has given way
  bool       push_interrupted(Coroutine* co);   // computes, and has been; false: that was its turn
  void       push(Coroutine* co);      // to the tail of its ring
  Coroutine* pop();                    // whose turn it is, NULL when there is none
  bool       steal_from(RunQueue* victim);
  void       empty();                  // into the global queue
  RecentStacks* recent_stacks()        { return &_recent_stacks; }
  void       count_switch()            { _switches++; _since_due++; }
  void       count_light()             { _lights -= _lights > 0 ? 1 : 0; }   // who is mounted now was one of them
  void       count_unpark()            { _own[UNPARKS]++; has_come(); }   // who is mounted now has waited
  void       count_lone_yield() {
    _since_due++;                      // else timers would wait for sysmon
    _computed = _computed || _greedy;  // a round begins when one comes
  }
  void       count_switch(bool greedy, bool heavy = false) {
    _switches++;
    _since_due++;
    if (_greedy != greedy) {
      _greedy = greedy;
    }
    if (_heavy != heavy) {
      _heavy = heavy;
    }
    if (greedy) {
      mounts_greedy();
    } else if (heavy) {
      mounts_heavy();
    }
  }
  bool       is_due() const {
    return _since_due >= DueInterval || _surplus || (_long_turns && is_due_early()) || (_attention && is_due_at_once());
  }
  static void kernel_thread_yields()   { _shared._kernel_yields++; }
  bool       reset_due();              // true: that many switches, or that was asked for
  // By who is mounted. Somebody waits for an event that there is now: looked for at the next switch; true: that should be now.
  bool       expects_connection() {
    _since_due = DueInterval;
    return ++_connects >= ConnectsMax;
  }
  // By who is mounted, and moves many bytes: whether somebody waits who does not. A hint.
  bool       waits_for_mover();
  // By who has made the carrier's status RETAKEN, under the look lock. Who gets the queue looks for timers and events first.
  void       taken_from_carrier(jlong now) {
    _carrier = NULL;
    _free_since = now;
    _since_due = DueInterval;
  }
  bool       only_yields(bool interval);   // when it is due, which says that: whether the carrier should yield, as all do
  bool       wants_share();            // at once after that, and not too soon after the last time
  bool       take_share(RunQueue* victim);   // half of those there that are not greedy; false: there are none
  // Who was mounted last, and was not: others that are there come before it. Not while such wait, who would wait for each that becomes one.
  void       becomes_greedy()          { _computed = _computed || (_interrupted == NULL && _computing.is_empty()); }

  // ---- Anybody's operation: queue a RUNNABLE coroutine and see that it will run. woken: it was
  // parked, rather than preempted or new. follows: it waits for what arrives on the CPU of the caller, a carrier whose queue is near,
  // or shall run beside those of its own queue, and goes to near if that is not the longer one.
  static void enqueue(Coroutine* co, RunQueue* near, bool woken = false, Claim claim = NO_CLAIM, bool follows = false);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_RUNQUEUE_HPP
