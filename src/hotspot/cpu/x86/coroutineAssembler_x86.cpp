/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "asm/macroAssembler.inline.hpp"
#include "code/codeBlob.hpp"
#include "coroutineAssembler_x86.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.hpp"

#define __ masm->

// rscratch1 is free at method entry. The limit is the end of the stack plus the
// size of the shadow zone, so below it there is room for the zone and more.
void CoroutineAssembler::bang_shadow_pages(MacroAssembler* masm, int first_page, int last_page) {
  int page_size = os::vm_page_size();
  Label far_from_guards;
  __ lea(rscratch1, Address(rsp, -last_page * page_size));
  __ cmpptr(rscratch1, Address(r15_thread, JavaThread::stack_overflow_limit_offset()));
  __ jcc(Assembler::above, far_from_guards);
  for (int page = first_page; page <= last_page; page++) {
    __ bang_stack_with_offset(page * page_size);
  }
  __ bind(far_from_guards);
}

// The first argument is the JNIEnv, a part of the JavaThread. All registers that can hold an argument are kept; at the entry
// the stack is aligned but for the return address. Absolute addresses: code in a blob has no relocations.
address CoroutineAssembler::generate_binding_entry(BufferBlob* blob, ByteSize coroutine, ByteSize bound, address bind,
                                                   address function) {
  CodeBuffer buffer(blob);
  MacroAssembler assembler(&buffer);
  MacroAssembler* masm = &assembler;
  address entry = __ pc();
  Label go_on;
  __ movptr(rscratch1, Address(c_rarg0, in_bytes(coroutine) - in_bytes(JavaThread::jni_environment_offset())));
  __ testptr(rscratch1, rscratch1);
  __ jcc(Assembler::zero, go_on);
  __ cmpb(Address(rscratch1, in_bytes(bound)), 0);
  __ jcc(Assembler::notEqual, go_on);
  __ push(rbp);
  __ push_CPU_state();
  __ mov64(rscratch1, (int64_t) bind);
  __ call(rscratch1);
  __ pop_CPU_state();
  __ pop(rbp);
  __ bind(go_on);
  __ mov64(rscratch1, (int64_t) function);
  __ jmp(rscratch1);
  __ flush();
  return entry;
}

// At the entry the stack is aligned but for the return address.
address CoroutineAssembler::generate_call_entry(BufferBlob* blob, address begin, address end, int kind, address function) {
  CodeBuffer buffer(blob);
  MacroAssembler assembler(&buffer);
  MacroAssembler* masm = &assembler;
  address entry = __ pc();
  __ push(rbx);                        // kept by callees: the JNIEnv
  __ push(c_rarg1);
  __ push(c_rarg2);
  __ push(c_rarg3);
  __ push(c_rarg4);
  __ push(c_rarg5);
  __ subptr(rsp, wordSize);
  __ movptr(rbx, c_rarg0);
  __ movl(c_rarg1, kind);
  __ mov64(rax, (int64_t) begin);
  __ call(rax);
  __ addptr(rsp, wordSize);
  __ pop(c_rarg5);
  __ pop(c_rarg4);
  __ pop(c_rarg3);
  __ pop(c_rarg2);
  __ pop(c_rarg1);
  __ movptr(c_rarg0, rbx);
  __ mov64(rax, (int64_t) function);
  __ call(rax);
  __ push(rax);
  __ subptr(rsp, wordSize);
  __ movptr(c_rarg0, rbx);
  __ movl(c_rarg1, kind);
  __ mov64(rax, (int64_t) end);
  __ call(rax);
  __ addptr(rsp, wordSize);
  __ pop(rax);
  __ pop(rbx);
  __ ret(0);
  __ flush();
  return entry;
}

#undef __
