/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// What a carrier asks of the kernel for its OS thread: a time slice, and sleep.

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/shortSleep.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

// ---- The slice

// A carrier uses as much CPU time as many threads together. So when it wakes up the kernel owes it less
// than a thread that seldom runs, and lets whoever has the CPU finish its slice, 1 to 4 ms, while all
// coroutines of the carrier wait. A thread with a shorter slice goes first. Its share of the CPU stays
// the same. For the normal policy sched_runtime is that slice since Linux 6.12. Threads and processes that
// it creates get the default: RESET_ON_FORK, which also takes away a negative nice value, so a thread that
// has one is left as it is.
bool CarrierThread::set_slice(OSThread::thread_id_t tid, jlong nanos) {
  struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t  nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
  } attributes;
  const uint32_t Normal = 0;
  const uint64_t ResetOnFork = 1;
  memset(&attributes, 0, sizeof(attributes));
  bool done = syscall(SYS_sched_getattr, tid, &attributes, sizeof(attributes), 0) == 0;
  if (done && (attributes.policy != Normal || attributes.nice < 0)) {
    return false;
  }
  if (done) {
    attributes.size = sizeof(attributes);
    attributes.flags = ResetOnFork;
    attributes.runtime = nanos;
    done = syscall(SYS_sched_setattr, tid, &attributes, 0) == 0;
  }
  if (!done) {
    log_debug(wisp)("the kernel's slice for thread %d stays as it is: %s", (int) tid, os::strerror(errno));
  }
  return done;
}

bool CarrierThread::shorten_slice(jlong nanos) {
  struct utsname kernel;
  int major = 0;
  int minor = 0;
  if (uname(&kernel) != 0 || sscanf(kernel.release, "%d.%d", &major, &minor) != 2 || major < 6 || (major == 6 && minor < 12)) {
    return false;
  }
  return set_slice(0, nanos);
}

// One that goes on computing without a queue is in nobody's way then: those who serve the queues are preferred when they wake up. Before it
// loses the queue, so that it finds the flag set when it waits for another one.
void CarrierThread::lengthen_slice() {
  if (_short_slice && !_long_slice) {
    _long_slice = set_slice(_tid, 0);
  }
}

// By itself, or by sysmon where it has kept its queue. As it waits for another one, or its coroutine waits without one.
void CarrierThread::restore_slice() {
  if (_long_slice) {
    _long_slice = false;
    set_slice(_tid, KernelSliceNanos);
  }
}

// ---- The OS thread's sleep: a futex, as deadlines are in nanoseconds and a waker must be able to act in any state.

void CarrierThread::sleep(jlong deadline) {
  _woken_by = 0;
  if (Atomic::xchg(0, &_wake) == 0) {
    struct timespec timeout;
    struct timespec* timeout_p = NULL;
    jlong nanos = 0;
    if (deadline != 0) {
      nanos = deadline - os::javaTimeNanos();
      if (nanos <= 0) {
        return;
      }
      timeout.tv_sec = nanos / NANOSECS_PER_SEC;
      timeout.tv_nsec = nanos % NANOSECS_PER_SEC;
      timeout_p = &timeout;
    }
    ShortSleep sleep(nanos);
    syscall(SYS_futex, &_wake, FUTEX_WAIT_PRIVATE, 0, timeout_p, NULL, 0);
    _woken_by = Atomic::xchg(0, &_wake);
  }
}

// Either the waker sees _polling, or this sees _wake: each writes its word, passes
// a fence, and reads the other one.
void CarrierThread::sleep_in_pump(jlong deadline, EventPump::Batch* events) {
  _polling = true;
  OrderAccess::fence();
  const bool sleeps = _wake == 0;
  if (sleeps) {
    EventPump::sleep(deadline, events);
  }
  _polling = false;
  const int word = Atomic::xchg(0, &_wake);
  _woken_by = sleeps ? word : 0;
  if (word != 0 && !events->has_wake_up()) {
    EventPump::clear_leave_sleep();    // or all who poll see it until the next one sleeps
  }
}

// The CPU of a kernel thread that runs Java code, and 2; 1: any other waker.
int CarrierThread::wake_word() {
  Thread* thread = Thread::current_or_null();
  bool runs_java = thread != NULL && thread->is_Java_thread() && ((JavaThread*) thread)->coroutine() == NULL &&
                   !thread->is_hidden_from_external_view();
  return (runs_java ? sched_getcpu() : -1) + 2;
}

void CarrierThread::wake() {
  if (Atomic::xchg(wake_word(), &_wake) == 0) {
    if (_polling) {
      RunQueue* queue = _queue;
      if (queue != NULL) {
        queue->count_other(RunQueue::POLL_INTERRUPTS);
      }
      EventPump::leave_sleep();
    } else {
      syscall(SYS_futex, &_wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
  }
}

// By sysmon. Its waker has made its queue busy, and may have lost its CPU since; others leave the call to it. At worst it looks around once for
// nothing. The exchange is before the look at _polling, as in wake(); partner: sleep_in_pump().
void CarrierThread::wake_again() {
  Atomic::cmpxchg(1, &_wake, 0);
  if (_polling) {
    EventPump::leave_sleep();
  } else {
    syscall(SYS_futex, &_wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

// A kernel thread that wakes another one goes on, as a rule, also where both have the same CPU. Its slice is longer than a carrier's, so here
// the kernel takes the CPU from it, in the middle of unpark() or notify(). This gives it back, until it waits or its slice is over.
void CarrierThread::let_waker_go_on() {
  if (_short_slice && _woken_by >= 2 && sched_getcpu() == _woken_by - 2) {
    os::naked_yield();
  }
}
