/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEHOOKS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEHOOKS_HPP

// What upstream's headers (os.hpp, thread.hpp, park.hpp) need to know about
// coroutines. Kept free of includes: these headers are seen by every file.

class Coroutine;

extern "C" bool UseWisp2;

// A pointer to a coroutine's record that starts as NULL, for objects that
// HotSpot does not zero. Records are type-stable: a stale pointer leads to a
// spurious wake-up of another coroutine, never to freed memory.
class CoroutineRef {
  Coroutine* volatile _value;
 public:
  CoroutineRef() : _value(NULL) {}
  Coroutine* get() const   { return _value; }
  void set(Coroutine* c)   { _value = c; }
};

// Members of Parker and PlatformEvent: whom unpark() makes runnable.
//   Parker:        set once, by the first coroutine that has it, which keeps it.
//   PlatformEvent: set by the owner before it announces its wait (_event: 0 to
//                  -1, a full fence), cleared by the owner when it has woken up;
//                  read by unpark() after its xchg of _event. NULL when the
//                  owner blocks its OS thread, as it does in ReadStableMark and
//                  in JVMTI raw monitors.
#define COROUTINE_PARK_MEMBERS  \
  friend class Coroutine;       \
  friend class CoroutineThread; \
  CoroutineRef _coroutine;

// Members of ThreadsList: room for more entries, and a number that grows with each
// list; 0 for lists that upstream's code has made. coroutineThreadList.hpp
class ThreadsListInfo {
  unsigned int _value;
 public:
  ThreadsListInfo() : _value(0) {}
  unsigned int get() const    { return _value; }
  void set(unsigned int v)    { _value = v; }
};

#define COROUTINE_THREADS_LIST_MEMBERS \
  friend class CoroutineThreadList;    \
  ThreadsListInfo _capacity;           \
  ThreadsListInfo _number;

// Members of JavaThread. _coroutine is set before the thread is published and
// never changes; NULL for a thread that owns an OS thread. A library that keeps its JNIEnv in a variable of the kernel thread calls
// with that of a coroutine that has left this one, or has ended: the thread that calls is meant.
#define COROUTINE_JAVA_THREAD_MEMBERS                       \
  friend class Coroutine;                                   \
  friend class CarrierThread;                               \
  friend class CoroutineThread;                             \
  CoroutineRef _coroutine;                                  \
  static JavaThread* owner_of_kept_environment(JavaThread* kept); \
 public:                                                    \
  Coroutine* coroutine() const { return _coroutine.get(); }

#if defined(LINUX) && defined(AMD64) && defined(__GNUC__)

// A coroutine can come back from a park on another OS thread. The compiler may
// keep the address of a thread-local variable across a call, and would then read
// the variable of the OS thread that the coroutine has left. This load cannot be
// combined with an earlier one, and with the initial-exec model it is two
// instructions, fewer than the call that the default model needs.
#define COROUTINE_TLS_MODEL __attribute__((tls_model("initial-exec")))
#define COROUTINE_RETURN_CURRENT                                  \
  Thread* current;                                                \
  __asm__ volatile("movq _ZN6Thread12_thr_currentE@gottpoff(%%rip), %0\n\t" \
                   "movq %%fs:(%0), %0" : "=r"(current));         \
  return current;

#else

#define COROUTINE_TLS_MODEL
#define COROUTINE_RETURN_CURRENT

#endif

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEHOOKS_HPP
