/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINERECORDS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINERECORDS_HPP

// The memory of coroutines: each slot holds a record and the JavaThread that it is
// the coroutine of. Slots lie in chunks that are never given back, each twice as
// large as the one before; the pages of a chunk are touched as slots are used.
//
//     chunk   [ JavaThread | Coroutine ] [ JavaThread | Coroutine ] ... [ list indexes ]
//
// A slot serves one coroutine after another: the record is constructed once, the
// JavaThread for each, or renewed. So whoever has the address of a JavaThread, from a Thread
// object that may have ended meanwhile, knows without reading through it whether
// it is a coroutine's, and finds the record: LockSupport.unpark needs no hazard
// pointer and no search in the ThreadsList.
//
// The list index of a slot (coroutineThreadList.hpp) lies outside of the slot, as
// a pass over all threads would miss the cache at each of them otherwise.
//
// The JavaThread of a free slot stays, and whoever starts the next coroutine in it renews it
// (coroutineRenewal.cpp). The reaper destroys those that nobody has needed for some seconds.
//
// Rejected: a free list as a stack by CAS (ABA, as the memory is type-stable), and
// JavaThreads from malloc (a stale address could not be told from a valid one).

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"
#include "utilities/globalDefinitions.hpp"

class JavaThread;

// Records that are linked by _next, in the hands of one thread.
class CoroutineChain {
  Coroutine* _first;
  Coroutine* _last;
  int        _count;

 public:
  CoroutineChain() : _first(NULL), _last(NULL), _count(0) {}

  Coroutine* first() const             { return _first; }
  Coroutine* last() const              { return _last; }
  int        count() const             { return _count; }

  void       push(Coroutine* co);
  void       push_all(CoroutineChain* other);   // which is empty afterwards
};

class CoroutineRecords : AllStatic {
  enum {
    FirstChunk = 64,                   // slots in the first chunk: while a mark may hold a JavaThread's address, see coroutineBias.hpp, slots
                                       // are farther apart, and more threads compete for the same sets of a cache
    MaxChunks  = 19,                   // 33 million slots
    UndeadMin  = 256,                  // are kept
    TrimBatch  = 1024,
    EventAlignment = 256,              // as upstream's, which takes so much more memory for each
    EventBatch = 64                    // ParkEvents whose memory is allocated at once
  };

  struct Chunk {
    address        _start;
    size_t         _stride;
    uint           _slots;
    volatile uint* _list_index;
  };

  static Chunk        _chunks[MaxChunks];
  static volatile int _count;          // stored with release when the chunk is complete
  static uint         _used;           // slots of the last chunk that have a record; under _lock
  static volatile int _lock;
  static Coroutine*   _free_list;      // linked by _next, newest first; under _lock
  static Coroutine*   _undead_list;    // likewise, those that have a JavaThread
  static int          _undead;         // how many; under _lock
  static int          _fewest;         // how many at any time of this period; under _lock
  static int          _unused;         // to be destroyed, at most; by the reaper
  static volatile int _event_lock;
  static char*        _event_top;      // the memory of the next ParkEvent; under _event_lock
  static char*        _event_end;

  static bool grow();
  static inline const Chunk* chunk_of(const JavaThread* thread);

 public:
  // A record in ENDED, or NULL when there is no memory. It may have a JavaThread
  // that is to be renewed or destroyed.
  static Coroutine* allocate();
  static void release(Coroutine* co);
  // All of them in ENDED, and with a JavaThread.
  static void release_undead(CoroutineChain* chain);

  // By the reaper, as of CoroutineStack. trim() returns records that have a JavaThread to be
  // destroyed, linked by _next, and NULL when there is none left.
  static bool begin_period();
  static Coroutine* trim();

  // Hook in ParkEvent::operator new: for one, for ever, as ParkEvents are.
  static void* event_memory(size_t size);

  // Where the JavaThread of a record is constructed.
  static void* thread_memory(Coroutine* co);

  // The record of a JavaThread that is a coroutine's, or was; NULL of any other one.
  static Coroutine* record_of(const JavaThread* thread);

  // Its position in the newest ThreadsList, a hint. thread is a coroutine's.
  static volatile uint* list_index_of(const JavaThread* thread);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINERECORDS_HPP
