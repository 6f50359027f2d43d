/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef OS_CPU_LINUX_X86_VM_COROUTINEPREFETCH_LINUX_X86_HPP
#define OS_CPU_LINUX_X86_VM_COROUTINEPREFETCH_LINUX_X86_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

// What one coroutine needs has been written by another processor as a rule: by the carrier that it has left, by who has started or
// woken it. HotSpot's Prefetch::write fetches such a line as a load does, shared, and the first store has to ask for it once
// more. This one fetches it to be written. Intel's processors before Broadwell take the instruction for none.
class CoroutinePrefetch : AllStatic {
 public:
  static void write(const volatile void* address, intx offset) {
    __asm__ volatile("prefetchw %0" : : "m" (*((const volatile char*) address + offset)));
  }
};

#endif // OS_CPU_LINUX_X86_VM_COROUTINEPREFETCH_LINUX_X86_HPP
