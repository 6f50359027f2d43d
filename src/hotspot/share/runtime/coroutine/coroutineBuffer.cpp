/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "gc/shared/threadLocalAllocBuffer.inline.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineBuffer.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadHeapSampler.hpp"

static size_t rest_of(ThreadLocalAllocBuffer& buffer) {
  return buffer.end() != NULL ? pointer_delta(buffer.hard_end(), buffer.top()) : 0;
}

// What the thread has allocated in its buffer counts for it. Returns the address of the rest.
static HeapWord* empty(JavaThread* thread) {
  ThreadLocalAllocBuffer& buffer = thread->tlab();
  HeapWord* top = buffer.top();
  thread->incr_allocated_bytes(buffer.used_bytes());
  buffer.initialize();
  return top;
}

void CoroutineBuffer::leave(JavaThread* thread) {
  assert(thread->thread_state() == _thread_in_vm, "no safepoint meanwhile");
  Coroutine* co = thread->coroutine();
  if (co == NULL || !UseTLAB || ThreadHeapSampler::enabled()) {   // a buffer whose end is a sampling point has more behind it
    return;
  }
  ThreadLocalAllocBuffer& own = thread->tlab();
  const size_t rest = rest_of(own);
  if (rest < ThreadLocalAllocBuffer::min_size() || rest <= own.refill_waste_limit()) {
    return;                            // would have been discarded for a new one
  }
  ThreadLocalAllocBuffer& kept = co->carrier()->tlab();
  if (rest_of(kept) >= rest) {
    return;
  }
  kept.clear_before_allocation();
  HeapWord* const top = empty(thread);
  kept.fill(top, top, rest);
}

HeapWord* CoroutineBuffer::take(Thread* thread, size_t object_words, size_t* words) {
  Coroutine* co = thread->is_Java_thread() ? ((JavaThread*) thread)->coroutine() : NULL;
  if (co == NULL) {
    return NULL;
  }
  assert(((JavaThread*) thread)->thread_state() == _thread_in_vm, "no safepoint meanwhile");
  ThreadLocalAllocBuffer& kept = co->carrier()->tlab();
  const size_t rest = rest_of(kept);
  if (rest < ThreadLocalAllocBuffer::compute_min_size(object_words)) {
    return NULL;
  }
  *words = rest;
  return empty(co->carrier());
}
