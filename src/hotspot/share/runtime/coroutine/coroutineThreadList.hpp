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
// (coroutineReaper.hpp) takes all of them off with one new list, at intervals that grow
// with what that costs, and gives the lock back between parts of the work. In the meantime
// their list index says that they are removed, while the list names them still. When only non-daemon threads that have ended keep
// DestroyJavaVM waiting, it does not wait.
//
// Free. Lists are numbered; a record knows the first and the last list that names its
// thread. Upstream's free_list() keeps a list that a hazard pointer or a nested handle
// names in _to_delete_list. A record is free when none of the lists there is one of its
// own; one without a number may be.
//
// Search. A thread is found by its id in a table of coroutines; upstream's ThreadIdTable
// looks at every thread, for its own memory reclamation, whenever an entry is removed,
// and is not used.
//
// Rejected: entries set to NULL in place (every reader would have to know), and
// moving the last entry into the gap (a reader in the midst of the list could miss
// a thread that is alive).

#include "memory/allocation.hpp"
#include "oops/oopsHierarchy.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"
#include "utilities/globalDefinitions.hpp"

class CoroutineChain;
class JavaThread;
class ThreadsList;

class CoroutineThreadList : AllStatic {
  enum { MinRoom = 64, FirstIdSlots = 256, Part = 512, NearAhead = 4, FarAhead = 8 };

  static uint         _newest;         // number of the newest list; guarded by the Threads_lock

  // The table by id: chains of records. The lock is held for a few loads, or while
  // the table grows.
  static Coroutine**  _ids;
  static uint         _id_slots;       // a power of 2
  static uint         _id_count;
  static volatile int _id_lock;

  // Coroutines that have ended and count as non-daemon threads still. Incremented by
  // ended(), decremented under the Threads_lock.
  static volatile int _ended_non_daemons;

  static ThreadsList* copy(ThreadsList* list, uint room, bool remove);
  static void publish(ThreadsList* list);
  static uint number_of(ThreadsList* list);
  static bool is_reachable(Coroutine* co);
  static void set_above(JavaThread* thread, JavaThread* above);
  static void unlink(Coroutine* co);
  static void remove_id(Coroutine* co);
  static void fetch_links(const Coroutine* co);
  static void fetch_ends(const Coroutine* co);

 public:
  // Into the table by id, under the Threads_lock.
  static void add_id(Coroutine* co);

  // Hook in ThreadsSMRSupport::add_thread, under the Threads_lock. False: not done.
  static bool append(JavaThread* thread);
  // Hook in ThreadsSMRSupport::remove_thread, of kernel threads, and of who destroys the VM, under the Threads_lock.
  static void removed(JavaThread* thread);

  // Hook in Threads::remove. True: the reaper will do it, as for all but the one that destroys the VM.
  static bool defer_remove(JavaThread* thread, bool is_daemon);

  // Hook in ThreadsList::includes: finds a coroutine without a search.
  static bool includes_at_hint(const ThreadsList* list, const JavaThread* thread);

  // Hook in JavaThread::oops_do and nmethods_do, which are called for all threads one after the other while the VM is stopped. Of a
  // hundred thousand that wait next to nothing is in the cache, and each frame says only where the next one is. This fetches what
  // will be read of those that come soon.
  static void fetch_ahead(const JavaThread* thread);

  // Hook in ThreadsList::find_JavaThread_from_java_tid.
  static JavaThread* find(const ThreadsList* list, jlong id);

  // Hook in GetThreadGroupChildren: large groups keep threads that have ended (EndedThreads.java).
  static bool has_ended(oop thread_object);

  // A coroutine has switched away for the last time. True: no non-daemon thread is
  // left but those that wait for the reaper.
  static bool ended(Coroutine* co);

  // By the reaper: takes the coroutines of a list (linked by _next) off, and adds them to
  // removed. How long it has held the Threads_lock for a new ThreadsList, in nanoseconds: that
  // depends on how many threads there are, and the rest on how many it takes off.
  static jlong remove(Coroutine* first, CoroutineChain* removed);
  // By the reaper: divides those that remove() has taken off into the ones that can
  // be reached still, which are left in kept, and free ones, which are added to free.
  static void take_unreachable(CoroutineChain* kept, CoroutineChain* free);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREADLIST_HPP
