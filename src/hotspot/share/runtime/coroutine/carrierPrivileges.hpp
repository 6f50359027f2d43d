/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_CARRIERPRIVILEGES_HPP
#define SHARE_VM_RUNTIME_COROUTINE_CARRIERPRIVILEGES_HPP

// What a kernel thread may do is its own, and a thread that it starts inherits it: the capabilities, that no program it executes gets
// more (no_new_privs), and the filter of its system calls (seccomp). Coroutines have those of their carriers, which have been started
// before any code of the program ran. Launchers of daemons give up what they have needed for that on the thread that goes on to start the
// service (jsvc does), whose threads would have it still.
//
// So who starts a thread, and is no coroutine on a carrier like others, compares what it has with what carriers have:
//
//   has the same              the thread becomes a coroutine
//   so have all threads       likewise: it was changed for all of them, by setuid() of the C library, or as a filter of all (TSYNC)
//   the main thread has less  carriers give it up, too, each before it runs the next coroutine, and the thread becomes one
//   any other case            the thread becomes a kernel thread, and inherits what its starter has
//
// The second case takes it from coroutines that had been started before as well, which would have kept it; to keep it would be to
// leave it to all. The third one leaves everybody else as he is: a thread that is confined to run foreign code, for instance. Rejected: that
// for the main thread as well, as no service below such a launcher would have coroutines. Not followed: user and group ids, which the C library
// changes for all threads, unless the system call is made without it, name spaces (unshare, setns), bounding and ambient sets, securebits.

#include "memory/allocation.hpp"
#include "runtime/orderAccess.hpp"

class CarrierPrivileges : AllStatic {
  struct Set {
    unsigned int effective[2];
    unsigned int permitted[2];
    unsigned int inheritable[2];
    bool no_new_privileges;
  };

  static Set          _kept;           // what carriers have, or will; under _lock
  static int          _filter;         // mode of seccomp at the start
  static const JavaThread* _main;      // that has started the VM,
  static int          _main_id;        // and its kernel thread
  static volatile int _lock;
  static volatile int _version;        // grows when _kept has changed, after that

  static bool read(Set* set);
  static int  filter();
  static bool has_daemon(const Set* set, int filter);
  static bool limit(Set* set, const Set* to);   // true: it had more

 public:
  // Before the first carrier starts.
  static void initialize(JavaThread* current);

  // By a thread that starts another one and is none of those that share carriers. False: that must be a kernel thread.
  static bool may_share(JavaThread* current);

  // Partner: who starts a coroutine has changed it before, and a carrier that has found that one in a queue reads it after that.
  static int version()  { return _version; }

  // By a carrier; the version that it has followed.
  static int give_up();
};

#endif // SHARE_VM_RUNTIME_COROUTINE_CARRIERPRIVILEGES_HPP
