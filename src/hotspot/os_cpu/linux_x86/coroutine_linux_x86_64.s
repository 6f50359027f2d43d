#
# Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
# Licensed under the GNU General Public License version 2 with the Classpath
# Exception; see the file LICENSE at the root of the repository.
#

# The switch between two stacks, and the first instructions of a new one.
#
# A stack that is not running looks like this; its saved sp points to the lowest
# word. Only what the System V ABI asks a callee to preserve is kept, because the
# switch is a call for the code around it: caller-saved registers, the vector
# registers and the flags are dead there. The control bits of MXCSR are kept: HotSpot
# runs Java code with the same ones in all threads, but a native method may leave others to
# its caller, or a library that is loaded (-ffast-math), and that is a matter of its thread.
# They seldom differ, and are only loaded if they do; the flags of exceptions that have
# occurred are nobody's. The x87 control word is not switched.
#
#     saved sp + 56   return address     coroutine_start on a new stack
#              + 48   rbp                0 on a new stack (end of the frame chain)
#              + 40   rbx                the Coroutine* on a new stack
#              + 32   r12
#              + 24   r13
#              + 16   r14
#              +  8   r15                the JavaThread* of compiled Java code
#              +  0   MXCSR              as at the start of a thread on a new stack
#
# Thread::current() changes together with the stack pointer. A signal handler
# that runs between the two stores sees the new thread with the old stack: both
# threads are in a safe state with a walkable anchor then, so a profiler takes
# the anchor, and nothing in between can fault.
#
# Rejected: saving the stack pointer in a jmp_buf (glibc mangles it), and letting
# C++ set Thread::current() (the compiler may keep the address of a thread-local
# variable across the switch, see coroutineHooks.hpp).

        .text

        # void coroutine_switch(intptr_t** save_sp, intptr_t* new_sp, Thread* next)
        #                       rdi                 rsi               rdx
        .globl coroutine_switch
        .type  coroutine_switch,@function
        .p2align 4
coroutine_switch:
        .cfi_startproc
        pushq   %rbp                    # keep what the caller wants back
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        movl    (%rsp), %ecx
        movq    %rsp, (%rdi)            # this stack can be resumed from here on
        movq    _ZN6Thread12_thr_currentE@gottpoff(%rip), %rax
        movq    %rdx, %fs:(%rax)        # Thread::current() = next
        movq    %rsi, %rsp              # the other stack
        xorl    (%rsp), %ecx
        testl   $0xffc0, %ecx
        jnz     2f
1:      addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret                             # behind its call, or to coroutine_start
        .cfi_adjust_cfa_offset 56
2:      ldmxcsr (%rsp)
        jmp     1b
        .cfi_endproc
        .size coroutine_switch, .-coroutine_switch

        # Where a new stack begins. The switch has popped eight words, so rsp is
        # a multiple of 16 here, and 8 more than one when coroutine_entry begins,
        # as the ABI demands; aligned vector spills crash otherwise.
        .globl coroutine_start
        .type  coroutine_start,@function
        .p2align 4
coroutine_start:
        .cfi_startproc
        .cfi_undefined rip              # debuggers stop unwinding here
        movq    %rbx, %rdi              # the Coroutine*
        call    coroutine_entry         # never returns
        hlt
        .cfi_endproc
        .size coroutine_start, .-coroutine_start

        .section .note.GNU-stack,"",@progbits
