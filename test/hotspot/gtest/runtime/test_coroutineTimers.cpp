/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The timer heap in isolation, as test_coroutine.cpp has the run word and the run queue. It runs with the flag on and off.

#include "precompiled.hpp"

#if defined(LINUX) && defined(AMD64)

#include "runtime/os.hpp"
#include "test_coroutine.hpp"

// Random insertions, removals and firings against a plain array. Catches: a heap or a
// lane that loses its order or an index when something in the middle is taken out, a
// timer that fires early, late or never.
TEST_VM(TimerHeap, model) {
  const int N = 200;
  RunQueue* queue = new RunQueue(0, 16);
  TimerHeap* heap = queue->timers();
  Coroutine* co[N];
  jlong deadline[N];                         // 0: not in the heap
  for (int i = 0; i < N; i++) {
    co[i] = CoroutineTest::record(Coroutine::RUNNING, queue);
    deadline[i] = 0;
  }
  EXPECT_EQ(max_jlong, heap->next_deadline());
  uint x = 4711;
  jlong now = 1000;
  int size = 0;
  int in_lane = 0, in_heap = 0;
  for (int step = 0; step < 40000; step++) {
    x = x * 1664525 + 1013904223;
    int i = (x >> 8) % N;
    switch ((x >> 24) % 4) {
      case 0:
      case 1:
        if (deadline[i] == 0) {
          deadline[i] = now + 1 + (step / 5000 % 2 == 0 ? (x >> 12) % 300 : 250);   // many are equal
          CoroutineTest::insert(heap, co[i], deadline[i]);
          (CoroutineTest::in_lane(co[i]) ? in_lane : in_heap)++;
          size++;
        }
        break;
      case 2:
        ASSERT_EQ(deadline[i] != 0, CoroutineTest::erase(heap, co[i]));
        if (deadline[i] != 0) {
          deadline[i] = 0;
          size--;
        }
        break;
      default: {
        now += (x >> 10) % 20;
        int due = 0;
        for (int j = 0; j < N; j++) {
          due += deadline[j] != 0 && deadline[j] <= now;
        }
        ASSERT_EQ(due, heap->fire(now, queue)) << "timers fired";
        for (int j = 0; j < N; j++) {
          bool fired = CoroutineTest::state(co[j]) == Coroutine::NOTIFIED;
          ASSERT_EQ(deadline[j] != 0 && deadline[j] <= now, fired) << "timer " << j;
          if (fired) {
            CoroutineTest::set_state(co[j], Coroutine::RUNNING);
            deadline[j] = 0;
            size--;
          }
        }
        break;
      }
    }
    ASSERT_EQ(size, heap->size());
    jlong next = max_jlong;
    for (int j = 0; j < N; j++) {
      if (deadline[j] != 0) {
        next = MIN2(next, deadline[j]);
      }
      ASSERT_EQ(deadline[j] != 0, CoroutineTest::index(co[j]) >= 0);
    }
    ASSERT_EQ(next, heap->next_deadline()) << "step " << step;
    ASSERT_TRUE(CoroutineTest::ordered(heap)) << "step " << step;
  }
  EXPECT_GT(in_lane, 1000);
  EXPECT_GT(in_heap, 1000);
  heap->fire(max_jlong - 1, queue);
  EXPECT_EQ(0, heap->size());
  for (int i = 0; i < N; i++) {
    CoroutineTest::give_back(co[i]);
  }
}

// Time-outs that are never over, beside a long one. Catches: a lane that grows by a gap for each, and positions that
// overflow in the wrong way.
TEST_VM(TimerHeap, gaps) {
  const int N = 3;
  RunQueue* queue = new RunQueue(0, 16);
  TimerHeap* heap = queue->timers();
  Coroutine* co[N];
  CoroutineTest::set_lane(heap, (uint) -20000);
  for (int i = 0; i < N; i++) {
    co[i] = CoroutineTest::record(Coroutine::RUNNING, queue);
    CoroutineTest::insert(heap, co[i], 1000 + i);
  }
  for (int step = 1; step < 100000; step++) {
    int i = 1 + step % 2;
    ASSERT_TRUE(CoroutineTest::erase(heap, co[i]));
    CoroutineTest::insert(heap, co[i], 2000 + step);
    ASSERT_LT(CoroutineTest::lane_length(heap), 100u) << "step " << step;
    ASSERT_TRUE(CoroutineTest::ordered(heap)) << "step " << step;
  }
  for (int i = 0; i < N; i++) {
    EXPECT_TRUE(CoroutineTest::erase(heap, co[i]));
    CoroutineTest::give_back(co[i]);
  }
  EXPECT_EQ(0u, CoroutineTest::lane_length(heap));
}

// One far deadline, again and again. Catches: a lane behind which nobody else can line up.
TEST_VM(TimerHeap, far) {
  const int N = 20;
  RunQueue* queue = new RunQueue(0, 16);
  TimerHeap* heap = queue->timers();
  Coroutine* co[N];
  for (int i = 0; i < N; i++) {
    co[i] = CoroutineTest::record(Coroutine::RUNNING, queue);
    CoroutineTest::insert(heap, co[i], i % 4 == 0 ? 1000000 - i : 1000 + i);
    ASSERT_TRUE(CoroutineTest::in_lane(co[i])) << "timer " << i;
    ASSERT_TRUE(CoroutineTest::ordered(heap)) << "timer " << i;
  }
  EXPECT_EQ(1001, heap->next_deadline());
  EXPECT_EQ(N / 4 * 3, heap->fire(2000, queue));
  EXPECT_EQ(N / 4, heap->fire(1000000, queue));
  for (int i = 0; i < N; i++) {
    CoroutineTest::give_back(co[i]);
  }
}

struct Clock {
  RunQueue*      queue;
  volatile int   stop;
  volatile int   added;
};

static void* sleep_and_wake(void* arg) {
  Clock* c = (Clock*) arg;
  Coroutine* co = CoroutineTest::record(Coroutine::RUNNING, c->queue);
  for (int i = 0; c->stop == 0; i++) {
    TimerHeap::add(co, os::javaTimeNanos() + (i % 7 == 0 ? 1000000000 : i % 500));
    Atomic::inc(&c->added);
    if (i % 3 == 0) {
      sched_yield();
    }
    TimerHeap::remove(co);
    if (CoroutineTest::index(co) != -1) {
      break;                                 // shows in the size of the heap
    }
    CoroutineTest::set_state(co, Coroutine::RUNNING);
  }
  if (CoroutineTest::index(co) == -1) {
    CoroutineTest::give_back(co);
  }
  return NULL;
}

// Removing a timer while somebody else fires it. Catches: a timer that is still in
// the heap, or in it twice, after it was removed.
TEST_VM(TimerHeap, concurrent) {
  Clock c;
  c.queue = new RunQueue(0, 16);
  c.stop = c.added = 0;
  TestThreads threads;
  for (int i = 0; i < 3; i++) {
    threads.start(sleep_and_wake, &c);
  }
  while (c.added < 50000) {
    c.queue->timers()->fire(os::javaTimeNanos(), c.queue);
  }
  c.stop = 1;
  threads.join();
  EXPECT_EQ(0, c.queue->timers()->size());
  EXPECT_EQ(max_jlong, c.queue->timers()->next_deadline());
}

#endif // LINUX && AMD64
