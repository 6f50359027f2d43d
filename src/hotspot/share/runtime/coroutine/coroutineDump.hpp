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
//      java.lang.Thread.State: RUNNABLE
//      Coroutine: parked: read, fd 17
//
// active: times mounted; steal: times that another carrier than the last one took
// it; steal_fail: 0, as no coroutine can refuse to be taken; preempt: times
// preempted; park: monitors/LockSupport, -1 waits, 0 free, 1 permit. What it does or
// waits for (coroutineReport.hpp), stack and locks follow.
//
// A dump is made at a safepoint, but carriers are in a safe state while they switch, and
// sysmon hands queues over: a coroutine can change its carrier in the middle of a dump.
// So each one is assigned to a carrier once, at the beginning, or it could be printed
// twice or not at all. Below a carrier the one that it runs comes first, then those that
// wait for a carrier, then the others. Those whose queue waits for a carrier come last.

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineReport.hpp"

class ConcurrentLocksDump;
class JavaThread;
class outputStream;

class CoroutineDump : public StackObj {
  struct Entry {
    JavaThread* thread;
    JavaThread* carrier;               // NULL: none
    int         rank;
    int         order;
  };

  Entry*               _entries;       // sorted by carrier, rank and order
  int                  _count;
  CoroutineReport      _report;
  ConcurrentLocksDump* _locks;         // NULL: not asked for
  outputStream*        _st;
  bool                 _stacks;
  bool                 _extended;

  static int compare(const Entry* a, const Entry* b);
  void collect();
  void print_line(JavaThread* thread);
  void print_all_of(JavaThread* carrier);

 public:
  // The hooks in Threads::print_on: before the first thread, after each, after the last.
  CoroutineDump(outputStream* st, bool stacks, bool extended);
  ~CoroutineDump();
  void set_locks(ConcurrentLocksDump* locks)  { _locks = locks; }
  bool prints(JavaThread* thread) const;  // is it printed by this object?
  void print_below(JavaThread* carrier)   { if (_count > 0) print_all_of(carrier); }
  void print_rest();
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEDUMP_HPP
