/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "memory/allocation.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineClock.hpp"
#include "runtime/coroutine/coroutineConnections.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/shortSleep.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"
#include "utilities/align.hpp"
#include "utilities/debug.hpp"
#include OS_CPU_HEADER(coroutinePrefetch)

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_INCOMING_CPU
#define SO_INCOMING_CPU 49
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

// Lives on the stack of the waiting coroutine. _fired is written last by the waker;
// the waiter may return as soon as it sees it.
struct EventPump::Waiter {
  Coroutine*   _coroutine;
  Waiter*      _next;
  volatile int _fired;                 // 0, 1: an event, 2: closing, 3: posted
  bool         _one_shot;
  bool         _accepts;               // connections: it takes all that there are, and is not to let them fill the kernel's queue
  bool         _again;                 // its coroutine has waited to read from this one the last time, too
};

// Guarded by _lock; the counts of events are read without it, see ticket(), and what is
// known of the data is read without it, see is_drained(), and who waits as a hint, see prefetch_waiter().
// One cache line.
struct EventPump::Descriptor {
  volatile int   _lock;
  Kind           _kind;                // of the interest that was set last
  Waiter*        _readers;
  Waiter*        _writers;
  volatile uint  _reader_events;
  volatile uint  _writer_events;
  volatile bool  _marked;              // before _reader_events: more than data may have come
  bool           _posted;              // by post(), for the next one-shot reader
  volatile int   _users;               // without the lock: by enter(), a full fence, and leave(), read with acquire by is_used()
  volatile jlong _drained;             // without the lock: a ticket + 1 by readers in drained(), 0 by writers in expect_answer()
  Coroutine* volatile _latest;         // who has waited last: by await_event(), read by prefetch_waiter(), both without the lock; a hint
  // Where its packets arrive, -1: not known; and when to ask the kernel. By arrives_at(), without the lock, and by
  // register_edge(); hints
  volatile int   _cpu;
  volatile int   _uses_left;
};

int            EventPump::_epoll = -1;
int            EventPump::_wake_up = -1;
volatile bool  EventPump::_has_pwait2 = true;
volatile bool  EventPump::_used = false;
volatile jlong EventPump::_last_poll = 0;
EventPump::Descriptor* volatile EventPump::_chunks[EventPump::Chunks];

// A program that was started with its standard streams closed finds the numbers below 3 free, as upstream leaves them: System.out writes
// to what has its number then, and closing it opens /dev/null there.
int EventPump::above_standard_streams(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) {
    return fd;
  }
  int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(fd);
  return higher;
}

bool EventPump::initialize() {
  _epoll = above_standard_streams(epoll_create1(EPOLL_CLOEXEC));
  if (_epoll < 0) {
    return false;
  }
  _wake_up = create_signal();
  struct epoll_event event;
  event.events = EPOLLIN;              // for as long as sleep() has not read it, whoever sees it meanwhile
  event.data.u64 = (uint64_t) _wake_up;
  if (_wake_up < 0 || epoll_ctl(_epoll, EPOLL_CTL_ADD, _wake_up, &event) != 0) {
    return false;
  }
  CoroutineClock::initialize();
  return true;
}

// Level-triggered: whoever reads it takes the event back.
bool EventPump::watch(int fd) {
  return set_interest(fd, EPOLLIN);
}

void EventPump::note_use() {
  if (!_used) {
    _used = true;
  }
}

EventPump::Descriptor* EventPump::descriptor(int fd, bool create) {
  int chunk = fd >> ChunkBits;
  if (fd < 0 || chunk >= Chunks) {
    return NULL;
  }
  Descriptor* first = OrderAccess::load_acquire(&_chunks[chunk]);
  if (first == NULL) {
    if (!create) {
      return NULL;
    }
    STATIC_ASSERT(sizeof(Descriptor) == 64);
    size_t size = sizeof(Descriptor) * (ChunkSize + 1);
    char* memory = NEW_C_HEAP_ARRAY(char, size, mtThread);
    memset(memory, 0, size);
    Descriptor* fresh = (Descriptor*) align_up(memory, sizeof(Descriptor));
    first = Atomic::cmpxchg(fresh, &_chunks[chunk], (Descriptor*) NULL);
    if (first == NULL) {
      first = fresh;
    } else {
      FREE_C_HEAP_ARRAY(char, memory);
    }
  }
  return &first[fd & (ChunkSize - 1)];
}

// Not inlined into functions that park: the address of errno is that of the carrier.
NOINLINE bool EventPump::set_interest(int fd, int events) {
  struct epoll_event event;
  event.events = (uint32_t) events;
  event.data.u64 = (uint64_t) fd;
  return epoll_ctl(_epoll, EPOLL_CTL_MOD, fd, &event) == 0 ||
         (errno == ENOENT && epoll_ctl(_epoll, EPOLL_CTL_ADD, fd, &event) == 0);
}

const int EdgeInterest = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLOUT | EPOLLET;
const int MoreThanData = EPOLLPRI | EPOLLRDHUP | EPOLLERR | EPOLLHUP;

// Under the lock. False: the kernel cannot poll this descriptor.
bool EventPump::arm(int fd, Descriptor* d) {
  if (d->_readers == NULL && d->_writers == NULL) {
    return true;
  }
  d->_kind = ONE_SHOT;
  return set_interest(fd, EPOLLONESHOT | (d->_readers != NULL ? EPOLLIN | EPOLLRDHUP : 0) |
                                         (d->_writers != NULL ? EPOLLOUT : 0));
}

// Not a stream: a read that gives less than it was asked for says nothing of the next datagram. A Socket may be of that kind, too.
static bool has_bounds(int fd) {
  int type = SOCK_STREAM;
  socklen_t length = sizeof(type);
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type != SOCK_STREAM;
}

bool EventPump::register_edge(int fd) {
  Descriptor* d = descriptor(fd, true);
  if (d == NULL) {
    return false;
  }
  const bool marked = has_bounds(fd);
  Thread::SpinAcquire(&d->_lock, "EventPump - register");
  d->_kind = EDGE;
  d->_marked = marked;                 // it was of another one that had the number, and so has any ticket
  d->_uses_left = 0;
  OrderAccess::release_store(&d->_reader_events, d->_reader_events + 1);
  bool done = set_interest(fd, EdgeInterest);
  Thread::SpinRelease(&d->_lock);
  return done;
}

uint EventPump::ticket(int fd, int events) {
  Descriptor* d = descriptor(fd, false);
  return d == NULL ? 0 : OrderAccess::load_acquire((events & READABLE) != 0 ? &d->_reader_events : &d->_writer_events);
}

void EventPump::drained(int fd, uint ticket) {
  Descriptor* d = descriptor(fd, false);
  if (d != NULL) {
    d->_drained = (jlong) ticket + 1;
  }
}

// The ticket was read with acquire, after which a mark that came before it is seen.
bool EventPump::is_drained(int fd, uint ticket) {
  Descriptor* d = descriptor(fd, false);
  return d != NULL && d->_drained == (jlong) ticket + 1 && !d->_marked;
}

bool EventPump::was_drained(int fd) {
  Descriptor* d = descriptor(fd, false);
  return d != NULL && d->_drained != 0;
}

// A reader may drain it at the same time. Whichever note stays is right: the next read waits for an event that will come, or
// tries in vain.
void EventPump::expect_answer(int fd) {
  Descriptor* d = descriptor(fd, false);
  if (d != NULL) {
    d->_drained = 0;
  }
}

// Not inlined: the caller may go on with another kernel thread, whose errno is elsewhere.
NOINLINE bool EventPump::is_ready(int fd, int events) {
  struct pollfd p;
  p.fd = fd;
  p.events = (events & READABLE ? POLLIN : 0) | (events & WRITABLE ? POLLOUT : 0);
  p.revents = 0;
  int n;
  do {
    n = ::poll(&p, 1, 0);              // a signal ends it, too, although it does not wait
  } while (n < 0 && errno == EINTR);
  return n != 0;                       // an error is for the caller's system call to find
}

// A send blocks when the buffer is full; writable means less than half full.
static NOINLINE bool has_room_for_datagram(int fd) {
  int queued = 0, room = 0;
  socklen_t length = sizeof(room);
  return ::ioctl(fd, SIOCOUTQ, &queued) == 0 && ::getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, &length) == 0 && queued < room;
}

EventPump::Result EventPump::await(Coroutine* co, int fd, int events, jlong deadline, Kind kind, uint ticket) {
  if ((events & ACCEPTS) != 0) {
    CoroutineConnections::listens(co, fd);
  }
  if (is_ready(fd, events) || ((events & IF_BLOCKING) != 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0) ||
      ((events & DATAGRAMS) != 0 && has_room_for_datagram(fd))) {
    return READY;
  }
  if (kind == EDGE_UNREGISTERED) {
    return UNREGISTERED;
  }
  Result result = await_event(co, fd, events, deadline, kind, ticket);
  if (result == TIMED_OUT && is_ready(fd, events)) {
    return READY;                      // the pump has not heard of it yet, which has many before it
  }
  return result == READY ? AGAIN : result;
}

EventPump::Result EventPump::await_event(Coroutine* co, int fd, int events, jlong deadline, Kind kind, uint ticket) {
  Descriptor* d = descriptor(fd, true);
  if (d == NULL) {
    return NOT_POLLABLE;
  }
  co->waits_for((events & READABLE) != 0 ? Coroutine::READ : Coroutine::WRITE, fd);
  const bool reading = (events & READABLE) != 0;
  Waiter waiter;
  waiter._coroutine = co;
  waiter._next = NULL;
  waiter._fired = 0;
  waiter._one_shot = kind == ONE_SHOT;
  waiter._accepts = (events & ACCEPTS) != 0;
  waiter._again = reading && kind == EDGE && co->reads_again(fd);
  Waiter** list = reading ? &d->_readers : &d->_writers;

  if (d->_latest != co) {
    d->_latest = co;
  }
  if (!_used) {
    _used = true;
  }
  co->carrier()->count_waiter(1);
  Thread::SpinAcquire(&d->_lock, "EventPump - await");
  if (ticket != (reading ? d->_reader_events : d->_writer_events)) {
    Thread::SpinRelease(&d->_lock);
    co->carrier()->count_waiter(-1);
    return READY;
  }
  if (kind == ONE_SHOT && reading && d->_posted) {
    d->_posted = false;
    Thread::SpinRelease(&d->_lock);
    co->carrier()->count_waiter(-1);
    return POSTED;
  }
  Waiter** last = list;
  while (*last != NULL) {
    last = &(*last)->_next;
  }
  *last = &waiter;
  bool armed = kind == EDGE || arm(fd, d);
  if (!armed) {
    *last = NULL;
  }
  Thread::SpinRelease(&d->_lock);

  Result result = armed ? READY : NOT_POLLABLE;
  while (armed) {
    co->clear_notification();
    if (waiter._fired != 0 || (deadline != 0 && os::javaTimeNanos() >= deadline)) {
      break;
    }
    co->park(deadline);
  }
  if (armed && waiter._fired == 0) {
    Thread::SpinAcquire(&d->_lock, "EventPump - time-out");
    for (Waiter** p = list; *p != NULL; p = &(*p)->_next) {
      if (*p == &waiter) {
        *p = waiter._next;
        break;
      }
    }
    Thread::SpinRelease(&d->_lock);
    // Now it is either taken out, or was fired in between.
    if (waiter._fired == 0) {
      result = TIMED_OUT;
    }
  }
  if (waiter._fired == 2) {
    result = CLOSED;
  } else if (waiter._fired == 3) {
    result = POSTED;
  }
  co->carrier()->count_waiter(-1);     // not the one on which it has begun, perhaps
  return result;
}

// Whether the packets of a socket arrive on this CPU; the kernel is asked now and then.
bool EventPump::arrives_at(int fd, Descriptor* d, int cpu) {
  if (d->_uses_left <= 0) {
    int latest = -1;
    socklen_t length = sizeof(latest);
    d->_cpu = getsockopt(fd, SOL_SOCKET, SO_INCOMING_CPU, &latest, &length) == 0 ? latest : -1;
    d->_uses_left = CpuUses - 1;
  } else {
    d->_uses_left--;
  }
  return d->_cpu == cpu;
}

// The waker takes a waiter off the list and writes _fired under the lock, so that a
// waiter whose time is over finds itself either in the list or fired.
void EventPump::wake_first(int fd, Descriptor* d, int events, RunQueue* near, int cpu, bool connecting) {
  const int Batch = 64;
  Coroutine* woken[Batch];
  int n = 0;
  bool all = (events & (EPOLLERR | EPOLLHUP)) != 0;
  bool left = false;
  bool again = false;
  bool accepts = false;
  Thread::SpinAcquire(&d->_lock, "EventPump - event");
  if (events & (EPOLLIN | MoreThanData)) {
    if (events & MoreThanData) {
      d->_marked = true;
    }
    OrderAccess::release_store(&d->_reader_events, d->_reader_events + 1);
    while (d->_readers != NULL && n < Batch / 2) {
      Waiter* w = d->_readers;
      d->_readers = w->_next;
      woken[n++] = w->_coroutine;
      again = w->_again;
      accepts = n == 1 && (w->_accepts || (w->_one_shot && connecting));   // or selects, perhaps for that
      Atomic::xchg(1, &w->_fired);
      if (!all) break;
    }
    left = d->_readers != NULL;
  }
  if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) {
    d->_writer_events++;
    while (d->_writers != NULL && n < Batch) {
      Waiter* w = d->_writers;
      d->_writers = w->_next;
      woken[n++] = w->_coroutine;
      Atomic::xchg(1, &w->_fired);
      if (!all) break;
    }
    left = left || d->_writers != NULL;
  }
  if (d->_kind == ONE_SHOT) {
    arm(fd, d);
  } else if (left) {
    set_interest(fd, EdgeInterest);
  }
  Thread::SpinRelease(&d->_lock);
  // Who accepts goes where he is found: that carrier runs, the one of his queue may wait for its CPU.
  accepts = accepts && n == 1;
  bool follows = accepts ? near != NULL : again && n == 1 && cpu >= 0 && woken[0]->home() != near && arrives_at(fd, d, cpu);
  for (int i = 0; i < n; i++) {
    woken[i]->ready(near, accepts ? RunQueue::CONNECTION : RunQueue::NO_CLAIM, follows);
  }
}

// Counted as an event, for who has tried and not begun to wait yet.
void EventPump::closing(int fd) {
  Descriptor* d = descriptor(fd, false);
  bool counted = false;
  while (d != NULL) {
    Coroutine* co = NULL;
    Thread::SpinAcquire(&d->_lock, "EventPump - closing");
    if (!counted) {
      d->_reader_events++;
      d->_writer_events++;
      counted = true;
    }
    Waiter** list = d->_readers != NULL ? &d->_readers : &d->_writers;
    Waiter* w = *list;
    if (w != NULL) {
      *list = w->_next;
      co = w->_coroutine;
      Atomic::xchg(2, &w->_fired);
    }
    Thread::SpinRelease(&d->_lock);
    if (co == NULL) {
      break;
    }
    co->ready();
  }
}

void EventPump::enter(int fd) {
  Descriptor* d = descriptor(fd, true);
  if (d != NULL) {
    Atomic::inc(&d->_users);
  }
}

void EventPump::leave(int fd) {
  Descriptor* d = descriptor(fd, true);
  if (d != NULL) {
    Atomic::dec(&d->_users);
  }
}

bool EventPump::is_used(int fd) {
  Descriptor* d = descriptor(fd, false);
  return d != NULL && OrderAccess::load_acquire(&d->_users) != 0;
}

// The kernel's interest is left as it is: the next wait sets it in any case.
void EventPump::post(int fd) {
  Descriptor* d = descriptor(fd, true);
  if (d == NULL) {                     // nobody can wait for it here, either
    return;
  }
  Coroutine* co = NULL;
  Thread::SpinAcquire(&d->_lock, "EventPump - post");
  Waiter** list = &d->_readers;
  while (*list != NULL && !(*list)->_one_shot) {
    list = &(*list)->_next;
  }
  Waiter* w = *list;
  if (w != NULL) {
    *list = w->_next;
    co = w->_coroutine;
    Atomic::xchg(3, &w->_fired);
  } else {
    d->_posted = true;
  }
  Thread::SpinRelease(&d->_lock);
  if (co != NULL) {
    co->ready();
  }
}

int EventPump::waiters() {
  return _used ? CarrierThread::waiters() : 0;
}

bool EventPump::poll(RunQueue* near, bool holds) {
  return _used && take_events(near, holds);
}

bool EventPump::take_events(RunQueue* near, bool holds) {
  Batch batch;
  int n = epoll_wait(_epoll, batch._events, MaxEvents, 0);
  batch._count = MAX2(n, 0);
  _last_poll = os::javaTimeNanos();
  return wake_waiters(batch, near, holds && n > 0 ? sched_getcpu() : -1);
}

// While thousands wait nothing of one is in the cache. The waiter is not followed, as its stack may be
// gone; of the record, which is never, one line is enough.
inline void EventPump::prefetch_descriptor(const Batch& batch, int i) {
  if (i < batch._count) {
    CoroutinePrefetch::write(descriptor((int) batch._events[i].data.u64, false), 0);
  }
}

inline void EventPump::prefetch_waiter(const Batch& batch, int i) {
  Descriptor* d = i < batch._count ? descriptor((int) batch._events[i].data.u64, false) : NULL;
  if (d != NULL) {
    CoroutinePrefetch::write(d->_readers, 0);
    CoroutinePrefetch::write(d->_latest, 0);
  }
}

bool EventPump::wake_waiters(const Batch& batch, RunQueue* near, int cpu) {
  RunQueue* counted = near != NULL ? near : CoroutineScheduler::queue(0);   // sysmon has none
  counted->count_other(RunQueue::POLLS);
  int n = 0;
  const bool connecting = CoroutineConnections::has_just_connected();
  for (int i = 0; i < 2 * FetchAhead; i++) {
    prefetch_descriptor(batch, i);
  }
  for (int i = 1; i < FetchAhead; i++) {
    prefetch_waiter(batch, i);
  }
  for (int i = 0; i < batch._count; i++) {
    prefetch_descriptor(batch, i + 2 * FetchAhead);
    prefetch_waiter(batch, i + FetchAhead);
    int fd = (int) batch._events[i].data.u64;
    if (CoroutineClock::tells(fd)) {
      CoroutineClock::was_set();
      n++;
      continue;
    }
    Descriptor* d = fd != _wake_up ? descriptor(fd, false) : NULL;
    if (d != NULL) {
      wake_first(fd, d, (int) batch._events[i].events, near, cpu, connecting);
      n++;
    }
  }
  if (n > 0) {
    counted->count_other(RunQueue::EVENTS, n);
  }
  return n > 0;
}

bool EventPump::has_events() {
  struct pollfd p;
  p.fd = _epoll;
  p.events = POLLIN;
  p.revents = 0;
  return ::poll(&p, 1, 0) > 0;
}

bool EventPump::await_events(int fd, jlong nanos) {
  struct timespec timeout;
  timeout.tv_sec = nanos / NANOSECS_PER_SEC;
  timeout.tv_nsec = nanos % NANOSECS_PER_SEC;
  struct pollfd p[2];
  p[0].fd = _epoll;
  p[1].fd = fd;
  p[0].events = p[1].events = POLLIN;
  p[0].revents = p[1].revents = 0;
  if (::ppoll(p, 2, &timeout, NULL) <= 0) {
    return false;
  }
  if (p[1].revents != 0) {
    clear(fd);
  }
  return p[0].revents != 0;
}

// Linux before 5.11 can sleep in an epoll set for milliseconds only, so there it is ppoll on the
// set.
void EventPump::sleep(jlong deadline, Batch* batch) {
  struct timespec timeout;
  struct timespec* timeout_p = NULL;
  jlong nanos = 0;
  if (deadline != 0) {
    nanos = MAX2(deadline - os::javaTimeNanos(), (jlong) 0);
    timeout.tv_sec = nanos / NANOSECS_PER_SEC;
    timeout.tv_nsec = nanos % NANOSECS_PER_SEC;
    timeout_p = &timeout;
  }
  int n = -1;
  ShortSleep sleep(nanos);
  if (_has_pwait2) {
    n = (int) syscall(SYS_epoll_pwait2, _epoll, batch->_events, MaxEvents, timeout_p, NULL, 0);
    if (n < 0 && errno != EINTR) {     // ENOSYS, or what a container's filter makes of a call that it does not know
      _has_pwait2 = false;
    }
  }
  if (!_has_pwait2) {
    struct pollfd p;
    p.fd = _epoll;
    p.events = POLLIN;
    p.revents = 0;
    n = ::ppoll(&p, 1, timeout_p, NULL);
    n = n > 0 ? epoll_wait(_epoll, batch->_events, MaxEvents, 0) : 0;
  }
  batch->_count = MAX2(n, 0);
  _last_poll = os::javaTimeNanos();
  for (int i = 0; i < batch->_count; i++) {
    if ((int) batch->_events[i].data.u64 == _wake_up) {
      clear_leave_sleep();
      batch->_wake_up = true;
      batch->_events[i] = batch->_events[--batch->_count];
      break;
    }
  }
}

void EventPump::clear(int fd) {
  uint64_t count;
  ssize_t ignored = ::read(fd, &count, sizeof(count));
  (void) ignored;
}

void EventPump::signal(int fd) {
  uint64_t one = 1;
  ssize_t ignored = ::write(fd, &one, sizeof(one));
  (void) ignored;
}

int EventPump::create_signal() {
  return above_standard_streams(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void EventPump::clear_leave_sleep() {
  clear(_wake_up);
}

void EventPump::leave_sleep() {
  signal(_wake_up);
}
