/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"
#include "services/memTracker.hpp"
#include "utilities/align.hpp"

#include <sys/utsname.h>

volatile int          CoroutineStack::_lock = 0;
CoroutineStack::Pool  CoroutineStack::_pools[CoroutineStack::Sizes];
volatile int          CoroutineStack::_unmapped = 0;
volatile int          CoroutineStack::_holes = 0;
volatile size_t       CoroutineStack::_mapped = 0;
size_t                CoroutineStack::_default_size = 0;
bool                  CoroutineStack::_light_guards = false;
volatile int          CoroutineStack::_protection = PROT_READ | PROT_WRITE;
volatile bool         CoroutineStack::_mixed_guards = false;
volatile int          CoroutineStack::_shallow = 0;
volatile int          CoroutineStack::_skipped = 0;

// ---- Guards

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#define MADV_GUARD_REMOVE  103
#endif

void CoroutineStack::initialize(size_t default_size) {
  _default_size = default_size;
  if (os::Linux::_stack_is_executable) {
    _protection |= PROT_EXEC;          // an agent's library wants it
  }
  size_t page = os::vm_page_size();
  void* probe = ::mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe != MAP_FAILED) {
    // Emulators take any advice they do not know for a hint, and do nothing; the kernel can write there then.
    _light_guards = ::madvise(probe, page, MADV_GUARD_INSTALL) == 0 && ::uname((struct utsname*) probe) != 0;
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
    const bool removed = ::madvise(low, size, MADV_GUARD_REMOVE) == 0;
    if (!_mixed_guards) {
      return removed;
    }
  }
  return ::mprotect(low, size, closed ? PROT_NONE : _protection) == 0;
}

bool CoroutineStack::guard(char* low, size_t size, bool closed) {
  Coroutine* co = _light_guards ? Coroutine::current() : NULL;
  return co != NULL && co->thread()->on_local_stack((address) low) && set_guard((address) low, size, closed);
}

// ---- Executable stacks

// All of it where guards are markers, which are no matter of protection, so that neighbours stay one mapping. Where the kernel refuses
// it the stack is as it was, which only matters to code that is on it.
void CoroutineStack::protect(address base, size_t size) {
  const size_t guards = _light_guards && !_mixed_guards ? 0 : JavaThread::stack_guard_zone_size();
  ::mprotect(base - size + guards, size - guards, _protection);
}

// A thread that is not on the list yet finds the flag when it has its stack. One that gets another stack meanwhile, as it is mounted for the first
// time, looks at the flag behind that and a fence; here it is written first, and then each thread's stack is read. A thread that has ended
// has none; one that ends meanwhile gives its stack to the pool.
bool CoroutineStack::make_executable(JavaThread* thread, void* library) {
  const bool loaded = library != NULL || !LoadExecStackDllInVMThread;
  if (loaded) {
    _protection |= PROT_EXEC;
    OrderAccess::fence();              // partner: CoroutineThread::prepare_stack()
  }
  if (thread->coroutine() == NULL) {
    return false;
  }
  if (loaded && thread->stack_size() != 0) {
    protect(thread->stack_base(), thread->stack_size());
  }
  return true;
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

// Several at once, with one change of the mappings instead of many: each waits until no carrier
// handles a page fault. The caller gets the first one, and the others wait as bare ones. Not
// while there are holes, which only single ones fill. NULL: a single one may be possible.
address CoroutineStack::map_batch(size_t size) {
  if (!_light_guards || MemTracker::tracking_level() >= NMT_summary || size != size_for(0) || _holes > 0 ||
      _mapped < MapBatchFrom * size) {
    return NULL;
  }
  char* low = (char*) ::mmap(NULL, MapBatch * size, _protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (low == MAP_FAILED) {
    return NULL;
  }
  ::madvise(low, MapBatch * size, MADV_NOHUGEPAGE);
  int count = 0;
  while (count < MapBatch && set_guard((address) low + count * size, JavaThread::stack_guard_zone_size(), true)) {
    count++;
  }
  if (count < MapBatch) {
    ::munmap(low + count * size, (MapBatch - count) * size);
  }
  if (count == 0) {
    return NULL;
  }
  Atomic::add(count * size, &_mapped);
  address base = (address) low + size;
  for (int i = 1 + add_bare(base + size, count - 1, size); i < count; i++) {
    address rest = base + i * size;
    unmap(&rest, 1, size);
  }
  return base;
}

address CoroutineStack::map(size_t size) {
  void* end = ::mmap(NULL, size, _protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (end == MAP_FAILED) {
    return NULL;
  }
  ::madvise(end, size, MADV_NOHUGEPAGE);
  if (!set_guard((address) end, JavaThread::stack_guard_zone_size(), true)) {
    ::munmap(end, size);               // too many mappings
    return NULL;
  }
  MemTracker::record_virtual_memory_reserve((address) end, size, CALLER_PC, mtThreadStack);
  Atomic::add(size, &_mapped);
  if (_unmapped > 0) {                 // each hole is at least one stack; about, as are both numbers
    int left = MAX2(Atomic::add(-1, &_unmapped), 0);
    if (_holes > left) {
      _holes = left;
    }
  }
  return (address) end + size;
}

// Neighbours, lowest first; a single one with native memory tracking.
bool CoroutineStack::unmap(address* bases, int count, size_t size) {
  address low = bases[0] - size;
  if (MemTracker::tracking_level() >= NMT_summary) {
    Tracker tracker(Tracker::release);
    if (::munmap(low, size) != 0) {
      return false;
    }
    tracker.record(low, size);
  } else if (::munmap(low, count * size) != 0) {   // too many mappings
    return false;
  }
  Atomic::sub(count * size, &_mapped);
  Atomic::add(count, &_unmapped);
  Atomic::inc(&_holes);
  return true;
}

address CoroutineStack::allocate(size_t size) {
  Thread::SpinAcquire(&_lock, "CoroutineStack - allocate");
  Pool* pool = pool_of(size);
  address base = pool != NULL ? pool->take() : NULL;
  Thread::SpinRelease(&_lock);
  if (base == NULL && pool != NULL) {
    base = map_batch(size);
  }
  if (base == NULL) {
    base = map(size);
    if (base == NULL && unmap_idle()) {
      base = map(size);
    }
  }
  if (base != NULL) {
    count_thread(true);
  }
  return base;
}

void CoroutineStack::close_guards(address base, size_t size) {
  if (!set_guard(base - size, JavaThread::stack_guard_zone_size(), true)) {
    vm_exit_out_of_memory(JavaThread::stack_guard_zone_size(), OOM_MPROTECT_ERROR, "guards of a coroutine's stack");
  }
}

// To ask the kernel costs as much as a start. While none is found, it is asked about one of
// so many, but always about larger ones than usual; the counts are hints, which carriers
// change without a lock.
bool CoroutineStack::was_deep(address base, size_t size) {
  int shallow = _shallow;
  if (shallow >= ShallowMax && size <= size_for(0) && size <= LargeBytes) {
    int skipped = _skipped + 1;
    _skipped = skipped % Skipped;
    if (skipped != Skipped) {
      return false;
    }
  }
  unsigned char touched = 0;
  bool deep = ::mincore(base - DeepBytes, os::vm_page_size(), &touched) == 0 && (touched & 1) != 0;
  _shallow = deep ? 0 : MIN2(shallow + 1, (int) ShallowMax);
  return deep;
}

void CoroutineStack::release(address base, size_t size, RecentStacks* recent) {
  count_thread(false);
  if (size > 2 * DeepBytes && was_deep(base, size)) {
    strip(base - KeptPages * os::vm_page_size(), size - KeptPages * os::vm_page_size());
  }
  if (recent != NULL && size == size_for(0)) {
    base = recent->keep(base);
  }
  if (base != NULL) {
    give(&base, 1, size);
  }
}

void CoroutineStack::give(const address* bases, int count, size_t size) {
  const int max = _light_guards ? max_jint : (int) HeavyMax;
  int added = 0;
  Thread::SpinAcquire(&_lock, "CoroutineStack - give");
  Pool* pool = pool_of(size);
  while (pool != NULL && added < count && pool->_warm.count() < max && pool->_warm.push(bases[added])) {
    added++;
  }
  Thread::SpinRelease(&_lock);
  for (int i = added; i < count; i++) {
    address base = bases[i];
    if (!unmap(&base, 1, size)) {
      add(base, size, max_jint);
    }
  }
}

void CoroutineStack::give_back(address base, size_t size) {
  if (!add(base, size, _light_guards ? max_jint : (int) HeavyMax, true) && !unmap(&base, 1, size)) {
    add(base, size, max_jint, true);
  }
}

// To its pool, if not more than so many wait there. One that can neither wait nor be unmapped,
// as there are too many sizes and too many mappings, is lost.
bool CoroutineStack::add(address base, size_t size, int max, bool old) {
  Thread::SpinAcquire(&_lock, "CoroutineStack - add");
  Pool* pool = pool_of(size);
  bool added = pool != NULL && pool->_warm.count() < max && (old ? pool->_warm.push_oldest(base) : pool->_warm.push(base));
  Thread::SpinRelease(&_lock);
  return added;
}

// Gives the pages below base back, but for the guards, which may be none of the kernel's.
void CoroutineStack::strip(address base, size_t size) {
  size_t guards = JavaThread::stack_guard_zone_size();
  ::madvise(base - size + guards, size - guards, MADV_DONTNEED);
}

// ---- The latest

RecentStacks::RecentStacks() : _lock(0), _top(0) {
  for (int i = 0; i < Max; i++) {
    _bases[i] = NULL;
  }
}

address RecentStacks::keep(address base) {
  Thread::SpinAcquire(&_lock, "RecentStacks - keep");
  address* slot = &_bases[_top++ % Max];
  address oldest = *slot;
  *slot = base;
  Thread::SpinRelease(&_lock);
  return oldest;
}

address RecentStacks::take() {
  if (is_empty()) {
    return NULL;
  }
  Thread::SpinAcquire(&_lock, "RecentStacks - take");
  address* slot = &_bases[(_top - 1) % Max];
  address base = *slot;
  if (base != NULL) {
    *slot = NULL;
    _top--;
  }
  Thread::SpinRelease(&_lock);
  return base;
}

void RecentStacks::release() {
  if (is_empty()) {
    return;
  }
  address bases[Max];
  int count = 0;
  Thread::SpinAcquire(&_lock, "RecentStacks - release");
  for (uint i = 0; i < Max; i++) {
    address* slot = &_bases[(_top + i) % Max];
    if (*slot != NULL) {
      bases[count++] = *slot;
      *slot = NULL;
    }
  }
  Thread::SpinRelease(&_lock);
  CoroutineStack::give(bases, count, CoroutineStack::size_for(0));
}

// ---- The pools

bool CoroutineStack::Bases::grow() {
  uint room = _room == 0 ? (uint) WarmMin : 2 * _room;
  address* slots = NEW_C_HEAP_ARRAY_RETURN_NULL(address, room, mtThread);
  if (slots == NULL) {
    return false;
  }
  for (uint i = 0; i < _count; i++) {
    slots[i] = _slots[(_first + i) & (_room - 1)];
  }
  if (_slots != NULL) {
    FREE_C_HEAP_ARRAY(address, _slots);
  }
  _slots = slots;
  _room = room;
  _first = 0;
  return true;
}

bool CoroutineStack::Bases::push(address base) {
  if (_count == _room && !grow()) {
    return false;
  }
  _slots[(_first + _count) & (_room - 1)] = base;
  _count++;
  return true;
}

bool CoroutineStack::Bases::push_oldest(address base) {
  if (_count == _room && !grow()) {
    return false;
  }
  _first = (_first - 1) & (_room - 1);
  _slots[_first] = base;
  _count++;
  return true;
}

address CoroutineStack::Bases::take_newest() {
  address base = newest();
  if (base != NULL) {
    _count--;
  }
  return base;
}

address CoroutineStack::Bases::take_oldest() {
  if (_count == 0) {
    return NULL;
  }
  address base = _slots[_first];
  _first = (_first + 1) & (_room - 1);
  _count--;
  return base;
}

address CoroutineStack::Pool::take() {
  address base = _warm.take_newest();
  if (base != NULL) {
    _fewest = MIN2(_fewest, _warm.count());
    return base;
  }
  return _bare.take_newest();
}

int CoroutineStack::Pool::take_oldest(address* bases, int max) {
  int n = 0;
  while (n < max && (bases[n] = _warm.take_oldest()) != NULL) {
    n++;
  }
  _fewest = MIN2(_fewest, _warm.count());
  return n;
}

// Under _lock. NULL: there are too many sizes.
CoroutineStack::Pool* CoroutineStack::pool_of(size_t size) {
  Pool* empty = NULL;
  for (int i = 0; i < Sizes; i++) {
    Pool* pool = &_pools[i];
    if (pool->_size == size) {
      return pool;
    }
    if (empty == NULL && pool->_warm.count() == 0 && pool->_bare.count() == 0) {
      empty = pool;
    }
  }
  if (empty != NULL) {
    empty->_size = size;
    empty->_fewest = 0;
  }
  return empty;
}

void CoroutineStack::release_recent() {
  for (int i = 0; i < CoroutineScheduler::count(); i++) {
    CoroutineScheduler::queue(i)->recent_stacks()->release();
  }
}

// ---- Trimming

bool CoroutineStack::begin_period() {
  bool any = false;
  release_recent();
  Thread::SpinAcquire(&_lock, "CoroutineStack - trim");
  for (int i = 0; i < Sizes; i++) {
    Pool* pool = &_pools[i];
    pool->_unused = pool->_fewest - WarmMin;
    pool->_fewest = pool->_warm.count();
    any = any || pool->_warm.count() > WarmMin;
  }
  Thread::SpinRelease(&_lock);
  return any;
}

bool CoroutineStack::trim() {
  address bases[TrimBatch];
  bool more = false;
  for (int i = 0; i < Sizes && !more; i++) {
    Pool* pool = &_pools[i];
    if (pool->_unused > 0) {
      Thread::SpinAcquire(&_lock, "CoroutineStack - trim");
      // What has been taken meanwhile was in use after all.
      int count = pool->take_oldest(bases, MAX2(MIN3(pool->_unused, (int) TrimBatch, pool->_warm.count() - WarmMin), 0));
      size_t size = pool->_size;
      Thread::SpinRelease(&_lock);
      pool->_unused = count > 0 ? pool->_unused - count : 0;
      trim(bases, count, size);
      more = true;
    }
  }
  return more;
}

int CoroutineStack::compare(const address* a, const address* b) {
  return *a < *b ? -1 : 1;
}

// The stacks are the caller's.
void CoroutineStack::trim(address* bases, int count, size_t size) {
  const int run = MemTracker::tracking_level() >= NMT_summary ? 1 : (int) RunMax;
  qsort(bases, count, sizeof(address), (int (*)(const void*, const void*)) compare);
  for (int from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && to - from < run && bases[to] - size == bases[to - 1]; to++) {}
    if ((_light_guards && _holes >= HolesMax) || !unmap(&bases[from], to - from, size)) {
      for (int i = from; i < to; i++) {
        strip(bases[i], size);
        add_bare(bases[i], 1, size);   // or it is lost
      }
    }
  }
}

// Of neighbours, the lowest first; how many could be added. There may be too many sizes, or no memory.
int CoroutineStack::add_bare(address first, int count, size_t size) {
  int added = 0;
  Thread::SpinAcquire(&_lock, "CoroutineStack - add bare");
  Pool* pool = pool_of(size);
  while (pool != NULL && added < count && pool->_bare.push(first + added * size)) {
    added++;
  }
  Thread::SpinRelease(&_lock);
  return added;
}

// There is no room for a mapping. True: there may be now.
bool CoroutineStack::unmap_idle() {
  int unmapped = 0;
  release_recent();
  for (int i = 0; i < Sizes; i++) {
    for (;;) {
      Thread::SpinAcquire(&_lock, "CoroutineStack - unmap");
      size_t size = _pools[i]._size;
      address base = _pools[i].take();
      Thread::SpinRelease(&_lock);
      if (base == NULL) {
        break;
      }
      if (!unmap(&base, 1, size)) {
        add(base, size, max_jint);
        break;
      }
      unmapped++;
    }
  }
  return unmapped > 0;
}
