/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADLIST_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADLIST_HPP

// Starts and ends of threads without work that grows with the number of threads.
// Upstream copies the ThreadsList at each, searches the linked list of threads, and
// looks at every thread's hazard pointer, twice for an end.
//
// Start. A ThreadsList that is made here has room at its end. A thread is appended
// in place: its entry is stored first, then the length. A reader that has loaded the
// length finds all entries below it, for ever; one that loads it again may see more
// threads, as if it had taken its ThreadsList later. When the room is used up, the
// list is copied into one of half as much again.
//
// End. A coroutine that has left JavaThread::exit stays on the list, and is
// _thread_exiting and blocked, as any exiting thread is that waits for the
// Threads_lock in Threads::remove: readers know that state. The reaper
// (coroutineSysmon.hpp) takes all of them off at once, in one pass, at intervals that
// grow with what the pass costs. When only non-daemon threads that have ended keep
// DestroyJavaVM waiting, it does not wait.
//
// Delete. After a new list is published, the threads that were taken off can only be
// reached through older lists. Upstream's free_list() keeps those that a hazard
// pointer or a nested handle names in _to_delete_list, so they are unreachable when
// that is empty; else the reaper keeps them and tries again later.
//
// Rejected: entries set to NULL in place (every reader would have to know), and
// moving the last entry into the gap (a reader in the midst of the list could miss
// a thread that is alive).

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"
#include "utilities/globalDefinitions.hpp"

class JavaThread;
class ThreadsList;

class CoroutineThreadList : AllStatic {
  enum { MinRoom = 64 };

  // The list that may be appended to, as long as it is the newest, and how many
  // entries fit into it. Guarded by the Threads_lock.
  static ThreadsList* _open;
  static uint         _capacity;

  // Coroutines that have ended and count as non-daemon threads still. Incremented by
  // ended(), decremented under the Threads_lock.
  static volatile int _ended_non_daemons;

  static ThreadsList* copy(ThreadsList* list, uint room);
  static void publish(ThreadsList* list);
  static void unlink(Coroutine* co);

 public:
  // Hook in ThreadsSMRSupport::add_thread, under the Threads_lock. False: not done.
  static bool append(JavaThread* thread);
  // After Threads::add of a coroutine, under the Threads_lock.
  static void added(Coroutine* co);

  // Hook in Threads::remove. True: the reaper will do it.
  static bool defer_remove(JavaThread* thread, bool is_daemon);

  // Hook in ThreadsList::includes: finds a coroutine without a search.
  static bool includes_at_hint(const ThreadsList* list, const JavaThread* thread);

  // A coroutine has switched away for the last time. True: DestroyJavaVM may wait
  // for just this one.
  static bool ended(Coroutine* co);

  // By the reaper: takes the coroutines of a list (linked by _next) off.
  static void remove(Coroutine* first);
  // By the reaper: is none of those that remove() has taken off reachable any more?
  static bool is_unreachable();
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADLIST_HPP
