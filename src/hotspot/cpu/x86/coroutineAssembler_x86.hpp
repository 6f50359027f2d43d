/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef CPU_X86_VM_COROUTINEASSEMBLER_X86_HPP
#define CPU_X86_VM_COROUTINEASSEMBLER_X86_HPP

// Code that the interpreter generates differently with UseWisp2.

#include "asm/macroAssembler.hpp"
#include "memory/allocation.hpp"

class CoroutineAssembler : AllStatic {
 public:
  // The entry of an interpreted method writes to each of the 20 pages below its
  // frame to find a stack overflow early. That commits 80 KB for each coroutine
  // that ever interprets a method. Here the stack pointer is compared first, and
  // the pages are only touched where the guard zone can be near: same exceptions
  // at the same depth.
  static void bang_shadow_pages(MacroAssembler* masm, int first_page, int last_page);
};

#endif // CPU_X86_VM_COROUTINEASSEMBLER_X86_HPP
