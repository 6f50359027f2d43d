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
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/signature.hpp"
#include "runtime/thread.inline.hpp"

#include <poll.h>
#include <sys/resource.h>

volatile int Coroutine::_staying = 0;

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
  History* h = &co->_calls[kind];
  if (carrier->has_lost_queue()) {
    if (h->_state == BLOCKS && co->may_stay()) {   // whether it does still
      co->_call_stay = co->_active + co->_stays;
      co->_call_began = 1;
      co->_call_blocked = blocked_so_far();
    }
    return;
  }
  if (h->_state == CALM && !WispAlwaysHandOff) {
    if (h->_skipped >= h->_interval) {
      h->_skipped = 0;
      co->_call_began = os::javaTimeNanos();
      co->_call_stay = co->_active + co->_stays;
    } else {
      h->_skipped++;
    }
    return;
  }
  co->_call_stay = co->_active + co->_stays;
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
  if (co->_call_stay != co->_active + co->_stays) { // that waited for something else
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
  } else if (blocked_so_far() != co->_call_blocked || WispAlwaysHandOff) {
    blocked(co);
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

// ---- Waits of those that make such calls again and again

bool CoroutineCalls::serves(const Coroutine* co) {
  return co->_active + co->_stays - co->_blocked_at <= WaitsMax;
}

void CoroutineCalls::blocked(Coroutine* co) {
  if (co->_carrier->has_lost_queue()) {
    co->_carrier->_lost_at = os::javaTimeNanos();   // it has not run for long since then
  }
  co->_served = serves(co) ? (u1) MIN2(co->_served + 1, (int) ServedMin) : 0;
  co->_blocked_at = co->_active + co->_stays;
}

bool Coroutine::keeps_os_thread() {
  if (!_carrier->has_lost_queue() || WispStayMillis == 0) {
    return false;
  }
  if (!CoroutineCalls::serves(this)) {
    _served = 0;
    return false;
  }
  _stays++;
  return true;
}

// It is RUNNING all the time: a ready() meanwhile comes too early for the next wait, whose condition is looked at before it. The number
// of a datagram socket may be another one's by now: the caller looks again, when the limit is over at the latest.
bool Coroutine::stay_to_read(int fd, jlong deadline) {
  if (fd < 0 || !keeps_os_thread()) {
    return false;
  }
  waits_for(READ, fd);
  const jlong now = os::javaTimeNanos();
  const jlong limit = now + WispStayMillis * (jlong) NANOSECS_PER_MILLISEC;
  const jlong nanos = MAX2((deadline == 0 ? limit : MIN2(deadline, limit)) - now, (jlong) 0);
  struct pollfd descriptor = { fd, POLLIN, 0 };
  _carrier->restore_slice();
  struct timespec time;
  time.tv_sec = nanos / NANOSECS_PER_SEC;
  time.tv_nsec = nanos % NANOSECS_PER_SEC;
  _stays_fd = fd;
  Atomic::inc(&_staying);              // a fence; partner: end_stays()
  const int n = ::ppoll(&descriptor, 1, &time, NULL);
  _stays_fd = -1;
  Atomic::dec(&_staying);
  _carrier->_lost_at = os::javaTimeNanos();   // likewise
  if (n == 0 && _carrier->_lost_at >= limit) {
    _served = 0;
  }
  return n != 0;
}

// A poll that has begun does not hear of that, and ends by a signal. One that begins later finds what the number is now.
void Coroutine::end_stays(int fd) {
  OrderAccess::fence();                // partner: stay_to_read()
  if (_staying == 0) {
    return;
  }
  for (CarrierThread* carrier = CarrierThread::first(); carrier != NULL; carrier = carrier->next()) {
    Coroutine* co = carrier->mounted();
    if (co == NULL || co->_stays_fd != fd) {
      continue;
    }
    CoroutineSysmon::begin_look();     // a carrier that has a coroutine now cannot end meanwhile
    if (carrier->mounted() == co && co->_stays_fd == fd) {
      CarrierThread::end_call(carrier->pthread());
    }
    CoroutineSysmon::end_look();
  }
}
