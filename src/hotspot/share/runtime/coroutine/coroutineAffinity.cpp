/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "classfile/classLoaderData.inline.hpp"
#include "classfile/moduleEntry.hpp"
#include "code/codeCache.hpp"
#include "logging/log.hpp"
#include "memory/resourceArea.hpp"
#include "oops/method.hpp"
#include "prims/jvmtiExport.hpp"
#include "runtime/atomic.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineAffinity.hpp"
#include "runtime/coroutine/coroutineCalls.hpp"
#include "runtime/frame.inline.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/safepoint.hpp"
#include "runtime/sharedRuntime.hpp"
#include "runtime/thread.inline.hpp"
#include "utilities/macros.hpp"
#include "utilities/resourceHash.hpp"
#include CPU_HEADER(coroutineAssembler)

#include <link.h>

char**       CoroutineAffinity::_patterns = NULL;
int          CoroutineAffinity::_pattern_count = 0;
bool         CoroutineAffinity::_generated = false;
volatile int CoroutineAffinity::_lock = 0;
volatile int CoroutineAffinity::_bound_count = 0;

typedef ResourceHashtable<address, address, primitive_hash<address>, primitive_equals<address>, 256,
                          ResourceObj::C_HEAP, mtCode> EntryTable;
static EntryTable* _entries = NULL;

void CoroutineAffinity::add_pattern(const char* pattern) {
  if (strcmp(pattern, "generated") == 0) {
    _generated = true;
    return;
  }
  _patterns = REALLOC_C_HEAP_ARRAY(char*, _patterns, _pattern_count + 1, mtThread);
  _patterns[_pattern_count++] = os::strdup_check_oom(pattern, mtThread);
}

// Agents and -Xbootclasspath/a put classes into the boot loader, too, which belong to no module.
bool CoroutineAffinity::is_of_jdk(InstanceKlass* klass) {
  ClassLoaderData* loader = klass->class_loader_data();
  return (loader->is_boot_class_loader_data() || loader->is_platform_class_loader_data()) && klass->module()->is_named();
}

// In the caller's resource mark.
static const char* own_name_of(Method* method) {
  const char* own_name = method->name()->as_C_string();
  if (method->is_prefixed_native()) {  // an agent has put a method of the old name in front of it
    int count = 0;
    char** prefixes = JvmtiExport::get_all_native_method_prefixes(&count);
    for (int i = count - 1; i >= 0; i--) {
      size_t length = strlen(prefixes[i]);
      own_name += strncmp(prefixes[i], own_name, length) == 0 ? length : 0;
    }
  }
  return own_name;
}

bool CoroutineAffinity::is_listed(Method* method, const char* own_name) {
  stringStream name;
  name.print("%s.%s", method->method_holder()->external_name(), own_name);
  for (int i = 0; i < _pattern_count; i++) {
    const char* pattern = _patterns[i];
    size_t length = strlen(pattern);
    bool open = length > 0 && pattern[length - 1] == '*';
    if (open ? strncmp(pattern, name.as_string(), length - 1) == 0 : strcmp(pattern, name.as_string()) == 0) {
      return true;
    }
  }
  return false;
}

extern "C" int is_in_library(struct dl_phdr_info* library, size_t size, void* function) {
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &library->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && (uintptr_t) function - (library->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
      return 1;
    }
  }
  return 0;
}

// Foreign function interfaces make functions at run time, and link them to native methods of the program's
// classes. Not by dladdr: that waits for who loads a library, whose constructors may wait for the VM.
bool CoroutineAffinity::is_generated(address function) {
  return dl_iterate_phdr(&is_in_library, function) == 0;
}

address CoroutineAffinity::entry_for_function(Method* method, address function) {
  // Of a method that is being made, and has no class yet, perhaps; or that of one that is redefined, which goes on as it was.
  if (function == SharedRuntime::native_method_throw_unsatisfied_link_error_entry() || SafepointSynchronize::is_at_safepoint() ||
      CodeCache::contains(function)) {
    return function;
  }
  const bool of_jdk = is_of_jdk(method->method_holder());
  ResourceMark rm;
  const char* name = own_name_of(method);
  const CoroutineCalls::Kind kind = of_jdk ? CoroutineCalls::kind_of(method, name) : CoroutineCalls::KINDS;
  if (kind == CoroutineCalls::KINDS && (of_jdk ||
                  !((_pattern_count > 0 && is_listed(method, name)) || (_generated && is_generated(function))))) {
    return function;
  }
  Thread::SpinAcquire(&_lock, "CoroutineAffinity - look");
  address* known = _entries != NULL ? _entries->get(function) : NULL;
  address entry = known != NULL ? *known : NULL;
  Thread::SpinRelease(&_lock);
  return entry != NULL ? entry : generate(function, kind);
}

// Out of the lock, as memory for code is allocated under a lock of its own. Whoever comes second has one entry for nothing.
address CoroutineAffinity::generate(address function, int kind) {
  const bool binds = kind == CoroutineCalls::KINDS;
  BufferBlob* blob = binds ? BufferBlob::create("wisp bound native", CoroutineAssembler::BindingEntrySize)
                           : BufferBlob::create("wisp blocking native", CoroutineAssembler::CallEntrySize);
  if (blob == NULL) {
    log_warning(wisp)("no memory for code is left: threads that call the native function at " PTR_FORMAT
                      " %s; see -XX:ReservedCodeCacheSize", p2i(function),
                      binds ? "do not keep their kernel thread" : "keep others waiting while it blocks");
    return function;
  }
  address entry = binds ? CoroutineAssembler::generate_binding_entry(blob, Coroutine::offset_in_thread(), Coroutine::bound_offset(),
                                                                     CAST_FROM_FN_PTR(address, &bind), function)
                        : CoroutineAssembler::generate_call_entry(blob, CAST_FROM_FN_PTR(address, &CoroutineCalls::begin),
                                                                  CAST_FROM_FN_PTR(address, &CoroutineCalls::end), kind, function);
  Thread::SpinAcquire(&_lock, "CoroutineAffinity - add");
  if (_entries == NULL) {
    _entries = new (ResourceObj::C_HEAP, mtCode) EntryTable();
  }
  address* known = _entries->get(function);
  if (known != NULL) {
    entry = *known;
  } else {
    _entries->put(function, entry);
    blob = NULL;
  }
  Thread::SpinRelease(&_lock);
  if (blob != NULL) {
    BufferBlob::free(blob);
  }
  return entry;
}

void CoroutineAffinity::bind(JNIEnv_* env) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  Coroutine* co = thread->coroutine();
  co->_bound = true;
  co->_pinned++;
  co->_carrier->release_queue();       // for good: it never leaves, and who waits there would never be run by this carrier
  Atomic::inc(&_bound_count);
  LogTarget(Debug, wisp) target;
  if (target.is_enabled()) {
    ThreadInVMfromNative in_vm(thread);
    ResourceMark rm(thread);
    Method* method = Coroutine::native_method(thread);
    target.print("thread \"%s\" keeps kernel thread %d from now on, as it calls %s", thread->get_thread_name(),
                 co->_carrier->tid(), method != NULL ? method->name_and_sig_as_C_string() : "native code");
  }
}

void CoroutineAffinity::retire(Coroutine* co) {
  if (co->_bound) {
    co->_carrier->_retires = true;
  }
}
