/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineDump.hpp"
#include "runtime/coroutine/coroutineReport.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.hpp"
#include "services/threadService.hpp"
#include "utilities/ostream.hpp"

CoroutineDump::CoroutineDump(outputStream* st, bool stacks, bool extended) :
  _entries(NULL), _count(0), _locks(NULL), _st(st), _stacks(stacks), _extended(extended) {
  if (UseWisp2) {
    collect();
  }
}

CoroutineDump::~CoroutineDump() {
  FREE_C_HEAP_ARRAY(Entry, _entries);
}

int CoroutineDump::compare(const Entry* a, const Entry* b) {
  if (a->carrier != b->carrier) {
    return (address) a->carrier < (address) b->carrier ? -1 : 1;
  }
  return a->rank != b->rank ? a->rank - b->rank : a->order - b->order;
}

void CoroutineDump::collect() {
  JavaThreadIteratorWithHandle jtiwh;
  _entries = NEW_C_HEAP_ARRAY(Entry, jtiwh.length() + 1, mtThread);
  while (JavaThread* thread = jtiwh.next()) {
    Coroutine* co = thread->coroutine();
    if (co == NULL || co->has_exited()) {
      continue;
    }
    CarrierThread* carrier = co->carrier();
    RunQueue* queue = co->home();
    Entry* entry = &_entries[_count];
    entry->thread = thread;
    entry->order = _count++;
    if (carrier != NULL && carrier->mounted() == co) {
      entry->carrier = carrier;
      entry->rank = 0;
    } else {
      entry->carrier = queue != NULL ? queue->carrier() : NULL;
      entry->rank = co->state() == Coroutine::RUNNABLE || co->state() == Coroutine::NEW ? 1 : 2;
    }
  }
  qsort(_entries, _count, sizeof(Entry), (int (*)(const void*, const void*)) compare);
}

bool CoroutineDump::prints(JavaThread* thread) const {
  return _entries != NULL && thread->coroutine() != NULL;
}

void CoroutineDump::print_line(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  oop thread_object = thread->threadObj();
  int monitor_park = thread->_ParkEvent->fired();
  bool waits = co->state() == Coroutine::PARKED || co->state() == Coroutine::BLOCKED;
  int park = waits && co->cause() == Coroutine::LOCK_SUPPORT ? -1 : co->permit();
  _st->print(" - Coroutine [" PTR_FORMAT "] \"", p2i(co));
  _st->print_raw(thread->get_thread_name());   // of any length; print() cuts
  _st->print_cr("\" #" INT64_FORMAT " active=" JLONG_FORMAT " steal=" JLONG_FORMAT
                " steal_fail=0 preempt=" JLONG_FORMAT " park=%d/%d",
                thread_object != NULL ? (int64_t) java_lang_Thread::thread_id(thread_object) : (int64_t) 0,
                co->active(), co->steals(), co->preempts(), monitor_park, park);
  if (thread_object != NULL) {
    _st->print_cr("   java.lang.Thread.State: %s", java_lang_Thread::thread_status_name(thread_object));
  }
  _st->print("   Coroutine: ");
  _report.print(thread, _st);
  if (_extended) {
    _st->print("; allocated " JLONG_FORMAT " bytes", thread->cooked_allocated_bytes());
  }
  _st->cr();
}

void CoroutineDump::print_all_of(JavaThread* carrier) {
  int low = 0;
  int high = _count;
  while (low < high) {                 // the first of this carrier
    int middle = (low + high) / 2;
    if ((address) _entries[middle].carrier < (address) carrier) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (int i = low; i < _count && _entries[i].carrier == carrier; i++) {
    ResourceMark rm;
    JavaThread* thread = _entries[i].thread;
    print_line(thread);
    if (_stacks) {
      thread->print_stack_on(_st);
    }
    _st->cr();
    if (_locks != NULL) {
      _locks->print_locks_on(thread, _st);
    }
  }
}

void CoroutineDump::print_rest() {
  if (_count > 0 && _entries[0].carrier == NULL) {
    _st->print_cr("Coroutines of run queues without a carrier:");
    _st->cr();
    print_all_of(NULL);
  }
}
