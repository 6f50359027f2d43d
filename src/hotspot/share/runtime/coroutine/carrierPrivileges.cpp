/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "logging/log.hpp"
#include "runtime/coroutine/carrierPrivileges.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/os.hpp"
#include "runtime/thread.inline.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

CarrierPrivileges::Set CarrierPrivileges::_kept;
int                    CarrierPrivileges::_filter = 0;
const JavaThread*      CarrierPrivileges::_main = NULL;
int                    CarrierPrivileges::_main_id = 0;
volatile int           CarrierPrivileges::_lock = 0;
volatile int           CarrierPrivileges::_version = 0;

// Of the current kernel thread. False: it cannot be read, as a filter does not allow that.
bool CarrierPrivileges::read(Set* set) {
  memset(set, 0, sizeof(Set));
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    set->effective[i] = data[i].effective;
    set->permitted[i] = data[i].permitted;
    set->inheritable[i] = data[i].inheritable;
  }
  set->no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  return true;
}

int CarrierPrivileges::filter() {
  return prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
}

// What the thread has that starts carriers, which none of them has left: it is equal if that was changed for all threads.
bool CarrierPrivileges::has_daemon(const Set* set, int filter) {
  char line[256];
  jio_snprintf(line, sizeof(line), "/proc/self/task/%d/status", (int) CoroutineThread::daemon_id());
  int fd = EventPump::above_standard_streams(::open(line, O_RDONLY | O_CLOEXEC));
  FILE* file = fd >= 0 ? ::fdopen(fd, "r") : NULL;
  if (file == NULL) {
    return false;
  }
  Set found;
  memset(&found, 0, sizeof(found));
  int found_filter = -1;
  unsigned long long value;
  while (fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "CapEff: %llx", &value) == 1) {
      found.effective[0] = (unsigned int) value;
      found.effective[1] = (unsigned int) (value >> 32);
    } else if (sscanf(line, "CapPrm: %llx", &value) == 1) {
      found.permitted[0] = (unsigned int) value;
      found.permitted[1] = (unsigned int) (value >> 32);
    } else if (sscanf(line, "CapInh: %llx", &value) == 1) {
      found.inheritable[0] = (unsigned int) value;
      found.inheritable[1] = (unsigned int) (value >> 32);
    } else if (sscanf(line, "NoNewPrivs: %llx", &value) == 1) {
      found.no_new_privileges = value == 1;
    } else if (sscanf(line, "Seccomp: %llx", &value) == 1) {
      found_filter = (int) value;
    }
  }
  ::fclose(file);
  return found_filter == filter && memcmp(&found, set, sizeof(found)) == 0;
}

bool CarrierPrivileges::limit(Set* set, const Set* to) {
  bool more = to->no_new_privileges && !set->no_new_privileges;
  for (int i = 0; i < 2; i++) {
    more = more || (set->effective[i] & ~to->effective[i]) != 0 || (set->permitted[i] & ~to->permitted[i]) != 0 ||
           (set->inheritable[i] & ~to->inheritable[i]) != 0;
    set->effective[i] &= to->effective[i];
    set->permitted[i] &= to->permitted[i];
    set->inheritable[i] &= to->inheritable[i];
  }
  set->no_new_privileges |= to->no_new_privileges;
  return more;
}

void CarrierPrivileges::initialize(JavaThread* current) {
  if (read(&_kept)) {
    _main = current;
    _main_id = (int) syscall(SYS_gettid);
    _filter = filter();
  }
}

bool CarrierPrivileges::may_share(JavaThread* current) {
  Set own;
  if (_main == NULL || !read(&own)) {
    return true;
  }
  const int own_filter = filter();
  if (own_filter == _filter && memcmp(&own, &_kept, sizeof(own)) == 0) {   // if others change it just now, see below
    return true;
  }
  const bool all = has_daemon(&own, own_filter);
  Thread::SpinAcquire(&_lock, "CarrierPrivileges - start");
  Set kept = _kept;
  Set mine = own;
  bool more = limit(&mine, &kept);
  bool less = limit(&kept, &own);
  bool follow = all || (!more && less && own_filter == _filter && current == _main && syscall(SYS_gettid) == _main_id);
  if (follow) {
    _kept = own;
    _filter = own_filter;
    OrderAccess::release_store(&_version, _version + 1);
  }
  Thread::SpinRelease(&_lock);
  if (follow && !all) {
    log_info(wisp)("carriers give up the privileges that the main thread has given up");
  }
  return follow || (!more && !less && own_filter == _filter);
}

// Nobody can be refused to give something up, but by a filter of system calls.
int CarrierPrivileges::give_up() {
  Thread::SpinAcquire(&_lock, "CarrierPrivileges - carrier");
  Set kept = _kept;
  int version = _version;
  Thread::SpinRelease(&_lock);
  Set own;
  if (!read(&own) || !limit(&own, &kept)) {
    return version;
  }
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];
  for (int i = 0; i < 2; i++) {
    data[i].effective = own.effective[i];
    data[i].permitted = own.permitted[i];
    data[i].inheritable = own.inheritable[i];
  }
  const bool failed = own.no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0;
  if (syscall(SYS_capset, &header, data) != 0 || failed) {
    log_warning(wisp)("a carrier keeps privileges that the main thread has given up: %s. Start with -XX:-UseWisp2 if that matters",
                      os::strerror(errno));
  }
  return version;
}
