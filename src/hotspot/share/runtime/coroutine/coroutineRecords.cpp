/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "oops/markOop.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineBias.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"
#include "services/memTracker.hpp"
#include "utilities/align.hpp"
#include OS_CPU_HEADER(coroutinePrefetch)

#include <sys/mman.h>

CoroutineRecords::Chunk CoroutineRecords::_chunks[CoroutineRecords::MaxChunks];
volatile int            CoroutineRecords::_count = 0;
uint                    CoroutineRecords::_used = 0;
volatile int            CoroutineRecords::_lock = 0;
Coroutine*              CoroutineRecords::_free_list = NULL;
Coroutine*              CoroutineRecords::_undead_list = NULL;
int                     CoroutineRecords::_undead = 0;
int                     CoroutineRecords::_fewest = 0;
int                     CoroutineRecords::_unused = 0;
volatile int            CoroutineRecords::_event_lock = 0;
char*                   CoroutineRecords::_event_top = NULL;
char*                   CoroutineRecords::_event_end = NULL;

static const size_t RecordOffset = (sizeof(JavaThread) + DEFAULT_CACHE_LINE_SIZE - 1) / DEFAULT_CACHE_LINE_SIZE *
                                   DEFAULT_CACHE_LINE_SIZE;

static Coroutine* record_at(address slot) {
  return (Coroutine*) (slot + RecordOffset);
}

void CoroutineChain::push(Coroutine* co) {
  co->_next = _first;
  _first = co;
  _last = _last != NULL ? _last : co;
  _count++;
}

void CoroutineChain::push_all(CoroutineChain* other) {
  if (other->_last != NULL) {
    other->_last->_next = _first;
    _first = other->_first;
    _last = _last != NULL ? _last : other->_last;
    _count += other->_count;
    *other = CoroutineChain();
  }
}

// Under _lock.
bool CoroutineRecords::grow() {
  if (_count == MaxChunks) {
    return false;
  }
  size_t alignment = CoroutineBias::is_allowed() ? (size_t) markOopDesc::biased_lock_alignment : (size_t) DEFAULT_CACHE_LINE_SIZE;
  size_t stride = align_up(RecordOffset + sizeof(Coroutine), alignment);
  uint slots = (uint) FirstChunk << _count;
  size_t size = align_up(slots * (stride + sizeof(uint)), os::vm_page_size());
  void* start = ::mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    return false;
  }
  MemTracker::record_virtual_memory_reserve_and_commit((address) start, size, CALLER_PC, mtThread);
  Chunk* chunk = &_chunks[_count];
  chunk->_start = (address) start;
  chunk->_stride = stride;
  chunk->_slots = slots;
  chunk->_list_index = (volatile uint*) ((address) start + slots * stride);
  _used = 0;
  OrderAccess::release_store(&_count, _count + 1);   // partner: chunk_of()
  return true;
}

Coroutine* CoroutineRecords::allocate() {
  Thread::SpinAcquire(&_lock, "CoroutineRecords - allocate");
  Coroutine* co = _undead_list;
  bool fresh = false;
  if (co != NULL) {
    _undead_list = co->_next;
    _undead--;
    _fewest = MIN2(_fewest, _undead);
  } else if (_free_list != NULL) {
    co = _free_list;
    _free_list = co->_next;
  } else if ((_count > 0 && _used < _chunks[_count - 1]._slots) || grow()) {
    co = record_at(_chunks[_count - 1]._start + _used * _chunks[_count - 1]._stride);
    _used++;
    fresh = true;
  }
  Coroutine* next = _undead_list;
  Thread::SpinRelease(&_lock);
  if (fresh) {
    ::new ((void*) co) Coroutine();    // the first touch, perhaps of a page
  }
  if (next != NULL) {
    // As with stacks.
    CoroutinePrefetch::write(next, 0);
    CoroutinePrefetch::write(thread_memory(next), 0);
  }
  return co;
}

void CoroutineRecords::release(Coroutine* co) {
  Thread::SpinAcquire(&_lock, "CoroutineRecords - release");
  Coroutine** list = co->_thread != NULL ? &_undead_list : &_free_list;
  _undead += co->_thread != NULL ? 1 : 0;
  co->_next = *list;
  *list = co;
  Thread::SpinRelease(&_lock);
}

void CoroutineRecords::release_undead(CoroutineChain* chain) {
  if (chain->last() != NULL) {
    Thread::SpinAcquire(&_lock, "CoroutineRecords - release");
    chain->last()->_next = _undead_list;
    _undead_list = chain->first();
    _undead += chain->count();
    Thread::SpinRelease(&_lock);
    *chain = CoroutineChain();
  }
}

bool CoroutineRecords::begin_period() {
  Thread::SpinAcquire(&_lock, "CoroutineRecords - trim");
  _unused = _fewest - UndeadMin;
  _fewest = _undead;
  Thread::SpinRelease(&_lock);
  return _fewest > UndeadMin;
}

Coroutine* CoroutineRecords::trim() {
  Coroutine* first = NULL;
  if (_unused > 0) {
    Thread::SpinAcquire(&_lock, "CoroutineRecords - trim");
    int count = MIN3(_unused, (int) TrimBatch, _undead - UndeadMin);
    for (int i = 0; i < count; i++) {
      Coroutine* co = _undead_list;
      _undead_list = co->_next;
      co->_next = first;
      first = co;
    }
    _undead -= MAX2(count, 0);
    _fewest = MIN2(_fewest, _undead);
    Thread::SpinRelease(&_lock);
    _unused = count > 0 ? _unused - count : 0;
  }
  return first;
}

// Each thread has four.
void* CoroutineRecords::event_memory(size_t size) {
  size = align_up(size, (size_t) EventAlignment);
  Thread::SpinAcquire(&_event_lock, "CoroutineRecords - event");
  if ((size_t) (_event_end - _event_top) < size) {
    char* memory = NEW_C_HEAP_ARRAY(char, EventBatch * size + EventAlignment, mtInternal);
    _event_top = align_up(memory, (size_t) EventAlignment);
    _event_end = _event_top + EventBatch * size;
  }
  void* event = _event_top;
  _event_top += size;
  Thread::SpinRelease(&_event_lock);
  return event;
}

void* CoroutineRecords::thread_memory(Coroutine* co) {
  return (address) co - RecordOffset;
}

inline const CoroutineRecords::Chunk* CoroutineRecords::chunk_of(const JavaThread* thread) {
  for (int i = OrderAccess::load_acquire(&_count) - 1; i >= 0; i--) {
    const Chunk* chunk = &_chunks[i];
    if ((address) thread >= chunk->_start && (address) thread < chunk->_start + chunk->_slots * chunk->_stride) {
      return chunk;
    }
  }
  return NULL;
}

Coroutine* CoroutineRecords::record_of(const JavaThread* thread) {
  return chunk_of(thread) != NULL ? record_at((address) thread) : NULL;
}

volatile uint* CoroutineRecords::list_index_of(const JavaThread* thread) {
  const Chunk* chunk = chunk_of(thread);
  return chunk == NULL ? NULL : &chunk->_list_index[((address) thread - chunk->_start) / chunk->_stride];
}
