/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef GTEST_RUNTIME_TEST_COROUTINE_HPP
#define GTEST_RUNTIME_TEST_COROUTINE_HPP

// What the tests of the run word, the run queue and the timer heap share: the private parts that the friends of CoroutineTest show it, and
// threads that the VM does not know.

#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "unittest.hpp"

#include <pthread.h>

class CoroutineTest : AllStatic {
 public:
  static Coroutine* record(int state, RunQueue* home) {
    Coroutine* co = Coroutine::allocate();
    co->_home = home;
    co->_state = state;
    return co;
  }

  static void give_back(Coroutine* co) {
    co->_home = NULL;
    co->_next = NULL;
    Coroutine::release(co);
  }

  static int  state(Coroutine* co)                 { return co->_state; }
  static void set_state(Coroutine* co, int s)      { co->_state = s; }
  static bool change(Coroutine* co, int from, int to) { return Atomic::cmpxchg(to, &co->_state, from) == from; }

  static bool push_ring(RunQueue* q, Coroutine* c) { return q->push_ring(c); }
  static Coroutine* pop_ring(RunQueue* q)          { return q->_ring.pop(); }
  static void push_inbox(RunQueue* q, Coroutine* c){ q->push_inbox(c); }
  static void greedy(Coroutine* c, bool greedy, bool yielded = false) { c->_greedy = greedy; c->_yielded = yielded; }
  static void heavy(Coroutine* c, bool heavy)      { c->_heavy = heavy ? Coroutine::HeavyParks : 0; }
  static void set_long_turns(RunQueue* q, bool on) { q->_long_turns = on; }
  static bool light_came(RunQueue* q)              { return q->_light_came || q->_light_waits; }
  static void mount(RunQueue* q, Coroutine* c) {     // as CarrierThread::mount()
    if (c->_light) {
      c->_light = false;
      q->count_light();
    }
    q->count_switch(c->computes(), c->is_heavy());
  }
  static void push_next(RunQueue* q, Coroutine* c, RunQueue::Claim claim = RunQueue::NO_CLAIM) { q->push_next(c, claim); }
  static bool take_inbox(RunQueue* q, RunQueue* from) { return q->take_inbox(from); }
  static uint capacity(RunQueue* q)                { return q->_ring._mask + 1; }
  static void set_indices(RunQueue* q, uint i)     { q->_ring._head = i; q->_ring._tail = i; }

  static void insert(TimerHeap* h, Coroutine* c, jlong d) { h->insert(c, d); }
  static bool erase(TimerHeap* h, Coroutine* c)    { return h->erase(c); }
  static int  index(Coroutine* c)                  { return c->_timer_index; }
  static bool ordered(TimerHeap* h) {
    for (int i = 1; i < h->_size; i++) {
      if (h->_heap[i]._deadline < h->_heap[(i - 1) / TimerHeap::Children]._deadline || h->_heap[i]._coroutine->_timer_index != i) {
        return false;
      }
    }
    return (h->_size == 0 || h->_heap[0]._coroutine->_timer_index == 0) && lane_ordered(&h->_lane);
  }
  static bool in_lane(Coroutine* c)                { return c->_timer_index >= TimerHeap::LaneIndex; }
  static void set_lane(TimerHeap* h, uint i)       { h->_lane._head = h->_lane._tail = i; }
  static uint lane_length(TimerHeap* h)            { return h->_lane._tail - h->_lane._head; }
  static bool lane_ordered(TimerLane* l) {
    jlong before = 0;
    int count = 0;
    for (uint i = l->_head; i != l->_tail; i++) {
      TimerEntry* e = l->at(i);
      bool end = i == l->_head || i == l->_tail - 1;
      if (e->_deadline < before || (e->_coroutine == NULL ? end : e->_coroutine->_timer_index != (int) (TimerHeap::LaneIndex | (i & (TimerHeap::LaneIndex - 1))))) {
        return false;
      }
      before = e->_deadline;
      count += e->_coroutine != NULL ? 1 : 0;
    }
    return count == l->_count;
  }
};

// Threads of the operating system, unknown to the VM.
class TestThreads : StackObj {
  enum { Max = 8 };
  pthread_t _ids[Max];
  int       _count;
 public:
  TestThreads() : _count(0) {}
  void start(void* (*body)(void*), void* arg) {
    ASSERT_LT(_count, (int) Max);
    ASSERT_EQ(0, pthread_create(&_ids[_count], NULL, body, arg));
    _count++;
  }
  void join() {
    for (int i = 0; i < _count; i++) {
      pthread_join(_ids[i], NULL);
    }
    _count = 0;
  }
};

#endif // GTEST_RUNTIME_TEST_COROUTINE_HPP
