/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_GLOBALS_EXT_HPP
#define SHARE_VM_RUNTIME_GLOBALS_EXT_HPP

#include "runtime/flags/jvmFlag.hpp"
#include "runtime/globals.hpp"

// The flags of this project. They take the place of HotSpot's empty extension
// header, so that no upstream line changes. UseWisp2 is a product flag: it is
// accepted with and without -XX:+UnlockExperimentalVMOptions.

#define WISP_FLAGS(product, diagnostic, range)                              \
                                                                            \
  product(bool, UseWisp2, false,                                            \
          "Run Java threads as coroutines on a few carrier threads")        \
                                                                            \
  product(intx, WispTimeSliceMillis, 10,                                    \
          "Milliseconds that a coroutine may run while others wait before " \
          "it is preempted at a safepoint poll; 0 turns preemption off")    \
          range(0, 10000)                                                   \
                                                                            \
  product(intx, WispStayMillis, 10,                                         \
          "Milliseconds that a coroutine whose calls block its kernel "     \
          "thread again and again keeps that thread, at most, while it "    \
          "waits for a socket between two of them; 0 frees it at once")     \
          range(0, 60000)                                                   \
                                                                            \
  diagnostic(bool, WispAlwaysMigrate, false,                                \
          "Stress: queue a coroutine on another carrier at every switch")   \
                                                                            \
  diagnostic(bool, WispAlwaysHandOff, false,                                \
          "Stress: hand a carrier's run queue over at every chance")        \
                                                                            \
  diagnostic(uintx, WispRunQueueCapacity, 256,                              \
          "Slots of a carrier's run queue, rounded up to a power of two")   \
          range(4, 65536)

#define WISP_IGNORE_RANGE(a, b)

WISP_FLAGS(DECLARE_PRODUCT_FLAG, DECLARE_DIAGNOSTIC_FLAG, WISP_IGNORE_RANGE)

#define WISP_FLAG_MEMBER(type, name, value, doc)           FLAG_MEMBER(name),
#define WISP_FLAG_MEMBER_WITH_TYPE(type, name, value, doc) FLAG_MEMBER_WITH_TYPE(name, type),

// globals_extension.hpp extension

#define JVMFLAGS_EXT \
  WISP_FLAGS(WISP_FLAG_MEMBER, WISP_FLAG_MEMBER, WISP_IGNORE_RANGE)

#define JVMFLAGSWITHTYPE_EXT \
  WISP_FLAGS(WISP_FLAG_MEMBER_WITH_TYPE, WISP_FLAG_MEMBER_WITH_TYPE, WISP_IGNORE_RANGE)

// globals.cpp extension

#define MATERIALIZE_FLAGS_EXT \
  WISP_FLAGS(MATERIALIZE_PRODUCT_FLAG, MATERIALIZE_DIAGNOSTIC_FLAG, WISP_IGNORE_RANGE)

#define FLAGTABLE_EXT \
  WISP_FLAGS(RUNTIME_PRODUCT_FLAG_STRUCT, RUNTIME_DIAGNOSTIC_FLAG_STRUCT, WISP_IGNORE_RANGE)

// The rest of the extension interface has nothing to add.

inline bool JVMFlag::is_unlocker_ext() const   { return false; }
inline bool JVMFlag::is_unlocked_ext() const   { return true; }
inline bool JVMFlag::is_writeable_ext() const  { return false; }
inline bool JVMFlag::is_external_ext() const   { return false; }

inline JVMFlag::MsgType JVMFlag::get_locked_message_ext(char* buf, int buflen) const {
  assert(buf != NULL, "no buffer");
  buf[0] = '\0';
  return JVMFlag::NONE;
}

#endif // SHARE_VM_RUNTIME_GLOBALS_EXT_HPP
