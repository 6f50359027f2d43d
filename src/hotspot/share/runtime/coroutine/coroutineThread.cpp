/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "classfile/symbolTable.hpp"
#include "classfile/systemDictionary.hpp"
#include "classfile/vmSymbols.hpp"
#include "jfr/jfr.hpp"
#include "jfr/support/jfrThreadLocal.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"
#include "oops/method.hpp"
#include "oops/oop.inline.hpp"
#include "prims/jvmtiEnvThreadState.hpp"
#include "prims/jvmtiEventController.inline.hpp"
#include "prims/jvmtiExport.hpp"
#include "prims/jvmtiThreadState.inline.hpp"
#include "runtime/coroutine/coroutineBias.hpp"
#include "runtime/coroutine/carrierPrivileges.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineAffinity.hpp"
#include "runtime/coroutine/coroutineRecords.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/coroutineReaper.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/coroutineThreadList.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/startSeries.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/java.hpp"
#include "runtime/javaCalls.hpp"
#include "runtime/jniHandles.inline.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/osThread.hpp"
#include "runtime/safepointMechanism.inline.hpp"
#include "runtime/thread.inline.hpp"
#include "utilities/defaultStream.hpp"
#include <sched.h>
#include <sys/prctl.h>
#ifdef LINUX
#include "osContainer_linux.hpp"
#endif
#if INCLUDE_JFR
#include "jfr/jfrEvents.hpp"
#include "jfr/recorder/jfrRecorder.hpp"
#include "jfr/recorder/stacktrace/jfrStackTraceRepository.hpp"
#endif

extern "C" void coroutine_start();
extern "C" void coroutine_entry(Coroutine* co);

volatile bool CoroutineThread::_booted = false;
Klass*        CoroutineThread::_engine_klass = NULL;
Klass*        CoroutineThread::_carrier_klass = NULL;
Klass*        CoroutineThread::_poll_klass = NULL;
Klass*        CoroutineThread::_spin_klass = NULL;
Klass*        CoroutineThread::_native_thread_klass = NULL;
jobject       CoroutineThread::_ended_thread = NULL;
jmethodID     CoroutineThread::_is_converted = NULL;
int           CoroutineThread::_run_index = -1;
jmethodID     CoroutineThread::_exit_method = NULL;
JavaThread*   CoroutineThread::_daemon = NULL;

// ---- The engine

static void fail_boot(const char* reason) {
  jio_fprintf(defaultStream::error_stream(), "Error: Wisp2 cannot start: %s\n", reason);
  vm_exit(1);
}

Klass* CoroutineThread::link(const char* name, TRAPS) {
  TempNewSymbol symbol = SymbolTable::new_symbol(name, CHECK_NULL);
  Klass* klass = SystemDictionary::resolve_or_fail(symbol, true, CHECK_NULL);
  InstanceKlass::cast(klass)->link_class(CHECK_NULL);
  return klass;
}

static void log_surroundings() {
  log_info(wisp)("available processors: %d, from %s", os::active_processor_count(),
                 !FLAG_IS_DEFAULT(ActiveProcessorCount) ? "-XX:ActiveProcessorCount" :
                 OSContainer::is_containerized() ? "the container or the machine" : "the machine");
  log_info(wisp)("time slice: " INTX_FORMAT " ms%s", WispTimeSliceMillis, WispTimeSliceMillis == 0 ? ", no preemption" : "");
#ifdef COMPILER2
  log_info(wisp)("counted loops %s, %s", !UseCountedLoopSafepoints ? "do not poll, so a coroutine in one is not preempted" :
                 LoopStripMiningIter > 1 ? "poll at intervals" : "poll at each iteration",
                 FLAG_IS_DEFAULT(UseCountedLoopSafepoints) ? "as is the default with Wisp2" : "by -XX:UseCountedLoopSafepoints");
#endif
  log_info(wisp)("event pump: epoll");
}

void CoroutineThread::boot(TRAPS) {
  if (!SafepointMechanism::uses_thread_local_poll()) {
    fail_boot("it needs thread-local handshakes; remove -XX:-ThreadLocalHandshakes");
  }
  if (!EventPump::initialize()) {
    fail_boot("epoll or eventfd is not available; check the seccomp profile and ulimit -n");
  }
  jlong slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);   // -1: not known
  Coroutine::_shortest_park = MAX2(MIN2(slack, (jlong) NANOSECS_PER_MILLISEC) / 2, (jlong) 0);
  log_surroundings();
  CarrierPrivileges::initialize((JavaThread*) THREAD);
  ResourceMark rm(THREAD);
  HandleMark hm(THREAD);
  _engine_klass = link("com/alibaba/wisp/engine/WispEngine", CHECK);
  _carrier_klass = link("com/alibaba/wisp/engine/WispCarrier", CHECK);
  _poll_klass = link("jdk/internal/misc/WispPoll", CHECK);
  _spin_klass = link("jdk/internal/misc/WispSpin", CHECK);
  _native_thread_klass = link("sun/nio/ch/NativeThread", CHECK);
  Klass* ended = link("java/lang/EndedThreads$Fields", CHECK);
  ended->initialize(CHECK);
  bind_natives(CHECK);
  TempNewSymbol is_converted = SymbolTable::new_symbol("isConverted", CHECK);
  TempNewSymbol thread_int = SymbolTable::new_symbol("(Ljava/lang/Thread;)I", CHECK);
  _is_converted = InstanceKlass::cast(_engine_klass)->find_method(is_converted, thread_int)->jmethod_id();
  _exit_method = InstanceKlass::cast(SystemDictionary::Thread_klass())->find_method(
    vmSymbols::exit_method_name(), vmSymbols::void_method_signature())->jmethod_id();
  _run_index = InstanceKlass::cast(SystemDictionary::Thread_klass())->find_method(
                 vmSymbols::run_method_name(), vmSymbols::void_method_signature())->vtable_index();
  TempNewSymbol boot_name = SymbolTable::new_symbol("boot", CHECK);
  JavaValue result(T_VOID);
  _booted = true;
  JavaCalls::call_static(&result, _engine_klass, boot_name, vmSymbols::void_method_signature(), THREAD);
  if (HAS_PENDING_EXCEPTION) {
    Handle exception(THREAD, PENDING_EXCEPTION);
    CLEAR_PENDING_EXCEPTION;
    oop message = java_lang_Throwable::message(exception());
    fail_boot(message != NULL ? java_lang_String::as_utf8_string(message) : exception->klass()->external_name());
  }
}

// ---- Which threads are converted

volatile jlong CoroutineThread::_decisions[DECISIONS];

const char* CoroutineThread::reason(int decision) {
  static const char* const reasons[DECISIONS] = {
    "", "the engine is starting", "part of the JDK", "on the exclude list", "not on the white list",
    "conversion is off", "the decision failed", "its starter has other privileges"
  };
  return reasons[decision];
}

void CoroutineThread::log_decision(oop thread_object, int decision) {
  guarantee(decision >= 0 && decision < DECISIONS, "ConversionPolicy and CoroutineThread differ");
  Atomic::inc(&_decisions[decision]);
  if (decision == FAILED) {
    ResourceMark rm;
    log_warning(wisp)("Whether thread \"%s\" becomes a coroutine could not be decided; it is a kernel thread",
                      JavaThread::name_for(thread_object));
  } else if (decision != CONVERTED) {
    LogTarget(Debug, wisp) target;
    if (target.is_enabled()) {
      ResourceMark rm;
      target.print("thread \"%s\" is a kernel thread: %s", JavaThread::name_for(thread_object), reason(decision));
    }
  } else {
    LogTarget(Trace, wisp) target;
    if (target.is_enabled()) {
      ResourceMark rm;
      target.print("thread \"%s\" is a coroutine", JavaThread::name_for(thread_object));
    }
  }
}

void CoroutineThread::print_kept(outputStream* st) {
  jlong sum = 0;
  for (int i = CONVERTED + 1; i < DECISIONS; i++) {
    sum += _decisions[i];
  }
  st->print(JLONG_FORMAT " kernel threads", sum);
  const char* separator = " (";
  for (int i = CONVERTED + 1; i < DECISIONS; i++) {
    if (_decisions[i] != 0) {
      st->print("%s" JLONG_FORMAT " %s", separator, _decisions[i], reason(i));
      separator = ", ";
    }
  }
  st->print_cr("%s", sum > 0 ? ")" : "");
}

bool CoroutineThread::is_converting(TRAPS) {
  TempNewSymbol name = SymbolTable::new_symbol("enableThreadAsWisp", CHECK_false);
  JavaValue result(T_BOOLEAN);
  JavaCalls::call_static(&result, _engine_klass, name, vmSymbols::void_boolean_signature(), CHECK_false);
  return result.get_jboolean() != 0;
}

void CoroutineThread::set_converting(bool on, TRAPS) {
  TempNewSymbol name = SymbolTable::new_symbol("convertThreads", CHECK);
  JavaCallArguments args;
  args.push_int(on);
  JavaValue result(T_VOID);
  JavaCalls::call_static(&result, _engine_klass, name, vmSymbols::bool_void_signature(), &args, CHECK);
}

// ---- Birth

Coroutine* CoroutineThread::create(size_t stack_size) {
  size_t size = CoroutineStack::size_for(stack_size);
  address base = CoroutineStack::allocate(size);
  if (base == NULL) {
    return NULL;
  }
  Coroutine* co = Coroutine::allocate();
  if (co == NULL) {
    CoroutineStack::release(base, size);
    return NULL;
  }
  if (co->_thread != NULL && co->_renewable) {
    renew(co);
  } else {
    if (co->_thread != NULL) {
      destroy_thread(co);
    }
    construct(co);
  }
  set_stack(co, base, size);

  JavaThread* thread = co->_thread;
  OSThread* osthread = thread->osthread();
  osthread->set_state(INITIALIZED);
  // Somebody may ask for its CPU time before it is mounted for the first time.
  osthread->set_thread_id(_daemon->osthread()->thread_id());
  osthread->set_pthread_id(_daemon->osthread()->pthread_id());
  thread->set_entry_point(&run_thread);
  thread->_stack_guard_state = JavaThread::stack_guard_enabled;
  thread->initialize_tlab();
  thread->cache_global_variables();
  // Suspended before it has run: it looks at the request when it is mounted.
  thread->set_suspend_equivalent();
  thread->omFreeProvision = 1;          // ObjectMonitors that it takes at a time, first; 32 would be 8 KB
  thread->_coroutine.set(co);
  thread->_thread_state = _thread_blocked;
  co->_home = CoroutineScheduler::start_queue();
  return co;
}

void CoroutineThread::set_stack(Coroutine* co, address base, size_t size) {
  co->_stack_base = base;
  co->_stack_size = size;
  co->_sp = (intptr_t*) base - FirstFrame;
  JavaThread* thread = co->_thread;
  thread->set_stack_base(base);
  thread->set_stack_size(size);
  thread->set_stack_overflow_limit();
  thread->set_reserved_stack_activation(base);
}

// The frame that coroutine_switch pops at the first mount; see the layout there. By the carrier, because whoever starts a
// thread has nothing of its stack in the cache, and needs nothing of it. Its own stack is another thread's as soon as it has been
// given to the pool: nothing of this one has been in it, and whoever looks for the owner of an address finds the new one from
// then on.
void CoroutineThread::prepare_stack(Coroutine* co, RecentStacks* recent) {
  address other = co->_stack_size == CoroutineStack::size_for(0) ? recent->take() : (address) NULL;
  if (other != NULL) {
    address own = co->_stack_base;
    set_stack(co, other, co->_stack_size);
    CoroutineStack::give_back(own, co->_stack_size);   // takes a lock; partner: CoroutineStack::make_executable()
  }
  CoroutineStack::assigned(co->_stack_base, co->_stack_size);
  intptr_t* sp = co->_sp;
  sp[0] = 0x1f80;                       // MXCSR: all exceptions masked, round to nearest
  sp[1] = 0;                            // r15
  sp[2] = 0;                            // r14
  sp[3] = 0;                            // r13
  sp[4] = 0;                            // r12
  sp[5] = (intptr_t) co;                // rbx
  sp[6] = 0;                            // rbp
  sp[7] = (intptr_t) &coroutine_start;
  sp[8] = 0;
  sp[9] = 0;
}

// Never published.
void CoroutineThread::discard(Coroutine* co) {
  CoroutineStack::release(co->_stack_base, co->_stack_size);
  destroy_thread(co);
  Coroutine::release(co);
}

// The policy runs on the thread that starts another one, between two frames of the program.
// A debugger that steps into Thread.start() must not land there, and no agent hear of the
// methods that are entered and left. Steps have a switch of their own. Entries, exits and
// frame pops are posted in interpreted-only mode. An agent's thread that wants them begins
// that at a safepoint, and one that does not any more ends it at any time, with the lock held
// and only if it finds it: so here, too, it is changed with the lock, and begun again only if
// somebody still wants it. If an agent wants something new meanwhile, it hears of them.
// Upstream's com/sun/jdi/StepTest fails without this.
class HiddenFromAgents : public StackObj {
  JavaThread*             _thread;
  JvmtiHideSingleStepping _steps;
  bool                    _interpreted_only;

  bool is_wanted() const {
    JvmtiThreadState* state = _thread->jvmti_thread_state();
    if (state == NULL) {
      return false;
    }
    static const jvmtiEvent events[] = { JVMTI_EVENT_SINGLE_STEP, JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT, JVMTI_EVENT_FRAME_POP,
                                         JVMTI_EVENT_FIELD_ACCESS, JVMTI_EVENT_FIELD_MODIFICATION };
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
      if (state->is_enabled(events[i])) {
        return true;
      }
    }
    JvmtiEnvThreadStateIterator it(state);
    for (JvmtiEnvThreadState* ets = it.first(); ets != NULL; ets = it.next(ets)) {
      if (ets->has_frame_pops()) {
        return true;
      }
    }
    return false;
  }

 public:
  HiddenFromAgents(JavaThread* thread) : _thread(thread), _steps(thread), _interpreted_only(false) {
    if (thread->is_interp_only_mode()) {
      MutexLocker mu(JvmtiThreadState_lock);
      _interpreted_only = thread->is_interp_only_mode();
      if (_interpreted_only) {
        thread->decrement_interp_only_mode();
      }
    }
  }
  ~HiddenFromAgents() {
    if (_interpreted_only) {
      MutexLocker mu(JvmtiThreadState_lock);
      if (!_thread->is_interp_only_mode() && is_wanted()) {
        _thread->increment_interp_only_mode();
      }
    }
  }
};

bool CoroutineThread::start(jobject jthread, JavaThread* current, TRAPS) {
  if (!_booted) {
    return false;
  }
  CoroutineBias::starts();
  Handle thread_object(THREAD, JNIHandles::resolve_non_null(jthread));
  JavaValue decision(T_INT);
  {
    HiddenFromAgents hidden(current);
    methodHandle method(THREAD, Method::resolve_jmethod_id(_is_converted));   // the newest, if it has been redefined
    JavaCallArguments args(thread_object);
    JavaCalls::call(&decision, method, &args, CHECK_(true));
  }
  int decided = decision.get_jint();
  Coroutine* starter = current->coroutine();
  if (decided == CONVERTED && (starter == NULL || starter->is_bound()) && !CarrierPrivileges::may_share(current)) {
    decided = UNPRIVILEGED;
  }
  log_decision(thread_object(), decided);
  if (decided != CONVERTED) {
    return false;
  }
  jlong requested = java_lang_Thread::stackSize(thread_object());
  bool exhausted = CoroutineScheduler::is_exhausted(current);
  Coroutine* co = exhausted ? NULL : create(requested > 0 ? (size_t) requested : 0);
  if (co == NULL) {
    ResourceMark rm(current);
    log_warning(os, thread)("%s java.lang.Thread \"%s\"", exhausted ? "No kernel thread can be created to run" :
                            "Failed to map a stack for", JavaThread::name_for(thread_object()));
    if (JvmtiExport::should_post_resource_exhausted()) {
      JvmtiExport::post_resource_exhausted(JVMTI_RESOURCE_EXHAUSTED_OOM_ERROR | JVMTI_RESOURCE_EXHAUSTED_THREADS,
                                           os::native_thread_creation_failed_msg());
    }
    THROW_MSG_(vmSymbols::java_lang_OutOfMemoryError(), os::native_thread_creation_failed_msg(), true);
  }
  JavaThread* thread = co->_thread;
  bool started_before;
  {
    MutexLocker mu(Threads_lock);
    started_before = java_lang_Thread::thread(thread_object()) != NULL;
    if (!started_before) {
      thread->set_threadObj(thread_object());
      java_lang_Thread::set_thread(thread_object(), thread);
      co->_thread_id = java_lang_Thread::thread_id(thread_object());
      Threads::add(thread);
      CoroutineThreadList::add_id(co);
    }
  }
  if (started_before) {
    discard(co);
    THROW_(vmSymbols::java_lang_IllegalThreadStateException(), true);
  }
#if INCLUDE_JFR
  if (JfrRecorder::is_recording() && EventThreadStart::is_enabled() && EventThreadStart::is_stacktrace_enabled()) {
    thread->jfr_thread_local()->set_cached_stack_trace_id(JfrStackTraceRepository::record(current, 2));
  }
#endif
  java_lang_Thread::set_thread_status(thread_object(), java_lang_Thread::RUNNABLE);
  co->_home->count_other(RunQueue::STARTS);
  if (RunQueue::counts_times()) {
    co->_left_at = co->_queued_at = os::javaTimeNanos();
  }
  co->_starter = CarrierThread::current();
  co->_start_cpu = sched_getcpu();
  co->_started_at = co->_starter == NULL && StartSeries::goes_on() ? (jlong) 0 : os::javaTimeNanos();
  co->_start_over = false;
  OrderAccess::release_store(&co->_state, (int) Coroutine::RUNNABLE);
  RunQueue::enqueue(co, NULL);
  co->_start_over = true;
  return true;
}

// ---- Life

extern "C" void coroutine_entry(Coroutine* co) {
  CoroutineThread::entry(co);
}

void CoroutineThread::initialize_ended(Handle thread_object) {
  java_lang_Thread::set_thread_status(thread_object(), java_lang_Thread::TERMINATED);
  _ended_thread = JNIHandles::make_global(thread_object);
}

void CoroutineThread::run_thread(JavaThread* thread, TRAPS) {
  HandleMark hm(THREAD);
  Handle thread_object(THREAD, thread->threadObj());
  JavaValue result(T_VOID);
  methodHandle method(THREAD, InstanceKlass::cast(thread_object->klass())->method_at_vtable(_run_index));
  if (method->is_abstract()) {         // of a class that javac would refuse: the right error
    JavaCalls::call_virtual(&result, thread_object, SystemDictionary::Thread_klass(),
                            vmSymbols::run_method_name(), vmSymbols::void_method_signature(), THREAD);
    return;
  }
  JavaCallArguments args(thread_object);
  JavaCalls::call(&result, method, &args, THREAD);
}

// Hook in JavaThread::exit, before it calls Thread.exit, for which it looks by name each time, and which it does not call any
// more when the thread has left its group.
void CoroutineThread::exit_thread(JavaThread* thread) {
  if (thread->coroutine() == NULL) {
    return;
  }
  HandleMark hm(thread);
  JavaValue result(T_VOID);
  methodHandle method(thread, Method::resolve_jmethod_id(_exit_method));
  Handle thread_object(thread, thread->threadObj());
  JavaCallArguments args(thread_object);
  JavaCalls::call(&result, method, &args, thread);
  thread->clear_pending_exception();   // a Thread.stop, and the VM tries again
}

void CoroutineThread::entry(Coroutine* co) {
  co->_carrier->finish_switch();
  co->_carrier->end_switch();
  co->mounted_again();

  JavaThread* thread = co->_thread;
  assert(thread == Thread::current(), "mounted as somebody else");
  thread->osthread()->set_state(RUNNABLE);
  Coroutine::end_suspend_equivalent(thread);
  ThreadStateTransition::transition_and_fence(thread, _thread_blocked, _thread_in_vm);

  JFR_ONLY(Jfr::on_thread_start(thread);)
  if (JvmtiExport::should_post_thread_life()) {
    JvmtiExport::post_thread_start(thread);
  }
  if (!thread->has_pending_exception() && !java_lang_Thread::is_stillborn(thread->threadObj())) {
    HandleMark hm(thread);
    thread->entry_point()(thread, thread);
  }
  thread->exit(false);
  // Still on the Threads list, for the reaper: safe, and without frames or handles. And without its java.lang.Thread, which may
  // hold half of the heap. Not NULL: who looks at a thread reads this more than once.
  thread->set_threadObj(JNIHandles::resolve_non_null(_ended_thread));
  ThreadStateTransition::transition_and_fence(thread, _thread_in_vm, _thread_blocked);
  if (thread->_stack_guard_state != JavaThread::stack_guard_enabled) {
    CoroutineStack::close_guards(co->_stack_base, co->_stack_size);
  }
  co->_renewable = is_renewable(co);
  CoroutineAffinity::retire(co);
  co->switch_out(Coroutine::END);
  ShouldNotReachHere();
}

void CoroutineThread::print_on_error(const JavaThread* thread, outputStream* st) {
  Coroutine* co = thread->coroutine();
  if (co != NULL) {
    CarrierThread* carrier = co->_carrier;
    st->print(" coroutine [" PTR_FORMAT "] %s", p2i(co), co->has_exited() ? "ended" : co->state_name());
    if (carrier != NULL && carrier->mounted() == co) {
      st->print(" on carrier " PTR_FORMAT " WispCarrier-%d", p2i(carrier), carrier->id());
    }
    return;
  }
  for (CarrierThread* carrier = CarrierThread::_carriers; carrier != NULL; carrier = carrier->_next_carrier) {
    co = carrier->mounted();
    if (carrier == thread && co != NULL) {
      st->print(" runs coroutine [" PTR_FORMAT "] of JavaThread " PTR_FORMAT, p2i(co), p2i(co->_thread));
    }
  }
}

// ---- Death

void CoroutineThread::ended(Coroutine* co, RecentStacks* recent) {
  // An address in this stack is another thread's from here on.
  co->_thread->set_stack_base((address) (uintptr_t) os::vm_page_size());
  co->_thread->set_stack_size(0);
  CoroutineStack::release(co->_stack_base, co->_stack_size, recent);
  co->_stack_base = NULL;
  CoroutineReaper::ended(co);
}

bool CoroutineThread::trim() {
  Coroutine* unused = CoroutineRecords::trim();
  bool more = unused != NULL;
  while (unused != NULL) {
    Coroutine* next = unused->_next;
    destroy_thread(unused);
    Coroutine::release(unused);
    unused = next;
  }
  return more;
}

int CoroutineThread::daemon_id() {
  JavaThread* daemon = _daemon;
  return daemon != NULL ? (int) daemon->osthread()->thread_id() : 0;
}

JavaThread* JavaThread::owner_of_kept_environment(JavaThread* kept) {
  Thread* current = Thread::current_or_null();
  return current != NULL && current->is_Java_thread() ? (JavaThread*) current : kept;
}

bool CoroutineThread::is_stand_in(oop thread_object) {
  return thread_object != NULL && _ended_thread != NULL && thread_object == JNIHandles::resolve_non_null(_ended_thread);
}

bool CoroutineThread::free_osthread(OSThread* osthread) {
  Thread* current = Thread::current_or_null();
  if (current != NULL && current->osthread() == osthread) {
    return false;
  }
  delete osthread;
  return true;
}
