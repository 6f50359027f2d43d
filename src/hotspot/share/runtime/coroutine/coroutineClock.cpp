/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineClock.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/thread.hpp"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef TFD_TIMER_CANCEL_ON_SET
#define TFD_TIMER_CANCEL_ON_SET (1 << 1)
#endif

const time_t Never = (time_t) 1 << 40; // seconds, 35,000 years

int                            CoroutineClock::_descriptor = -1;
volatile int                   CoroutineClock::_lock = 0;
CoroutineClock::Wait* volatile CoroutineClock::_first = NULL;

// A step just then is ECANCELED; the timer runs all the same.
void CoroutineClock::initialize() {
  int fd = EventPump::above_standard_streams(timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (fd < 0) {
    return;
  }
  struct itimerspec time;
  memset(&time, 0, sizeof(time));
  time.it_value.tv_sec = Never;
  if ((timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL) != 0 && errno != ECANCELED) || !EventPump::watch(fd)) {
    ::close(fd);
    return;
  }
  _descriptor = fd;
}

CoroutineClock::Wait::Wait(Coroutine* co) : _coroutine(co), _previous(NULL) {
  EventPump::note_use();
  Thread::SpinAcquire(&_lock, "CoroutineClock - wait");
  _next = _first;
  if (_next != NULL) {
    _next->_previous = this;
  }
  _first = this;
  Thread::SpinRelease(&_lock);
}

CoroutineClock::Wait::~Wait() {
  Thread::SpinAcquire(&_lock, "CoroutineClock - end of wait");
  if (_next != NULL) {
    _next->_previous = _previous;
  }
  if (_previous != NULL) {
    _previous->_next = _next;
  } else {
    _first = _next;
  }
  Thread::SpinRelease(&_lock);
}

// The read takes the event back, and fails with ECANCELED; another one that has seen the event, too, comes too late for that.
void CoroutineClock::was_set() {
  uint64_t ignored;
  if (::read(_descriptor, &ignored, sizeof(ignored)) >= 0 || errno == EAGAIN) {
    return;
  }
  Thread::SpinAcquire(&_lock, "CoroutineClock - was set");
  for (Wait* wait = _first; wait != NULL; wait = wait->_next) {
    wait->_coroutine->ready();
  }
  Thread::SpinRelease(&_lock);
}
