/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The JavaThread of a coroutine: construction, destruction, and the next life in between.
//
// A JavaThread owns sixteen pieces of memory, and to construct and destroy it takes more
// than a dozen locks and prints two names. A thread that ends leaves nothing in them, so the
// next start in the same slot (coroutineRecords.hpp) takes them over: the object is
// overwritten with the image of one that has just been constructed, and gets its
// pieces back. What differs from one new thread to the next is done as the
// constructor does it: identity hashes, ids and times of the recorder, the time of the
// start, the collector's part of a thread. With what cannot be taken over, the thread is
// destroyed and constructed, as it is the first time:
//
//   - areas that have grown, or in which something was left
//   - work that deoptimization or a debugger had begun with it
//   - counters of JVMCI, and checks of handles in debug builds
//
// Who has a stale pointer to a ParkEvent or the Parker may unpark the next owner, as
// upstream, whose events are type-stable: all who wait reset the event before, or look
// at what they wait for after it.
//
// Rejected: changing the constructors, for caches of the pieces. They are three, upstream's,
// and in the header that everything includes.

#include "precompiled.hpp"
#include "gc/shared/barrierSet.hpp"
#include "jfr/support/jfrThreadLocal.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineBuffer.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/jniHandles.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/osThread.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/safepointMechanism.hpp"
#include "runtime/thread.inline.hpp"
#include "services/threadService.hpp"

// The bytes of a JavaThread that has just been constructed, and its size. Written once,
// before it is published by CAS.
static address volatile pristine = NULL;

static void keep_pristine(JavaThread* thread) {
  address copy = NEW_C_HEAP_ARRAY(u_char, sizeof(JavaThread), mtThread);
  memcpy(copy, (void*) thread, sizeof(JavaThread));
  if (Atomic::cmpxchg(copy, &pristine, (address) NULL) != NULL) {
    FREE_C_HEAP_ARRAY(u_char, copy);
  }
}

void CoroutineThread::construct(Coroutine* co) {
  // Thread's constructor wants its operator new to have noted where the memory is, for
  // operator delete, which is never called here.
  void* memory = CoroutineRecords::thread_memory(co);
  DEBUG_ONLY(((Thread*) memory)->_real_malloc_address = memory;)
  JavaThread* thread = ::new (memory) JavaThread();
  if (OrderAccess::load_acquire(&pristine) == NULL) {
    keep_pristine(thread);
  }
  OSThread* osthread = new OSThread(NULL, NULL);
  osthread->set_thread_type(os::java_thread);
  thread->set_osthread(osthread);
  thread->set_active_handles(JNIHandleBlock::allocate_block());
  if (co->_parker == NULL) {
    co->_parker = thread->_parker;
    co->_parker->_coroutine.set(co);
  } else {
    Parker::Release(thread->_parker);
    thread->_parker = co->_parker;
    Atomic::xchg(0, &co->_permit);
  }
  co->_thread = thread;
  co->_resource_base = thread->resource_area()->hwm();
  co->_handle_base = thread->handle_area()->hwm();
}

// By the thread itself, at its end, while it has all of this in the cache.
bool CoroutineThread::is_renewable(Coroutine* co) {
  JavaThread* thread = co->_thread;
#if INCLUDE_JVMCI
  if (JVMCICounterSize > 0) {
    return false;
  }
#endif
#ifdef CHECK_UNHANDLED_OOPS
  if (CheckUnhandledOops) {
    return false;
  }
#endif
  return co->_handles != NULL &&
         thread->resource_area()->hwm() == co->_resource_base &&
         thread->resource_area()->size_in_bytes() == Chunk::init_size &&
         thread->handle_area()->hwm() == co->_handle_base &&
         thread->handle_area()->size_in_bytes() == Chunk::tiny_size &&
         thread->metadata_handles()->length() == 0 &&
         thread->vframe_array_last() == NULL && thread->deferred_locals() == NULL;
}

// Of a thread that has ended, and that nobody else can reach.
void CoroutineThread::renew(Coroutine* co) {
  JavaThread* thread = co->_thread;
  assert(thread->omFreeList == NULL && thread->omInUseList == NULL, "monitors of an ended thread");
  assert(!thread->has_handshake(), "handshake with an ended thread");
  assert(thread->jvmti_thread_state() == NULL && thread->monitor_chunks() == NULL, "an ended thread has none");
  assert(thread->osthread()->sr.is_running(), "suspended by a signal");
  BarrierSet::barrier_set()->on_thread_destroy(thread);
  JFR_ONLY(thread->jfr_thread_local()->~JfrThreadLocal();)

  ResourceArea* resource_area = thread->resource_area();
  HandleArea* handle_area = thread->handle_area();
  GrowableArray<Metadata*>* metadata_handles = thread->metadata_handles();
  HandleMark* handle_mark = thread->last_handle_mark();
  Monitor* suspend_lock = thread->_SR_lock;
  ParkEvent* park_event = thread->_ParkEvent;
  ParkEvent* sleep_event = thread->_SleepEvent;
  ParkEvent* mutex_event = thread->_MutexEvent;
  ParkEvent* mux_event = thread->_MuxEvent;
  OSThread* osthread = thread->osthread();
  ThreadStatistics* statistics = thread->_thread_stat;
  ThreadSafepointState* safepoint_state = thread->_safepoint_state;
  u_char handshake[sizeof(HandshakeState)];                // idle; it contains a semaphore
  memcpy(handshake, (void*) &thread->_handshake, sizeof(handshake));
  DEBUG_ONLY(void* memory = thread->_real_malloc_address;)

  memcpy((void*) thread, pristine, sizeof(JavaThread));

  DEBUG_ONLY(thread->_real_malloc_address = memory;)
  memcpy((void*) &thread->_handshake, handshake, sizeof(handshake));
  thread->set_resource_area(resource_area);
  thread->set_handle_area(handle_area);
  thread->set_metadata_handles(metadata_handles);
  thread->set_last_handle_mark(handle_mark);
  thread->_SR_lock = suspend_lock;
  thread->_ParkEvent = park_event;
  thread->_SleepEvent = sleep_event;
  thread->_MutexEvent = mutex_event;
  thread->_MuxEvent = mux_event;
  thread->_parker = co->_parker;
  Atomic::xchg(0, &co->_permit);
  thread->set_osthread(osthread);
  thread->_thread_stat = ::new ((void*) statistics) ThreadStatistics();
  thread->_safepoint_state = ::new ((void*) safepoint_state) ThreadSafepointState(thread);
  thread->_hashStateX = os::random();
  ::new ((void*) &thread->_heap_sampler) ThreadHeapSampler();
  ::new ((void*) &thread->_statistical_info) ThreadStatisticalInfo();
  JFR_ONLY(::new ((void*) thread->jfr_thread_local()) JfrThreadLocal();)
  BarrierSet::barrier_set()->on_thread_create(thread);
  SafepointMechanism::initialize_header(thread);

  osthread->set_interrupted(false);
  thread->set_active_handles(co->_handles);
  thread->set_free_handle_block(co->_more_handles);
  co->_handles = NULL;
  co->_more_handles = NULL;
}

// By the thread itself, at its end: one block for its native methods, and one for what
// Java code it calls, stay for the next life.
void CoroutineThread::hand_down(JavaThread* thread) {
  CoroutineBuffer::leave(thread);
  Coroutine* co = thread->coroutine();
  JNIHandleBlock* active = thread->active_handles();
  if (co != NULL && active != NULL) {
    thread->set_active_handles(NULL);
    JNIHandleBlock::release_block(active, thread);
    co->_handles = JNIHandleBlock::allocate_block(thread);
    if (thread->free_handle_block() != NULL) {
      JNIHandleBlock* more = JNIHandleBlock::allocate_block(thread);
      co->_more_handles = more;
    }
  }
}

static void release_handles(JNIHandleBlock* block) {
  if (block != NULL) {
    JNIHandleBlock::release_block(block);
  }
}

void CoroutineThread::destroy_thread(Coroutine* co) {
  JavaThread* thread = co->_thread;
  release_handles(thread->active_handles());               // when it was never published
  release_handles(thread->free_handle_block());
  thread->set_active_handles(NULL);
  thread->set_free_handle_block(NULL);
  release_handles(co->_handles);
  release_handles(co->_more_handles);
  co->_handles = NULL;
  co->_more_handles = NULL;
  thread->_parker = NULL;               // stays with the record
  // The stack is the pool's again, and was never registered as a thread's.
  thread->set_stack_base(NULL);
  thread->~JavaThread();
  co->_thread = NULL;
}
