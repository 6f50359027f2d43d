/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREAD_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREAD_HPP

// The life of a coroutine as a Thread, and the start of the engine.
//
//   start()        JVM_StartThread: asks WispEngine.isConverted, makes stack, record
//                  and JavaThread, puts it on the Threads list, queues it. From its
//                  first moment on the list the thread is _thread_blocked, not
//                  _thread_new: a safepoint would wait for a _thread_new thread to
//                  run, and it may sit behind a carrier that waits for the safepoint.
//                  Everything that a safepoint may read is set before. At the first mount, which
//                  may be during one, the thread may get another stack, of the same size: it
//                  has no frame, and nobody keeps the address of a stack without one.
//   entry()        first mount: what JavaThread::run does for an OS thread
//   exit           JavaThread::exit leaves it on the Threads list (coroutineThreadList.hpp);
//                  the last switch names it END, and on the next stack ended() gives
//                  its stack back
//   released       the reaper has taken it off the list; when no ThreadsList names it,
//                  the record is free, and its JavaThread is renewed by the next start
//                  in it, or destroyed by the reaper when there is none for some seconds
//
// boot() is called on the main thread when the VM is up. The engine's classes are
// java.base's com.alibaba.wisp.engine; native methods are bound here rather than
// looked up, so that no symbol of libjvm needs to be exported.

#include "runtime/coroutine/coroutine.hpp"

class InstanceKlass;
class outputStream;

class CoroutineThread : AllStatic {
  friend class CarrierThread;

  static volatile bool  _booted;
  static Klass*         _engine_klass;
  static Klass*         _carrier_klass;
  static Klass*         _poll_klass;
  static Klass*         _spin_klass;
  static Klass*         _native_thread_klass;
  static jobject        _ended_thread; // the java.lang.Thread of each JavaThread that has ended; set once, at the start
  static jmethodID      _is_converted;
  static int            _run_index;    // of Thread.run in the table of virtual methods
  static jmethodID      _exit_method;  // Thread.exit

  // What WispEngine.isConverted returns, the same constants as in ConversionPolicy.java; the last is the VM's own.
  enum Decision { CONVERTED, NOT_UP, OF_THE_JDK, EXCLUDED, NOT_LISTED, SWITCHED_OFF, FAILED, UNPRIVILEGED, DECISIONS };
  static volatile jlong _decisions[DECISIONS];
  static const char* reason(int decision);
  static void log_decision(oop thread_object, int decision);

  static Klass* link(const char* name, TRAPS);
  static JavaThread*    _daemon;       // WispDaemon: an OS thread that never ends

  static Coroutine* create(size_t stack_size);
  static void discard(Coroutine* co);
  // The JavaThread of a record; coroutineRenewal.cpp.
  static void construct(Coroutine* co);
  static bool is_renewable(Coroutine* co);
  static void renew(Coroutine* co);
  static void destroy_thread(Coroutine* co);
  static void run_thread(JavaThread* thread, TRAPS);

  enum { FirstFrame = 10 };            // words

  static void set_stack(Coroutine* co, address base, size_t size);

 public:
  static Klass* carrier_klass()  { return _carrier_klass; }
  static bool   is_booted()      { return _booted; }
  static int    daemon_id();           // of its kernel thread, 0: there is none yet

  // Hook in Threads::create_vm.
  static void boot(TRAPS);
  static void bind_natives(TRAPS);
  static void bind_waits(TRAPS);
  static void initialize_ended(Handle thread_object);
  // NULL: there is none, or an agent has made it a Java method.
  static Method* native_method(Klass* klass, const char* name, const char* signature, TRAPS);
  static void bind(Method* method, address function);

  // Hook in JVM_StartThread. False: not converted, go on as upstream. True: started,
  // or an exception is pending.
  static bool start(jobject jthread, JavaThread* current, TRAPS);

  // Whether Thread.start() makes coroutines at present; the engine's setting.
  static bool is_converting(TRAPS);
  static void set_converting(bool on, TRAPS);

  // Part of a line: how many threads were not converted, and why.
  static void print_kept(outputStream* st);

  static void entry(Coroutine* co);

  // By the carrier that is about to switch to it for the first time: on one of the stacks of its queue, if there is one.
  static void prepare_stack(Coroutine* co, RecentStacks* recent);

  // By the carrier that has switched away for the last time. recent: of its queue, NULL if it has none.
  static void ended(Coroutine* co, RecentStacks* recent);

  static bool is_stand_in(oop thread_object);   // of one that has ended

  // By the reaper (coroutineReaper.hpp): destroys JavaThreads that nobody has needed for a
  // while; true: there may be more.
  static bool trim();

  // Hook in os::set_native_thread_name: a coroutine must not rename its carrier.
  static bool keep_native_name()  { return Coroutine::current() != NULL; }

  // Hook in JavaThread::print_on_error, for hs_err files: which carrier runs it, or whom it
  // runs. The VM is about to die, so nothing here locks or allocates.
  static void print_on_error(const JavaThread* thread, outputStream* st);

  // Hook in JavaThread::exit, in place of its call of Thread.exit.
  static void exit_thread(JavaThread* thread);

  // Hook in JavaThread::exit, before the blocks of JNI handles and the allocation buffer are given back: the next
  // thread in this record has the blocks, the next one on the carrier that needs a buffer what is left of this.
  static void hand_down(JavaThread* thread);

  // Hook in os::free_thread: a coroutine's OSThread is a description, and has no
  // signal mask to restore. True: handled.
  static bool free_osthread(OSThread* osthread);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINETHREAD_HPP
