/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/thread.inline.hpp"
#include OS_CPU_HEADER(coroutinePrefetch)

// ---- The lane

TimerLane::TimerLane() : _entries(NULL), _capacity(0), _head(0), _tail(0), _count(0) {}

void TimerLane::grow() {
  uint capacity = MAX2((uint) CapacityMin, 2 * _capacity);
  TimerEntry* entries = NEW_C_HEAP_ARRAY(TimerEntry, capacity, mtThread);
  for (uint i = _head; i != _tail; i++) {
    entries[i & (capacity - 1)] = *at(i);
  }
  if (_entries != NULL) {
    FREE_C_HEAP_ARRAY(TimerEntry, _entries);
  }
  _entries = entries;
  _capacity = capacity;
}

bool TimerLane::push(Coroutine* co, jlong deadline, uint* position) {
  uint length = _tail - _head;
  if (length > 0 && (deadline < at(_tail - 1)->_deadline || length > 2 * (uint) _count + GapsMin)) {
    return false;
  }
  if (length == _capacity) {
    grow();
  }
  TimerEntry entry = { deadline, co };
  *at(_tail) = entry;
  *position = _tail++;
  _count++;
  return true;
}

// No gaps at the ends.
void TimerLane::trim() {
  while (_head != _tail && at(_head)->_coroutine == NULL) {
    _head++;
  }
  while (_head != _tail && at(_tail - 1)->_coroutine == NULL) {
    _tail--;
  }
}

Coroutine* TimerLane::remove(uint position) {
  Coroutine* co = at(position)->_coroutine;
  assert(co != NULL && _count > 0, "a gap");
  at(position)->_coroutine = NULL;
  _count--;
  trim();
  return co;
}

// ---- The heap

TimerHeap::TimerHeap() : _lock(0), _heap(NULL), _size(0), _capacity(0), _fired(0), _next_deadline(max_jlong) {}

void TimerHeap::lock() {
  Thread::SpinAcquire(&_lock, "TimerHeap");
}

void TimerHeap::unlock() {
  _next_deadline = MIN2(_size > 0 ? _heap[0]._deadline : max_jlong, _lane.first_deadline());
  Thread::SpinRelease(&_lock);
}

inline void TimerHeap::place(int index, Entry entry) {
  _heap[index] = entry;
  entry._coroutine->_timer_index = index;
}

void TimerHeap::sift_up(int index, Entry entry) {
  while (index > 0) {
    int parent = (index - 1) / Children;
    if (_heap[parent]._deadline <= entry._deadline) {
      break;
    }
    place(index, _heap[parent]);
    index = parent;
  }
  place(index, entry);
}

void TimerHeap::sift_down(int index, Entry entry) {
  for (;;) {
    int child = Children * index + 1;
    if (child >= _size) {
      break;
    }
    int end = MIN2(child + (int) Children, _size);
    for (int i = child + 1; i < end; i++) {
      if (_heap[i]._deadline < _heap[child]._deadline) {
        child = i;
      }
    }
    if (entry._deadline <= _heap[child]._deadline) {
      break;
    }
    place(index, _heap[child]);
    index = child;
  }
  place(index, entry);
}

// From the lane or the heap.
void TimerHeap::take_out(int index) {
  if ((index & LaneIndex) != 0) {
    _lane.remove(index - LaneIndex)->_timer_index = -1;
    return;
  }
  Coroutine* co = _heap[index]._coroutine;
  Entry last = _heap[--_size];
  if (index != _size) {
    if (index > 0 && last._deadline < _heap[(index - 1) / Children]._deadline) {
      sift_up(index, last);
    } else {
      sift_down(index, last);
    }
  }
  co->_timer_index = -1;
}

bool TimerHeap::push_lane(Coroutine* co, jlong deadline) {
  uint position;
  bool pushed = _lane.push(co, deadline, &position);
  if (pushed) {
    co->_timer_index = LaneIndex | (int) (position & (LaneIndex - 1));
  }
  return pushed;
}

void TimerHeap::push_heap(Coroutine* co, jlong deadline) {
  if (_size == _capacity) {
    _capacity = MAX2(64, 2 * _capacity);
    _heap = REALLOC_C_HEAP_ARRAY(Entry, _heap, _capacity, mtThread);
  }
  Entry entry = { deadline, co };
  sift_up(_size++, entry);
}

void TimerHeap::insert(Coroutine* co, jlong deadline) {
  lock();
  co->_deadline = deadline;
  jlong last = _lane.last_deadline();
  if (last > deadline) {
    push_heap(_lane.remove_last(), last);
  }
  if (!push_lane(co, deadline)) {
    push_heap(co, deadline);
  }
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
  } else if (queue->timers()->next_deadline() == deadline && co->_carrier != NULL && co->_carrier->has_lost_queue()) {
    CoroutineSysmon::look_by(deadline);   // who has the queue may be in native code, too
  }
}

// _timer_index is only written under the lock of the heap that the coroutine chose
// itself, and after -1 by nobody else.
void TimerHeap::remove(Coroutine* co) {
  if (OrderAccess::load_acquire(&co->_timer_index) >= 0) {
    co->_timer_queue->timers()->erase(co);
  }
}

// Of those that are due, and out of lane and heap; NULL: none is.
Coroutine* TimerHeap::take_first(jlong now) {
  jlong deadline = _lane.first_deadline();
  Coroutine* co = NULL;
  if (_size > 0 && _heap[0]._deadline < deadline) {
    if (_heap[0]._deadline <= now) {
      co = _heap[0]._coroutine;
      take_out(0);
    }
  } else if (deadline <= now) {        // which max_jlong never is
    co = _lane.remove_first();
    co->_timer_index = -1;
    // Who has slept is seldom in the cache.
    Coroutine* ahead = _lane.look_ahead(Batch);
    if (ahead != NULL) {
      CoroutinePrefetch::write(ahead, 0);
      CoroutinePrefetch::write(&ahead->_timer_index, 0);
    }
  }
  return co;
}

int TimerHeap::fire(jlong now, RunQueue* near, bool to) {
  int fired = 0;
  while (_next_deadline <= now) {
    Coroutine* due[Batch];
    int n = 0;
    lock();
    while (n < Batch && (due[n] = take_first(now)) != NULL) {
      n++;
    }
    _fired += n;
    unlock();
    if (n == 0) {
      break;
    }
    // They may have been woken in between, and wait for something else or have
    // ended: then this is a spurious wake-up. Their condition is the clock, and
    // the lock was a full fence.
    for (int i = 0; i < n; i++) {
      due[i]->ready(near, RunQueue::TIME, to);
    }
    fired += n;
  }
  return fired;
}
