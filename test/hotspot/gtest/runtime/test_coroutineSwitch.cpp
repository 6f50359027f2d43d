/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The switch between stacks, with every callee-saved register, and the control bits of MXCSR.

#include "precompiled.hpp"

#if defined(LINUX) && defined(AMD64)

#include "runtime/thread.inline.hpp"
#include "unittest.hpp"

#include <xmmintrin.h>

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
  __attribute__((visibility("hidden"))) uint32_t  test_coroutine_start_mxcsr;
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
  "  stmxcsr test_coroutine_start_mxcsr(%rip)\n"
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
  intptr_t* sp = top - 8;
  const char* names[] = { "r15", "r14", "r13", "r12", "rbx", "rbp" };
  const uint32_t flags = 0x3f;               // of exceptions: not kept
  const uint32_t mxcsr = _mm_getcsr() & ~flags;
  const uint32_t to_zero = mxcsr | 0xe040;   // rounds toward zero, denormals are zero
  sp[0] = mxcsr;
  for (int i = 0; i < 6; i++) {
    sp[1 + i] = 0x100 + i;
  }
  sp[7] = (intptr_t) &test_coroutine_other_start;

  Thread* self = Thread::current();
  test_coroutine_other_sp = sp;
  test_coroutine_main_thread = self;
  test_coroutine_other_changed = 0;
  test_coroutine_rounds = 0;

  _mm_setcsr(to_zero);
  for (int round = 1; round <= 10000; round++) {
    ASSERT_EQ(0, test_coroutine_main_side(self)) << "registers changed for the caller, round " << round;
    ASSERT_EQ(0, test_coroutine_other_changed) << "registers changed for the other stack, round " << round;
    ASSERT_EQ(round, test_coroutine_rounds) << "the other side ran";
    ASSERT_EQ(self, test_coroutine_seen_thread) << "current thread on the other stack";
    ASSERT_EQ(self, Thread::current()) << "current thread after the switch back";
    ASSERT_TRUE(test_coroutine_other_sp >= stack && test_coroutine_other_sp < top) << "saved sp of the other stack";
    ASSERT_EQ(to_zero, _mm_getcsr() & ~flags) << "MXCSR of the caller, round " << round;
  }
  _mm_setcsr(mxcsr);
  EXPECT_EQ(mxcsr, test_coroutine_start_mxcsr & ~flags) << "MXCSR at the start of a new stack";
  for (int i = 0; i < 6; i++) {
    EXPECT_EQ(0x100 + i, test_coroutine_start_registers[i]) << names[i] << " at the start of a new stack";
  }
  EXPECT_EQ((intptr_t) top, test_coroutine_start_registers[6]) << "rsp at the start of a new stack";
}

#endif // LINUX && AMD64
