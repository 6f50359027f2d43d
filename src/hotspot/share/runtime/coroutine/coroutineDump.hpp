/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEDUMP_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEDUMP_HPP

// Coroutines in thread dumps (jstack, jcmd Thread.print, SIGQUIT). Each is printed
// below the carrier that it is mounted on or ran on last:
//
//    - Coroutine [0x00007f..] "name" #id active=A steal=S steal_fail=0 preempt=P park=M/J
//
// active: times mounted; steal: times that another carrier than the last one took
// it; steal_fail: 0, as no coroutine can refuse to be taken; preempt: times
// preempted; park: monitors/LockSupport, -1 waits, 0 free, 1 permit. State, stack
// and locks follow as for any thread.

#include "memory/allocation.hpp"

class JavaThread;
class outputStream;

class CoroutineDump : AllStatic {
  static void print_line(JavaThread* thread, outputStream* st);

 public:
  // Hook in Threads::print_on: is this thread printed below a carrier?
  static bool is_below_carrier(JavaThread* thread);
  // Hook in Threads::print_on, after a thread.
  static void print_below(JavaThread* carrier, outputStream* st, bool print_stacks);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEDUMP_HPP
