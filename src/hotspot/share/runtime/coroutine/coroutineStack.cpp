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
CoroutineStack::Pool  CoroutineStack::_warm;
CoroutineStack::Pool  CoroutineStack::_bare;
int                   CoroutineStack::_fewest = 0;
int                   CoroutineStack::_unused = 0;
volatile int          CoroutineStack::_unmapped = 0;
volatile int          CoroutineStack::_holes = 0;
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

void CoroutineStack::Pool::add(address base, size_t size) {
  if (_last == _slots) {
    if (_first > _slots / 2) {
      memmove(_entries, &_entries[_first], count() * sizeof(Entry));
      _last = count();
      _first = 0;
    } else {
      _slots = MAX2(_slots * 2, (int) Search);
      _entries = REALLOC_C_HEAP_ARRAY(Entry, _entries, _slots, mtThread);
    }
  }
  _entries[_last].base = base;
  _entries[_last].size = size;
  _last++;
}

address CoroutineStack::Pool::take(size_t size) {
  for (int i = _last - 1; i >= MAX2(_last - (int) Search, _first); i--) {
    if (_entries[i].size == size) {
      address base = _entries[i].base;
      _entries[i] = _entries[--_last];
      return base;
    }
  }
  return NULL;
}

int CoroutineStack::Pool::take_oldest(Entry* to, int max) {
  int n = MIN2(max, count());
  memcpy(to, &_entries[_first], n * sizeof(Entry));
  _first += n;
  return n;
}

address CoroutineStack::allocate(size_t size) {
  Thread::SpinAcquire(&_lock, "CoroutineStack - allocate");
  address base = _warm.take(size);
  if (base == NULL) {
    base = _bare.take(size);
  }
  _fewest = MIN2(_fewest, _warm.count());
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
  if (_unmapped > 0 && Atomic::add(-1, &_unmapped) <= 0) {
    _unmapped = _holes = 0;            // about: all have been mapped again
  }
  return (address) end + size;
}

void CoroutineStack::close_guards(address base, size_t size) {
  if (!set_guard(base - size, JavaThread::stack_guard_zone_size(), true)) {
    vm_exit_out_of_memory(JavaThread::stack_guard_zone_size(), OOM_MPROTECT_ERROR, "guards of a coroutine's stack");
  }
}

void CoroutineStack::release(address base, size_t size) {
  count_thread(false);
  Thread::SpinAcquire(&_lock, "CoroutineStack - release");
  _warm.add(base, size);
  Thread::SpinRelease(&_lock);
}

// ---- Trimming

bool CoroutineStack::begin_period() {
  Thread::SpinAcquire(&_lock, "CoroutineStack - trim");
  _unused = _fewest - WarmMax;
  _fewest = _warm.count();
  Thread::SpinRelease(&_lock);
  return _fewest > WarmMax;
}

bool CoroutineStack::trim() {
  if (_unused <= 0) {
    return false;
  }
  Entry entries[TrimBatch];
  Thread::SpinAcquire(&_lock, "CoroutineStack - trim");
  // What has been taken meanwhile was in use after all.
  int count = _warm.take_oldest(entries, MAX2(MIN3(_unused, (int) TrimBatch, _warm.count() - WarmMax), 0));
  _fewest = MIN2(_fewest, _warm.count());
  Thread::SpinRelease(&_lock);
  _unused = count > 0 ? _unused - count : 0;
  trim(entries, count);
  return _unused > 0;
}

int CoroutineStack::compare(const Entry* a, const Entry* b) {
  return a->base < b->base ? -1 : 1;
}

void CoroutineStack::trim(Entry* entries, int count) {
  qsort(entries, count, sizeof(Entry), (int (*)(const void*, const void*)) compare);
  for (int from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && entries[to].low() == entries[to - 1].base; to++) {}
    if (unmap(&entries[from], to - from)) {
      continue;
    }
    size_t guards = JavaThread::stack_guard_zone_size();
    for (int i = from; i < to; i++) {
      ::madvise(entries[i].low() + guards, entries[i].size - guards, MADV_DONTNEED);
      Thread::SpinAcquire(&_lock, "CoroutineStack - trim");
      _bare.add(entries[i].base, entries[i].size);
      Thread::SpinRelease(&_lock);
    }
  }
}

// Of neighbours.
bool CoroutineStack::unmap(const Entry* entries, int count) {
  if (_light_guards && _holes >= HolesMax) {
    return false;
  }
  address low = entries[0].low();
  size_t size = entries[count - 1].base - low;
  Tracker tracker(Tracker::release);
  if (::munmap(low, size) != 0) {      // too many mappings
    return false;
  }
  for (int i = 0; i < count; i++) {
    tracker.record(entries[i].low(), entries[i].size);
  }
  Atomic::sub(size, &_mapped);
  Atomic::add(count, &_unmapped);
  Atomic::inc(&_holes);
  return true;
}
