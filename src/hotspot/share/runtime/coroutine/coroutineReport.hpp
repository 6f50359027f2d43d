/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEREPORT_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEREPORT_HPP

// Says in words what a coroutine does, or why it waits: for thread dumps, Wisp.dump
// and Wisp.status.
//
// The place that parks leaves its cause in the record (Coroutine::waits_for), a store
// in a cache line of its own; all the rest is found out here, when somebody asks: the
// monitor and its owner, the blocker of LockSupport, the class that is initialized, the
// operation on a descriptor (the method that asked the event pump to wait), the native
// method that pins.
//
// At a safepoint, except for summarize(). Coroutines that are in a safe state go on to
// change hands meanwhile, so what is read of the record is a hint, read once; threads,
// monitors and objects stay what they are, but for the stacks of threads that run for the first time.
//
// Rejected: a description that each place composes before it parks (work in each park
// for a line that is printed once a month), and the time for which it has been parked
// (a clock read in each park).

#include "runtime/coroutine/coroutine.hpp"

class InstanceKlass;
class Method;
class ObjectMonitor;
class outputStream;

class CoroutineReport : public StackObj {
 public:
  // What a thread does, in one word, to count threads by.
  enum Doing { RUNS, RUNS_NATIVE, QUEUED, ENTERS, WAITS, PARKS, SLEEPS, LOADS, READS, WRITES, SUSPENDED, PINNED, KERNEL, DOINGS };

 private:
  // Whose a monitor is: its owner word is a JavaThread or an address on its stack.
  struct Range {
    address     low;
    address     high;
    JavaThread* thread;
  };
  Range*          _ranges;             // sorted; built when some owners have been looked up
  int             _lookups;
  int             _range_count;
  struct Initialization {
    InstanceKlass* klass;
    JavaThread*    by;
  };
  Initialization* _initializing;       // classes that are being initialized; the same
  int             _initializing_count;
  int             _initializing_room;

  static int compare(const Range* a, const Range* b);
  void index_threads();
  JavaThread* owner_of(ObjectMonitor* monitor);

  static void collect_initializing(Klass* klass);
  static CoroutineReport* _collecting; // argument of collect_initializing(), which gets none
  Initialization* initialized_under(oop lock);

  static void print_thread(JavaThread* thread, outputStream* st);
  static void print_object(oop object, outputStream* st);
  static void print_time_left(Coroutine* co, outputStream* st);
  static const char* operation(JavaThread* thread, bool read);
  static Method* pinning_method(JavaThread* thread);
  static bool is_in_native(JavaThread* thread);
  void print_cause(JavaThread* thread, Coroutine* co, outputStream* st);

 public:
  CoroutineReport();
  ~CoroutineReport();

  static Doing what(JavaThread* thread);
  static const char* name(Doing doing);

  // Part of a line, without its end. For a coroutine.
  void print(JavaThread* thread, outputStream* st);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEREPORT_HPP
