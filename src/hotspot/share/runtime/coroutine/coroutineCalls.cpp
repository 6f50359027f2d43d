/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "oops/method.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineCalls.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/signature.hpp"
#include "runtime/thread.inline.hpp"

#include <sys/resource.h>

static const struct {
  const char*          _holder;
  const char*          _name;
  CoroutineCalls::Kind _kind;
} Listed[] = {
  { "java/io/FileDescriptor",        "sync",              CoroutineCalls::FORCE },
  { "java/io/FileInputStream",       "read0",             CoroutineCalls::READ },
  { "java/io/FileInputStream",       "readBytes",         CoroutineCalls::READ },
  { "java/io/FileOutputStream",      "write",             CoroutineCalls::WRITE },
  { "java/io/FileOutputStream",      "writeBytes",        CoroutineCalls::WRITE },
  { "java/io/RandomAccessFile",      "read0",             CoroutineCalls::READ },
  { "java/io/RandomAccessFile",      "readBytes",         CoroutineCalls::READ },
  { "java/io/RandomAccessFile",      "write0",            CoroutineCalls::WRITE },
  { "java/io/RandomAccessFile",      "writeBytes",        CoroutineCalls::WRITE },
  { "java/net/Inet4AddressImpl",     "lookupAllHostAddr", CoroutineCalls::OTHER },
  { "java/net/Inet4AddressImpl",     "getHostByAddr",     CoroutineCalls::OTHER },
  { "java/net/Inet6AddressImpl",     "lookupAllHostAddr", CoroutineCalls::OTHER },
  { "java/net/Inet6AddressImpl",     "getHostByAddr",     CoroutineCalls::OTHER },
  { "java/nio/MappedByteBuffer",     "force0",            CoroutineCalls::FORCE },
  { "java/nio/MappedByteBuffer",     "load0",             CoroutineCalls::READ },
  { "sun/nio/ch/FileChannelImpl",    "transferTo0",       CoroutineCalls::OTHER },
  { "sun/nio/ch/FileDispatcherImpl", "force0",            CoroutineCalls::FORCE },
  { "sun/nio/ch/FileDispatcherImpl", "pread0",            CoroutineCalls::READ },
  { "sun/nio/ch/FileDispatcherImpl", "pwrite0",           CoroutineCalls::WRITE },
  { "sun/nio/ch/FileDispatcherImpl", "read0",             CoroutineCalls::READ },
  { "sun/nio/ch/FileDispatcherImpl", "readv0",            CoroutineCalls::READ },
  { "sun/nio/ch/FileDispatcherImpl", "write0",            CoroutineCalls::WRITE },
  { "sun/nio/ch/FileDispatcherImpl", "writev0",           CoroutineCalls::WRITE }
};

// Who patches the class library may have another method of that name.
static bool fits_registers(Symbol* signature) {
  ResourceMark rm;
  int count = 0;
  for (SignatureStream s(signature); !s.is_done(); s.next()) {
    if (s.type() == T_FLOAT || s.type() == T_DOUBLE) {
      return false;
    }
    count += s.at_return_type() ? 0 : 1;
  }
  return count <= 4;                   // after the JNIEnv, and the class or object
}

CoroutineCalls::Kind CoroutineCalls::kind_of(Method* method, const char* name) {
  for (size_t i = 0; i < ARRAY_SIZE(Listed); i++) {
    if (strcmp(name, Listed[i]._name) == 0 && method->method_holder()->name()->equals(Listed[i]._holder)) {
      return fits_registers(method->signature()) ? Listed[i]._kind : KINDS;
    }
  }
  return KINDS;
}

// How often the kernel thread has blocked so far.
static NOINLINE jlong blocked_so_far() {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? (jlong) usage.ru_nvcsw : 0;
}

void CoroutineCalls::begin(JNIEnv_* env, int kind) {
  Coroutine* co = JavaThread::thread_from_jni_environment(env)->coroutine();
  if (co == NULL) {
    return;
  }
  co->_call_began = 0;
  CarrierThread* carrier = co->_carrier;
  if (carrier->has_lost_queue()) {
    return;
  }
  History* h = &co->_calls[kind];
  if (h->_state == CALM && !WispAlwaysHandOff) {
    if (h->_skipped >= h->_interval) {
      h->_skipped = 0;
      co->_call_began = os::javaTimeNanos();
      co->_call_stay = co->_active;
    } else {
      h->_skipped++;
    }
    return;
  }
  co->_call_stay = co->_active;
  co->_call_began = 1;                 // before keep_watch() wakes sysmon, which looks at this
  if (h->_state == BLOCKS || WispAlwaysHandOff) {
    RunQueue* queue = carrier->queue();  // or sysmon takes it just now
    if (queue != NULL) {
      if ((queue->length() > 0 || CoroutineScheduler::idle_count() == 0) && CoroutineScheduler::may_have_spare()) {
        carrier->release_queue();
      } else {
        CoroutineScheduler::keep_watch(queue);
      }
    }
  }
  co->_call_blocked = blocked_so_far();
}

void CoroutineCalls::end(JNIEnv_* env, int kind) {
  Coroutine* co = JavaThread::thread_from_jni_environment(env)->coroutine();
  if (co == NULL || co->_call_began == 0) {
    return;
  }
  jlong began = co->_call_began;
  co->_call_began = 0;                 // its function may have run Java code that made such a call, whose time this is not, or
  if (co->_call_stay != co->_active) { // that waited for something else
    return;
  }
  History* h = &co->_calls[kind];
  if (h->_state == CALM) {
    if (h->_interval < SampledMin) {
      h->_interval = h->_interval * 2 + 1;   // 1, 3, 7
    }
    if (os::javaTimeNanos() - began >= SlowNanos) {
      h->_state = SUSPECTED;
      h->_quiet = 0;
    }
  } else if (blocked_so_far() != co->_call_blocked) {
    h->_state = BLOCKS;
    h->_quiet = 0;
    h->_interval = SampledMin;
  } else if (++h->_quiet >= (h->_state == BLOCKS ? Confirmations : Suspicions)) {
    if (h->_state == SUSPECTED) {
      h->_interval = (u2) MIN2(h->_interval * 2 + 1, (int) SampledMax);
    }
    h->_state = CALM;
  }
}
