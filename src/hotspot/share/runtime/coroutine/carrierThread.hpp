/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_CARRIERTHREAD_HPP
#define SHARE_VM_RUNTIME_COROUTINE_CARRIERTHREAD_HPP

// A carrier: an OS thread that runs coroutines, with a JavaThread of its own on
// which the policy (WispCarrier.java) runs. It holds at most one run queue; queue
// and carrier are two things, so that a queue can be taken from a carrier whose
// coroutine sits in native code, or does not come to a poll, and given to a spare
// one. Nobody ever moves a carrier's frames.
//
// The word _status decides who may touch the queue that a carrier holds:
//
//   SCHEDULING -> MOUNTED     end_switch(), release store: a coroutine runs
//   MOUNTED    -> SCHEDULING  begin_switch(), CAS by the coroutine that leaves
//   MOUNTED    -> RETAKEN     sysmon, or a new spare (CoroutineSysmon::relieve()), CAS under the look lock: the queue
//                             is theirs from here on, and goes to another carrier; or release_queue() by itself
//   RETAKEN    -> SCHEDULING  begin_switch() when its CAS fails: the carrier has no
//                             queue, its coroutine is queued elsewhere, and it
//                             becomes a spare
//
// Without a queue a carrier goes through these; each line is one transition, made under
// the lock of the spare list, or, where it says so, by the carrier alone.
//
//   new, RETAKEN -> SPARE    add_spare(), when no queue waits: onto the list
//   new, RETAKEN -> GRANTED  add_spare(), when one does: it takes that queue
//   SPARE        -> GRANTED  hand_off(), off the list: _granted is stored after the lock
//                            was released, then the carrier is woken. In between it is
//                            on no list and has nothing; it waits
//   GRANTED      -> holds it by itself: _granted is taken, _queue is set
//   SPARE        -> ASKED    surplus_spare() by the daemon, after some idle seconds, if more than a few spares are: off
//                            the list. ask_to_end() stores _asked_to_end after the lock was released, then wakes it.
//                            Nobody else can reach it to grant it a queue
//   ASKED        -> ENDING   may_end(): there are still enough spares. Only looked at under the lock, as nobody else can reach it
//   ASKED        -> SPARE, GRANTED   add_spare(): there are not, its kernel thread has children, or it cannot end (outlives_library())
//   RETAKEN      -> ENDING   retire(), if its coroutine was bound (coroutineAffinity.hpp), and unless a queue
//                            waits and no carrier can be created
//   ENDING       -> ended    by itself: off the list of carriers, under Threads_lock and
//                            the look lock of sysmon; then as any JavaThread ends. When it is deleted ended()
//                            lets the daemon ask the next one
//
// Who may still have a pointer to a carrier that has ended? A coroutine that it ran last
// (_carrier), a waker of a queue or a blocked coroutine between reading the carrier and
// waking it. Therefore the memory is type-stable: it serves the next carrier only, wake() on it
// is a spurious wake-up, and mounted() tells that the coroutine is not there. The kernel
// identity that an unmounted coroutine keeps may be that of a thread that has ended: whoever
// signals it makes sure that it is mounted, and excludes the end meanwhile (the recorder's sampler
// by Threads_lock, NativeThread by the look lock). CPU clocks are asked for by
// kernel id, for which an ended thread is an error, not memory.
//
// As long as it is SCHEDULING, the carrier alone pops from its queue and pushes to
// its ring. Everybody else pushes to the queue's inbox (runQueue.hpp). Retaking
// needs no agreement with the Java state of the coroutine: at worst one coroutine
// runs without a queue until it switches the next time.
//
// While a coroutine is mounted the carrier's own JavaThread is _thread_blocked
// with the anchor of its native method: safe for GC, not counted by VM_Exit, not
// sampled. It is hidden from Java, JMX and JVMTI, as a suspended carrier would
// stop everything.

#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/orderAccess.hpp"

class CarrierThread : public JavaThread {
  friend class Coroutine;
  friend class CoroutineScheduler;
  friend class CoroutineSysmon;
  friend class CoroutineThread;
  friend class CoroutineAffinity;
  friend class CoroutineCalls;
  friend class StartSeries;
  friend class VMStructs;

 public:
  enum Status { SCHEDULING, MOUNTED, RETAKEN };
  // What run_queue() returns to WispCarrier.java.
  enum Result { EMPTY = 0, DUE = 1, NO_QUEUE = 2 };

 private:
  volatile int       _status;
  int                _privileges;      // CarrierPrivileges::version() that it has followed; by itself
  RunQueue*          _queue;           // by itself; it has it unless RETAKEN
  intptr_t*          _base_sp;         // saved while a coroutine is mounted
  Coroutine* volatile _mounted;        // written by itself; read by sysmon and dumps as a hint
  Coroutine* volatile _latest;         // the one that was mounted last, unless it has ended: likewise; read by sample_cpu()
  Coroutine*         _previous;        // for finish_switch(), see there
  Coroutine::Action  _action;
  volatile int       _wake;            // futex word: wake_word() wakes, sleep() consumes
  int                _woken_by;        // the one that ended its last sleep, 0: none; and
  bool               _short_slice;     // whether the kernel's slice for it is short: by itself, before it has a queue
  volatile bool      _long_slice;      // not at the moment: by sysmon before it takes the queue, by itself after that; ordered by _status
  volatile bool      _polling;         // sleeps in the event pump instead; written by itself,
                                       // read by wake() after its xchg of _wake
  RunQueue* volatile _granted;         // spare: the queue that it is woken for
  CarrierThread*     _next_spare;      // guarded by the lock of the spare list
  CarrierThread*     _previous_spare;  // the same
  jlong              _spare_since;     // the same
  bool               _registered;      // the same: has been a spare, or started with a queue
  bool               _lasts;           // cannot end, see outlives_library(): by itself, when it is on no list; says on which one it is
  volatile bool      _asked_to_end;    // by the daemon, and cleared by itself
  bool               _retires;         // ends instead of becoming a spare: by itself, in the last stay of a bound coroutine
  jlong              _turn_began;      // when its queue has long turns, else 0: by itself
  CarrierThread*     _next_carrier;    // list of all carriers; a removed one keeps its link, and does so as the memory of a new one
  static CarrierThread* volatile _carriers;  // changed under Threads_lock, taken off under the look lock of
                                       // sysmon also; read by sysmon and by error reports
  volatile uint      _waiters;         // waits for descriptors that have begun on it less those that have ended on it, which
                                       // may have begun elsewhere: modulo 2^32, by who is mounted, added up by waiters() as a hint
  static volatile uint _waiters_of_ended;  // of carriers that are off the list; changed under Threads_lock
  int                _id;
  jlong              _seen_switches;   // sysmon only
  jlong              _seen_since;      // sysmon only: when it saw _seen_switches first, has asked last, or a greedy one was mounted
  bool               _seen_waiting;    // sysmon only: not mounted, and its queue not empty, in the last look
  bool               _seen_long_turns; // sysmon only: turns were long in the last look, somebody waited, and a carrier was idle
  jlong              _asked_at;        // sysmon only: when its coroutine was asked to leave,
  jlong              _asked_clock;     // and its CPU clock then
  jlong              _interrupted_at;  // sysmon only: when it was interrupted for those who wait now and then, exactly, and
  jlong              _interrupted_stay;    // _seen_switches then
  jlong              _probed_for;      // sysmon only: for which stay, and how often it had blocked until then;
  jlong              _probed_count;    // see CoroutineSysmon::probe(). And the number of safepoints then
  int                _probed_safepoints;
  jlong              _clock_stay;      // sysmon only: for which stay, from when on,
  jlong              _clock_since;     // and from which CPU clock, CoroutineSysmon::share_of_cpu() counts
  jlong              _clock_seen;
  jlong              _lost_at;         // when it became RETAKEN, by the one who did it, or when its coroutine has blocked last without a queue,
                                       // by itself; a hint
  OSThread::thread_id_t _tid;
  pthread_t          _pthread;
  jlong              _unloads;         // of libraries, before it began; by itself
  volatile jlong     _sampled;         // CPU clock at the last sample, by sample_cpu()
  jlong              _sampled_switches;   // sysmon only: of its queue, at the last sample
  jlong              _clock_read;      // by itself, and before by begin_count(), for cpu_since(): CPU clock when it was read last,
  jlong              _short_nanos;     // short times that were counted since. Others read both as hints

  enum {
    ShortNanos       = 50 * 1000,
    ReliefLooks      = 4,              // of a new spare, for a queue whose coroutine is about to sleep in native code,
    ReliefNanos      = 20 * 1000,      // and between two of them, to which the kernel adds its slack of 50 us
    KernelSliceNanos = 200 * 1000,     // of a carrier; that of sysmon is the least that Linux takes, so that it goes first
    LeadNanos        = 10 * 1000,      // of who starts a coroutine, until another carrier may run that;
    LeadSleepMin     = 20 * 1000,      // ns, of a sleep of that carrier while the starter gets no CPU, twice as many each time
    LeadSleepMax     = 80 * 1000,      // up to that, and
    LeadMaxNanos     = 3000 * 1000     // of all of them
  };

  static CarrierThread* _free;         // memory of those that have ended, linked by _next_spare
  static volatile int   _free_lock;

  // The memory is never given back, see above.
  void* operator new(size_t size) throw();
  void  operator delete(void* p);

  static void entry(JavaThread* thread, TRAPS);
  static void admit_signal();
  static jlong unloads();
  bool outlives_library() const;
  void take_off_list();
  void mount(Coroutine* next, intptr_t** save_sp, jlong now);
  void let_starter_go_on(const Coroutine* co, bool may_sleep);
  static void sleep_exactly(jlong nanos);
  static int  wake_word();
  void count(Coroutine* co, RunQueue::Counter c);
  void count_mount(Coroutine* next);
  void count_leave(Coroutine* co);

 public:
  CarrierThread(int id, RunQueue* queue);

  // Creates the OS thread and its hidden JavaThread for a Thread object that was
  // never started, and starts it. Throws OutOfMemoryError as Thread.start does.
  static void start(Handle thread_object, int id, RunQueue* queue, TRAPS);

  bool is_hidden_from_external_view() const  { return true; }

  int        id() const       { return _id; }
  pthread_t  pthread() const  { return _pthread; }
  OSThread::thread_id_t tid() const  { return _tid; }
  RunQueue*  queue() const    { return _queue; }
  Coroutine* mounted() const  { return _mounted; }
  void       count_waiter(int change)  { _waiters += (uint) change; }
  static int waiters();                // coroutines that wait for a descriptor, a hint
  bool       has_lost_queue() const  { return _status == RETAKEN; }   // a hint, as is the next

  // Since when it has run its coroutine, or, RETAKEN, has had no queue; 0: not known.
  jlong      mounted_since() const;

  // All of them, the latest first.
  static CarrierThread* first()  { return OrderAccess::load_acquire(&_carriers); }
  CarrierThread* next() const    { return _next_carrier; }

  // The carrier that the current thread runs on, or NULL; valid until the next park.
  static CarrierThread* current();

  // Agents are told of no events there that belong to a thread, nor of samples of allocations: the queue would wait for what they do about it,
  // perhaps for a lock whose owner is in the queue. Those that belong to the VM they are (the file of a class, for instance, of
  // which carriers load none once they run).
  static bool is_carrier(const JavaThread* thread);

  // ---- On the carrier's own stack, called by WispCarrier.java.
  Result run_queue();
  bool   wait_for_queue();             // false: there are spares enough, end
  void   ask_to_end();                 // by the daemon, which has taken it off the list of spares

  // ---- Switching. Called on the stack of the coroutine that is mounted.
  bool begin_switch();                 // true: the queue is ours
  void end_switch();
  bool is_due() const;
  void leave(Coroutine* co, Coroutine::Action action, Coroutine* next);

  // On the new stack, first thing: only now the registers of the previous
  // coroutine are saved, so only now may others run it.
  void finish_switch();

  // CPU time of the mounted coroutine since a time. leaves: by the carrier itself, to be counted;
  // else by any thread, never more than what will be counted.
  jlong cpu_since(jlong time, jlong now, bool leaves);
  void  read_clock();                  // by the carrier itself

  // CPU time of this OS thread, in nanoseconds; from any thread.
  jlong clock() const;

  // Until CPU times are counted: what it has used since the last sample belongs to who was mounted last. By itself, or under the
  // look lock of sysmon: of one carrier; of those that have a queue, by sysmon. And by who asks for a CPU time first: a last sample
  // of all, after which they count.
  void sample_cpu();
  static void sample_queues();
  static void begin_count();
  static void start_clocks();          // under the look lock of sysmon

  // Gives the queue to a spare carrier before the OS thread blocks.
  void release_queue();

  // Whether a process has been started by the current OS thread that nobody has waited for yet.
  static bool has_children();

  // Asks the kernel to let the current OS thread preempt others when it wakes up, see there.
  static bool shorten_slice(jlong nanos);
  static bool set_slice(OSThread::thread_id_t tid, jlong nanos);   // 0: as that of any other; tid 0: of the current one
  void lengthen_slice();
  void restore_slice();

  // Gets an OS thread out of a system call. Does nothing if it is in none, unless it begins one just then.
  static void end_call(pthread_t thread);

  // ---- The OS thread's own sleep.
  void sleep(jlong deadline);          // until wake(), the deadline (0: none), or spuriously
  void sleep_in_pump(jlong deadline, EventPump::Batch* events);   // the same, or until there are events
  void wake();
  void wake_again();
  void let_waker_go_on();              // after a sleep
};

#endif // SHARE_VM_RUNTIME_COROUTINE_CARRIERTHREAD_HPP
