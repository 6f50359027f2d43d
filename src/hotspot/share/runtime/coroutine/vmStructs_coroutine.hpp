/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_VMSTRUCTS_COROUTINE_HPP
#define SHARE_VM_RUNTIME_COROUTINE_VMSTRUCTS_COROUTINE_HPP

// What the serviceability agent (jhsdb) reads to tell whose registers an OS thread
// has; its side is CarrierThread.java in jdk.hotspot.agent. Part of the tables in
// vmStructs.cpp.

#include "runtime/coroutine/carrierThread.hpp"

#define COROUTINE_VM_STRUCTS(nonstatic_field, volatile_nonstatic_field)     \
  nonstatic_field(JavaThread, _coroutine, CoroutineRef)                     \
  volatile_nonstatic_field(Coroutine, _carrier, CarrierThread*)             \
  volatile_nonstatic_field(CarrierThread, _mounted, Coroutine*)

#define COROUTINE_VM_TYPES(declare_type, declare_toplevel_type)             \
  declare_toplevel_type(CoroutineRef)                                       \
  declare_toplevel_type(Coroutine)                                          \
  declare_toplevel_type(Coroutine*)                                         \
  declare_type(CarrierThread, JavaThread)                                   \
  declare_toplevel_type(CarrierThread*)

#endif // SHARE_VM_RUNTIME_COROUTINE_VMSTRUCTS_COROUTINE_HPP
