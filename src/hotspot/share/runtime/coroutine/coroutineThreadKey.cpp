/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/coroutine/coroutineThreadKey.hpp"
#include "runtime/thread.inline.hpp"

#include <dlfcn.h>
#include <limits.h>

CoroutineThreadKey::Set CoroutineThreadKey::_set = NULL;
pthread_key_t           CoroutineThreadKey::_key = 0;

void CoroutineThreadKey::initialize() {
  const Thread* self = Thread::current();
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
    if (pthread_getspecific(key) == self) {
      _key = key;
      _set = CAST_TO_FN_PTR(Set, dlsym(RTLD_DEFAULT, "pthread_setspecific"));
      break;
    }
  }
  if (_set == NULL) {
    log_debug(wisp)("profilers that look for threads by a thread-specific key find carriers only");
  }
}
