/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_ARGUMENTS_EXT_HPP
#define SHARE_VM_RUNTIME_ARGUMENTS_EXT_HPP

#include "memory/allocation.hpp"
#include "runtime/arguments.hpp"
#include "runtime/coroutine/coroutineBias.hpp"
#include "runtime/globals.hpp"

// Takes the place of HotSpot's empty extension header: what -XX:+UseWisp2 implies
// for other flags, decided when all options are known.
class ArgumentsExt: AllStatic {
public:
  static inline bool process_options(const JavaVMOption *option) { return false; }

  // Counted loops must poll, or a coroutine that computes keeps its carrier. G1 and
  // ZGC have it so by default; the other collectors get the same setting, unless
  // the user has chosen one.
  //
  // Biased locking is for few threads, unless the user has chosen it (coroutineBias.hpp). A delay is such a choice, too:
  // it is turned on at its end.
  //
  // Thread.onSpinWait() is the method that it is (WispSpin.hint), not an instruction. The list of -XX:+PrintFlagsFinal
  // may be given to another VM, which leaves it as it is.
  static inline void report_unsupported_options() {
    if (UseWisp2 && strstr(DisableIntrinsic, "_onSpinWait") == NULL) {
      const char* const name = "_onSpinWait,";
      size_t size = strlen(name) + strlen(DisableIntrinsic) + 1;
      char* list = NEW_C_HEAP_ARRAY(char, size, mtArguments);
      jio_snprintf(list, size, "%s%s", name, DisableIntrinsic);
      DisableIntrinsic = list;
    }
    if (UseWisp2) {
      CoroutineBias::init(!FLAG_IS_DEFAULT(UseBiasedLocking) || BiasedLockingStartupDelay > 0);
    }
    if (UseWisp2 && UseZGC && FLAG_IS_DEFAULT(UseFastJNIAccessors)) {
      FLAG_SET_DEFAULT(UseFastJNIAccessors, false);    // they take the collector's state from the thread of a JNIEnv that a library has kept
    }
#ifdef COMPILER2
    if (UseWisp2 && FLAG_IS_DEFAULT(UseCountedLoopSafepoints)) {
      FLAG_SET_DEFAULT(UseCountedLoopSafepoints, true);
      if (FLAG_IS_DEFAULT(LoopStripMiningIter)) {
        FLAG_SET_DEFAULT(LoopStripMiningIter, 1000);
      }
    }
#endif
  }
};

#endif // SHARE_VM_RUNTIME_ARGUMENTS_EXT_HPP
