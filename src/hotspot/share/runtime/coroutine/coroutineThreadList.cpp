/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineThreadList.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.inline.hpp"
#include "services/threadIdTable.hpp"
#include "services/threadService.hpp"
#include "utilities/events.hpp"

ThreadsList* CoroutineThreadList::_open = NULL;
uint         CoroutineThreadList::_capacity = 0;
volatile int CoroutineThreadList::_ended_non_daemons = 0;

static const uint Removed = max_juint;

// ---- Lists

// All but those that are marked as removed; _open from now on.
ThreadsList* CoroutineThreadList::copy(ThreadsList* list, uint room) {
  uint capacity = list->length() + room;
  ThreadsList* result = new ThreadsList(capacity);
  JavaThread** entries = (JavaThread**) result->_threads;
  uint n = 0;
  for (uint i = 0; i < list->length(); i++) {
    JavaThread* thread = list->thread_at(i);
    volatile uint* index = CoroutineRecords::list_index_of(thread);
    if (index != NULL) {
      if (*index == Removed) {
        continue;
      }
      *index = n;
    }
    entries[n++] = thread;
  }
  memset(&entries[n], 0, (capacity + 1 - n) * sizeof(JavaThread*));
  result->_length = n;
  _open = result;
  _capacity = capacity;
  return result;
}

void CoroutineThreadList::publish(ThreadsList* list) {
  if (EnableThreadSMRStatistics) {
    ThreadsSMRSupport::_java_thread_list_alloc_cnt++;
  }
  ThreadsSMRSupport::free_list(Atomic::xchg(list, &ThreadsSMRSupport::_java_thread_list));
}

bool CoroutineThreadList::append(JavaThread* thread) {
  assert_locked_or_safepoint(Threads_lock);
  ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
  bool full = list != _open || list->length() == _capacity;
  if (full) {
    list = copy(list, list->length() / 2 + MinRoom);
  }
  uint n = list->_length;
  volatile uint* index = CoroutineRecords::list_index_of(thread);
  if (index != NULL) {
    *index = n;
  }
  *(JavaThread**) &list->_threads[n] = thread;
  OrderAccess::release_store(&list->_length, n + 1);
  if (full) {
    publish(list);
  }
  if (EnableThreadSMRStatistics) {
    ThreadsSMRSupport::_java_thread_list_max = MAX2(ThreadsSMRSupport::_java_thread_list_max, n + 1);
  }
  if (ThreadIdTable::is_initialized()) {
    ThreadIdTable::add_thread(SharedRuntime::get_java_tid(thread), thread);
  }
  return true;
}

bool CoroutineThreadList::includes_at_hint(const ThreadsList* list, const JavaThread* thread) {
  volatile uint* index = CoroutineRecords::list_index_of(thread);
  uint i = index != NULL ? *index : Removed;
  return i < list->length() && list->thread_at(i) == thread;
}

// ---- The linked list: a record knows the thread above its own, as long as that is
// a coroutine's. Where it is not, the list is searched from its head.

void CoroutineThreadList::added(Coroutine* co) {
  co->_above = NULL;
  JavaThread* below = co->_thread->next();
  Coroutine* record = CoroutineRecords::record_of(below);
  if (record != NULL) {
    record->_above = co->_thread;
  }
}

void CoroutineThreadList::unlink(Coroutine* co) {
  JavaThread* thread = co->_thread;
  JavaThread* below = thread->next();
  JavaThread* above = co->_above;
  if (Threads::_thread_list == thread) {
    above = NULL;
    Threads::_thread_list = below;
  } else {
    if (above == NULL || above->next() != thread) {
      above = Threads::_thread_list;
      while (above->next() != thread) {
        above = above->next();
      }
    }
    above->set_next(below);
  }
  thread->set_next(NULL);
  Coroutine* record = CoroutineRecords::record_of(below);
  if (record != NULL) {
    record->_above = CoroutineRecords::record_of(above) != NULL ? above : NULL;
  }
}

// ---- Ends

bool CoroutineThreadList::defer_remove(JavaThread* thread, bool is_daemon) {
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return false;
  }
  co->_daemon = is_daemon;
  co->_exited = true;
  return true;
}

bool CoroutineThreadList::ended(Coroutine* co) {
  if (co->_daemon) {
    return false;
  }
  int ended = Atomic::add(1, &_ended_non_daemons);
  return Threads::number_of_non_daemon_threads() - ended <= 1;
}

void CoroutineThreadList::remove(Coroutine* first) {
  // No safepoint check: the reaper is not a Java thread. No safepoint is in progress
  // while it owns this lock.
  {
    MutexLockerEx ml(Threads_lock, Mutex::_no_safepoint_check_flag);
    int count = 0;
    int non_daemons = 0;
    for (Coroutine* co = first; co != NULL; co = co->_next) {
      JavaThread* thread = co->_thread;
      *CoroutineRecords::list_index_of(thread) = Removed;
      unlink(co);
      ThreadService::remove_thread(thread, co->_daemon);
      if (ThreadIdTable::is_initialized()) {
        ThreadIdTable::remove_thread(co->_thread_id);
      }
      thread->set_terminated_value();
      count++;
      non_daemons += co->_daemon ? 0 : 1;
    }
    Threads::_number_of_threads -= count;
    Threads::_number_of_non_daemon_threads -= non_daemons;
    Atomic::sub(non_daemons, &_ended_non_daemons);
    if (non_daemons > 0 && Threads::number_of_non_daemon_threads() == 1) {
      Threads_lock->notify_all();      // DestroyJavaVM waits
    }
    ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
    publish(copy(list, list->length() / 2 + MinRoom));
  }
  for (Coroutine* co = first; co != NULL; co = co->_next) {
    Events::log(co->_thread, "Thread exited: " INTPTR_FORMAT, p2i(co->_thread));
  }
}

bool CoroutineThreadList::is_unreachable() {
  MutexLockerEx ml(Threads_lock, Mutex::_no_safepoint_check_flag);
  if (ThreadsSMRSupport::_to_delete_list != NULL) {
    // Looks at the hazard pointers once more.
    ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
    publish(copy(list, list->length() / 2 + MinRoom));
  }
  return ThreadsSMRSupport::_to_delete_list == NULL;
}
