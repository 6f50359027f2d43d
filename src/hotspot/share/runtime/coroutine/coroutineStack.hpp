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
// touching one would cost 2 MB. Stacks of equal size are pooled with their guards in
// place, up to a bound. Beyond it they are unmapped; but where neighbouring stacks are
// one mapping, each that is unmapped splits one, so only so many are, and the rest stays
// in the pool without its pages. The first ones in the pool keep their pages, for threads that
// come and go; others give them back, but for those next to the base.

#include "memory/allocation.hpp"

class CoroutineStack : AllStatic {
  enum {
    PoolMax   = 256,
    WarmMax   = 32,
    KeptPages = 4,
    HolesMax  = 8192                   // an eighth of the usual vm.max_map_count
  };

  struct Entry {
    address base;
    size_t  size;
  };

  static volatile int    _lock;
  static Entry*          _pool;        // newest last; under _lock
  static int             _pool_slots;
  static int             _pooled;
  static volatile int    _holes;       // about how many have been unmapped and not mapped again
  static volatile size_t _mapped;      // bytes in all stacks, pooled ones included
  static size_t          _default_size;
  static bool            _light_guards;   // guards are page markers; set once, at start

  static volatile bool   _mixed_guards;   // a guard may be PROT_NONE all the same; never reset

  static void pool(address base, size_t size);
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

  // Hook in os::guard_memory and os::unguard_memory: a part of the current coroutine's
  // guards. False: not done, use mprotect.
  static bool    guard(char* low, size_t size, bool closed);

  // After a thread has ended with a part of its guards open.
  static void    close_guards(address base, size_t size);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESTACK_HPP
