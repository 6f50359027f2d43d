/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/thread.inline.hpp"

TimerHeap::TimerHeap() : _lock(0), _heap(NULL), _size(0), _capacity(0), _fired(0), _next_deadline(max_jlong) {}

void TimerHeap::lock() {
  Thread::SpinAcquire(&_lock, "TimerHeap");
}

void TimerHeap::unlock() {
  _next_deadline = _size > 0 ? _heap[0]->_deadline : max_jlong;
  Thread::SpinRelease(&_lock);
}

inline void TimerHeap::place(int index, Coroutine* co) {
  _heap[index] = co;
  co->_timer_index = index;
}

void TimerHeap::sift_up(int index, Coroutine* co) {
  while (index > 0) {
    int parent = (index - 1) / 2;
    if (_heap[parent]->_deadline <= co->_deadline) {
      break;
    }
    place(index, _heap[parent]);
    index = parent;
  }
  place(index, co);
}

void TimerHeap::sift_down(int index, Coroutine* co) {
  for (;;) {
    int child = 2 * index + 1;
    if (child >= _size) {
      break;
    }
    if (child + 1 < _size && _heap[child + 1]->_deadline < _heap[child]->_deadline) {
      child++;
    }
    if (co->_deadline <= _heap[child]->_deadline) {
      break;
    }
    place(index, _heap[child]);
    index = child;
  }
  place(index, co);
}

void TimerHeap::take_out(int index) {
  Coroutine* co = _heap[index];
  Coroutine* last = _heap[--_size];
  if (co != last) {
    if (index > 0 && last->_deadline < _heap[(index - 1) / 2]->_deadline) {
      sift_up(index, last);
    } else {
      sift_down(index, last);
    }
  }
  co->_timer_index = -1;
}

void TimerHeap::insert(Coroutine* co, jlong deadline) {
  lock();
  if (_size == _capacity) {
    _capacity = MAX2(64, 2 * _capacity);
    _heap = REALLOC_C_HEAP_ARRAY(Coroutine*, _heap, _capacity, mtThread);
  }
  co->_deadline = deadline;
  sift_up(_size++, co);
  unlock();
}

bool TimerHeap::erase(Coroutine* co) {
  lock();
  bool found = co->_timer_index >= 0;
  if (found) {
    take_out(co->_timer_index);
  }
  unlock();
  return found;
}

// The coroutine is mounted, so its home is the queue that its carrier holds or
// held: any queue would do, as everybody fires every heap.
void TimerHeap::add(Coroutine* co, jlong deadline) {
  RunQueue* queue = CoroutineScheduler::active(co->_home);
  co->_timer_queue = queue;
  queue->timers()->insert(co, deadline);
  // Its queue may have been handed to a carrier that sleeps already. insert() is a
  // full fence; partner: idle(), which sets _idle and reads the deadlines then.
  if (queue->is_idle() && queue->timers()->next_deadline() == deadline) {
    CoroutineScheduler::wake(queue);
  } else if (queue->is_resting()) {    // since it was chosen; partner: rest()
    CoroutineScheduler::wake_watcher();
  }
}

// _timer_index is only written under the lock of the heap that the coroutine chose
// itself, and after -1 by nobody else.
void TimerHeap::remove(Coroutine* co) {
  if (OrderAccess::load_acquire(&co->_timer_index) >= 0) {
    co->_timer_queue->timers()->erase(co);
  }
}

int TimerHeap::fire(jlong now, RunQueue* near) {
  int fired = 0;
  while (_next_deadline <= now) {
    Coroutine* co = NULL;
    lock();
    if (_size > 0 && _heap[0]->_deadline <= now) {
      co = _heap[0];
      take_out(0);
      _fired++;
    }
    unlock();
    if (co == NULL) {
      break;
    }
    // It may have been woken in between, and wait for something else or have
    // ended: then this is a spurious wake-up. Its condition is the clock, and
    // the lock was a full fence.
    co->ready(near, true);
    fired++;
  }
  return fired;
}
