/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_OS_EXT_HPP
#define SHARE_VM_RUNTIME_OS_EXT_HPP

// Takes the place of HotSpot's empty extension header: the ranges of the flags
// in globals_ext.hpp.

#define EMIT_RANGES_FOR_GLOBALS_EXT                         \
  emit_range_no(NULL WISP_FLAGS(EMIT_RANGE_PRODUCT_FLAG,    \
                                EMIT_RANGE_DIAGNOSTIC_FLAG, \
                                EMIT_RANGE_CHECK));
#define EMIT_CONSTRAINTS_FOR_GLOBALS_EXT
#define EMIT_WRITEABLES_FOR_GLOBALS_EXT

public:
  static void init_globals_ext() {}

 private:

#endif // SHARE_VM_RUNTIME_OS_EXT_HPP
