/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/javaClasses.hpp"
#include "memory/allocation.inline.hpp"
#include "memory/resourceArea.hpp"
#include "oops/method.hpp"
#include "oops/oop.inline.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineGroups.hpp"
#include "runtime/handles.inline.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/vframe.inline.hpp"
#include "runtime/vmThread.hpp"
#include "runtime/vmOperations.hpp"

class VM_CollectGroups : public VM_Operation {
  CoroutineGroups* _groups;

 public:
  VM_CollectGroups(CoroutineGroups* groups) : _groups(groups) {}
  VMOp_Type type() const  { return VMOp_PrintThreads; }   // its kind, as far as logs tell
  void doit()             { _groups->collect(); }
};

CoroutineGroups::CoroutineGroups(ThreadsList* threads, int max_depth, int max_samples) :
  _threads(threads), _position(0), _max_depth(max_depth), _max_samples(max_samples), _groups(NULL),
  _group_count(0), _overflow(0), _count(0), _safepoints(0), _longest(0) {
  memset(_buckets, 0, sizeof(_buckets));
  memset(_doing, 0, sizeof(_doing));
  _groups = NEW_C_HEAP_ARRAY(Group*, MaxGroups, mtThread);
}

CoroutineGroups::~CoroutineGroups() {
  for (int i = 0; i < _group_count; i++) {
    os::free(_groups[i]->stack);
    os::free(_groups[i]->samples);
    delete _groups[i];
  }
  FREE_C_HEAP_ARRAY(Group*, _groups);
}

// ---- Collecting

void CoroutineGroups::collect_all() {
  while (_position < _threads->length()) {
    VM_CollectGroups operation(this);
    VMThread::execute(&operation);
  }
}

void CoroutineGroups::collect() {
  jlong start = os::javaTimeNanos();
  jlong elapsed = 0;
  CoroutineReport report;
  do {
    JavaThread* thread = _threads->thread_at(_position++);
    // Carriers are below what they run. A thread that has ended since keeps its memory,
    // because of the list, but not its stack.
    if (!thread->is_exiting() && thread->threadObj() != NULL && !thread->is_hidden_from_external_view()) {
      add(thread, &report);
    }
    elapsed = os::javaTimeNanos() - start;
  } while (_position < _threads->length() && elapsed < BudgetNanos);
  _safepoints++;
  _longest = MAX2(_longest, elapsed);
}

void CoroutineGroups::add(JavaThread* thread, CoroutineReport* report) {
  ResourceMark rm;
  HandleMark hm;
  CoroutineReport::Doing doing = CoroutineReport::what(thread);
  _count++;
  _doing[doing]++;
  Group* group = find(key_of(thread), thread);
  if (group == NULL) {
    _overflow++;
    return;
  }
  group->count++;
  group->doing[doing]++;
  if (group->sampled < _max_samples) {
    add_sample(group, thread, report);
  }
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UCONST64(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

uint64_t CoroutineGroups::key_of(JavaThread* thread) const {
  uint64_t key = 0;
  int depth = 0;
  for (vframeStream frames(thread); !frames.at_end() && depth < _max_depth; frames.next(), depth++) {
    Method* method = frames.method();
    key = mix(key, method->method_holder()->name()->identity_hash());
    key = mix(key, method->name()->identity_hash());
    key = mix(key, ((uint64_t) method->signature()->identity_hash() << 32) + frames.bci() + 1);
  }
  return key;
}

CoroutineGroups::Group* CoroutineGroups::find(uint64_t key, JavaThread* thread) {
  Group** bucket = &_buckets[key % Buckets];
  for (Group* group = *bucket; group != NULL; group = group->next) {
    if (group->key == key) {
      return group;
    }
  }
  if (_group_count == MaxGroups) {
    return NULL;
  }
  Group* group = new Group();
  memset(group, 0, sizeof(Group));
  group->key = key;
  group->stack = stack_of(thread);
  group->next = *bucket;
  *bucket = group;
  _groups[_group_count++] = group;
  return group;
}

char* CoroutineGroups::stack_of(JavaThread* thread) const {
  stringStream text;
  int depth = 0;
  vframeStream frames(thread);
  for (; !frames.at_end() && depth < _max_depth; frames.next(), depth++) {
    methodHandle method(Thread::current(), frames.method());
    java_lang_Throwable::print_stack_element(&text, method, frames.bci());
  }
  if (!frames.at_end()) {
    text.print_cr("\t... and more; see -depth");
  } else if (depth == 0) {
    text.print_cr("\t(no Java frames)");
  }
  return os::strdup(text.as_string(), mtThread);
}

void CoroutineGroups::add_sample(Group* group, JavaThread* thread, CoroutineReport* report) {
  stringStream text;
  if (group->samples != NULL) {
    text.print_raw(group->samples);
    os::free(group->samples);
  }
  text.print_raw("    \"");
  text.print_raw(thread->get_thread_name());   // of any length; print() cuts
  text.print("\" #" INT64_FORMAT ": ", (int64_t) java_lang_Thread::thread_id(thread->threadObj()));
  if (thread->coroutine() != NULL) {
    report->print(thread, &text);
  } else {
    text.print("kernel thread, %s", java_lang_Thread::thread_status_name(thread->threadObj()));
  }
  text.cr();
  group->samples = os::strdup(text.as_string(), mtThread);
  group->sampled++;
}

// ---- Printing

int CoroutineGroups::compare(Group* const* a, Group* const* b) {
  return (*b)->count - (*a)->count;
}

void CoroutineGroups::print_doings(const int* doing, outputStream* st) {
  const char* separator = "";
  for (int i = 0; i < CoroutineReport::DOINGS; i++) {
    if (doing[i] > 0) {
      st->print("%s%d %s", separator, doing[i], CoroutineReport::name((CoroutineReport::Doing) i));
      separator = ", ";
    }
  }
  st->cr();
}

void CoroutineGroups::print(outputStream* st, int max_groups) {
  qsort(_groups, _group_count, sizeof(Group*), (int (*)(const void*, const void*)) compare);
  st->print_cr("%d threads with %d%s different stacks, seen in %d safepoint%s of at most %.1f ms",
               _count, _group_count, _overflow > 0 ? " and more" : "", _safepoints, _safepoints == 1 ? "" : "s",
               _longest / (double) NANOSECS_PER_MILLISEC);
  print_doings(_doing, st);
  int shown = MIN2(_group_count, max_groups);
  int rest = _overflow;
  for (int i = 0; i < _group_count; i++) {
    Group* group = _groups[i];
    if (i >= shown) {
      rest += group->count;
      continue;
    }
    st->cr();
    st->print("%d thread%s: ", group->count, group->count == 1 ? "" : "s");
    print_doings(group->doing, st);
    if (group->samples != NULL) {
      st->print_raw(group->samples);
    }
    if (group->count > group->sampled && group->sampled > 0) {
      st->print_cr("    and %d more", group->count - group->sampled);
    }
    st->print_raw(group->stack);
  }
  if (rest > 0) {
    st->cr();
    st->print_cr("%d threads with other stacks; see -groups", rest);
  }
}
