/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINE_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINE_HPP

// A coroutine: a complete JavaThread that has a stack but no OS thread of its
// own. A carrier (carrierThread.hpp) runs it by switching to its stack.
//
// Everything that makes it wait ends in one primitive: a caller that wants to
// wait for a condition calls park() in a loop around the condition, and whoever
// makes the condition true calls ready() afterwards. The condition is the
// caller's own word (ParkEvent::_event, _permit, ...), as in HotSpot; the run
// word _state only says whether the coroutine is on a carrier, in a queue or parked. So a ready() too many is a spurious return from park(),
// nothing else, and one that comes too late finds another coroutine in the same
// record and wakes that one spuriously.
//
// The run word. Each line is one transition: who makes it, and why.
//
//   NEW      -> RUNNABLE  start(): Thread.start(); queued by the starter
//   RUNNABLE -> RUNNING   CarrierThread::mount(), xchg: taken from a queue
//   RUNNING  -> NOTIFIED  ready(), CAS: woken before it has parked
//   NOTIFIED -> RUNNING   park(), CAS by itself: it will look at its condition again
//   RUNNING  -> PARKED    CarrierThread::finish_switch(), CAS, on another stack, when
//                         its registers are saved
//   NOTIFIED -> RUNNABLE  finish_switch(), where that CAS fails; queued there
//   PARKED   -> RUNNABLE  ready(), CAS: exactly one waker wins, and only it queues
//   RUNNING  -> BLOCKED   block_os_thread(), CAS by itself: the pinned park, in which
//                         it stays on its OS thread
//   BLOCKED  -> RUNNING   ready(), CAS, which then wakes the carrier; or
//                         block_os_thread(), CAS, when the time is over
//   RUNNING, NOTIFIED -> RUNNABLE  finish_switch(), store: yielded; queued there
//   RUNNING, NOTIFIED -> ENDED     the reaper, store: its thread is off the list
//   ENDED    -> NEW       allocate(): the record serves another thread
//
// Why no wake-up is lost. A waker makes the condition true, passes a full fence
// (each condition is changed by an xchg) and reads the run word.
//   - PARKED: it wins the CAS, or another waker did, after which the coroutine
//     looks at its condition again.
//   - RUNNING: its CAS to NOTIFIED succeeds, and park() or finish_switch() notice.
//   - RUNNABLE: mount()'s xchg of RUNNING comes later in the order of the run
//     word and is a full fence, so the coroutine sees the condition.
//   - NOTIFIED: the one who leaves NOTIFIED does so by an atomic operation or a
//     store that is followed by mount()'s xchg; the condition is read after it.
//
// Rejected: a permit in the run word (three unrelated sources wake one thread:
// a monitor's exit must not end a sleep), and switching inside
// PlatformEvent::park (it is also used with a VM lock held, see doc/architecture).

#include "jfr/utilities/jfrTime.hpp"
#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineCalls.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"
#include "runtime/park.hpp"
#include "runtime/thread.hpp"

class CarrierThread;
class JNIHandleBlock;
class RecentStacks;
class RunQueue;

class Coroutine : public CHeapObj<mtThread> {
  friend class CarrierThread;
  friend class RunQueue;
  friend class TimerHeap;
  friend class CoroutineScheduler;
  friend class CoroutineSysmon;
  friend class CoroutineReaper;
  friend class CoroutineThread;
  friend class CoroutinePin;
  friend class CoroutineCallbackPin;
  friend class CoroutineRecords;
  friend class CoroutineAffinity;
  friend class CoroutineCalls;
  friend class CoroutineChain;
  friend class CoroutineThreadList;
  friend class CoroutineTest;
  friend class VMStructs;

 public:
  enum State { NEW, RUNNABLE, RUNNING, NOTIFIED, PARKED, BLOCKED, ENDED };

  // Why a coroutine leaves its carrier; finish_switch() acts on it.
  enum Action { NO_ACTION, PARK, YIELD, PREEMPT, END };

  // What it waits for while it is PARKED or BLOCKED.
  enum Cause { NO_CAUSE, MONITOR, SLEEP, LOCK_SUPPORT, CLASS_LOADING, READ, WRITE, SUSPENSION };

 private:
  // In the order of their use, for a record that is not in the cache when its turn comes:
  // first what a switch needs, then the rest of a timed park, then births and ends.

  // Saved stack pointer. Written by coroutine_switch, read by the next mount;
  // both ordered by the run word.
  intptr_t*             _sp;
  volatile int          _state;        // the run word, see above

  // Links of an inbox, the global queue or the free list: whoever holds the
  // RUNNABLE coroutine or the free record owns them until it publishes it by CAS
  // or under the lock of the list. _depth counts this record and those below.
  volatile int          _depth;
  Coroutine* volatile   _next;
  JavaThread*           _thread;       // set in NEW; renewed or destroyed in ENDED (coroutineRecords.hpp)

  // The carrier that it is mounted on. Written by mount() before the switch, read
  // by the coroutine itself and, as a hint, by thread dumps.
  CarrierThread* volatile _carrier;

  // The run queue that it last ran from, where ready() puts it. Written by mount(), and by itself in
  // start_queue() if it is bound; read by wakers; any queue is a right one, this one has warm caches.
  RunQueue* volatile    _home;

  jlong                 _active;       // times mounted; for jstack, the MXBean, itself, its waker and who queues it, by the carrier that mounts it
  volatile jlong        _cpu_start;    // see _cpu_nanos

  bool                  _parked;       // unmounted last by a park
  volatile bool         _preempt;      // sysmon asks, or itself in enqueue(); the coroutine itself clears
  volatile bool         _greedy;       // has used up a time slice and not parked since; written by
                                       // finish_switch() while nobody else may run it, read by sysmon, and
                                       // as a hint by who has a queue in which it waits, or has waited
  volatile bool         _was_greedy;   // when it parked last, and may be so again soon: likewise
  volatile bool         _gives_way;    // has asked itself to leave for whom it has woken, or is asked by sysmon as it runs without
                                       // a queue, or while others wait, once in a slice of time; and is not greedy for that, or as it
                                       // computes, before its slice is over: set by
                                       // itself in enqueue() and moved_much(), or by sysmon; cleared by itself, by finish_switch() while nobody else
                                       // may run it, or by sysmon when its slice is over. A hint: who is cleared too late or too early
                                       // is greedy or not until it parks
  volatile bool         _gave_way;     // came to RunQueue::_next last because it had given way: written and read as
                                       // _claim is
  volatile bool         _displaced;    // and somebody else has taken that place, since it parked last: by that one,
                                       // before it queues this one, or by finish_switch() while nobody else may run it
  volatile u1           _heavy;        // parks until it is not taken any more for one that may stay for long, as it has used up a slice, or seems to: by
                                       // finish_switch() while nobody else may run it, or sysmon; read as _greedy is. A hint
  u1                    _claim;        // RunQueue::Claim, with which it came to RunQueue::_next last: by who puts it there;
                                       // push_next() reads it of who is there already, as a hint
  volatile bool         _was_asked;    // to give way in interrupt() of sysmon, or as it is heavy, and has neither parked nor yielded since: set by
                                       // sysmon, cleared by finish_switch() while nobody else may run it. A hint
  jlong                 _cut_nanos;    // how long its turns were in which it was interrupted as it is heavy, while it has been asked so: sysmon only
  bool                  _light;        // waits in a ring, and is counted there as one that is neither greedy nor heavy, and does not move many bytes:
                                       // by who pushes it, cleared by who mounts it; a thief reads it as a hint
  bool                  _accepts;      // has accepted a connection; by itself
  volatile uint         _turn_nanos;   // mean length of its last turns in queues with long ones, up to TurnMax, 0: not known. By note_turn() while
                                       // nobody else may run it; read as _greedy is
  bool                  _suspend_parks; // written by itself; see suspend_self()
  volatile bool         _yielded;      // leaves before its time slice is over, though it may be greedy: set by finish_switch() after
                                       // a yield, and by itself in enqueue(), cleared by sysmon when a slice is over. Read as
                                       // _greedy is
  volatile bool         _blocks;       // was found to block in native code, rather than compute: by sysmon; read by itself in
                                       // stays_without_queue(), a hint
  bool                  _faults;       // was found to wait for memory in Java or in the VM, rather than compute (CoroutineSysmon::waits_for_memory()): sysmon only
  bool                  _daemon;       // written by itself in exit, read by the reaper
  bool                  _destroys_vm;  // calls DestroyJavaVM, and does not come to the reaper: by itself only
  volatile bool         _exited;       // on the list for the reaper only; read by dumps

  // Written by itself before it parks; read by thread dumps, and by who unmounts it or wakes it.
  volatile int          _cause;
  volatile int          _cause_fd;

  int                   _pinned;       // > 0: must stay on its OS thread; written by itself
  u1                    _served;       // blocking calls in a row with few waits between them, up to ServedMin: by itself
  int                   _raw_monitors; // the same: how often it has entered JVMTI raw monitors, each a pin
  uint                  _ran_at;       // switches of its queue, truncated, when it was mounted last: by the carrier that mounts
                                       // it, read by who wakes it, in enqueue(), as a hint

  // LockSupport's: 1 when there is one, which Parker::_counter is for other threads; here it is one cache line
  // less that two carriers share. Set by who unparks, by an xchg, before ready(); taken by itself, by an xchg.
  volatile int          _permit;

  // When it was queued, for the recorder; 0 while nobody records that. Written by who queues
  // it, read and cleared by itself when it is mounted; ordered by the run word and the queue.
  JfrTicks              _queued_since;

  // Timer (timerHeap.hpp), guarded by the lock of the heap of _timer_queue.
  int                   _timer_index;  // place in the heap or its lane, -1 when not there
  int                   _read_fd;      // what it has waited for last to read from; by itself
  volatile jlong        _deadline;     // in os::javaTimeNanos() time; a hint for dumps, the heap has its own
  RunQueue*             _timer_queue;

  // Lent to the JavaThread, to lead who unparks it to the record: one that went from a
  // coroutine to an OS thread or back could be unparked in the wrong way.
  Parker*               _parker;

  // What it waits for, and has waited for, with LockSupport: addresses of the objects that park was given, without their
  // ends. The kept ones are those that has_waited_for() has found: a pool is, a future is not. Hints, objects move, and
  // some libraries give each wait an object of its own. Written by itself, _blocker, before it parks, also for who wakes it.
  enum { KeptBlockers = 2, RecentBlockers = 6, AnswerTurns = 32 };
  uint                  _blocker;      // 0: not known
  uint                  _woke_at;      // times that one had been mounted then; written and read as _woke is
  Coroutine* volatile   _woke;         // whom it has woken last: by itself in enqueue(), before it queues that one, read there
                                       // by who wakes it; ordered by the run word. A hint, the record may serve another
                                       // thread now
  const Coroutine*      _owes;         // to whom it has given way to try, how often it had been mounted then, and what that
  uint                  _owes_at;      // one was waiting for: by itself in enqueue(); hints
  uint                  _owes_blocker;
  int                   _owes_cause;

  // How long it goes on after it has woken somebody, until it leaves its carrier: that one would wait there for so long. By itself in
  // enqueue(), and as it leaves. One of WakesSampled wake-ups is measured. See coroutineScheduler.hpp
  enum {
    WakesSampled   = 13,
    LookingNanos   = 5 * 1000,         // who goes on for so long sends whom it wakes to a carrier that looks for work, and
    GoesOnNanos    = 25 * 1000,        // who does for so long to one that sleeps; if it is
    GoesOnShare    = 8,                // such a part of the time from one wake-up to the next, or
    GoesOnLong     = 100 * 1000,       // for so long,
    SentTurnNanos  = 3 * 1000,         // and that one has turns of so long, as far as is known, or it is
    SendAnyway     = 64,               // one of so many turns
    GoesOnMax      = 1000 * 1000       // longer times count no more
  };
  jlong                 _wake_at;      // when it has woken somebody in this turn, 0: it has not, or that is not measured
  jlong                 _sampled_at;   // when it has last been measured
  uint                  _wakes;        // since then, and
  uint                  _wake_interval;  // from one to the next, in ns, a mean, as
  uint                  _goes_on;      // that time; 0: not known
  bool                  _sent;         // to an idle carrier, which measures its turn: by its waker, cleared by who mounts it; ordered by the run word
  uint                  _kept_slot;    // which is overwritten next
  uint                  _recent_slot;
  uint                  _kept[KeptBlockers];
  uint                  _recent[RecentBlockers];

  jlong                 _thread_id;    // of the Thread object; set in NEW

  // What its JavaThread leaves for the next one (coroutineRenewal.cpp): written by the
  // thread at its end, read by the next start, which follows in the lock of the records.
  JNIHandleBlock*       _handles;      // for its native methods
  JNIHandleBlock*       _more_handles; // and for what Java code it calls
  char*                 _resource_base; // of its empty areas; written when it is constructed
  char*                 _handle_base;
  bool                  _renewable;
  bool                  _bound;        // keeps its OS thread for good (coroutineAffinity.hpp): by itself; read by dumps, as a hint

  // For the removal from the Threads list (coroutineThreadList.hpp).
  JavaThread*           _above;        // guarded by the Threads_lock
  Coroutine*            _id_next;      // chain of the table by thread id; under its lock
  uint                  _first_list;   // numbers of the first and the last ThreadsList
  uint                  _last_list;    // that names the thread; guarded by the Threads_lock
  jlong                 _started_at;   // when, or 0: its starter need not have gone on. Written in NEW, read by the first mount, as are
  int                   _start_cpu;    // the starter's CPU and
  CarrierThread*        _starter;      // its carrier, NULL: it is a kernel thread
  volatile bool         _start_over;   // it is about to leave start(): by the starter, so late, perhaps, that the record is another one's;
                                       // read by let_starter_go_on(). A hint
  address               _stack_base;   // highest address; another one from the first mount on, perhaps (RecentStacks);
                                       // the owner of the stack frees it in ENDED
  size_t                _stack_size;

  // Counters for jstack and the MXBean; written by the carrier that mounts it.
  jlong                 _steals;       // times mounted from another queue than the last one
  jlong                 _preempts;

  enum { SpinWaits = 32 };             // about 1 us
  enum {
    BulkNanos     = 50 * 1000,         // that one who moves many bytes has before others that do not,
    BulkFinds     = 4,                 // and, when so many looks in a row have found some, twice as many from one to the next,
    BulkFindsMax  = BulkFinds + 4,     // until so many have; and
    BulkTurnNanos = 5 * 1000 * 1000    // before others that do
  };
  uint                  _spin_waits;   // calls of Thread.onSpinWait() since it was mounted; by itself
  jlong                 _spun_at;      // _active at that time; by itself
  volatile jlong        _bulk_turn;    // _active when it has sent or received much last: by itself; read by who has the queue in which it waits, and
                                       // by who is mounted there, as a hint. When it has
  jlong                 _bulk_began;   // first in that turn, and when it has
  jlong                 _bulk_since;   // looked last who waits; by itself
  int                   _bulk_finds;   // looks in a row that have found somebody, up to BulkFindsMax; by itself
  bool                  _steps_back;   // it gives way to all that wait; by itself, cleared by finish_switch()
  enum { EarlyReads = 8 };
  uint                  _early_reads;  // calls of may_read_early() since it was mounted; by itself
  jlong                 _read_early_at;  // _active at that time; by itself
  CoroutineCalls::History _calls[CoroutineCalls::KINDS];  // of those that may block its OS thread, these four by itself,
  jlong                 _call_began;   // when this one has, or 1; 0: it is not looked at (sysmon reads that, a hint); and how often its OS thread
  jlong                 _call_blocked; // had blocked then,
  jlong                 _call_stay;    // and _active and _stays
  jlong                 _stays;        // waits in which it has kept its OS thread; and
  jlong                 _blocked_at;   // these and _active when a call has last blocked that; by itself
  volatile int          _stays_fd;     // the descriptor that it polls, -1: none; by itself, read by end_stays() and dumps
  static volatile int   _staying;      // how many have one; atomically
  jlong                 _stayed_at;    // _active when it has last stayed without a queue at a yield, and how often its OS thread
  jlong                 _stay_blocks;  // had blocked then; by itself

  // CPU time, counted from the first time on that somebody asks for any thread's, or a JVMTI agent
  // gets the capability to; a switch is cheaper than reading the clock. Written by the coroutine
  // and the carrier that mounts it, read by everybody. _cpu_start: the time when it was mounted,
  // 0 when that was not read. Until then there are samples.
  volatile jlong        _cpu_nanos;    // until it was unmounted last
  volatile jlong        _cpu_sampled;  // added to by CarrierThread::sample_cpu(), atomically
  volatile jlong        _cpu_seen;     // the most that cpu_time() has returned; raised by CAS by those who ask
  static volatile bool  _count_cpu;

  enum {
    PollMillis = 2,                    // a wait for so long at most, until the time is over, may be one of a loop that looks
    PollsMin  = 8,                     // for something again and again; so many in a row are
    ShortTurnNanos = 50 * 1000,        // of who comes before others in a queue with long turns, see runQueue.hpp
    HeavyParks = 16,
    TurnMax   = 4 * ShortTurnNanos     // longer ones, and those in which all were stopped, count no more than that
  };
  uint                  _polls;        // in a row, up to that; by itself
  void count_poll(bool polls, jlong deadline) {
    if (polls || _polls != 0) {
      note_poll(polls, deadline);
    }
  }
  void note_poll(bool polls, jlong deadline);

  // What LockSupport.parkNanos waits at least. Libraries wait in loops of 1 ns, for which a kernel thread uses hardly any CPU, as it
  // sleeps for its timer slack, 50 us by default. Half of it, as the carrier that sleeps then adds the other half (ShortSleep); set at boot.
  static jlong          _shortest_park;

  // Times in os::javaTimeNanos(), 0 or old unless RunQueue::counts_times(). Written by
  // whoever owns the record at that moment, ordered by the run word.
  jlong                 _left_at;      // unmounted last, or started
  jlong                 _queued_at;    // queued last
  jlong                 _mounted_at;

  Coroutine();
  ~Coroutine();                        // never: records are type-stable

  static Coroutine* allocate();        // NULL when there is no memory
  static void release(Coroutine* co);

  void give_permit();                  // by who unparks it
  bool wait_until(jlong deadline, jlong until = 0);   // true: the time is over
  bool wait_for_clock(jlong until);    // the same, of the wall clock
  void wait_in_native(jlong deadline, bool is_short, jlong until = 0);
  bool switch_out(Action action);      // returns when mounted again; false: did not leave
  void block_os_thread(jlong deadline);
  bool keeps_os_thread();

  void mounted_again();                // what is left to do after finish_switch()
  void leave_preempted();
  bool stays_without_queue();
  bool can_switch() const;
  static bool is_below_foreign_code(JavaThread* thread);

  // At the end of a suspend-equivalent wait that goes on being one.
  void stay_suspended();

  // Condition loops of the two kinds of events.
  int  park_event(ParkEvent* event, jlong deadline);

 public:
  JavaThread*    thread() const        { return _thread; }
  int            state() const         { return _state; }
  CarrierThread* carrier() const       { return _carrier; }
  RunQueue*      home() const          { return _home; }
  jlong          active() const        { return _active; }
  jlong          steals() const        { return _steals; }
  jlong          preempts() const      { return _preempts; }
  bool           is_pinned() const     { return _pinned > 0; }
  bool           is_bound() const      { return _bound; }
  bool           is_staying() const    { return _stays_fd >= 0; }

  // Keeps its OS thread until there is something to read, if it may. False: leave that. Blocked.
  bool           stay_to_read(int fd, jlong deadline);
  static void    end_stays(int fd);    // whose number has been closed, or replaced
  bool           may_stay() const      { return _served == CoroutineCalls::ServedMin; }
  bool           holds_raw_monitor() const { return _raw_monitors > 0; }
  int            cause() const         { return _cause; }
  bool           waits_for_descriptor() const { return _cause == READ || _cause == WRITE; }
  int            cause_fd() const      { return _cause_fd; }
  jlong          timer_deadline() const { return _timer_index >= 0 ? _deadline : 0; }   // a hint
  const char*    state_name() const;
  bool           has_exited() const    { return _exited; }
  bool           accepts() const       { return _accepts; }
  void           set_accepts()         { _accepts = true; }
  int            permit() const        { return _permit; }

  static Coroutine* current();         // NULL on an OS thread
  static jlong      shortest_park()    { return _shortest_park; }

  // For generated code.
  static ByteSize offset_in_thread()  { return byte_offset_of(JavaThread, _coroutine); }
  static ByteSize bound_offset()      { return byte_offset_of(Coroutine, _bound); }

  // A Thread object that stands in for that of a thread which has ended and is still listed (CoroutineThread::entry()).
  static bool is_stand_in(oop thread_object);

  // What tools are told: in native code, or in a wait for a descriptor, which is in native code on an OS thread. A hint.
  static bool is_in_native(JavaThread* thread);

  // The native method on top of the Java stack, by the thread itself; NULL: another frame is there, or none.
  static Method* native_method(JavaThread* thread);

  // Greedy, and has not yielded since it used up a slice: waits in the second ring of a queue (runQueue.hpp). A hint but to
  // who may queue it.
  bool computes() const                { return _greedy && !_yielded; }
  bool moves_much() const              { return _bulk_turn == _active; }   // in this turn, or the last one
  // Has used up a slice lately, and may be interrupted for those who wait now and then. Not one that is greedy, also if it has yielded.
  bool is_heavy() const                { return _heavy != 0 && !_greedy; }
  bool has_short_turns() const         { return _turn_nanos != 0 && _turn_nanos < ShortTurnNanos; }
  void note_turn(jlong nanos);         // by its carrier, as it leaves

  // By anybody, as a hint: it will be mounted soon. The second reads what the first one fetches.
  void prefetch_record();
  void prefetch_stack(bool even_new);
  // By who belongs to the operation of a safepoint, of a thread that is on the list: it will be looked at soon. Likewise.
  static void prefetch_roots(JavaThread* thread);
  static void prefetch_frames(JavaThread* thread);

  // By the coroutine itself, before it parks.
  void waits_for(Cause cause, int fd = -1) {
    _cause = cause;
    _cause_fd = fd;
  }

  // By the coroutine itself, before it parks: the blocker that its thread has.
  void waits_for_blocker(oop blocker);

  // By the coroutine itself: whether it has waited for what that one waits for, and so may take from it what it is woken
  // for: a connection of a pool, a lock. Who completes a future has not. A hint; true where nobody knows, as with monitors.
  bool has_waited_for(const Coroutine* waiter);

  // By the coroutine itself: whether that one, which it wakes, has woken it in one of its last turns. Not for ever: who
  // was woken once by somebody is not one of two who wake each other.
  bool was_woken_by(const Coroutine* co) const {
    return co->_woke == this && (uint) _active - co->_woke_at <= AnswerTurns;
  }
  void has_woken(Coroutine* co) {
    _woke = co;
    _woke_at = (uint) co->_active;
  }

  // By the coroutine itself, which wakes somebody on its carrier.
  void count_wake(bool gives_way) {
    if (gives_way) {
      _wake_at = 0;
    } else if (++_wakes >= WakesSampled) {
      sample_wake();
    }
  }
  void sample_wake();
  // By its carrier, as it leaves.
  void note_leave() {
    if (_wake_at != 0) {
      note_goes_on();
    }
  }
  void note_goes_on();
  // By the coroutine itself: whether that one, which it wakes, would wait for it here again and again, or for long, and has something to do.
  bool is_sender(const Coroutine* co) const {
    return _goes_on >= LookingNanos && (_goes_on >= GoesOnLong || _wake_interval <= GoesOnShare * _goes_on) &&
           (co->_turn_nanos == 0 || co->_turn_nanos >= SentTurnNanos || (uint) co->_active % SendAnyway == 0);
  }
  bool goes_on_long() const            { return _goes_on >= GoesOnNanos; }

  // By the coroutine itself: it owes that one, which it wakes for the first time here, a second try in its next stay, if that one
  // waits for something else then: a lock that it holds itself, as a rule.
  void will_owe(const Coroutine* co) {
    _owes = co;
    _owes_at = (uint) _active;
    _owes_blocker = co->_blocker;
    _owes_cause = co->_cause;
  }
  bool owes(const Coroutine* co) const {
    return _owes == co && (uint) _active - _owes_at == 1 &&
           (co->_cause != _owes_cause || (co->_cause == LOCK_SUPPORT && co->_blocker != _owes_blocker));
  }

  // By the coroutine itself, before it waits to read: true when it was the same descriptor the last time.
  bool reads_again(int fd) {
    bool again = _read_fd == fd;
    _read_fd = fd;
    return again;
  }

  // By the coroutine itself: whether an answer to it may be read that no event has announced yet. Not often at a stretch: who gets all
  // its answers so never waits, and others would, in the queue or for events that nobody looks for meanwhile, until its time
  // slice is over.
  bool may_read_early() {
    if (_read_early_at != _active) {
      _read_early_at = _active;
      _early_reads = 0;
    }
    return ++_early_reads <= EarlyReads;
  }

  // The primitive. The current thread is this coroutine's, its state is
  // _thread_blocked, it owns no VM lock. Returns after a ready(), when the clock
  // has reached deadline (0: never), or spuriously.
  void park(jlong deadline);

  // Before looking at the condition: forget a wake-up that the look will see.
  void clear_notification();

  // Make it run if it is parked, and keep it from parking if it is about to. From
  // any thread in any state, also at a safepoint. The caller has passed a full
  // fence since it made the condition true. near: a queue to prefer when the
  // carrier of the last one sleeps. claim, a RunQueue::Claim, and follows: see RunQueue::enqueue().
  void ready(RunQueue* near = NULL, int claim = 0, bool follows = false);

  // Give way to others; returns at once when there is nobody to run. The thread
  // state is _thread_in_native or _thread_blocked.
  void yield();

  static jlong deadline_after_nanos(jlong nanos);

  // CPU time in nanoseconds, user and system; there is no way to tell them apart.
  static bool  is_coroutine(Thread* thread)  { return thread->is_Java_thread() && ((JavaThread*) thread)->coroutine() != NULL; }
  static jlong cpu_time(Thread* thread);
  static void  count_cpu_time();             // an agent may ask for it
  static bool  counts_cpu_time()             { return _count_cpu; }

  // ---- The hooks. Each stands at a place of HotSpot that would block the OS
  // thread; off, it is a test of UseWisp2.

  // ObjectMonitor, os::sleep: wait for an event of the current thread.
  static inline void park(Thread* self, ParkEvent* event);
  static inline int  park(Thread* self, ParkEvent* event, jlong millis);

  // os::PlatformEvent::unpark, when somebody waits.
  static inline bool unpark(Coroutine* co) {
    if (co == NULL) return false;
    co->ready();
    return true;
  }

  // Parker::park and Parker::unpark; false: not a coroutine's, go on.
  static bool park(Parker* parker, bool absolute, jlong time);
  static bool unpark(Parker* parker);

  // Of the thread of a Thread object, which may have ended; false: not a coroutine. Needs no ThreadsListHandle: the
  // memory of records and their Parkers is type-stable, and if the thread ends
  // meanwhile, the next one that has the Parker gets a spurious wake-up, as upstream.
  static bool unpark(JavaThread* thread);

  // os::interrupt; false: not a coroutine, go on.
  static bool interrupt(Thread* thread);

  // Unsafe.park and Thread.sleep by the coroutine itself, in native (coroutineWaits.cpp). passes(): it need not wait; if there was a
  // permit it is used up. A sleep ends early when the thread is interrupted.
  bool passes(bool absolute, jlong time);
  static bool  is_short(jlong nanos)  { return nanos <= PollMillis * NANOSECS_PER_MILLISEC; }
  static jlong deadline_of_park(bool absolute, jlong time);   // 0: there is none, -1: it is over
  void park_in_native(bool timed, jlong deadline, bool is_short, jlong until);
  void sleep_in_native(jlong millis, bool may_poll = true);   // false: it is not a program that looks for something again and again

  // ObjectMonitor, and the parks here: JavaThread::java_suspend_self at the end of a wait. A
  // suspended coroutine parks there. Called from elsewhere java_suspend_self blocks the OS
  // thread: native code may be on the stack, or the thread is in Java code (_suspend_parks).
  static inline void suspend_self(JavaThread* thread);
  // At the end of a wait in the VM. The second one after the flag of the wait was cleared, and a full fence.
  static void end_suspend_equivalent(JavaThread* thread);
  static inline void wait_while_suspended(JavaThread* thread);
  // In a native method, after a call that has moved many bytes: gives way to those that wait, after a time.
  static void moved_much(JavaThread* thread);
  // At the end of a wait in a native method: blocked to native. A suspension that is
  // requested after the test takes effect when the native method returns.
  static void end_native_wait(JavaThread* thread);

  // java_suspend_self, before it waits, and java_resume; both with SR_lock held. False: go on.
  static bool park_suspended(JavaThread* thread);
  static void resumed(JavaThread* thread);

  // os::naked_yield; false: not on a coroutine.
  static bool yield_current();

  // Monitor::wait and Monitor::notify_all for SystemDictionary_lock, on which
  // threads wait for the Java code of other threads; false: go on.
  static bool wait(Monitor* lock);
  static void notify_all(Monitor* lock);

  // JvmtiRawMonitor::raw_enter and raw_exit: the current thread enters (1) or leaves (-1) one.
  // Whoever holds a raw monitor is pinned: agents use them beside native locks and
  // thread-local state, and return to Java code with them. A wait in a raw monitor blocks the
  // OS thread, like the entry of a contended one.
  static void count_raw_monitor(Thread* self, int change);

  // SafepointMechanism::block_if_requested_slow: disarm what sysmon has armed.
  static void disarm_poll(JavaThread* thread);
  // Legal places to be preempted, called when a poll was armed.
  static void preemption_point(JavaThread* thread);
  // Another one: InterpreterRuntime::monitorexit, at its end.
  static void after_unlock(JavaThread* thread);

  // Of Thread.onSpinWait(), by itself. False: it should yield.
  bool should_spin();
};

// In JNI functions that can run Java code or wait: while native code from outside the
// JDK is on the stack, a park blocks the OS thread and gives the run queue to another
// carrier. That code may hold native mutexes or have state in thread-local variables,
// so no other coroutine may run between its frames, and it must not migrate. The
// callbacks of JVMTI agents are such code, too, and may hold raw monitors.
class CoroutinePin : public StackObj {
  Coroutine* _coroutine;

 public:
  CoroutinePin(JavaThread* thread) :
    _coroutine(UseWisp2 && thread->coroutine() != NULL && Coroutine::is_below_foreign_code(thread)
               ? thread->coroutine() : NULL) {
    if (_coroutine != NULL) _coroutine->_pinned++;
  }
  ~CoroutinePin() {
    if (_coroutine != NULL) _coroutine->_pinned--;
  }
};

// The same in callbacks of agents, whatever is on top of the Java stack: a native method of the JDK often, which has waited, or defines a class.
// And from the event that a monitor is contended to the one that it has been entered: profilers keep the time of the first in a variable of
// the kernel thread.
class CoroutineCallbackPin : public StackObj {
  Coroutine* const _coroutine;

 public:
  CoroutineCallbackPin(bool told = true) : _coroutine(UseWisp2 && told ? Coroutine::current() : NULL) {
    if (_coroutine != NULL) _coroutine->_pinned++;
  }
  ~CoroutineCallbackPin() {
    if (_coroutine != NULL) _coroutine->_pinned--;
  }
};

inline void Coroutine::park(Thread* self, ParkEvent* event) {
  Coroutine* co = UseWisp2 ? ((JavaThread*) self)->coroutine() : NULL;
  if (co != NULL) {
    co->park_event(event, 0);
  } else {
    event->park();
  }
}

inline int Coroutine::park(Thread* self, ParkEvent* event, jlong millis) {
  Coroutine* co = UseWisp2 ? ((JavaThread*) self)->coroutine() : NULL;
  if (co != NULL) {
    jlong nanos = millis > max_jlong / NANOSECS_PER_MILLISEC ? max_jlong : millis * NANOSECS_PER_MILLISEC;
    jlong deadline = deadline_after_nanos(nanos);
    int result = co->park_event(event, deadline);
    if (event == self->_SleepEvent) {
      co->count_poll(result == OS_TIMEOUT && millis <= PollMillis, deadline);
    }
    if (event == self->_SleepEvent && co->_thread->is_external_suspend()) {
      co->stay_suspended();
    }
    return result;
  }
  return event->park(millis);
}

inline void Coroutine::suspend_self(JavaThread* thread) {
  Coroutine* co = UseWisp2 ? thread->coroutine() : NULL;
  if (co != NULL) {
    co->_suspend_parks = true;
  }
  thread->java_suspend_self();
  if (co != NULL) {
    co->_suspend_parks = false;
  }
}

inline void Coroutine::wait_while_suspended(JavaThread* thread) {
  if (thread->is_external_suspend()) {
    thread->set_suspend_equivalent();
    if (thread->handle_special_suspend_equivalent_condition()) {
      suspend_self(thread);
    }
  }
}

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINE_HPP
