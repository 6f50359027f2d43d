/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEBUFFER_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEBUFFER_HPP

// The allocation buffer (TLAB) of a thread that ends.
//
// HotSpot gives a new thread as large a buffer as it expects a thread to fill, megabytes while few threads allocate, and what is
// left when it ends is lost until the next collection. Threads that live for one task use a hundred bytes of it, and fill
// the young generation with nothing. So a coroutine that ends leaves the rest to its carrier, as the buffer of the carrier's own
// JavaThread, which hardly allocates; and a coroutine on that carrier that needs a new buffer takes it from there, and
// asks the heap when there is none. What it gets is in the cache, too.
//
//     heap --allocate_new_tlab--> coroutine --leave, at its end--> carrier --take--> another coroutine
//                                     |                               |
//                                     +------ a collection: filled, as any buffer ------> heap
//
// A carrier keeps one, the larger one. Who may touch the buffer of a carrier: its mounted coroutine, in _thread_in_vm, and the carrier
// itself while none is mounted. The carrier is blocked meanwhile, and the VM touches buffers at safepoints only, for which
// a thread in _thread_in_vm is waited for. So no two do at a time.
//
// What a thread has allocated counts for that thread: only the rest is passed on. The recorder's events of new buffers have the size
// of all that is passed on, each time.
//
// Rejected: to do the same where a coroutine waits, twice; it costs at each switch, and those that wait again and again
// take their buffers up where they left them.

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

class JavaThread;
class Thread;

class CoroutineBuffer : AllStatic {
 public:
  // By a coroutine at its end, when it allocates nothing any more.
  static void leave(JavaThread* thread);

  // Hook in MemAllocator, by a thread that has no buffer and needs one for an object of so many words. NULL: there is none; else
  // it has *words.
  static HeapWord* take(Thread* thread, size_t object_words, size_t* words);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEBUFFER_HPP
