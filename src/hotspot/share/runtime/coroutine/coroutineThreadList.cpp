/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineThreadList.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.inline.hpp"
#include "services/threadService.hpp"
#include "utilities/events.hpp"
#include OS_CPU_HEADER(coroutinePrefetch)

uint         CoroutineThreadList::_newest = 0;
Coroutine**  CoroutineThreadList::_ids = NULL;
uint         CoroutineThreadList::_id_slots = 0;
uint         CoroutineThreadList::_id_count = 0;
volatile int CoroutineThreadList::_id_lock = 0;
volatile int CoroutineThreadList::_ended_non_daemons = 0;

static const uint Removed = max_juint;

// ---- Lists

// Without those that are marked as removed, if so wanted.
ThreadsList* CoroutineThreadList::copy(ThreadsList* list, uint room, bool remove) {
  uint capacity = list->length() + room;
  ThreadsList* result = new ThreadsList(capacity);
  JavaThread** entries = (JavaThread**) result->_threads;
  uint n = 0;
  for (uint i = 0; i < list->length(); i++) {
    JavaThread* thread = list->thread_at(i);
    volatile uint* index = CoroutineRecords::list_index_of(thread);
    if (index != NULL) {
      if (*index != Removed) {
        *index = n;
      } else if (remove) {
        continue;
      }
    }
    entries[n++] = thread;
  }
  memset(&entries[n], 0, (capacity + 1 - n) * sizeof(JavaThread*));
  result->_length = n;
  result->_capacity.set(capacity);
  result->_number.set(++_newest);
  return result;
}

void CoroutineThreadList::publish(ThreadsList* list) {
  if (EnableThreadSMRStatistics) {
    ThreadsSMRSupport::_java_thread_list_alloc_cnt++;
  }
  ThreadsSMRSupport::free_list(Atomic::xchg(list, &ThreadsSMRSupport::_java_thread_list));
}

// Of the newest list: one that upstream has made since gets its number now.
uint CoroutineThreadList::number_of(ThreadsList* list) {
  if (list->_number.get() == 0) {
    list->_number.set(++_newest);
  }
  return list->_number.get();
}

bool CoroutineThreadList::append(JavaThread* thread) {
  assert_locked_or_safepoint(Threads_lock);
  ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
  bool full = list->length() >= list->_capacity.get();
  if (full) {
    list = copy(list, list->length() / 2 + MinRoom, false);
  }
  uint n = list->_length;
  volatile uint* index = CoroutineRecords::list_index_of(thread);
  if (index != NULL) {
    *index = n;
    thread->coroutine()->_first_list = list->_number.get();
  }
  *(JavaThread**) &list->_threads[n] = thread;
  OrderAccess::release_store(&list->_length, n + 1);
  set_above(thread->next(), thread);
  if (full) {
    publish(list);
  }
  if (EnableThreadSMRStatistics) {
    ThreadsSMRSupport::_java_thread_list_max = MAX2(ThreadsSMRSupport::_java_thread_list_max, n + 1);
  }
  return true;
}

bool CoroutineThreadList::includes_at_hint(const ThreadsList* list, const JavaThread* thread) {
  volatile uint* index = CoroutineRecords::list_index_of(thread);
  uint i = index != NULL ? *index : Removed;
  return i < list->length() && list->thread_at(i) == thread;
}

// By the VM thread and those who work for it. It has the Threads_lock until they are done, so the list stays as it is, and
// so do the threads on it. An index may be off by some after a kernel thread has been taken off.
void CoroutineThreadList::fetch_ahead(const JavaThread* thread) {
  volatile uint* index = CoroutineRecords::list_index_of(thread);
  if (index == NULL || !SafepointSynchronize::is_at_safepoint()) {
    return;
  }
  const ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
  uint i = *index, length = list->length();
  if (length > FarAhead && i < length - FarAhead) {
    Coroutine::prefetch_roots(list->thread_at(i + FarAhead));
    Coroutine::prefetch_frames(list->thread_at(i + NearAhead));
  }
}

// ---- By id

void CoroutineThreadList::add_id(Coroutine* co) {
  Thread::SpinAcquire(&_id_lock, "CoroutineThreadList - add id");
  if (_id_count >= _id_slots) {
    uint slots = _id_slots == 0 ? (uint) FirstIdSlots : _id_slots * 2;
    Coroutine** ids = NEW_C_HEAP_ARRAY(Coroutine*, slots, mtThread);
    memset(ids, 0, slots * sizeof(Coroutine*));
    for (uint i = 0; i < _id_slots; i++) {
      for (Coroutine* c = _ids[i]; c != NULL; ) {
        Coroutine* next = c->_id_next;
        Coroutine** slot = &ids[(uint) c->_thread_id & (slots - 1)];
        c->_id_next = *slot;
        *slot = c;
        c = next;
      }
    }
    if (_ids != NULL) {
      FREE_C_HEAP_ARRAY(Coroutine*, _ids);
    }
    _ids = ids;
    _id_slots = slots;
  }
  Coroutine** slot = &_ids[(uint) co->_thread_id & (_id_slots - 1)];
  co->_id_next = *slot;
  *slot = co;
  _id_count++;
  Thread::SpinRelease(&_id_lock);
}

void CoroutineThreadList::remove_id(Coroutine* co) {
  Thread::SpinAcquire(&_id_lock, "CoroutineThreadList - remove id");
  Coroutine** link = &_ids[(uint) co->_thread_id & (_id_slots - 1)];
  while (*link != co) {
    link = &(*link)->_id_next;
  }
  *link = co->_id_next;
  _id_count--;
  Thread::SpinRelease(&_id_lock);
}

// If the caller's list names the thread when the table does, the thread stays. A slot
// that is in use again, for a thread appended to the same list, has another id.
JavaThread* CoroutineThreadList::find(const ThreadsList* list, jlong id) {
  Coroutine* co = NULL;
  if (_id_slots != 0) {
    Thread::SpinAcquire(&_id_lock, "CoroutineThreadList - find");
    co = _ids[(uint) id & (_id_slots - 1)];
    while (co != NULL && co->_thread_id != id) {
      co = co->_id_next;
    }
    Thread::SpinRelease(&_id_lock);
  }
  if (co != NULL) {
    JavaThread* thread = co->_thread;
    return list->includes(thread) && co->_thread_id == id && !thread->is_exiting() ? thread : NULL;
  }
  for (uint i = 0; i < list->length(); i++) {
    JavaThread* thread = list->thread_at(i);
    if (CoroutineRecords::record_of(thread) == NULL) {
      oop object = thread->threadObj();
      if (object != NULL && java_lang_Thread::thread_id(object) == id) {
        return thread->is_exiting() ? NULL : thread;
      }
    }
  }
  return NULL;
}

// ---- The linked list: a record knows the thread above its own. That of the topmost is
// not used; one below a kernel thread that has ended does not know, and is searched for.

void CoroutineThreadList::set_above(JavaThread* thread, JavaThread* above) {
  Coroutine* co = CoroutineRecords::record_of(thread);
  if (co != NULL) {
    co->_above = above;
  }
}

void CoroutineThreadList::removed(JavaThread* thread) {
  assert_locked_or_safepoint(Threads_lock);
  set_above(thread->next(), NULL);
}

void CoroutineThreadList::unlink(Coroutine* co) {
  JavaThread* thread = co->_thread;
  JavaThread* below = thread->next();
  JavaThread* above = NULL;
  if (Threads::_thread_list == thread) {
    Threads::_thread_list = below;
  } else {
    above = co->_above;
    if (above == NULL) {
      above = Threads::_thread_list;
      while (above->next() != thread) {
        above = above->next();
      }
    }
    guarantee(above->next() == thread, "not the one above");
    above->set_next(below);
  }
  thread->set_next(NULL);
  set_above(below, above);
}

// ---- Ends

bool CoroutineThreadList::defer_remove(JavaThread* thread, bool is_daemon) {
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return false;
  }
  if (co->_destroys_vm) {              // goes on in the VM, and the last safepoint must not wait for it
    remove_id(co);
    return false;
  }
  co->_daemon = is_daemon;
  co->_exited = true;
  return true;
}

bool CoroutineThreadList::has_ended(oop thread_object) {
  return java_lang_Thread::get_thread_status(thread_object) == java_lang_Thread::TERMINATED;
}

bool CoroutineThreadList::ended(Coroutine* co) {
  if (co->_daemon) {
    return false;
  }
  int ended = Atomic::add(1, &_ended_non_daemons);
  return Threads::number_of_non_daemon_threads() - ended <= 1;
}

// Records and threads of ended coroutines are seldom in the cache, and whoever starts a
// thread waits for the Threads_lock. So those of the next part are fetched before it is
// taken. Threads and records of coroutines are type-stable, what is read of them here is a
// hint, and of others only the address is used.
void CoroutineThreadList::fetch_links(const Coroutine* co) {
  for (int i = 0; i < Part && co != NULL; i++) {
    JavaThread* thread = co->_thread;
    Coroutine* next = co->_next;
    if (next != NULL) {
      CoroutinePrefetch::write(next, 0);
      CoroutinePrefetch::write(&next->_id_next, 0);
      CoroutinePrefetch::write(CoroutineRecords::thread_memory(next), sizeof(Thread));   // next()
    }
    Coroutine* below = CoroutineRecords::record_of(thread->next());
    if (below != NULL) {
      CoroutinePrefetch::write(&below->_above, 0);
    }
    CoroutinePrefetch::write(co->_above, sizeof(Thread));
    CoroutinePrefetch::write(&_ids[(uint) co->_thread_id & (_id_slots - 1)], 0);
    co = next;
  }
}

void CoroutineThreadList::fetch_ends(const Coroutine* co) {
  for (int i = 0; i < Part && co != NULL; i++) {
    Coroutine* next = co->_next;
    if (next != NULL) {
      JavaThread* thread = (JavaThread*) CoroutineRecords::thread_memory(next);
      CoroutinePrefetch::write(next, 0);
      CoroutinePrefetch::write(&next->_daemon, 0);
      CoroutinePrefetch::write(&next->_last_list, 0);
      CoroutinePrefetch::write(thread, 0);                                               // for virtual calls
      CoroutinePrefetch::write(thread, in_bytes(Thread::tlab_start_offset()));
      CoroutinePrefetch::write(thread, in_bytes(Thread::allocated_bytes_offset()));
      CoroutinePrefetch::write(thread, in_bytes(JavaThread::thread_state_offset()));     // _terminated
    }
    co = next;
  }
}

// The threads leave the linked list and the table in parts, then the ThreadsList, all of
// them at once with the number of threads, which a safepoint compares; and then their
// counts and states follow. In this order, as upstream: who takes the older list adds up
// what is on it. Until then they are what they were before, threads that exit.
jlong CoroutineThreadList::remove(Coroutine* first, CoroutineChain* removed) {
  // No safepoint check: the reaper is not a Java thread. No safepoint is in progress
  // while it owns this lock.
  CoroutineChain batch;
  int non_daemons = 0;
  for (Coroutine* co = first; co != NULL; ) {
    fetch_links(co);
    MutexLockerEx ml(Threads_lock, Mutex::_no_safepoint_check_flag);
    for (int i = 0; i < Part && co != NULL; i++) {
      Coroutine* next = co->_next;
      *CoroutineRecords::list_index_of(co->_thread) = Removed;
      unlink(co);
      remove_id(co);
      non_daemons += co->_daemon ? 0 : 1;
      batch.push(co);
      co = next;
    }
  }
  uint last;
  jlong copying;
  {
    MutexLockerEx ml(Threads_lock, Mutex::_no_safepoint_check_flag);
    jlong start = os::javaTimeNanos();
    ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
    last = number_of(list);
    publish(copy(list, list->length() / 2 + MinRoom, true));
    Threads::_number_of_threads -= batch.count();
    copying = os::javaTimeNanos() - start;
  }
  int left = batch.count();
  for (Coroutine* co = batch.first(); co != NULL; ) {
    fetch_ends(co);
    MutexLockerEx ml(Threads_lock, Mutex::_no_safepoint_check_flag);
    for (int i = 0; i < Part && co != NULL; i++, left--) {
      co->_last_list = last;
      ThreadService::remove_thread(co->_thread, co->_daemon);
      co->_thread->set_terminated_value();
      co->_state = Coroutine::ENDED;
      if (left <= (int) LogEventsBufferEntries) {   // the log keeps only so many
        Events::log(co->_thread, "Thread exited: " INTPTR_FORMAT, p2i(co->_thread));
      }
      co = co->_next;
    }
    if (co == NULL) {
      Threads::_number_of_non_daemon_threads -= non_daemons;
      Atomic::sub(non_daemons, &_ended_non_daemons);
      if (non_daemons > 0 && Threads::number_of_non_daemon_threads() == 1) {
        Threads_lock->notify_all();      // DestroyJavaVM waits
      }
    }
  }
  removed->push_all(&batch);
  return copying;
}

bool CoroutineThreadList::is_reachable(Coroutine* co) {
  for (ThreadsList* list = ThreadsSMRSupport::_to_delete_list; list != NULL; list = list->next_list()) {
    uint number = list->_number.get();
    if (number == 0 || number - co->_first_list <= co->_last_list - co->_first_list) {   // they start again after 4 billion
      return true;
    }
  }
  return false;
}

void CoroutineThreadList::take_unreachable(CoroutineChain* kept, CoroutineChain* free) {
  MutexLockerEx ml(Threads_lock, Mutex::_no_safepoint_check_flag);
  for (int look = 0; look < 2 && kept->first() != NULL; look++) {
    if (look == 1) {
      // Look at the hazard pointers once more.
      ThreadsList* list = ThreadsSMRSupport::get_java_thread_list();
      number_of(list);
      publish(copy(list, list->length() / 2 + MinRoom, false));
    }
    if (ThreadsSMRSupport::_to_delete_list == NULL) {
      free->push_all(kept);
      break;
    }
    CoroutineChain reachable;
    for (Coroutine* co = kept->first(); co != NULL; ) {
      Coroutine* next = co->_next;
      (is_reachable(co) ? &reachable : free)->push(co);
      co = next;
    }
    *kept = reachable;
  }
}
