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
#include "memory/oopFactory.hpp"
#include "oops/typeArrayOop.inline.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutineAffinity.hpp"
#include "runtime/coroutine/coroutineConnections.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineSockets.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/coroutineThreadKey.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/java.hpp"
#include "runtime/jniHandles.inline.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "utilities/formatBuffer.hpp"

#include <pthread.h>
#include <sched.h>

// The native methods of com.alibaba.wisp.engine.WispCarrier and
// jdk.internal.misc.WispPoll, and Thread.yield.
// Those of a carrier's loop run in native state and touch no oop.

static CarrierThread* this_carrier() {
  return (CarrierThread*) Thread::current();
}

extern "C" {

static jint JNICALL Wisp_run(JNIEnv* env, jclass ignored) {
  return this_carrier()->run_queue();
}

static jboolean JNICALL Wisp_serve(JNIEnv* env, jclass ignored) {
  return CoroutineScheduler::serve(this_carrier()->queue());
}

static jboolean JNICALL Wisp_steal(JNIEnv* env, jclass ignored) {
  return CoroutineScheduler::steal(this_carrier());
}

static void JNICALL Wisp_idle(JNIEnv* env, jclass ignored) {
  CoroutineScheduler::idle(this_carrier());
}

static jboolean JNICALL Wisp_awaitQueue(JNIEnv* env, jclass ignored) {
  return this_carrier()->wait_for_queue();
}

static void JNICALL Wisp_awaitSpareRequest(JNIEnv* env, jclass ignored) {
  CoroutineScheduler::wait_for_spare_request(this_carrier());
}

static jint JNICALL Wisp_id(JNIEnv* env, jclass ignored) {
  return this_carrier()->id();
}

static jint JNICALL Wisp_carriers(JNIEnv* env, jclass ignored) {
  return CoroutineScheduler::count();
}

// No VM entry: the thread stays in native, a safe state, and the wrapper of the
// native method polls on return. Saves four fences a switch.
static void yield(JavaThread* thread, Coroutine* co) {
  thread->set_suspend_equivalent();
  thread->_thread_state = _thread_blocked;
  co->yield();
  Coroutine::end_native_wait(thread);
}

static void JNICALL Wisp_yield(JNIEnv* env, jclass ignored) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    RunQueue::kernel_thread_yields();
    sched_yield();
  } else {
    yield(thread, co);
  }
}

// The same way, each now and then. On other threads it is what the compilers make of it without the flag.
static void JNICALL Wisp_spinWait(JNIEnv* env, jclass ignored) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  Coroutine* co = thread->coroutine();
  if (co == NULL || co->should_spin()) {
    SpinPause();
  } else {
    yield(thread, co);
  }
}

// The same way: waits in a safe state for a descriptor. -1: not a coroutine. owner: the FileDescriptor whose number it was.
static jint JNICALL Wisp_await(JNIEnv* env, jclass ignored, jobject owner, jint fd, jint events, jlong nanos, jint kind) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  Coroutine* co = thread->coroutine();
  if (co == NULL) {
    return -1;
  }
  jlong deadline = nanos > 0 ? Coroutine::deadline_after_nanos(nanos) : 0;
  EventPump::Result result;
  do {
    uint ticket = EventPump::ticket(fd, events);
    // After the ticket; partner: who closes takes the number away, and calls closing() then.
    if (!CoroutineSockets::is_number_of(env, owner, fd)) {
      return EventPump::CLOSED;
    }
    OSThreadWaitState osts(thread->osthread(), false /* not Object.wait() */);
    thread->set_suspend_equivalent();
    thread->_thread_state = _thread_blocked;
    result = EventPump::await(co, fd, events, deadline, (EventPump::Kind) kind, ticket);
    Coroutine::end_native_wait(thread);
  } while (result == EventPump::AGAIN);
  return result == EventPump::NOT_POLLABLE ? -1 : (jint) result;
}

static void JNICALL Wisp_listens(JNIEnv* env, jclass ignored, jint fd) {
  CoroutineConnections::listens(JavaThread::thread_from_jni_environment(env)->coroutine(), fd);
}

// address: of four or sixteen bytes, or null for any.
static jint JNICALL Wisp_mayConnect(JNIEnv* env, jclass ignored, jint fd, jint port, jbyteArray address, jint tries, jboolean over,
                                    jboolean blocks) {
  Coroutine* co = JavaThread::thread_from_jni_environment(env)->coroutine();
  if (co == NULL) {
    return -1;
  }
  CoroutineConnections::Address target;
  if (address != NULL) {
    jbyte bytes[CoroutineConnections::Address::Size];
    const int length = MIN2((int) env->GetArrayLength(address), (int) sizeof(bytes));
    env->GetByteArrayRegion(address, 0, length, bytes);
    target.set((u1*) bytes, length);
  }
  return CoroutineConnections::may_connect(co, fd, port, address != NULL ? &target : NULL, tries, over != 0, blocks != 0);
}

static jboolean JNICALL Wisp_connected(JNIEnv* env, jclass ignored) {
  Coroutine* co = JavaThread::thread_from_jni_environment(env)->coroutine();
  if (co == NULL) {
    return false;
  }
  CoroutineConnections::connected();
  RunQueue* queue = co->is_bound() ? (RunQueue*) NULL : co->carrier()->queue();
  return queue != NULL && queue->expects_connection();
}

static jboolean JNICALL Wisp_onCoroutine(JNIEnv* env, jclass ignored) {
  return JavaThread::thread_from_jni_environment(env)->coroutine() != NULL;
}

// sun.nio.ch.NativeThread: whom close() has to get out of a system call. The thread that
// registers itself may make the call on another carrier, so a coroutine registers its
// record, marked by the lowest bit, and the carrier is looked up by who signals: inside
// a system call a coroutine does not migrate. Not mounted, it is not in a system call.
static jlong JNICALL Wisp_nativeThread(JNIEnv* env, jclass ignored) {
  Coroutine* co = JavaThread::thread_from_jni_environment(env)->coroutine();
  return co != NULL ? (jlong) (intptr_t) co | 1 : (jlong) pthread_self();
}

static void JNICALL Wisp_signalNativeThread(JNIEnv* env, jclass ignored, jlong id) {
  if ((id & 1) == 0) {
    CarrierThread::end_call((pthread_t) id);
    return;
  }
  Coroutine* co = (Coroutine*) (intptr_t) (id & ~(jlong) 1);
  CoroutineSysmon::begin_look();       // a carrier that has a coroutine now cannot end meanwhile
  CarrierThread* carrier = co->carrier();
  if (carrier != NULL && carrier->mounted() == co) {
    CarrierThread::end_call(carrier->pthread());
  }
  CoroutineSysmon::end_look();
}

static void JNICALL Wisp_spareFailed(JNIEnv* env, jclass ignored) {
  CoroutineScheduler::spare_failed(this_carrier());
}

static jboolean JNICALL Wisp_register(JNIEnv* env, jclass ignored, jint fd) {
  return EventPump::register_edge(fd);
}

static void JNICALL Wisp_wake(JNIEnv* env, jclass ignored, jint fd) {
  EventPump::post(fd);
}

static void JNICALL Wisp_beforeClosing(JNIEnv* env, jclass ignored, jint fd) {
  CoroutineSockets::before_closing(fd);
}

static void JNICALL Wisp_closing(JNIEnv* env, jclass ignored, jint fd) {
  EventPump::closing(fd);
  Coroutine::end_stays(fd);
}

static jboolean JNICALL Wisp_isUsed(JNIEnv* env, jclass ignored, jint fd) {
  return EventPump::is_used(fd);
}

}

JVM_ENTRY_NO_ENV(static void, Wisp_initialize(JNIEnv* env, jclass ignored, jint carriers, jboolean follow, jlong stack_size, jlong tick_nanos,
                                              jobject ended))
  CoroutineScheduler::initialize(carriers, follow && ActiveProcessorCount <= 0, (uint) WispRunQueueCapacity);
  CoroutineStack::initialize((size_t) stack_size);
  CoroutineThreadKey::initialize();
  CoroutineThread::initialize_ended(Handle(THREAD, JNIHandles::resolve_non_null(ended)));
  if (!CoroutineSysmon::start(tick_nanos)) {
    THROW_MSG(vmSymbols::java_lang_OutOfMemoryError(), os::native_thread_creation_failed_msg());
  }
JVM_END

JVM_ENTRY_NO_ENV(static void, Wisp_addAffinity(JNIEnv* env, jclass ignored, jstring pattern))
  ResourceMark rm(THREAD);
  CoroutineAffinity::add_pattern(java_lang_String::as_utf8_string(JNIHandles::resolve_non_null(pattern)));
JVM_END

JVM_ENTRY_NO_ENV(static void, Wisp_start(JNIEnv* env, jclass ignored, jobject jthread, jint id, jint queue))
  Handle thread_object(THREAD, JNIHandles::resolve_non_null(jthread));
  CarrierThread::start(thread_object, id, queue >= 0 ? CoroutineScheduler::queue(queue) : NULL, CHECK);
JVM_END

JVM_ENTRY_NO_ENV(static jboolean, Wisp_isCoroutine(JNIEnv* env, jclass ignored, jobject jthread))
  ThreadsListHandle tlh(thread);
  JavaThread* other = NULL;
  bool alive = tlh.cv_internal_thread_to_JavaThread(jthread, &other, NULL);
  return alive && other->coroutine() != NULL;
JVM_END

JVM_ENTRY_NO_ENV(static jobject, Wisp_counters(JNIEnv* env, jclass ignored, jint i))
  RunQueue* queue = CoroutineScheduler::queue(i);
  typeArrayOop counters = oopFactory::new_longArray(RunQueue::COUNTERS, CHECK_NULL);
  for (int k = 0; k < RunQueue::COUNTERS; k++) {
    counters->long_at_put(k, queue->counter((RunQueue::Counter) k));
  }
  return JNIHandles::make_local(THREAD, counters);
JVM_END

JVM_ENTRY_NO_ENV(static void, Wisp_log(JNIEnv* env, jclass ignored, jint level, jstring line))
  ResourceMark rm(THREAD);
  const char* text = java_lang_String::as_utf8_string(JNIHandles::resolve_non_null(line));
  switch (level) {
    case 0:  log_debug(wisp)("%s", text); break;
    case 1:  log_info(wisp)("%s", text); break;
    default: log_warning(wisp)("%s", text);
  }
JVM_END

static jboolean JNICALL Wisp_logs(JNIEnv* env, jclass ignored, jint level) {
  return level == 0 ? log_is_enabled(Debug, wisp) : level == 1 ? log_is_enabled(Info, wisp) : log_is_enabled(Warning, wisp);
}

static jboolean JNICALL Wisp_measures(JNIEnv* env, jclass ignored) {
  return RunQueue::counts_times();
}

static void JNICALL Wisp_measure(JNIEnv* env, jclass ignored, jboolean on) {
  RunQueue::count_times(on);
}

Method* CoroutineThread::native_method(Klass* klass, const char* name, const char* signature, TRAPS) {
  TempNewSymbol n = SymbolTable::new_symbol(name, CHECK_NULL);
  TempNewSymbol s = SymbolTable::new_symbol(signature, CHECK_NULL);
  Method* method = InstanceKlass::cast(klass)->find_method(n, s);
  return method != NULL && method->is_native() ? method : NULL;
}

void CoroutineThread::bind(Method* method, address function) {
  method->set_native_function(function, Method::native_bind_event_is_interesting);
}

static void bind(Klass* klass, const char* name, const char* signature, address function, TRAPS) {
  Method* method = CoroutineThread::native_method(klass, name, signature, CHECK);
  if (method == NULL) {
    ResourceMark rm(THREAD);
    vm_exit_during_initialization(err_msg("%s.%s%s is no native method any more, which -XX:+UseWisp2 needs: an agent or --patch-module has changed "
                                          "it. Start without that, or with -XX:-UseWisp2", klass->external_name(), name, signature));
  }
  CoroutineThread::bind(method, function);
}

#define BIND(name, signature, function) \
  ::bind(_carrier_klass, name, signature, CAST_FROM_FN_PTR(address, &function), CHECK)

void CoroutineThread::bind_natives(TRAPS) {
  BIND("run0",              "()I",                       Wisp_run);
  BIND("serve",             "()Z",                       Wisp_serve);
  BIND("steal",             "()Z",                       Wisp_steal);
  BIND("idle",              "()V",                       Wisp_idle);
  BIND("awaitQueue",        "()Z",                       Wisp_awaitQueue);
  BIND("awaitSpareRequest", "()V",                       Wisp_awaitSpareRequest);
  BIND("spareFailed",       "()V",                       Wisp_spareFailed);
  BIND("id",                "()I",                       Wisp_id);
  BIND("carriers",          "()I",                       Wisp_carriers);
  BIND("initialize0",       "(IZJJLjava/lang/Thread;)V", Wisp_initialize);
  BIND("start0",            "(Ljava/lang/Thread;II)V",   Wisp_start);
  BIND("addAffinity",       "(Ljava/lang/String;)V",     Wisp_addAffinity);
  BIND("isCoroutine",       "(Ljava/lang/Thread;)Z",     Wisp_isCoroutine);
  BIND("counters",          "(I)[J",                     Wisp_counters);
  BIND("measures",          "()Z",                       Wisp_measures);
  BIND("measure",           "(Z)V",                      Wisp_measure);
  BIND("log",               "(ILjava/lang/String;)V",    Wisp_log);
  BIND("logs",              "(I)Z",                      Wisp_logs);
  ::bind(_poll_klass, "await0",       "(Ljava/io/FileDescriptor;IIJI)I",   CAST_FROM_FN_PTR(address, &Wisp_await), CHECK);
  ::bind(_poll_klass, "register0",    "(I)Z",      CAST_FROM_FN_PTR(address, &Wisp_register), CHECK);
  ::bind(_poll_klass, "beforeClosing0", "(I)V", CAST_FROM_FN_PTR(address, &Wisp_beforeClosing), CHECK);
  ::bind(_poll_klass, "closing0",     "(I)V",      CAST_FROM_FN_PTR(address, &Wisp_closing), CHECK);
  ::bind(_poll_klass, "isUsed0",      "(I)Z",      CAST_FROM_FN_PTR(address, &Wisp_isUsed), CHECK);
  ::bind(_poll_klass, "wake0",        "(I)V",      CAST_FROM_FN_PTR(address, &Wisp_wake), CHECK);
  ::bind(_poll_klass, "onCoroutine0", "()Z",       CAST_FROM_FN_PTR(address, &Wisp_onCoroutine), CHECK);
  ::bind(_poll_klass, "listens0",     "(I)V",      CAST_FROM_FN_PTR(address, &Wisp_listens), CHECK);
  ::bind(_poll_klass, "mayConnect0",  "(II[BIZZ)I", CAST_FROM_FN_PTR(address, &Wisp_mayConnect), CHECK);
  ::bind(_poll_klass, "connected0",   "()Z",       CAST_FROM_FN_PTR(address, &Wisp_connected), CHECK);
  ::bind(_poll_klass, "read0",        "(Ljava/io/FileDescriptor;IZ[BIIJ)I", CAST_FROM_FN_PTR(address, &CoroutineSockets::read), CHECK);
  ::bind(_poll_klass, "receive0",     "(Ljava/io/FileDescriptor;IZ[BII[JJ)I", CAST_FROM_FN_PTR(address, &CoroutineSockets::receive), CHECK);
  ::bind(_poll_klass, "readMemory0",  "(IZZJI)I",   CAST_FROM_FN_PTR(address, &CoroutineSockets::read_memory), CHECK);
  ::bind(_poll_klass, "readv0",       "(IZZJI)J",   CAST_FROM_FN_PTR(address, &CoroutineSockets::readv), CHECK);
  ::bind(_poll_klass, "takeEvents0",  "(IJIJ)I",   CAST_FROM_FN_PTR(address, &CoroutineSockets::take_events), CHECK);
  ::bind(_poll_klass, "write0",       "(Ljava/io/FileDescriptor;IZ[BII)I", CAST_FROM_FN_PTR(address, &CoroutineSockets::write), CHECK);
  ::bind(_poll_klass, "writev0",      "(IZZJI)J",   CAST_FROM_FN_PTR(address, &CoroutineSockets::writev), CHECK);
  ::bind(_poll_klass, "writeMemory0", "(IZZJI)J",   CAST_FROM_FN_PTR(address, &CoroutineSockets::write_memory), CHECK);
  ::bind(_spin_klass, "hint", "()V", CAST_FROM_FN_PTR(address, &Wisp_spinWait), CHECK);
  ::bind(_native_thread_klass, "current", "()J", CAST_FROM_FN_PTR(address, &Wisp_nativeThread), CHECK);
  ::bind(_native_thread_klass, "signal", "(J)V", CAST_FROM_FN_PTR(address, &Wisp_signalNativeThread), CHECK);
  bind_waits(CHECK);
  Method* yield = native_method(SystemDictionary::Thread_klass(), "yield", "()V", CHECK);
  if (yield != NULL) {
    bind(yield, CAST_FROM_FN_PTR(address, &Wisp_yield));
  } else {
    log_info(wisp)("an agent has changed Thread.yield; it is upstream's, which takes longer");
  }
}
