/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_EVENTPUMP_HPP
#define SHARE_VM_RUNTIME_COROUTINE_EVENTPUMP_HPP

// Coroutines that wait for a descriptor: one epoll set for all, polled by carriers.
//
// Two ways to use it. await() parks until the descriptor is ready, and the caller then
// makes the blocking system call that it would have made anyway. The call is the truth:
// its results, exceptions and time-outs are upstream's, and if another reader was faster
// it blocks its OS thread, which hand-off takes care of. await_event() is for a caller
// that has tried without blocking and tries again afterwards (coroutineSockets.cpp).
// So the pump may be wrong, but not late.
//
// Each descriptor has a list of readers and one of writers under a spin lock; an event
// wakes the first of a list. A waiter that was woken by an event asks the descriptor once
// more (or tries its call), because the number can have been closed and reused: then it
// waits on. Closing wakes all waiters (closing()), as the kernel drops a closed descriptor
// from the set without a word. A number that is closed first and announced afterwards, as
// that of a datagram socket, may be another descriptor's by then, whose waiters are woken in
// vain: they look whether theirs is the closed one, or try once more, as nobody closes an epoll
// descriptor that somebody waits for. Whoever is about to wait for a closed one would wait for the other
// one, and for ever if that stays open, or is closed by an owner who knows of nobody. So he takes a ticket
// (below) before he looks whether his FileDescriptor still has the number: who closes it takes that away, and announces
// the close then, which counts as an event.
//
// To look whether it has the number and to receive are two steps, though, and between them the kernel may stop the thread for as long as it
// likes: then it would receive from whoever was given the number, and take what is not for it. So it counts as a user of the number
// (enter(), leave()), looks then whether its FileDescriptor is being closed, and receives. Who closes marks the FileDescriptor first,
// and waits for the users then, the last ones of an earlier descriptor among them (WispPoll.closes). Each writes before it reads
// what the other writes, with a full fence between: either the user sees the mark, or it is waited for. Users do not block, but
// one can be suspended: so the wait has an end. Rejected: a mark at the number, which the next one who has it would obey
// if whoever closes is stopped before he can take it away.
//
// The kernel's interest is of one of two kinds.
//   - Edge-triggered, for both directions, from the first wait until the descriptor is
//     closed: a wait costs no system call. Only for descriptors with an owner who knows
//     whether he has registered this one (java.io.FileDescriptor has a flag for it):
//     the number alone does not say so, as it can be closed behind our back and reused.
//     An edge that comes between a try and the wait is not lost: events are counted, and
//     await_event() does not wait when the count (ticket()) has changed since the try.
//     If waiters are left in the list from which one was woken, the descriptor is
//     registered again, and the kernel reports it again if it is still ready.
//   - One-shot, for numbers without such an owner (the epoll descriptors of selectors):
//     the union of the two lists, armed by each wait, and after each event for the rest.
//     Nobody is woken for a selector that is busy, either, but once after a post().
//
// Who waits for the events of a selector can be woken without one: post() takes the place of a
// byte in the selector's pipe, which would come back as an event of the pump. If nobody waits
// it is kept (_posted) for the next one, so that it may come between a look at the selector's
// own flag (sun.nio.ch.WispEPoll) and the wait. One too many is a spurious return. A descriptor
// that was closed before it is announced may still have readers of its own under the number of
// a new selector: these are left alone.
//
// A stream socket that has given less than it was asked for is empty, so the next reader
// need not try before he waits: drained() notes the ticket that was read before the try, and
// is_drained() says whether it is still the current one. Whatever comes after the try is an
// edge, which is counted after that ticket was read. What was there before and hides behind
// the data (the end of the stream, an error, urgent data, where a read stops short) was an
// edge with a flag of its own, which marks the descriptor (_marked) until it is registered
// anew: from then on every reader tries. A socket of datagrams is marked when it is registered. That edge was either counted after the ticket was
// read, or the mark is seen by who has read the ticket, as the mark is written first.
// A writer who takes the note away (expect_answer()) makes the next reader try, whom no event has told of anything; nothing
// else. If that one finds data and empties the socket again, the edge of these data is still to come, or reported as no
// more than room to write; the note is right again, as what comes later is an edge of its own.
//
// Who polls: a carrier every few switches and when its queue is empty; one idle carrier
// sleeps in the pump instead of on its futex (who naps does not); sysmon when no carrier has for a tick, or soon after there are some
// while all carriers compute (CoroutineSysmon::wait()), or, for one that sleeps on its futex, when the one that sleeps here has been
// woken and does not come, or nobody is here.
//
// Rejected: a thread that only polls (a wake-up of another CPU for each event), ppoll on the epoll
// descriptor (a second call for the events, and the kernel wakes as if the waker went on),
// switching descriptors to non-blocking (other processes and native code share them), and a
// count of all that wait, so that nobody polls while there are none (its cache line would go from CPU to CPU
// at each wait, and where a descriptor has been waited for once there is nearly always somebody who does).
// Plain system calls, no library: five calls are needed.

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

#include <sys/epoll.h>

class Coroutine;
class RunQueue;

class EventPump : AllStatic {
 public:
  enum Result { READY = 0, TIMED_OUT = 1, CLOSED = 2, NOT_POLLABLE = 3, UNREGISTERED = 4, POSTED = 5, AGAIN = 6 };
  enum Events { READABLE = 1, WRITABLE = 2, IF_BLOCKING = 4, ACCEPTS = 8, DATAGRAMS = 16 };   // accepts: the descriptor listens
  enum Kind   { ONE_SHOT = 0, EDGE = 1, EDGE_UNREGISTERED = 2 };

  class Batch;                         // of events that have been taken from the kernel

 private:
  struct Waiter;
  struct Descriptor;

  enum {
    ChunkBits  = 10,
    ChunkSize  = 1 << ChunkBits,
    Chunks     = 1 << 11,              // two million descriptors
    MaxEvents  = 128,
    FetchAhead = 4,                    // events
    CpuUses    = 16                    // of what is known of where packets arrive, before the kernel is asked again
  };

  static int                 _epoll;
  static int                 _wake_up; // eventfd in the epoll set: leaves sleep(). Level-triggered, and only who sleeps
                                       // reads it, so that another poller does not take the wake-up
  static volatile bool       _has_pwait2;   // cleared by who finds that the kernel has no epoll_pwait2
  static volatile bool       _used;    // somebody has waited; set once, and read by poll()
  static volatile jlong      _last_poll;
  static Descriptor* volatile _chunks[Chunks];

  static Descriptor* descriptor(int fd, bool create);
  static bool arm(int fd, Descriptor* d);
  static bool set_interest(int fd, int events);
  static bool arrives_at(int fd, Descriptor* d, int cpu);
  static void wake_first(int fd, Descriptor* d, int events, RunQueue* near, int cpu, bool connecting);
  static bool is_ready(int fd, int events);
  static bool take_events(RunQueue* near, bool holds);
  static void prefetch_descriptor(const Batch& batch, int i);
  static void prefetch_waiter(const Batch& batch, int i);

 public:
  static bool initialize();            // false: no epoll or no eventfd; errno says why

  static int   waiters();              // a sum over all carriers, a hint
  // By sysmon, while all carriers compute: until there are some, which it leaves there, or that descriptor has been written to.
  static bool  await_events(int fd, jlong nanos);
  static int   create_signal();        // an eventfd, or -1
  static void  signal(int fd);
  static void  clear(int fd);
  static jlong last_poll()             { return _last_poll; }

  static bool  watch(int fd);          // one of the VM's own that tells of something, for good (CoroutineClock); false: the kernel refuses it
  static void  note_use();             // before somebody waits for that: from then on carriers poll
  static int   above_standard_streams(int fd);   // the same file with a number above 2; -1 stays -1

  // Edge-triggered interest in both directions; false: the kernel cannot poll it.
  static bool register_edge(int fd);

  // Events so far; to be read before a try, given to await_event() after it.
  static uint ticket(int fd, int events);

  // Reading. The descriptor is registered for edges, is a stream socket, and has given less than
  // it was asked for by a try after the ticket was read; it has nothing since.
  static void drained(int fd, uint ticket);
  static bool is_drained(int fd, uint ticket);

  // By a writer, hints: whether the next reader will not try; and that he shall, as an answer may be there already.
  static bool was_drained(int fd);
  static void expect_answer(int fd);

  // By a coroutine in a safe state, for an edge. Deadline as in Coroutine::park. EDGE only if
  // register_edge() has been called for what is open under this number; until then
  // EDGE_UNREGISTERED, which does not wait but returns UNREGISTERED. IF_BLOCKING: READY
  // at once for a non-blocking descriptor; sun.nio.ch makes one so behind the channel's
  // back for calls that shall not wait. DATAGRAMS: READY if there is room for one, too. AGAIN: there was an event; the caller takes another ticket,
  // looks then whether the number is still that of what he waits for, and comes again.
  static Result await(Coroutine* co, int fd, int events, jlong deadline, Kind kind, uint ticket);

  // The same without asking the descriptor, before and after: returns READY after one
  // event.
  static Result await_event(Coroutine* co, int fd, int events, jlong deadline, Kind kind, uint ticket);

  // The descriptor is being closed: wakes everybody who waits for it.
  static void closing(int fd);

  // For datagram sockets of java.net, see above: around the look and the call. enter() is a full fence.
  static void enter(int fd);
  static void leave(int fd);
  static bool is_used(int fd);

  // For an epoll descriptor: whoever waits for its events, or does so next, returns POSTED.
  static void post(int fd);

  // Takes what is there and wakes the waiters near the queue; true: there was some. holds: the caller is the carrier
  // that holds this queue, or the coroutine that it runs; a hint, as sysmon may take the queue from the latter.
  static bool poll(RunQueue* near, bool holds = false);

  static bool has_events();            // there are some that nobody has taken yet, or the sleeper has been woken

  // Sleeps until something is there, the deadline (0: none), or leave_sleep(). One carrier at
  // a time. It wakes those that wait for what it has taken when it counts as awake itself, or
  // else it would be woken for the first of them.
  static void sleep(jlong deadline, Batch* batch);
  // True: there were some. cpu: that of the carrier that holds the queue, or -1 if it is not he who calls.
  static bool wake_waiters(const Batch& batch, RunQueue* near, int cpu);
  static void leave_sleep();
  static void clear_leave_sleep();     // by who has slept, after a leave_sleep() that came too late for that
};

class EventPump::Batch : public StackObj {
  friend class EventPump;
  int                _count;
  bool               _wake_up;         // seen, and read
  struct epoll_event _events[MaxEvents];

 public:
  Batch() : _count(0), _wake_up(false) { }
  bool is_empty() const                { return _count == 0; }
  bool has_wake_up() const             { return _wake_up; }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_EVENTPUMP_HPP
