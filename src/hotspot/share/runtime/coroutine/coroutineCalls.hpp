/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINECALLS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINECALLS_HPP

// Native methods of the JDK that wait for a disk, a child process or a name server: they block their kernel thread, and cannot wait in
// the event pump. Sysmon hands off the queue of one that stays for milliseconds. Who serves requests, and forces something to a
// disk for each of them, blocks for a tenth of one; meanwhile all others in its queue wait, and there are no more such calls at a time
// than carriers. So a coroutine whose calls have blocked gives its queue away before the next one, as before a park that
// it may not leave for. It goes on without a queue until it parks, and becomes a spare then: two switches of the kernel for
// each such call, which a kernel thread has as well.
//
// Most such calls do not block: what is read is in the page cache, what is written is only copied there. That is what decides,
// for each coroutine and each kind of call by itself, as who forces something to a disk has written it before:
//
//   CALM      of some calls the time is taken, and _interval skipped between two. One that is slow makes it SUSPECTED
//   SUSPECTED the kernel is asked before a call and after it how often the thread has blocked. If it has in one: BLOCKS. If it
//             has not in a few: CALM, and the interval doubles, as others may take the CPU in that call again and again
//   BLOCKS    gives the queue away, unless nobody waits there and another carrier is idle, or no carrier can be created; then
//             sysmon sees to events. Asks as well, and becomes CALM after a few calls in a row that have not blocked
//
// Whoever has no queue has nothing to give, and is not asked, unless he stays:
//
// Who reads a request from a socket, makes such a call for it, and reads the next one, would wait for a hand-off each time, the queue's,
// from the carrier that was woken for the request. So one whose last ServedMin calls have blocked, with at most WaitsMax waits
// between any two, and which has no queue, keeps its OS thread while it waits for a descriptor to read from: it polls that, a
// kernel thread like any other. For WispStayMillis at most: then, or when it has waited more often without such a call, it
// leaves as ever, and is one of those that cost no kernel thread while they wait. Events of the descriptor wake whoever is in the pump all
// the same, for nothing.
//
// The VM does not hear of a call of a native method, so the function that is linked to it is an entry of ours,
// as in coroutineAffinity.hpp, which calls begin() and end(), both in native state, without stops for a safepoint in between.
// Its arguments have to be in registers: so far only methods of the JDK with six or fewer, the JNIEnv and the class or
// object included, none of them a floating point number. To lock a part of a file takes seven: that is left to sysmon.
//
// Rejected: to keep it in a blocking read, which would not end while no request comes; to keep it in parks as well, as who waits for
// a lock or a task is woken by a coroutine, for which a switch is enough; hooks in the Java code that calls these methods, more upstream
// lines for the same; to give the queue away at each call, as a read from the cache takes less time than that; to decide by the
// descriptor, as one file may be read from the cache by one thread and past it by others; a look of sysmon each 20 us.

#include "memory/allocation.hpp"
#include "runtime/coroutine/coroutineHooks.hpp"

class Coroutine;
class Method;
struct JNIEnv_;

class CoroutineCalls : AllStatic {
  enum {
    SlowNanos    = 20 * 1000,          // from which on a call is suspected to have blocked
    SampledMin   = 7,                  // calls that are skipped between two whose time is taken, none before the first one of all,
                                       // and fewer at first,
    SampledMax   = 1023,
    Suspicions   = 2,                  // calls that have not blocked, until a suspected one is calm
    Confirmations = 4,                 // likewise, of one that has blocked before
    WaitsMax     = 3
  };

  static void blocked(Coroutine* co);

 public:
  enum { ServedMin = 4 };

  enum Kind { READ, WRITE, FORCE, OTHER, KINDS };
  enum State { CALM, SUSPECTED, BLOCKS };

  // Of a coroutine and a kind.
  struct History {
    u1 _state;
    u1 _quiet;                         // calls in a row that have not blocked
    u2 _skipped;                       // calls whose time was not taken, since one whose was
    u2 _interval;
  };

  // Of a native method of a class of the boot loader, whose name without prefixes of agents this is; KINDS: it is none of these.
  static Kind kind_of(Method* method, const char* name);

  // Called by the entries, around the function.
  static void begin(JNIEnv_* env, int kind);
  static void end(JNIEnv_* env, int kind);

  // Whether few waits have passed since a call has blocked.
  static bool serves(const Coroutine* co);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINECALLS_HPP
