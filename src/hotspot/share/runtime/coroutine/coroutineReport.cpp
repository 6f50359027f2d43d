/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/classLoaderData.inline.hpp"
#include "classfile/javaClasses.hpp"
#include "classfile/systemDictionary.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/instanceKlass.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineAffinity.hpp"
#include "runtime/coroutine/coroutineReport.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/objectMonitor.inline.hpp"
#include "runtime/osThread.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.hpp"
#include "runtime/vframe.inline.hpp"
#include "utilities/ostream.hpp"

CoroutineReport* CoroutineReport::_collecting = NULL;

CoroutineReport::CoroutineReport() :
  _ranges(NULL), _lookups(0), _range_count(0), _initializing(NULL), _initializing_count(0), _initializing_room(0) {}

CoroutineReport::~CoroutineReport() {
  FREE_C_HEAP_ARRAY(Range, _ranges);
  FREE_C_HEAP_ARRAY(Initialization, _initializing);
}

// ---- In one word

// Stopped by a safepoint a thread is blocked; what it was before counts.
bool CoroutineReport::is_in_native(JavaThread* thread) {
  JavaThreadState state = thread->thread_state();
  if (state == _thread_blocked && SafepointSynchronize::is_at_safepoint()) {
    state = thread->safepoint_state()->orig_thread_state();
  }
  return state == _thread_in_native;
}

CoroutineReport::Doing CoroutineReport::what(JavaThread* thread) {
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return KERNEL;
  }
  switch (co->state()) {
    case Coroutine::NEW:
    case Coroutine::RUNNABLE: return QUEUED;
    case Coroutine::BLOCKED:  return PINNED;
    case Coroutine::PARKED:   break;
    default:                  return co->is_staying() ? READS : is_in_native(thread) ? RUNS_NATIVE : RUNS;
  }
  switch (co->cause()) {
    case Coroutine::MONITOR:       return thread->osthread()->get_state() == OBJECT_WAIT ? WAITS : ENTERS;
    case Coroutine::SLEEP:         return SLEEPS;
    case Coroutine::CLASS_LOADING: return LOADS;
    case Coroutine::READ:          return READS;
    case Coroutine::WRITE:         return WRITES;
    case Coroutine::SUSPENSION:    return SUSPENDED;
    default:                       return PARKS;
  }
}

const char* CoroutineReport::name(Doing doing) {
  static const char* const names[DOINGS] = {
    "running", "in native code", "waiting for a carrier", "entering a monitor", "in Object.wait", "in LockSupport.park",
    "sleeping", "loading a class", "reading", "writing", "suspended", "blocking a kernel thread", "kernel threads"
  };
  return names[doing];
}

// ---- Owners

int CoroutineReport::compare(const Range* a, const Range* b) {
  return a->low < b->low ? -1 : a->low > b->low ? 1 : 0;
}

void CoroutineReport::index_threads() {
  JavaThreadIteratorWithHandle jtiwh;
  _ranges = NEW_C_HEAP_ARRAY(Range, 2 * jtiwh.length() + 1, mtThread);
  while (JavaThread* thread = jtiwh.next()) {
    Range* range = &_ranges[_range_count++];
    range->low = (address) thread;
    range->high = range->low + 1;
    range->thread = thread;
    if (thread->stack_base() != NULL) {
      range = &_ranges[_range_count++];
      range->low = thread->stack_end();
      range->high = thread->stack_base();
      range->thread = thread;
    }
  }
  qsort(_ranges, _range_count, sizeof(Range), (int (*)(const void*, const void*)) compare);
}

JavaThread* CoroutineReport::owner_of(ObjectMonitor* monitor) {
  address owner = (address) monitor->owner();
  if (owner == NULL) {
    return NULL;
  }
  if (_ranges == NULL) {
    if (_lookups++ < 8) {
      ThreadsListHandle tlh;
      return Threads::owning_thread_from_monitor_owner(tlh.list(), owner);
    }
    index_threads();
  }
  int low = 0;
  int high = _range_count;
  while (low < high) {                 // the first that begins above owner
    int middle = (low + high) / 2;
    if (_ranges[middle].low <= owner) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && owner < _ranges[low - 1].high ? _ranges[low - 1].thread : NULL;
}

// ---- Class initialization waits on an object that the class keeps

void CoroutineReport::collect_initializing(Klass* klass) {
  CoroutineReport* report = _collecting;
  if (!klass->is_instance_klass() || !InstanceKlass::cast(klass)->is_being_initialized()) {
    return;
  }
  if (report->_initializing_count == report->_initializing_room) {
    report->_initializing_room = MAX2(16, 2 * report->_initializing_room);
    report->_initializing = REALLOC_C_HEAP_ARRAY(Initialization, report->_initializing, report->_initializing_room, mtThread);
  }
  Initialization* entry = &report->_initializing[report->_initializing_count++];
  entry->klass = InstanceKlass::cast(klass);
  entry->by = NULL;
  JavaThreadIteratorWithHandle jtiwh;
  while (JavaThread* thread = jtiwh.next()) {
    if (entry->klass->is_reentrant_initialization(thread)) {
      entry->by = thread;
    }
  }
}

CoroutineReport::Initialization* CoroutineReport::initialized_under(oop lock) {
  if (_initializing == NULL) {
    _initializing_room = 16;
    _initializing = NEW_C_HEAP_ARRAY(Initialization, _initializing_room, mtThread);
    _collecting = this;
    ClassLoaderDataGraph::classes_do(collect_initializing);
    _collecting = NULL;
  }
  for (int i = 0; i < _initializing_count; i++) {
    if (java_lang_Class::init_lock(_initializing[i].klass->java_mirror()) == lock) {
      return &_initializing[i];
    }
  }
  return NULL;
}

// ---- Words

void CoroutineReport::print_thread(JavaThread* thread, outputStream* st) {
  ResourceMark rm;
  st->print_raw("\"");
  st->print_raw(thread->get_thread_name());    // of any length; print() cuts
  st->print_raw("\"");
  oop object = thread->threadObj();
  if (object != NULL) {
    st->print(" #" INT64_FORMAT, (int64_t) java_lang_Thread::thread_id(object));
  }
}

void CoroutineReport::print_object(oop object, outputStream* st) {
  ResourceMark rm;
  st->print("<" INTPTR_FORMAT "> (a %s)", p2i(object), object->klass()->external_name());
}

void CoroutineReport::print_time_left(Coroutine* co, outputStream* st) {
  jlong deadline = co->timer_deadline();
  if (deadline != 0) {
    st->print(", %.1f s left", MAX2(deadline - os::javaTimeNanos(), (jlong) 0) / (double) NANOSECS_PER_SEC);
  }
}

// Who waits for a descriptor has called WispPoll, a selector by way of WispEPoll; the caller knows what for.
const char* CoroutineReport::operation(JavaThread* thread, bool read) {
  static const struct { const char* method; const char* operation; } known[] = {
    { "accept", "accept" }, { "doSelect", "select" }, { "receive", "receive" }, { "connect", "connect" }, { "poll", "poll" }
  };
  int depth = 0;
  for (vframeStream frames(thread); !frames.at_end() && depth < 8; frames.next(), depth++) {
    Symbol* holder = frames.method()->method_holder()->name();
    if (holder->equals("jdk/internal/misc/WispPoll") || holder->equals("sun/nio/ch/WispEPoll")) {
      continue;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
      if (frames.method()->name()->equals(known[i].method)) {
        return known[i].operation;
      }
    }
    break;
  }
  return read ? "read" : "write";
}

Method* CoroutineReport::pinning_method(JavaThread* thread) {
  for (vframeStream frames(thread); !frames.at_end(); frames.next()) {
    Method* method = frames.method();
    if (method->is_native() && !CoroutineAffinity::is_of_jdk(method->method_holder())) {
      return method;
    }
  }
  return NULL;
}

void CoroutineReport::print_cause(JavaThread* thread, Coroutine* co, outputStream* st) {
  switch (co->cause()) {
    case Coroutine::MONITOR: {
      bool waits = thread->osthread()->get_state() == OBJECT_WAIT;
      ObjectMonitor* waiting = thread->current_waiting_monitor();
      ObjectMonitor* pending = thread->current_pending_monitor();
      ObjectMonitor* monitor = waits || pending == NULL ? waiting : pending;
      oop object = monitor != NULL ? (oop) monitor->object() : (oop) NULL;
      if (object == NULL) {
        st->print("a monitor");
        break;
      }
      Initialization* initialized = object->is_typeArray() ? initialized_under(object) : NULL;
      if (initialized != NULL) {
        ResourceMark rm;
        st->print("initialization of class %s", initialized->klass->external_name());
        if (initialized->by != NULL) {
          st->print(" by ");
          print_thread(initialized->by, st);
        }
        break;
      }
      st->print(waits ? "Object.wait on " :
                object->klass()->is_subclass_of(SystemDictionary::ClassLoader_klass()) ? "class loader lock " : "monitor ");
      print_object(object, st);
      if (waits) {
        print_time_left(co, st);
      } else {
        JavaThread* owner = owner_of(monitor);
        if (owner != NULL) {
          st->print(", owned by ");
          print_thread(owner, st);
        }
        if (pending == NULL) {
          st->print(", to end Object.wait");
        }
      }
      break;
    }
    case Coroutine::SLEEP:
      st->print("sleep");
      print_time_left(co, st);
      break;
    case Coroutine::LOCK_SUPPORT: {
      st->print("LockSupport.park");
      oop blocker = thread->current_park_blocker();
      if (blocker != NULL) {
        st->print(" for ");
        print_object(blocker, st);
        Klass* synchronizer = SystemDictionary::java_util_concurrent_locks_AbstractOwnableSynchronizer_klass();
        if (synchronizer != NULL && blocker->is_a(synchronizer)) {
          oop owner = java_util_concurrent_locks_AbstractOwnableSynchronizer::get_owner_threadObj(blocker);
          JavaThread* owner_thread = owner != NULL ? java_lang_Thread::thread(owner) : NULL;
          if (owner_thread != NULL) {
            st->print(", owned by ");
            print_thread(owner_thread, st);
          }
        }
      }
      print_time_left(co, st);
      break;
    }
    case Coroutine::CLASS_LOADING:
      st->print("a class that another thread loads");
      break;
    case Coroutine::READ:
    case Coroutine::WRITE:
      st->print("%s, fd %d", operation(thread, co->cause() == Coroutine::READ), co->cause_fd());
      print_time_left(co, st);
      break;
    case Coroutine::SUSPENSION:
      st->print("suspended");
      break;
    default:
      st->print("unknown");
  }
}

void CoroutineReport::print(JavaThread* thread, outputStream* st) {
  Coroutine* co = thread->coroutine();
  int state = co->state();
  // Coroutines are mounted during safepoints also. A carrier that has this one cannot end while
  // the VM thread prints, another one may have ended.
  CarrierThread* carrier = co->carrier();
  if (carrier != NULL && carrier->mounted() != co) {
    carrier = NULL;
  }
  switch (state) {
    case Coroutine::NEW:
    case Coroutine::RUNNABLE:
      st->print(co->active() == 0 ? "new, waits for a carrier" : "runnable, waits for a carrier");
      break;
    case Coroutine::PARKED:
      st->print("parked: ");
      print_cause(thread, co, st);
      break;
    case Coroutine::BLOCKED:
      if (carrier != NULL) {
        st->print("blocks kernel thread %d: ", carrier->osthread()->thread_id());
      }
      print_cause(thread, co, st);
      break;
    case Coroutine::ENDED:
      st->print("ended");
      break;
    default: {
      if (carrier != NULL && co->is_staying()) {
        st->print("blocks kernel thread %d: ", carrier->osthread()->thread_id());
        print_cause(thread, co, st);
        st->print("; keeps it, as its calls block it");
        break;
      }
      ResourceMark rm;
      st->print("%s%s%s", is_in_native(thread) ? "in native code" : "running",
                carrier != NULL ? " on " : "", carrier != NULL ? carrier->get_thread_name() : "");
      if (carrier != NULL && carrier->has_lost_queue()) {
        st->print(", which has handed its queue over");
      }
    }
  }
  if (co->is_pinned() && state != Coroutine::RUNNABLE && state != Coroutine::PARKED) {
    ResourceMark rm;
    Method* method = pinning_method(thread);
    if (co->holds_raw_monitor()) {
      st->print("; pinned by a JVMTI raw monitor");
    } else if (co->is_bound()) {
      st->print("; bound to its kernel thread since it has called a method of nativeAffinity");
    } else if (method != NULL) {
      st->print("; pinned by native %s.%s", method->method_holder()->external_name(), method->name()->as_C_string());
    } else {
      st->print("; pinned by native code");
    }
  } else if (thread->in_critical()) {
    st->print("; pinned by a JNI critical region");
  }
}
