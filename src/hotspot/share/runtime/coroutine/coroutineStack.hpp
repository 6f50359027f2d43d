/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINESTACK_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINESTACK_HPP

// The stacks of coroutines.
//
//     base  (highest address, exclusive)   first frame, grows down
//       .                                  touched lazily
//     guard zones                          reserved, yellow, red: managed by
//     end   (lowest address)               JavaThread as for any thread
//
// A guard is a range of page markers (MADV_GUARD_INSTALL, Linux 6.13) where the kernel
// has them: they are no mappings, and neighbouring stacks are one mapping together, so
// vm.max_map_count is no limit. Elsewhere a guard is PROT_NONE, a mapping of its own.
//
// A stack is one private mapping without reserved swap; huge pages are refused, as
// touching one would cost 2 MB. A stack that is given back waits for the next thread with
// its guards in place, in the pool of its size:
//
//     warm   touched pages, but those of a deep stack go when that is noticed; taken newest
//            first, trimmed oldest first. Those that a thread has been given and not used are
//            among the oldest, and may be not touched
//     bare   no pages: it could not be unmapped, or was mapped together with others and
//            nobody has needed it yet
//
// The reaper trims. Stacks that nobody has needed for some seconds are unmapped, many at a
// time and neighbours at once: each unmapping interrupts every processor that runs a
// carrier, and leaves a hole between mappings where neighbouring stacks are one mapping
// together. With too many holes they lose their pages only. Where each stack takes two
// mappings, only so many wait at all. When there is no room for a new mapping, all that
// wait are unmapped at once.
//
// A new thread does not need the stack that its starter has allocated, only one of that size. So the carrier gives it, when
// it mounts it for the first time, the stack of the thread that has ended last there, which is in the cache, with
// its address translations, and that one to the pool (RecentStacks). Threads that end before the next ones begin use a few
// stacks however many have been started.
//
// Rejected: giving pages back whenever a thread ends, which took a third of the time of a
// start and an end, in interrupts of other processors; one pool for all sizes, in which a
// wave of one size hides those of another; and links in the stacks that wait, where each start
// and each end waits for a cache miss with the lock of the pools held.

#include "memory/allocation.hpp"

#include <sys/mman.h>

// Stacks of the default size, of the threads that have ended last on a run queue; by the carrier that holds it. Not in
// the pool, so they go there when the carrier goes to sleep, and, by whoever notices, when a mapping fails or a period
// of the reaper begins. _lock, which its carrier nearly always gets at once, is for these.
class RecentStacks {
  enum { Max = 64 };

  volatile int _lock;
  address      _bases[Max];            // as many as are there end before _top, modulo Max, and the others are NULL
  uint         _top;

 public:
  RecentStacks();

  bool    is_empty() const             { return _bases[(_top - 1) % Max] == NULL; }   // a hint but for its carrier
  address keep(address base);          // returns the one that had to leave, or NULL
  address take();                      // the newest; NULL: there is none
  void    release();                   // to the pool, the newest last
};

class CoroutineStack : AllStatic {
  enum {
    Sizes      = 8,                    // that have pools; stacks of further sizes do not wait
    WarmMin    = 32,                   // of each size are not trimmed
    HeavyMax   = 256,                  // wait at most, if a stack is two mappings
    TrimBatch  = 1024,
    RunMax     = 32,                   // neighbours that are unmapped with one call
    DeepBytes  = 128 * 1024,           // a stack touched so far from its base was a deep one, and
    LargeBytes = 2 * 1024 * 1024,      // one that could be larger is always looked at, and
    KeptPages  = 4,                    // keeps only these
    ShallowMax = 64,                   // after so many that were not deep in a row,
    Skipped    = 16,                   // one of so many is looked at
    HolesMax   = 8192,                 // an eighth of the usual vm.max_map_count
    MapBatch   = 16,                   // are mapped at once,
    MapBatchFrom = 64                  // when so many are mapped
  };

  // Stacks in the order in which they came. The array grows, and is never given back.
  class Bases {
    address* _slots;
    uint     _room;                    // a power of 2, or 0
    uint     _first;                   // the oldest, modulo _room
    uint     _count;

    bool grow();

   public:
    int     count() const              { return (int) _count; }
    address newest() const             { return _count > 0 ? _slots[(_first + _count - 1) & (_room - 1)] : NULL; }
    bool    push(address base);        // false: there is no memory
    bool    push_oldest(address base); // likewise
    address take_newest();             // NULL: there is none, as for the next one
    address take_oldest();
  };

  // Under _lock, but for _unused.
  struct Pool {
    size_t _size;
    Bases  _warm;
    Bases  _bare;
    int    _fewest;                    // warm ones, at any time of this period
    int    _unused;                    // to be trimmed, at most; by the reaper

    address take();                    // NULL: there is none
    int     take_oldest(address* bases, int max);
  };

  static volatile int    _lock;
  static Pool            _pools[Sizes];
  static volatile int    _unmapped;    // and not mapped again
  static volatile int    _holes;       // at most so many have come from that
  static volatile size_t _mapped;      // bytes in all stacks, pooled ones included
  static size_t          _default_size;
  static bool            _light_guards;   // guards are page markers; set once, at start

  // The protection of new ones: executable from when a library has been loaded that wants it so (see make_executable()). Written once, at a
  // safepoint or at the start
  static volatile int    _protection;

  static volatile bool   _mixed_guards;   // a guard may be PROT_NONE all the same; never reset

  static volatile int    _shallow;     // how many were not deep, since the last one that was
  static volatile int    _skipped;     // were not looked at, since the last one that was

  static Pool*   pool_of(size_t size);
  static address map(size_t size);
  static address map_batch(size_t size);
  static bool    unmap(address* bases, int count, size_t size);
  static bool    was_deep(address base, size_t size);
  static void    strip(address base, size_t size);
  static bool    unmap_idle();
  static void    release_recent();     // of all run queues
  static bool    add(address base, size_t size, int max, bool old = false);
  static int     add_bare(address first, int count, size_t size);
  static int     compare(const address* a, const address* b);
  static void    trim(address* bases, int count, size_t size);
  static bool set_guard(address low, size_t size, bool closed);
  static void protect(address base, size_t size);
  static void count_thread(bool begins);

 public:
  static void   initialize(size_t default_size);
  static size_t mapped()                       { return _mapped; }

  // The size that a thread gets: the requested one if it is not 0, else the
  // default; at least what HotSpot needs, rounded up to pages.
  static size_t size_for(size_t requested);

  // NULL when the process may not have more.
  static address allocate(size_t size);
  static void    release(address base, size_t size, RecentStacks* recent = NULL);
  // To the pool as they are. A single one, which is not touched perhaps, to its old end.
  static void    give(const address* bases, int count, size_t size);
  static void    give_back(address base, size_t size);

  // By the reaper. What has been in the pool since the last call is to be trimmed. True:
  // there is something that the next call could find.
  static bool    begin_period();
  // Trims a part; true: there is more.
  static bool    trim();

  // Hook in os::guard_memory and os::unguard_memory: a part of the current coroutine's
  // guards. False: not done, use mprotect.
  static bool    guard(char* low, size_t size, bool closed);

  // Hook in os::Linux::dll_load_in_vmthread, for each thread at a safepoint, by the VM thread: a library has been loaded, unless it is NULL,
  // without the mark that it needs no executable stack. The C library makes the stacks executable that it knows. False: that of a kernel
  // thread, whose guards may be open now.
  static bool    make_executable(JavaThread* thread, void* library);
  // When a thread that is on the list has got its stack, which may have been mapped before.
  static void    assigned(address base, size_t size)  { if (_protection & PROT_EXEC) protect(base, size); }

  // After a thread has ended with a part of its guards open.
  static void    close_guards(address base, size_t size);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESTACK_HPP
