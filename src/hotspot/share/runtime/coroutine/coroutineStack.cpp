/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"
#include "services/memTracker.hpp"
#include "utilities/align.hpp"

#include <sys/mman.h>

volatile int          CoroutineStack::_lock = 0;
CoroutineStack::Entry* CoroutineStack::_pool = NULL;
int                   CoroutineStack::_pool_slots = 0;
volatile int          CoroutineStack::_holes = 0;
int                   CoroutineStack::_pooled = 0;
volatile size_t       CoroutineStack::_mapped = 0;
size_t                CoroutineStack::_default_size = 0;
bool                  CoroutineStack::_light_guards = false;
volatile bool         CoroutineStack::_mixed_guards = false;

// ---- Guards

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#define MADV_GUARD_REMOVE  103
#endif

void CoroutineStack::initialize(size_t default_size) {
  _default_size = default_size;
  size_t page = os::vm_page_size();
  void* probe = ::mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe != MAP_FAILED) {
    _light_guards = ::madvise(probe, page, MADV_GUARD_INSTALL) == 0;
    ::munmap(probe, page);
  }
  log_info(wisp)("stack guards: %s", _light_guards ? "page markers, which need no mapping of their own" :
                 "two mappings for each stack; vm.max_map_count limits the number of threads");
}

bool CoroutineStack::set_guard(address low, size_t size, bool closed) {
  if (_light_guards && closed) {
    if (::madvise(low, size, MADV_GUARD_INSTALL) == 0 ||
        // Not on locked memory, and somebody may have called mlockall.
        (::munlock(low, size) == 0 && ::madvise(low, size, MADV_GUARD_INSTALL) == 0)) {
      return true;
    }
    _mixed_guards = true;
  } else if (_light_guards) {
    if (::madvise(low, size, MADV_GUARD_REMOVE) != 0 || !_mixed_guards) {
      return !_mixed_guards;
    }
  }
  return ::mprotect(low, size, closed ? PROT_NONE : PROT_READ | PROT_WRITE) == 0;
}

bool CoroutineStack::guard(char* low, size_t size, bool closed) {
  Coroutine* co = _light_guards ? Coroutine::current() : NULL;
  return co != NULL && co->thread()->on_local_stack((address) low) && set_guard((address) low, size, closed);
}

// ---- Stacks

// Native memory tracking sees coroutine stacks as thread stacks: reserved when they are
// mapped; what is committed, it asks the kernel when somebody looks. Its number of threads
// is a count of allocations of 0 bytes; stacks in the pool are nobody's.
void CoroutineStack::count_thread(bool begins) {
  if (MemTracker::tracking_level() >= NMT_summary) {
    if (begins) {
      MallocMemorySummary::record_malloc(0, mtThreadStack);
    } else {
      MallocMemorySummary::record_free(0, mtThreadStack);
    }
  }
}

size_t CoroutineStack::size_for(size_t requested) {
  size_t size = requested != 0 ? requested : _default_size;
  return align_up(os::Posix::get_initial_stack_size(os::java_thread, size), os::vm_page_size());
}

address CoroutineStack::allocate(size_t size) {
  address base = NULL;
  Thread::SpinAcquire(&_lock, "CoroutineStack - allocate");
  for (int i = _pooled - 1; i >= MAX2(_pooled - (int) PoolMax, 0); i--) {
    if (_pool[i].size == size) {
      base = _pool[i].base;
      _pool[i] = _pool[--_pooled];
      break;
    }
  }
  Thread::SpinRelease(&_lock);
  if (base != NULL) {
    count_thread(true);
    return base;
  }
  void* end = ::mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (end == MAP_FAILED) {
    return NULL;
  }
  ::madvise(end, size, MADV_NOHUGEPAGE);
  if (!set_guard((address) end, JavaThread::stack_guard_zone_size(), true)) {
    ::munmap(end, size);               // too many mappings
    return NULL;
  }
  MemTracker::record_virtual_memory_reserve((address) end, size, CALLER_PC, mtThreadStack);
  count_thread(true);
  Atomic::add(size, &_mapped);
  if (_holes > 0) {
    Atomic::dec(&_holes);              // a hint: the mapping has probably filled one
  }
  return (address) end + size;
}

void CoroutineStack::close_guards(address base, size_t size) {
  if (!set_guard(base - size, JavaThread::stack_guard_zone_size(), true)) {
    vm_exit_out_of_memory(JavaThread::stack_guard_zone_size(), OOM_MPROTECT_ERROR, "guards of a coroutine's stack");
  }
}

void CoroutineStack::release(address base, size_t size) {
  address end = base - size;
  count_thread(false);
  size_t kept = KeptPages * os::vm_page_size() + JavaThread::stack_guard_zone_size();
  if (_pooled >= WarmMax && size > kept) {
    address low = end + JavaThread::stack_guard_zone_size();
    ::madvise(low, size - kept, MADV_DONTNEED);
  }
  bool pooled = false;
  Thread::SpinAcquire(&_lock, "CoroutineStack - release");
  if (_pooled < PoolMax || (_light_guards && _holes >= HolesMax)) {
    pool(base, size);
    pooled = true;
  }
  Thread::SpinRelease(&_lock);
  if (pooled) {
    return;
  }
  Tracker tracker(Tracker::release);
  if (::munmap(end, size) == 0) {
    tracker.record(end, size);
    Atomic::sub(size, &_mapped);
    Atomic::inc(&_holes);
  } else {                             // too many mappings
    Thread::SpinAcquire(&_lock, "CoroutineStack - release");
    pool(base, size);
    Thread::SpinRelease(&_lock);
  }
}

// Under _lock.
void CoroutineStack::pool(address base, size_t size) {
  if (_pooled == _pool_slots) {
    int slots = MAX2(_pool_slots * 2, (int) PoolMax);
    _pool = REALLOC_C_HEAP_ARRAY(Entry, _pool, slots, mtThread);
    _pool_slots = slots;
  }
  _pool[_pooled].base = base;
  _pool[_pooled].size = size;
  _pooled++;
}
