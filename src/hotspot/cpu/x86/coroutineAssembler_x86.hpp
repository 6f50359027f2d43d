/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef CPU_X86_VM_COROUTINEASSEMBLER_X86_HPP
#define CPU_X86_VM_COROUTINEASSEMBLER_X86_HPP

// Code that is generated differently with UseWisp2.

#include "asm/macroAssembler.hpp"
#include "memory/allocation.hpp"

class BufferBlob;

class CoroutineAssembler : AllStatic {
 public:
  // The entry of an interpreted method writes to each of the 20 pages below its
  // frame to find a stack overflow early. That commits 80 KB for each coroutine
  // that ever interprets a method. Here the stack pointer is compared first, and
  // the pages are only touched where the guard zone can be near: same exceptions
  // at the same depth.
  static void bang_shadow_pages(MacroAssembler* masm, int first_page, int last_page);

  // An entry in front of the function of a native method, which gets its arguments as they are: unless
  // the thread is an OS thread, or a coroutine that is bound, bind(JNIEnv*) is called first (coroutineAffinity.hpp).
  enum { BindingEntrySize = 512 };
  static address generate_binding_entry(BufferBlob* blob, ByteSize coroutine, ByteSize bound, address bind, address function);

  // The same around a function whose arguments are in the registers for integers, and whose result, if any, is an integer:
  // begin(JNIEnv*, kind) is called before it, and end(JNIEnv*, kind) after it (coroutineCalls.hpp).
  enum { CallEntrySize = 256 };
  static address generate_call_entry(BufferBlob* blob, address begin, address end, int kind, address function);
};

#endif // CPU_X86_VM_COROUTINEASSEMBLER_X86_HPP
