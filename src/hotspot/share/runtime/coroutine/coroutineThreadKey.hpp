/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADKEY_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADKEY_HPP

// The thread-specific key of libjvm (ThreadLocalStorage). With the flag the VM itself reads Thread::_thr_current only, but
// profilers look for the thread that a signal has interrupted by this key, which they find by its value, and would take the
// frames of a carrier for those of its coroutine, and its fields to leave a mark in. So it changes with each switch.
//
//   carrier, as long as it lives -> thread of the coroutine before it is switched to -> carrier before its own stack goes on
//
// By the OS thread itself, just before the switch; a signal that comes between the two sees what it sees within one: the next
// thread, which has an anchor that can be walked, with the stack of the one before. At the end of an OS thread it is the carrier's, as its
// destructor expects.
//
// The function is the C library's own, by its address: profilers replace the one that libjvm has imported, as a thread
// of theirs begins where the key is set, and ends where it is cleared.
//
// Rejected: a patch of ThreadLocalStorage for the number of the key, which is looked for here as others do.

#include "memory/allocation.hpp"

#include <pthread.h>

class Thread;

class CoroutineThreadKey : AllStatic {
  typedef int (*Set)(pthread_key_t key, const void* value);

  static Set           _set;           // before there is a carrier, as the next; NULL: there is no such key
  static pthread_key_t _key;

 public:
  static void initialize();            // by a thread of the VM
  static void set(const Thread* thread) {
    if (_set != NULL) {
      _set(_key, thread);
    }
  }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADKEY_HPP
