/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEBIAS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEBIAS_HPP

// Biased locking while there are few threads.
//
// A monitor that is biased to the thread that enters it costs a few instructions; one
// that is not, two atomic ones, ten times as long. Programs of few threads that compute
// with synchronized collections and streams have that as without coroutines. But a bias
// is revoked at a safepoint that walks stacks, in bulk those of all threads, which takes
// seconds with a hundred thousand, and a JavaThread whose address a mark can hold is
// aligned so that those of all threads compete for the same sets of the CPU's cache.
//
// Two states: allowed, from the start, and forbidden, for good, before there are more than
// ThreadLimit live threads that somebody has started. (Upstream turns biased locking on when the VM is initialized,
// if it is allowed then: an agent may have started many before.) In between is one VM operation, by the thread that starts the
// one too many. It gives each class a prototype without a bias, as upstream does for
// one class whose objects go from thread to thread, and revokes what is biased and
// locked, which it finds on the stacks. An object that is biased and not locked keeps
// its mark; whoever enters it next finds the prototype and revokes the bias with a
// compare-and-swap, upstream's way after a bulk revocation. Classes that are defined
// later ask BiasedLocking::enabled().
//
// Why it is exact. A thread enters by a bias only if the prototype of the class, read
// after the mark, has the pattern too, and there is no safepoint between these reads
// and the entry. So whoever read a prototype with the pattern has entered before the
// operation, which has found the monitor on its stack. A class is added to its
// dictionary and asks enabled() without a safepoint in between.
//
// Who says -XX:+UseBiasedLocking, -XX:-UseBiasedLocking or a delay for it has chosen:
// nothing changes then. Rejected: allowed again once there are few threads (records
// that a mark cannot hold are in use by then, and compiled code that has just lost its
// biases would gain and lose them again); no biased locking at all, as before (2 ns became
// 69 in BufferedInputStream.read()); biased locking with however many threads (a quarter more
// user time in Jetty with 200).

#include "memory/allocation.hpp"
#include "runtime/globals.hpp"


class CoroutineBias : AllStatic {
  friend class VM_ForbidBias;

  static bool         _limited;     // set once, when the flags are known
  static bool         _forbidden;   // set once, at a safepoint; read in states that a safepoint waits for
  static volatile int _asked;       // 1: somebody executes the operation, or has; compare-and-swap

  static void forbid(int threads);

 public:
  enum { ThreadLimit = 64 };        // live threads, as java.lang.management counts them

  // When the flags are known, with the user's choice, or none.
  static void init(bool chosen)     { _limited = !chosen; }

  // A thread is about to start another one; in VM, without locks.
  static void starts();

  // Whether a mark may hold the address of a thread. Hook in biasedLocking.cpp: enabled(), the operation that turns it on, preserve_marks() and
  // restore_marks(), which walk the stacks of all threads in some collections; in deoptimizations, which do the same; and in Thread::Thread().
  static bool is_allowed()          { return UseBiasedLocking && !_forbidden; }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEBIAS_HPP
