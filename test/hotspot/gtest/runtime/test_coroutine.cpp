/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The parts of the coroutine mechanism in isolation: the switch between stacks
// with every callee-saved register, the run word, the run queue and the timer heap.
// Records and queues here are the tests' own: no carrier knows them, so that the tests
// run with the flag on and off.

#include "precompiled.hpp"

#if defined(LINUX) && defined(AMD64)

#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/timerHeap.hpp"
#include "runtime/atomic.hpp"
#include "runtime/os.hpp"
#include "runtime/safefetch.inline.hpp"
#include "runtime/thread.inline.hpp"
#include "unittest.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <string.h>

// ---- The switch

extern "C" {
  void coroutine_switch(intptr_t** save_sp, intptr_t* new_sp, Thread* next);

  // The two sides of the test, below. Each fills all registers that a callee must
  // preserve with values of its own, switches, and counts those that changed.
  intptr_t test_coroutine_main_side(Thread* next);
  void     test_coroutine_other_start();

  __attribute__((visibility("hidden"))) intptr_t* test_coroutine_main_sp;
  __attribute__((visibility("hidden"))) intptr_t* test_coroutine_other_sp;
  __attribute__((visibility("hidden"))) Thread*   test_coroutine_main_thread;
  __attribute__((visibility("hidden"))) Thread*   test_coroutine_seen_thread;
  __attribute__((visibility("hidden"))) intptr_t  test_coroutine_other_changed;
  __attribute__((visibility("hidden"))) intptr_t  test_coroutine_rounds;
  __attribute__((visibility("hidden"))) intptr_t  test_coroutine_start_registers[7];
}

// FILL and COMPARE use a tag, so that a value of the other side is never taken for
// an own one. COMPARE adds to rax. The caller-saved registers get garbage too.
__asm__(
  ".macro TEST_COROUTINE_FILL tag\n"
  "  movabsq $0x1111000000000000 + \\tag, %rbx\n"
  "  movabsq $0x2222000000000000 + \\tag, %rbp\n"
  "  movabsq $0x3333000000000000 + \\tag, %r12\n"
  "  movabsq $0x4444000000000000 + \\tag, %r13\n"
  "  movabsq $0x5555000000000000 + \\tag, %r14\n"
  "  movabsq $0x6666000000000000 + \\tag, %r15\n"
  "  movabsq $0x7777000000000000 + \\tag, %rcx\n"
  "  movq %rcx, %r8\n"
  "  movq %rcx, %r9\n"
  "  movq %rcx, %r10\n"
  "  movq %rcx, %r11\n"
  "  movq %rcx, %xmm0\n"
  "  movq %rcx, %xmm7\n"
  "  movq %rcx, %xmm15\n"
  ".endm\n"
  ".macro TEST_COROUTINE_COMPARE_ONE value reg\n"
  "  movabsq $\\value, %rcx\n"
  "  cmpq %rcx, \\reg\n"
  "  je 771f\n"
  "  incq %rax\n"
  "771:\n"
  ".endm\n"
  ".macro TEST_COROUTINE_COMPARE tag\n"
  "  xorl %eax, %eax\n"
  "  TEST_COROUTINE_COMPARE_ONE 0x1111000000000000+\\tag %rbx\n"
  "  TEST_COROUTINE_COMPARE_ONE 0x2222000000000000+\\tag %rbp\n"
  "  TEST_COROUTINE_COMPARE_ONE 0x3333000000000000+\\tag %r12\n"
  "  TEST_COROUTINE_COMPARE_ONE 0x4444000000000000+\\tag %r13\n"
  "  TEST_COROUTINE_COMPARE_ONE 0x5555000000000000+\\tag %r14\n"
  "  TEST_COROUTINE_COMPARE_ONE 0x6666000000000000+\\tag %r15\n"
  ".endm\n"

  "  .text\n"
  "  .globl test_coroutine_main_side\n"
  "  .hidden test_coroutine_main_side\n"
  "  .type test_coroutine_main_side,@function\n"
  "test_coroutine_main_side:\n"
  "  pushq %rbp\n"
  "  pushq %rbx\n"
  "  pushq %r12\n"
  "  pushq %r13\n"
  "  pushq %r14\n"
  "  pushq %r15\n"
  "  pushq $0x1234567\n"                              // and a word of the stack
  "  movq %rdi, %rdx\n"
  "  leaq test_coroutine_main_sp(%rip), %rdi\n"
  "  movq test_coroutine_other_sp(%rip), %rsi\n"
  "  TEST_COROUTINE_FILL 0xA\n"
  "  call coroutine_switch@PLT\n"
  "  TEST_COROUTINE_COMPARE 0xA\n"
  "  popq %rcx\n"
  "  cmpq $0x1234567, %rcx\n"
  "  je 1f\n"
  "  incq %rax\n"
  "1:\n"
  "  popq %r15\n"
  "  popq %r14\n"
  "  popq %r13\n"
  "  popq %r12\n"
  "  popq %rbx\n"
  "  popq %rbp\n"
  "  ret\n"
  "  .size test_coroutine_main_side, .-test_coroutine_main_side\n"

  // Where the new stack begins: keeps what the switch has loaded, then goes round.
  "  .globl test_coroutine_other_start\n"
  "  .hidden test_coroutine_other_start\n"
  "  .type test_coroutine_other_start,@function\n"
  "test_coroutine_other_start:\n"
  "  leaq test_coroutine_start_registers(%rip), %rax\n"
  "  movq %r15, 0(%rax)\n"
  "  movq %r14, 8(%rax)\n"
  "  movq %r13, 16(%rax)\n"
  "  movq %r12, 24(%rax)\n"
  "  movq %rbx, 32(%rax)\n"
  "  movq %rbp, 40(%rax)\n"
  "  movq %rsp, 48(%rax)\n"
  "2:\n"
  "  movq _ZN6Thread12_thr_currentE@gottpoff(%rip), %rax\n"
  "  movq %fs:(%rax), %rax\n"
  "  movq %rax, test_coroutine_seen_thread(%rip)\n"
  "  incq test_coroutine_rounds(%rip)\n"
  "  TEST_COROUTINE_FILL 0xB\n"
  "  leaq test_coroutine_other_sp(%rip), %rdi\n"
  "  movq test_coroutine_main_sp(%rip), %rsi\n"
  "  movq test_coroutine_main_thread(%rip), %rdx\n"
  "  call coroutine_switch@PLT\n"
  "  TEST_COROUTINE_COMPARE 0xB\n"
  "  addq %rax, test_coroutine_other_changed(%rip)\n"
  "  jmp 2b\n"
  "  .size test_coroutine_other_start, .-test_coroutine_other_start\n"
);

// Catches: a register that the switch forgets or swaps, a wrong stack pointer, a
// layout that does not fit what prepares new stacks, a current thread that is not
// the next one.
TEST_VM(Coroutine, switch_preserves_registers) {
  static intptr_t stack[1024] __attribute__((aligned(16)));
  intptr_t* top = stack + 1024;              // a multiple of 16, as after the last pop
  intptr_t* sp = top - 7;
  const char* names[] = { "r15", "r14", "r13", "r12", "rbx", "rbp" };
  for (int i = 0; i < 6; i++) {
    sp[i] = 0x100 + i;
  }
  sp[6] = (intptr_t) &test_coroutine_other_start;

  Thread* self = Thread::current();
  test_coroutine_other_sp = sp;
  test_coroutine_main_thread = self;
  test_coroutine_other_changed = 0;
  test_coroutine_rounds = 0;

  for (int round = 1; round <= 10000; round++) {
    ASSERT_EQ(0, test_coroutine_main_side(self)) << "registers changed for the caller, round " << round;
    ASSERT_EQ(0, test_coroutine_other_changed) << "registers changed for the other stack, round " << round;
    ASSERT_EQ(round, test_coroutine_rounds) << "the other side ran";
    ASSERT_EQ(self, test_coroutine_seen_thread) << "current thread on the other stack";
    ASSERT_EQ(self, Thread::current()) << "current thread after the switch back";
    ASSERT_TRUE(test_coroutine_other_sp >= stack && test_coroutine_other_sp < top) << "saved sp of the other stack";
  }
  for (int i = 0; i < 6; i++) {
    EXPECT_EQ(0x100 + i, test_coroutine_start_registers[i]) << names[i] << " at the start of a new stack";
  }
  EXPECT_EQ((intptr_t) top, test_coroutine_start_registers[6]) << "rsp at the start of a new stack";
}

// ---- What the friends of the test can reach

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
  static Coroutine* pop_ring(RunQueue* q)          { return q->pop_ring(); }
  static void push_inbox(RunQueue* q, Coroutine* c){ q->push_inbox(c); }
  static void by_timer(Coroutine* c, bool by) { c->_by_timer = by; }
  static void push_next(RunQueue* q, Coroutine* c, bool displace = false) { q->push_next(c, displace); }
  static bool take_inbox(RunQueue* q, RunQueue* from) { return q->take_inbox(from); }
  static uint capacity(RunQueue* q)                { return q->_mask + 1; }
  static void set_indices(RunQueue* q, uint i)     { q->_head = i; q->_tail = i; }

  static void insert(TimerHeap* h, Coroutine* c, jlong d) { h->insert(c, d); }
  static bool erase(TimerHeap* h, Coroutine* c)    { return h->erase(c); }
  static int  index(Coroutine* c)                  { return c->_timer_index; }
  static bool ordered(TimerHeap* h) {
    for (int i = 1; i < h->_size; i++) {
      if (h->_heap[i]._deadline < h->_heap[(i - 1) / TimerHeap::Children]._deadline || h->_heap[i]._coroutine->_timer_index != i) {
        return false;
      }
    }
    return h->_size == 0 || h->_heap[0]._coroutine->_timer_index == 0;
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
        RunQueue::enqueue(co[6], near, true, false, follows != 0);
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
  RunQueue::enqueue(co, near, true, false, true);
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
  // A timer displaces who has it, and that one lines up.
  CoroutineTest::push_next(queue, co[1]);
  CoroutineTest::push_inbox(queue, co[2]);
  CoroutineTest::push_next(queue, co[0], true);
  EXPECT_EQ(3u, queue->length());
  EXPECT_EQ(co[0], queue->pop());
  EXPECT_EQ(co[2], queue->pop());
  EXPECT_EQ(co[1], queue->pop());
  // But not another one that a timer has put there.
  CoroutineTest::by_timer(co[0], true);
  CoroutineTest::push_next(queue, co[0], true);
  CoroutineTest::push_next(queue, co[1], true);
  CoroutineTest::push_next(queue, co[2]);
  CoroutineTest::by_timer(co[0], false);
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(co[i], queue->pop());
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
    if ((x >> 16) % 3 == 0) {
      CoroutineTest::push_ring(own, co);     // has room: there are fewer records than slots
    } else if ((x >> 24) % 3 == 0) {
      CoroutineTest::push_next(m->queues[(x >> 20) % 4], co, (x >> 26) % 2 == 0);
    } else {
      CoroutineTest::push_inbox(m->queues[(x >> 20) % 4], co);
    }
  }
  return NULL;
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

// ---- The timer heap

// Random insertions, removals and firings against a plain array. Catches: a heap
// that loses its order or an index when something in the middle is taken out, a
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
  for (int step = 0; step < 40000; step++) {
    x = x * 1664525 + 1013904223;
    int i = (x >> 8) % N;
    switch ((x >> 24) % 4) {
      case 0:
      case 1:
        if (deadline[i] == 0) {
          deadline[i] = now + 1 + (x >> 12) % 300;         // many are equal
          CoroutineTest::insert(heap, co[i], deadline[i]);
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
  heap->fire(max_jlong - 1, queue);
  EXPECT_EQ(0, heap->size());
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
