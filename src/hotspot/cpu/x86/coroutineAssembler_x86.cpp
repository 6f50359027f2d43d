/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "asm/macroAssembler.inline.hpp"
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

#undef __
