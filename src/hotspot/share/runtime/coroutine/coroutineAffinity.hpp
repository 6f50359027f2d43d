/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEAFFINITY_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEAFFINITY_HPP

// Threads that keep their OS thread. Some native code leaves something with the OS thread
// from one call to the next: an error number, a mutex that must be unlocked where it was
// locked, the current context of a graphics library. What a foreign function interface
// (JNA, jffi) calls can be any of these. So a coroutine that calls one of the native methods that
// the setting nativeAffinity names is bound from then on: it never leaves its carrier, which serves
// nobody else, ends with it, and with that runs the destructors of its thread-local variables, as the OS
// thread of a thread does. It is what stock has, at stock's price.
//
//   free  -> bound   bind(), by the coroutine itself, in native state, before the first such function
//                    runs. A pin that is never taken back (Coroutine::_pinned), and the queue of the
//                    carrier goes to another one
//   bound -> ended   retire() by itself: the carrier ends instead of becoming a spare (CarrierThread::wait_for_queue)
//
// The VM does not hear of a call of a native method. So the function that is linked to such a method is
// not its own, but a few instructions that test whether the thread is bound, and go on there: entry_for(),
// where all ways to link a native method meet. Methods of the JDK that may block have entries of another kind (coroutineCalls.hpp). One entry
// for each function, for ever. Compiled code that would call
// a critical native instead looks for it in the library of the function, and an entry lies in none.
//
// Rejected: to do this for each native method outside the JDK (the transports of Netty, RocksDB and most
// other libraries keep nothing, and are called by the threads that gain most); not to preempt
// between two calls (a lock is held over waits, too); to bind at the end of the first call (that one has left
// something already).

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"

class Coroutine;
class CoroutineAssembler;
class InstanceKlass;
class Method;
struct JNIEnv_;

class CoroutineAffinity : AllStatic {
  // The patterns of the setting: CLASS.METHOD, a * at the end stands for any rest. Written at
  // boot, before any class of the program is loaded.
  static char** _patterns;
  static int    _pattern_count;
  static bool   _generated;            // functions in no library as well
  static volatile int _lock;           // of the table of entries
  static volatile int _bound_count;    // that have been bound so far

  static bool    is_listed(Method* method, const char* own_name);
  static bool    is_generated(address function);
  static address entry_for_function(Method* method, address function);
  static address generate(address function, int kind);
  static void    bind(JNIEnv_* env);   // called by the entries

 public:
  // Boot: one pattern, or "generated".
  static void add_pattern(const char* pattern);

  // Hook in Method::set_native_function: what to call instead.
  static address entry_for(Method* method, address function) {
    return UseWisp2 ? entry_for_function(method, function) : function;
  }

  // Whether it is a class of the JDK, not of a library that has native methods.
  static bool is_of_jdk(InstanceKlass* klass);

  // By a coroutine that has ended, in its last stay.
  static void retire(Coroutine* co);

  static int bound_count()  { return _bound_count; }
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEAFFINITY_HPP
