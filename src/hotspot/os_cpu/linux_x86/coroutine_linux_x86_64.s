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
# registers and the flags are dead there. MXCSR and the x87 control word are not
# switched: HotSpot runs all Java threads with the same ones.
#
#     saved sp + 48   return address     coroutine_start on a new stack
#              + 40   rbp                0 on a new stack (end of the frame chain)
#              + 32   rbx                the Coroutine* on a new stack
#              + 24   r12
#              + 16   r13
#              +  8   r14
#              +  0   r15                the JavaThread* of compiled Java code
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
        movq    %rsp, (%rdi)            # this stack can be resumed from here on
        movq    _ZN6Thread12_thr_currentE@gottpoff(%rip), %rax
        movq    %rdx, %fs:(%rax)        # Thread::current() = next
        movq    %rsi, %rsp              # the other stack
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
        .cfi_endproc
        .size coroutine_switch, .-coroutine_switch

        # Where a new stack begins. The switch has popped seven words, so rsp is
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
