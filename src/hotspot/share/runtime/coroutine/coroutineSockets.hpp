/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINESOCKETS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINESOCKETS_HPP

// Reading and writing on a coroutine: try without blocking, wait in the event pump where
// nothing could be done, try again. One system call when there is data; when there is none
// also one, if the last read has found the end of what was there, else two. The caller knows whether the descriptor is registered with the pump; if it would
// have to wait for one that is not, it is told so, registers it and calls again.
//
// Who is woken by a close tries again as well, and finds what java.net and sun.nio.ch have
// put in the place of the closed socket: they keep the number until nobody uses it. A wake-up
// meant for another descriptor that had the number before does no harm then. Datagram sockets
// of java.net do not: whoever receives from one asks after each ticket (EventPump::ticket) whether
// it has that number still. A close takes the number away first, and counts as an event then. As the thread may be stopped between that
// question and its call it asks once more as a user of the number, for whom a close waits (EventPump::enter). Nor do stream
// sockets of java.net if there was no descriptor to put there, as the process had none left when it used the first one: who has
// waited asks, too.
//
// Only this call is marked non-blocking (MSG_DONTWAIT, RWF_NOWAIT); the descriptor stays
// a blocking one, because other threads, processes and native code use it as such.
//
// take_events() is the same for the epoll descriptor of a selector.
//
// A write that upstream makes as one blocking call writes everything here, too.

#include "jni.h"
#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

class CoroutineSockets : AllStatic {
 public:
  // Whether a FileDescriptor has this number now.
  static bool is_number_of(JNIEnv* env, jobject owner, int fd);

  // Before a socket is replaced, as somebody else is using it; by anybody.
  static void before_closing(int fd);

  // Besides counts; the same constants as in jdk.internal.misc.WispPoll.
  enum Result {
    BLOCKING  = -1,                    // not here: the caller makes the blocking call
    TIMED_OUT = -2,
    UNREGISTERED = -3,                 // would have to wait, and nothing was done
    WOKEN     = -4,                    // by EventPump::post()
    ERROR     = -1000                  // minus the error number
  };

  static jint  JNICALL read(JNIEnv* env, jclass ignored, jobject owner, jint fd, jboolean registered, jbyteArray b, jint off, jint len,
                            jlong nanos);
  static jint  JNICALL receive(JNIEnv* env, jclass ignored, jobject owner, jint fd, jboolean registered, jbyteArray b, jint off, jint len,
                               jlongArray sender, jlong nanos);
  static jint  JNICALL read_memory(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address, jint len);
  static jlong JNICALL readv(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address, jint count);
  static jint  JNICALL write(JNIEnv* env, jclass ignored, jobject owner, jint fd, jboolean registered, jbyteArray b, jint off, jint len);
  static jint  JNICALL take_events(JNIEnv* env, jclass ignored, jint fd, jlong address, jint count, jlong nanos);
  static jlong JNICALL writev(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address, jint count);
  static jlong JNICALL write_memory(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address, jint len);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINESOCKETS_HPP
