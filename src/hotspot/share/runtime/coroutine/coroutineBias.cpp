/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/classLoaderData.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/atomic.hpp"
#include "runtime/biasedLocking.hpp"
#include "runtime/coroutine/coroutineBias.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/registerMap.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.hpp"
#include "runtime/vframe.inline.hpp"
#include "runtime/vmThread.hpp"
#include "runtime/vmOperations.hpp"
#include "services/threadService.hpp"

bool         CoroutineBias::_limited = false;
bool         CoroutineBias::_forbidden = false;
volatile int CoroutineBias::_asked = 0;

static void forbid_for(InstanceKlass* k) {
  k->set_prototype_header(markOopDesc::prototype());
}

class VM_ForbidBias : public VM_Operation {
  int _revoked;

  static void add_biased(JavaThread* owner, Thread* current, GrowableArray<Handle>* found) {
    if (!owner->has_last_Java_frame()) {
      return;
    }
    RegisterMap map(owner);
    for (javaVFrame* f = owner->last_java_vframe(&map); f != NULL; f = f->java_sender()) {
      GrowableArray<MonitorInfo*>* monitors = f->monitors();
      for (int i = 0; monitors != NULL && i < monitors->length(); i++) {
        MonitorInfo* monitor = monitors->at(i);
        if (!monitor->eliminated() && monitor->owner() != NULL && monitor->owner()->mark()->has_bias_pattern()) {
          found->append(Handle(current, monitor->owner()));
        }
      }
    }
  }

 public:
  VM_ForbidBias() : _revoked(0) {}
  VMOp_Type type() const  { return VMOp_EnableBiasedLocking; }   // its kind, as far as logs tell
  int revoked() const     { return _revoked; }

  void doit() {
    Thread* current = Thread::current();
    ResourceMark rm(current);
    HandleMark hm(current);
    ClassLoaderDataGraph::dictionary_classes_do(forbid_for);
    CoroutineBias::_forbidden = true;
    GrowableArray<Handle>* found = new GrowableArray<Handle>();
    for (JavaThreadIteratorWithHandle all; JavaThread* owner = all.next(); ) {
      add_biased(owner, current, found);
    }
    BiasedLocking::revoke_at_safepoint(found);
    _revoked = found->length();
  }
};

void CoroutineBias::forbid(int threads) {
  if (Atomic::cmpxchg(1, &_asked, 0) == 0) {
    VM_ForbidBias operation;
    VMThread::execute(&operation);
    log_info(biasedlocking)("No biased locking any more: %d threads, %d biased locks held", threads, operation.revoked());
  }
}

void CoroutineBias::starts() {
  if (_limited && is_allowed()) {
    int threads = (int) ThreadService::get_live_thread_count();
    if (threads >= ThreadLimit) {
      forbid(threads);
    }
  }
}
