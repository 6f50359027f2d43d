/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINEGROUPS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINEGROUPS_HPP

// All threads, grouped by identical stacks: what Wisp.dump prints. A service has many
// threads and few different stacks, so this is readable where a thread dump is not.
//
// The threads of one ThreadsList are looked at in several safepoints, each of which ends
// after some milliseconds; in between the program runs. So a thread is seen at one moment
// and another one at another, which a tool that counts can live with. A group keeps its
// stack as text from the first thread on, because methods may be unloaded or redefined
// between two safepoints; and it is found by a hash of the names and positions in the
// stack, 64 bits wide, rather than by comparing them.
//
// What is kept is bounded: the frames of a stack, the names in a group, the groups.
//
// Rejected: one safepoint for all (at 100,000 threads it would stop the program for half
// a second), and a handshake with each thread (in this version each is a VM operation of
// its own).

#include "runtime/coroutine/coroutineReport.hpp"
#include "runtime/threadSMR.hpp"
#include "utilities/ostream.hpp"

class CoroutineGroups : public CHeapObj<mtThread> {
  friend class VM_CollectGroups;

  enum {
    Buckets     = 4096,
    MaxGroups   = 10000,
    BudgetNanos = 10 * 1000 * 1000     // for one safepoint
  };

  struct Group : public CHeapObj<mtThread> {
    uint64_t key;
    Group*   next;                     // in the bucket
    char*    stack;                    // text
    char*    samples;                  // text, a line for each of the first threads
    int      sampled;
    int      count;
    int      doing[CoroutineReport::DOINGS];
  };

  ThreadsList* _threads;
  uint         _position;              // the thread to go on with
  int          _max_depth;
  int          _max_samples;

  Group*       _buckets[Buckets];
  Group**      _groups;
  int          _group_count;
  int          _overflow;              // threads whose stacks are groups too many
  int          _count;
  int          _doing[CoroutineReport::DOINGS];
  int          _safepoints;
  jlong        _longest;               // of the safepoints, in nanoseconds

  static int compare(Group* const* a, Group* const* b);
  static void print_doings(const int* doing, outputStream* st);

  void collect();                      // at a safepoint, as far as the time goes
  void add(JavaThread* thread, CoroutineReport* report);
  uint64_t key_of(JavaThread* thread) const;
  Group* find(uint64_t key, JavaThread* thread);
  char* stack_of(JavaThread* thread) const;
  void add_sample(Group* group, JavaThread* thread, CoroutineReport* report);

 public:
  CoroutineGroups(ThreadsList* threads, int max_depth, int max_samples);
  ~CoroutineGroups();

  void collect_all();                  // by a Java thread in the VM
  void print(outputStream* st, int max_groups);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINEGROUPS_HPP
