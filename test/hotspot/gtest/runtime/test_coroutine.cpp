/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The parts of the coroutine mechanism in isolation: the run word and the run queue; the timer heap is in test_coroutineTimers.cpp, the switch
// between stacks in test_coroutineSwitch.cpp.
// Records and queues here are the tests' own: no carrier knows them, so that the tests
// run with the flag on and off.

#include "precompiled.hpp"

#if defined(LINUX) && defined(AMD64)

#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/runRing.inline.hpp"
#include "runtime/os.hpp"
#include "runtime/safefetch.inline.hpp"
#include "runtime/thread.inline.hpp"
#include "test_coroutine.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <string.h>

// ---- The run word

// Catches: a transition that is not in the table of coroutine.hpp.
TEST_VM(Coroutine, ready_in_each_state) {
  RunQueue* queue = new RunQueue(0, 16);
  const int before[] = { Coroutine::NEW, Coroutine::RUNNABLE, Coroutine::RUNNING, Coroutine::NOTIFIED, Coroutine::ENDED };
  const int after[]  = { Coroutine::NEW, Coroutine::RUNNABLE, Coroutine::NOTIFIED, Coroutine::NOTIFIED, Coroutine::ENDED };
  for (int i = 0; i < 5; i++) {
    Coroutine* co = CoroutineTest::record(before[i], queue);
    co->ready(queue);
    EXPECT_EQ(after[i], CoroutineTest::state(co)) << "ready() in state " << before[i];
    EXPECT_EQ(0u, queue->length()) << "queued from state " << before[i];
    CoroutineTest::give_back(co);
  }
  if (!WispAlwaysMigrate) {
    Coroutine* co = CoroutineTest::record(Coroutine::PARKED, queue);
    co->ready(queue);
    EXPECT_EQ((int) Coroutine::RUNNABLE, CoroutineTest::state(co));
    EXPECT_EQ(1u, queue->length()) << "a parked one is queued";
    co->ready(queue);
    EXPECT_EQ(1u, queue->length()) << "and queued once";
    EXPECT_TRUE(CoroutineTest::take_inbox(queue, queue));
    EXPECT_EQ(co, CoroutineTest::pop_ring(queue));
    CoroutineTest::give_back(co);
  }
}

struct Wakers {
  RunQueue*           queue;
  Coroutine* volatile co;
  volatile int        stop;
};

static void* wake_all_the_time(void* arg) {
  Wakers* w = (Wakers*) arg;
  for (uint i = 0; w->stop == 0; i++) {
    w->co->ready(w->queue);
    if (i % 64 == 0) {
      sched_yield();
    }
  }
  return NULL;
}

// Many wakers, one coroutine that parks again and again: each park ends by exactly
// one queueing. Catches: two winners, which would run a coroutine twice, and none.
TEST_VM(Coroutine, one_waker_wins) {
  if (WispAlwaysMigrate) return;           // would queue on the carriers' queues
  Wakers w;
  w.queue = new RunQueue(0, 16);
  w.co = CoroutineTest::record(Coroutine::RUNNING, w.queue);
  w.stop = 0;
  TestThreads threads;
  for (int i = 0; i < 3; i++) {
    threads.start(wake_all_the_time, &w);
  }
  int parks = 0;
  while (parks < 3000) {
    // What park() and finish_switch() do with the word, without the switch.
    if (!CoroutineTest::change(w.co, Coroutine::RUNNING, Coroutine::PARKED)) {
      ASSERT_TRUE(CoroutineTest::change(w.co, Coroutine::NOTIFIED, Coroutine::RUNNING)) << "neither running nor notified";
      continue;
    }
    parks++;
    while (!CoroutineTest::take_inbox(w.queue, w.queue)) {
      sched_yield();
    }
    ASSERT_EQ((Coroutine*) w.co, CoroutineTest::pop_ring(w.queue));
    ASSERT_TRUE(CoroutineTest::pop_ring(w.queue) == NULL) << "queued twice";
    ASSERT_EQ((int) Coroutine::RUNNABLE, CoroutineTest::state(w.co));
    CoroutineTest::set_state(w.co, Coroutine::RUNNING);
    ASSERT_EQ(0u, w.queue->length()) << "queued while it ran";
  }
  w.stop = 1;
  threads.join();
  CoroutineTest::give_back(w.co);
}

// Catches: a far deadline that overflows into the past.
TEST_VM(Coroutine, deadlines) {
  jlong now = os::javaTimeNanos();
  EXPECT_EQ(max_jlong, Coroutine::deadline_after_nanos(max_jlong));
  EXPECT_EQ(max_jlong, Coroutine::deadline_after_nanos(max_jlong - 1));
  EXPECT_GT(Coroutine::deadline_after_nanos(max_jlong / 2), now);
  EXPECT_GE(Coroutine::deadline_after_nanos(1000), now + 1000);
  EXPECT_GT(Coroutine::deadline_after_nanos(0), now);
  EXPECT_GT(Coroutine::deadline_after_nanos(-5), now);
}

// ---- The run queue

// Catches: an order other than first in, first out; a wrong length; an index that
// does not survive the overflow of its counter.
TEST_VM(RunQueue, order) {
  RunQueue* q = new RunQueue(7, 5);
  EXPECT_EQ(7, q->id());
  uint capacity = CoroutineTest::capacity(q);
  EXPECT_EQ(8u, capacity) << "rounded up to a power of two";
  Coroutine* co[16];
  for (int i = 0; i < 16; i++) {
    co[i] = CoroutineTest::record(Coroutine::RUNNABLE, q);
  }
  const uint starts[] = { 0, 5, (uint) -3, (uint) -8, 0x7ffffffe };
  for (int s = 0; s < 5; s++) {
    CoroutineTest::set_indices(q, starts[s]);
    EXPECT_TRUE(CoroutineTest::pop_ring(q) == NULL);
    for (uint i = 0; i < capacity; i++) {
      EXPECT_TRUE(CoroutineTest::push_ring(q, co[i]));
      EXPECT_EQ(i + 1, q->length());
    }
    EXPECT_FALSE(CoroutineTest::push_ring(q, co[8])) << "a full ring takes no more";
    EXPECT_EQ(co[0], CoroutineTest::pop_ring(q));
    EXPECT_TRUE(CoroutineTest::push_ring(q, co[8]));
    for (uint i = 1; i <= capacity; i++) {
      EXPECT_EQ(co[i], CoroutineTest::pop_ring(q));
    }
    EXPECT_TRUE(CoroutineTest::pop_ring(q) == NULL);
    EXPECT_EQ(0u, q->length());

    // Through the inbox: the oldest first, behind what the ring has already.
    EXPECT_FALSE(CoroutineTest::take_inbox(q, q));
    EXPECT_TRUE(CoroutineTest::push_ring(q, co[0]));
    for (int i = 1; i < 6; i++) {
      CoroutineTest::push_inbox(q, co[i]);
      EXPECT_EQ((uint) i + 1, q->length());
    }
    EXPECT_TRUE(CoroutineTest::take_inbox(q, q));
    for (int i = 0; i < 6; i++) {
      EXPECT_EQ(co[i], CoroutineTest::pop_ring(q));
    }
    EXPECT_TRUE(CoroutineTest::pop_ring(q) == NULL);
  }
  for (int i = 0; i < 16; i++) {
    CoroutineTest::give_back(co[i]);
  }
}

// Catches: a thief that takes the newest, takes all, loses one, or overwrites what
// it has itself.
TEST_VM(RunQueue, steal) {
  RunQueue* victim = new RunQueue(0, 8);
  RunQueue* thief = new RunQueue(1, 8);
  Coroutine* co[16];
  for (int i = 0; i < 16; i++) {
    co[i] = CoroutineTest::record(Coroutine::RUNNABLE, victim);
  }
  EXPECT_FALSE(thief->steal_from(victim)) << "nothing to steal";
  for (int n = 1; n <= 8; n++) {
    CoroutineTest::set_indices(victim, (uint) -n);
    CoroutineTest::set_indices(thief, (uint) -2);
    for (int i = 0; i < n; i++) {
      EXPECT_TRUE(CoroutineTest::push_ring(victim, co[i]));
    }
    EXPECT_TRUE(thief->steal_from(victim));
    int taken = (int) thief->length();
    EXPECT_EQ(n - n / 2, taken) << "half of " << n;
    for (int i = 0; i < taken; i++) {
      EXPECT_EQ(co[i], CoroutineTest::pop_ring(thief)) << "those that have waited longest";
    }
    for (int i = taken; i < n; i++) {
      EXPECT_EQ(co[i], CoroutineTest::pop_ring(victim));
    }
    EXPECT_TRUE(CoroutineTest::pop_ring(thief) == NULL && CoroutineTest::pop_ring(victim) == NULL);
  }
  // From the inbox when the ring is empty.
  for (int i = 0; i < 3; i++) {
    CoroutineTest::push_inbox(victim, co[i]);
  }
  EXPECT_TRUE(thief->steal_from(victim));
  EXPECT_EQ(0u, victim->length());
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(co[i], CoroutineTest::pop_ring(thief));
  }
  // A thief that has little room takes little.
  for (int i = 0; i < 7; i++) {
    EXPECT_TRUE(CoroutineTest::push_ring(thief, co[i]));
  }
  for (int i = 7; i < 13; i++) {
    EXPECT_TRUE(CoroutineTest::push_ring(victim, co[i]));
  }
  EXPECT_TRUE(thief->steal_from(victim));
  EXPECT_EQ(8u, thief->length());
  for (int i = 0; i < 8; i++) {
    EXPECT_EQ(co[i], CoroutineTest::pop_ring(thief));
  }
  for (int i = 8; i < 13; i++) {
    EXPECT_EQ(co[i], CoroutineTest::pop_ring(victim));
  }
  for (int i = 0; i < 16; i++) {
    CoroutineTest::give_back(co[i]);
  }
}

// Who reads what arrives on the CPU of its waker goes there, but not to the longer queue. Catches:
// packets that are not followed; a carrier with a longer queue that gets still more.
TEST_VM(RunQueue, follow) {
  if (WispAlwaysMigrate) {
    return;
  }
  RunQueue* home = new RunQueue(0, 16);
  RunQueue* near = new RunQueue(0, 16);
  for (int there = 0; there <= 3; there++) {
    for (int here = 0; here <= 3; here++) {
      for (int follows = 0; follows <= 1; follows++) {
        Coroutine* co[7];
        for (int i = 0; i < 7; i++) {
          co[i] = CoroutineTest::record(Coroutine::RUNNABLE, home);
        }
        for (int i = 0; i < there + here; i++) {
          EXPECT_TRUE(CoroutineTest::push_ring(i < there ? home : near, co[i]));
        }
        RunQueue::enqueue(co[6], near, true, RunQueue::NO_CLAIM, follows != 0);
        RunQueue* expected = follows != 0 && here <= there ? near : home;
        EXPECT_EQ((uint) (there + (expected == home ? 1 : 0)), home->length()) << there << " at home, " << here << " here, follows: " << follows;
        EXPECT_EQ((uint) (here + (expected == near ? 1 : 0)), near->length());
        EXPECT_TRUE(CoroutineTest::take_inbox(expected, expected));
        while (CoroutineTest::pop_ring(home) != NULL || CoroutineTest::pop_ring(near) != NULL) { }
        for (int i = 0; i < 7; i++) {
          CoroutineTest::give_back(co[i]);
        }
      }
    }
  }
  // The one that runs there would not give way soon.
  Coroutine* co = CoroutineTest::record(Coroutine::RUNNABLE, home);
  near->count_switch(true);
  RunQueue::enqueue(co, near, true, RunQueue::NO_CLAIM, true);
  EXPECT_EQ(1u, home->length());
  EXPECT_EQ(0u, near->length());
  EXPECT_TRUE(CoroutineTest::take_inbox(home, home));
  EXPECT_EQ(co, CoroutineTest::pop_ring(home));
  CoroutineTest::give_back(co);
}

// Catches: a woken coroutine that waits for the whole ring, or that keeps the others waiting
// when it is woken again and again; one that is stranded, counted twice or not at all.
TEST_VM(RunQueue, next) {
  const int N = 13;
  RunQueue* queue = new RunQueue(0, 16);
  Coroutine* co[N];
  for (int i = 0; i < N; i++) {
    co[i] = CoroutineTest::record(Coroutine::RUNNABLE, queue);
  }
  Coroutine* woken = co[N - 1];
  for (int round = 0; round < 40; round++) {
    for (int i = 0; i < 8; i++) {
      EXPECT_TRUE(CoroutineTest::push_ring(queue, co[i]));
    }
    for (int i = 8; i < N - 1; i++) {
      CoroutineTest::push_inbox(queue, co[i]);
    }
    CoroutineTest::push_next(queue, woken);
    EXPECT_EQ((uint) N, queue->length());
    EXPECT_EQ(woken, queue->pop()) << "before the ring";
    CoroutineTest::push_next(queue, woken);
    bool last = true;
    for (int i = 0; i < N - 1; ) {
      Coroutine* next = queue->pop();
      queue->count_switch();
      if (next == woken) {
        EXPECT_FALSE(last) << "the others are kept waiting";
        CoroutineTest::push_next(queue, woken);
      } else {
        ASSERT_EQ(co[i], next) << "ring, then inbox";
        i++;
      }
      last = next == woken;
    }
    EXPECT_EQ(woken, queue->pop());
    queue->count_switch();             // another phase of the inbox's interval
    EXPECT_TRUE(queue->pop() == NULL);
    EXPECT_EQ(0u, queue->length());
  }
  // The place is taken: the first one stays, the others line up.
  for (int i = 0; i < 3; i++) {
    CoroutineTest::push_next(queue, co[i]);
  }
  EXPECT_EQ(3u, queue->length());
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(co[i], queue->pop());
  }
  // Whoever has a claim displaces one with a lesser claim, who lines up. Catches: a timer or a connection that waits for a round; one to
  // whom somebody gives way, and who finds what was given up taken again, as a connection has come meanwhile.
  static const bool displaces[4][4] = {
    { false, false, false, false }, { true, true, false, false }, { true, false, false, false }, { true, true, false, false }
  };
  for (int mine = 0; mine < 4; mine++) {
    for (int there = 0; there < 4; there++) {
      CoroutineTest::push_next(queue, co[1], (RunQueue::Claim) there);
      CoroutineTest::push_inbox(queue, co[2]);
      CoroutineTest::push_next(queue, co[0], (RunQueue::Claim) mine);
      EXPECT_EQ(3u, queue->length());
      const int first = displaces[mine][there] ? 0 : 1;
      EXPECT_EQ(co[first], queue->pop()) << mine << " after " << there;
      EXPECT_EQ(co[2], queue->pop());
      EXPECT_EQ(co[1 - first], queue->pop());
    }
  }
  // A thief takes it last.
  RunQueue* thief = new RunQueue(1, 16);
  CoroutineTest::push_next(queue, woken);
  EXPECT_TRUE(CoroutineTest::push_ring(queue, co[0]));
  CoroutineTest::push_inbox(queue, co[1]);
  Coroutine* const stolen[] = { co[0], co[1], woken };
  for (int i = 0; i < 3; i++) {
    EXPECT_TRUE(thief->steal_from(queue));
    EXPECT_EQ(1u, thief->length());
    EXPECT_EQ(stolen[i], CoroutineTest::pop_ring(thief));
  }
  EXPECT_FALSE(thief->steal_from(queue));
  for (int i = 0; i < N; i++) {
    CoroutineTest::give_back(co[i]);
  }
}

// Catches: threads that compute and keep the others waiting for more than one of them, or are kept waiting by them;
// greedy ones that are lost, or that no thief finds.
TEST_VM(RunQueue, greedy) {
  const int N = 5;
  RunQueue* queue = new RunQueue(0, 16);
  Coroutine* others[N];
  Coroutine* greedy[N];
  for (int i = 0; i < N; i++) {
    others[i] = CoroutineTest::record(Coroutine::RUNNABLE, queue);
    greedy[i] = CoroutineTest::record(Coroutine::RUNNABLE, queue);
    CoroutineTest::greedy(greedy[i], true);
  }
  // Alone they take turns.
  for (int i = 0; i < N; i++) {
    EXPECT_TRUE(CoroutineTest::push_ring(queue, greedy[i]));
  }
  EXPECT_EQ((uint) N, queue->length());
  EXPECT_EQ(0u, queue->others());
  for (int i = 0; i < 2 * N; i++) {
    Coroutine* co = queue->pop();
    queue->count_switch(co->computes());
    EXPECT_EQ(greedy[i % N], co);
    queue->push(co);
  }
  // Each of them is followed by a round of the others, for a millisecond if all have been woken, for a tenth of it if they only yield, also
  // after the first one if only that has been woken.
  for (int i = 0; i < N; i++) {
    EXPECT_TRUE(CoroutineTest::push_ring(queue, others[i]));
  }
  EXPECT_EQ(2u * N, queue->length());
  EXPECT_EQ((uint) N, queue->others());
  int turns = 0;
  int next = 0;
  jlong least = max_jlong;             // of those who only yield: any other may have lost its CPU
  jlong before = os::javaTimeNanos();
  for (int seen = 0; seen < 30; ) {
    const bool woken = seen < 10;
    const bool once = seen >= 20;
    Coroutine* co = queue->pop();
    ASSERT_TRUE(co != NULL);
    if (!co->computes() && (woken || (once && turns == 0))) {
      queue->count_unpark();
    }
    queue->count_switch(co->computes());
    if (co == greedy[seen % N]) {
      seen++;
      jlong now = os::javaTimeNanos();
      if (now - before < 10 * NANOSECS_PER_MILLISEC) {   // else it has lost its CPU
        EXPECT_GE(turns, N) << "not all others have had a turn";
        EXPECT_GE(now - before, woken ? NANOSECS_PER_MILLISEC : NANOSECS_PER_MILLISEC / 10) << "a greedy one after too short a time";
      }
      least = woken ? least : MIN2(least, now - before);
      if (seen == 20 || seen == 30) {
        EXPECT_LT(least, NANOSECS_PER_MILLISEC / 2) << "others that only yield";
        least = max_jlong;
      }
      turns = 0;
      before = now;
    } else {
      EXPECT_EQ(others[next % N], co) << "the others in their order";
      next++;
      turns++;
    }
    queue->push(co);
  }
  for (int i = 0; i < 2 * N; i++) {
    EXPECT_TRUE(queue->pop() != NULL);
  }
  EXPECT_TRUE(queue->pop() == NULL);
  // Two hand over to each other, one of them by giving way, so that it has not waited when it runs: no greedy one comes between them at once.
  // Who leaves is not queued yet when the next one is taken.
  EXPECT_TRUE(CoroutineTest::push_ring(queue, greedy[0]));
  EXPECT_TRUE(CoroutineTest::push_ring(queue, others[0]));
  queue->count_switch(true);
  jlong began = os::javaTimeNanos();
  for (int i = 0; i < 2 * N && os::javaTimeNanos() - began < NANOSECS_PER_MILLISEC / 2; i++) {
    EXPECT_EQ(others[0], queue->pop()) << "hand-over " << i;
    queue->count_unpark();
    queue->count_switch(false);
    EXPECT_TRUE(CoroutineTest::push_ring(queue, others[1]));
    EXPECT_EQ(others[1], queue->pop()) << "hand-over " << i;
    queue->count_switch(false);
    CoroutineTest::push_next(queue, others[0]);
  }
  while (queue->length() > 0) {
    EXPECT_TRUE(queue->pop() != NULL);
  }
  // Who has yielded waits with the others; a thief takes those who compute after all but the next one.
  RunQueue* thief = new RunQueue(1, 16);
  CoroutineTest::greedy(greedy[1], true, true);
  EXPECT_TRUE(CoroutineTest::push_ring(queue, greedy[0]));
  EXPECT_TRUE(CoroutineTest::push_ring(queue, greedy[1]));
  CoroutineTest::push_inbox(queue, others[0]);
  CoroutineTest::push_next(queue, others[1]);
  EXPECT_EQ(3u, queue->others());
  Coroutine* const stolen[] = { greedy[1], others[0], greedy[0], others[1] };
  for (int i = 0; i < 4; i++) {
    EXPECT_TRUE(thief->steal_from(queue));
    EXPECT_EQ(1u, thief->length());
    EXPECT_EQ(stolen[i], thief->pop());
  }
  EXPECT_FALSE(thief->steal_from(queue));
  for (int i = 0; i < N; i++) {
    CoroutineTest::greedy(greedy[i], false);
    CoroutineTest::give_back(others[i]);
    CoroutineTest::give_back(greedy[i]);
  }
}

struct Market {
  enum { Records = 24 };
  RunQueue*    queues[4];
  Coroutine*   records[Records];
  volatile int started;
  volatile int stop;
  volatile int wrong;
  volatile int moved;
};

struct Trader {
  Market* market;
  int     id;
};

// Holds its own queue, takes from it and from the others, and puts what it took
// into somebody's inbox or its own ring.
static void* trade(void* arg) {
  Market* m = ((Trader*) arg)->market;
  int id = ((Trader*) arg)->id;
  RunQueue* own = m->queues[id];
  uint x = 12345 * (id + 1);
  while (m->stop == 0) {
    x = x * 1664525 + 1013904223;
    Coroutine* co = own->pop();
    own->count_switch();
    if (co == NULL) {
      own->steal_from(m->queues[(x >> 8) % 4]);
      continue;
    }
    if (!CoroutineTest::change(co, Coroutine::RUNNABLE, Coroutine::RUNNING)) {
      Atomic::inc(&m->wrong);                // somebody else has it too
    }
    Atomic::inc(&m->moved);
    if (!CoroutineTest::change(co, Coroutine::RUNNING, Coroutine::RUNNABLE)) {
      Atomic::inc(&m->wrong);
    }
    CoroutineTest::greedy(co, (x >> 12) % 3 == 0);
    if ((x >> 16) % 3 == 0) {
      CoroutineTest::push_ring(own, co);     // has room: there are fewer records than slots
    } else if ((x >> 24) % 3 == 0) {
      CoroutineTest::push_next(m->queues[(x >> 20) % 4], co, (RunQueue::Claim) ((x >> 26) % 4));
    } else {
      CoroutineTest::push_inbox(m->queues[(x >> 20) % 4], co);
    }
  }
  return NULL;
}

// Takes the next one, and puts it back. True: it is that one; else it is a heavy one, who is known to keep somebody waiting.
static bool heavy_turn(RunQueue* queue, Coroutine* awaited, const char* what) {
  Coroutine* co = queue->pop();
  if (co == NULL) {
    ADD_FAILURE() << what << ": nobody is there";
    return true;
  }
  CoroutineTest::mount(queue, co);
  if (co == awaited) {
    return true;
  }
  if (co->is_heavy()) {
    EXPECT_TRUE(CoroutineTest::light_came(queue)) << what;
    queue->push(co);
  }
  return false;
}

// Catches: one who waits now and then, and is not seen behind threads that have used up slices, each of which has a whole one then.
TEST_VM(RunQueue, heavy) {
  const int N = 8;
  RunQueue* queue = new RunQueue(0, 32);
  Coroutine* heavy[N + 1];             // the last one comes later
  Coroutine* light[2];
  for (int i = 0; i <= N; i++) {
    heavy[i] = CoroutineTest::record(Coroutine::RUNNABLE, queue);
    CoroutineTest::heavy(heavy[i], true);
    if (i < N) {
      CoroutineTest::push_inbox(queue, heavy[i]);
    }
  }
  light[0] = CoroutineTest::record(Coroutine::RUNNABLE, queue);
  light[1] = CoroutineTest::record(Coroutine::RUNNABLE, queue);
  // They are known to keep nobody waiting who is not one of them; also when some rounds are over since somebody was.
  for (int takes = 0; takes < 3; takes++) {
    for (int i = 0; i < 8 * N + 1; i++) {   // the next turn does not begin with the inbox
      Coroutine* co = queue->pop();
      CoroutineTest::mount(queue, co);
      queue->push(co);
    }
    EXPECT_FALSE(CoroutineTest::light_came(queue)) << takes;
    if (takes == 2) {
      break;
    }
    // One comes below another heavy one, and another one when the round is half over.
    CoroutineTest::set_long_turns(queue, takes == 1);   // then each turn begins with what has come
    CoroutineTest::push_inbox(queue, light[0]);
    CoroutineTest::push_inbox(queue, heavy[N]);
    for (int i = 0; !heavy_turn(queue, light[0], "the first one"); i++) {
      if (i == N / 2) {
        CoroutineTest::push_inbox(queue, light[1]);
      }
    }
    CoroutineTest::push_inbox(queue, light[0]);
    while (!heavy_turn(queue, light[1], "the second one")) {}
    while (!heavy_turn(queue, light[0], "the first one again")) {}
    for (int i = 0; i <= N; i++) {
      Coroutine* co = queue->pop();
      if (co != heavy[N]) {
        queue->push(co);
      }
    }
    EXPECT_EQ((uint) N, queue->length());
  }
  // Who has been stolen is seen, too.
  RunQueue* thief = new RunQueue(1, 32);
  CoroutineTest::push_inbox(queue, light[0]);
  queue->push(queue->pop());           // takes the inbox
  while (queue->length() > 0) {
    EXPECT_TRUE(thief->steal_from(queue));
  }
  while (!heavy_turn(thief, light[0], "stolen")) {}
  while (thief->pop() != NULL) {}
  for (int i = 0; i <= N; i++) {
    CoroutineTest::heavy(heavy[i], false);
    CoroutineTest::give_back(heavy[i]);
  }
  CoroutineTest::give_back(light[0]);
  CoroutineTest::give_back(light[1]);
}

// Catches: a record that two take at once, or that gets lost between ring, inbox
// and thieves.
TEST_VM(RunQueue, concurrent) {
  Market m;
  for (int i = 0; i < 4; i++) {
    m.queues[i] = new RunQueue(i, 32);
    CoroutineTest::set_indices(m.queues[i], (uint) -1000);
  }
  for (int i = 0; i < Market::Records; i++) {
    m.records[i] = CoroutineTest::record(Coroutine::RUNNABLE, m.queues[0]);
    CoroutineTest::push_inbox(m.queues[i % 4], m.records[i]);
  }
  m.stop = m.wrong = m.moved = 0;
  Trader traders[4];
  TestThreads threads;
  for (int i = 0; i < 4; i++) {
    traders[i].market = &m;
    traders[i].id = i;
    threads.start(trade, &traders[i]);
  }
  while (m.moved < 5000000 && m.wrong == 0) {
    sched_yield();
  }
  m.stop = 1;
  threads.join();
  EXPECT_EQ(0, m.wrong);
  int left = 0;
  for (int i = 0; i < 4; i++) {
    while (m.queues[i]->pop() != NULL) {
      left++;
    }
  }
  EXPECT_EQ((int) Market::Records, left) << "records at the end";
  for (int i = 0; i < Market::Records; i++) {
    CoroutineTest::give_back(m.records[i]);
  }
}

#endif // LINUX && AMD64
