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
// touching one would cost 2 MB. A stack that is given back waits for the next thread, with
// its guards in place and its pages touched:
//
//     _warm   touched pages; taken newest first, trimmed oldest first
//     _bare   without pages, as they cannot be unmapped
//
// The reaper trims. Stacks that nobody has needed for some seconds are unmapped, many at a
// time and neighbours at once: each unmapping interrupts every processor that runs a
// carrier, and leaves a hole between mappings where neighbouring stacks are one mapping
// together. With too many holes they lose their pages only.
//
// Rejected: giving pages back when a thread ends, which took a third of the time of a
// start and an end, in interrupts of other processors.

#include "memory/allocation.hpp"

class CoroutineStack : AllStatic {
  enum {
    WarmMax   = 32,                    // are not trimmed
    Search    = 256,                   // for one of the right size, among so many
    TrimBatch = 1024,
    HolesMax  = 8192                   // an eighth of the usual vm.max_map_count
  };
  struct Entry {
    address base;
    size_t  size;

    address low() const                { return base - size; }
  };

  // Under _lock.
  class Pool {
    Entry* _entries;
    int    _slots;
    int    _first;
    int    _last;                      // exclusive

   public:
    int     count() const              { return _last - _first; }
    void    add(address base, size_t size);
    address take(size_t size);         // one of this size, or NULL
    int     take_oldest(Entry* to, int max);
  };

  static volatile int    _lock;
  static Pool            _warm;
  static Pool            _bare;
  static int             _fewest;      // how many were warm at any time of this period; under _lock
  static int             _unused;      // to be trimmed, at most; by the reaper
  static volatile int    _unmapped;    // and not mapped again
  static volatile int    _holes;       // at most so many have come from that
  static volatile size_t _mapped;      // bytes in all stacks, pooled ones included
  static size_t          _default_size;
  static bool            _light_guards;   // guards are page markers; set once, at start

  static volatile bool   _mixed_guards;   // a guard may be PROT_NONE all the same; never reset

  static int  compare(const Entry* a, const Entry* b);
  static void trim(Entry* entries, int count);
  static bool unmap(const Entry* entries, int count);
  static bool set_guard(address low, size_t size, bool closed);
  static void count_thread(bool begins);

 public:
  static void   initialize(size_t default_size);
  static size_t mapped()                       { return _mapped; }

  // The size that a thread gets: the requested one if it is not 0, else the
  // default; at least what HotSpot needs, rounded up to pages.
  static size_t size_for(size_t requested);

  // NULL when the process may not have more.
  static address allocate(size_t size);
  static void    release(address base, size_t size);

  // By the reaper. What has been in the pool since the last call is to be trimmed. True:
  // there is something that the next call could find.
  static bool    begin_period();
  // Trims a part; true: there is more.
  static bool    trim();

  // Hook in os::guard_memory and os::unguard_memory: a part of the current coroutine's
  // guards. False: not done, use mprotect.
  static bool    guard(char* low, size_t size, bool closed);

  // After a thread has ended with a part of its guards open.
  static void    close_guards(address base, size_t size);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESTACK_HPP
