/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineDump.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.hpp"
#include "utilities/ostream.hpp"

// At a safepoint, or for a dump of a dying VM: coroutines are not mounted or
// unmounted, except by carriers that run in the VM.
static JavaThread* carrier_of(Coroutine* co) {
  CarrierThread* carrier = co->carrier();
  if (carrier != NULL && carrier->mounted() == co) {
    return carrier;
  }
  RunQueue* queue = co->home();
  return queue != NULL ? queue->carrier() : NULL;
}

bool CoroutineDump::is_below_carrier(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  return co != NULL && (co->has_exited() || carrier_of(co) != NULL);
}

void CoroutineDump::print_line(JavaThread* thread, outputStream* st) {
  Coroutine* co = thread->coroutine();
  oop thread_object = thread->threadObj();
  int monitor_park = thread->_ParkEvent->fired();
  int park = co->state() == Coroutine::PARKED && monitor_park >= 0 &&
             thread->osthread()->get_state() == CONDVAR_WAIT ? -1 : co->permit();
  st->print_cr(" - Coroutine [" PTR_FORMAT "] \"%s\" #" INT64_FORMAT " active=" JLONG_FORMAT " steal=" JLONG_FORMAT
               " steal_fail=0 preempt=" JLONG_FORMAT " park=%d/%d",
               p2i(co), thread->get_thread_name(),
               thread_object != NULL ? (int64_t) java_lang_Thread::thread_id(thread_object) : (int64_t) 0,
               co->active(), co->steals(), co->preempts(), monitor_park, park);
  if (thread_object != NULL) {
    st->print_cr("   java.lang.Thread.State: %s", java_lang_Thread::thread_status_name(thread_object));
  }
}

void CoroutineDump::print_below(JavaThread* carrier, outputStream* st, bool print_stacks) {
  for (JavaThreadIteratorWithHandle jtiwh; JavaThread* thread = jtiwh.next(); ) {
    Coroutine* co = thread->coroutine();
    if (co != NULL && !co->has_exited() && carrier_of(co) == carrier) {
      ResourceMark rm;
      print_line(thread, st);
      if (print_stacks) {
        thread->print_stack_on(st);
      }
      st->cr();
    }
  }
}
