/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINECONNECTIONS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINECONNECTIONS_HPP

// Connections that coroutines make, perhaps to a listener of the same process.
//
// The kernel keeps fifty for a ServerSocket, by default, that nobody has accepted yet, and lets the next one try again after a second. A
// kernel thread that accepts is woken by the first one, and preempts those that connect, or runs on another CPU. A coroutine would have
// its turn behind those that wait, each of which might make one more. So
//   - who waits for connections comes before all others where his event is found (RunQueue::CONNECTION), for a moment after a
//     connection also who selects (has_just_connected()), and who has connected has events looked for at the next switch;
//   - who accepts may wait for something else meanwhile, a lock, and for his turn then. So nobody connects before he has looked
//     whether a listener of this process has as many as the kernel keeps; then others have their turn first (may_connect()).
// The kernel counts those of a listener. Listeners are known by what was accepted from them last, and that it is the one by its port:
// system calls of less than a microsecond, where to connect takes thirty. Only if such a one is full it is asked whether it listens where the
// connection goes: members of a cluster may all have the same port, each on a machine of its own. One that stays full, as nobody accepts, keeps nobody from
// connecting after a first try. Who has ever accepted himself waits for nobody: those whom others wait for may all connect before they
// accept again.
//
// Rejected: to count, in a round of a queue or since somebody has accepted. A round of one queue is nothing in the time of another
// one, and most connections go to other processes, so that who makes them would wait for nobody.

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"

class Coroutine;

class CoroutineConnections : AllStatic {
  enum {
    RecentNanos = 2 * 1000 * 1000,     // within which of a connection who selects may do so for the other end
    Yields      = 16,                  // of one that finds a listener full, and then it sleeps for a millisecond each time. After a
    StuckMillis = 5000,                // time (WispPoll.connects) it connects all the same, as do all of its kind for so long, and on
    Listeners   = 4,
    AcceptsMask = 0xffffff             // so that the sum of all is positive
  };

  // By everybody, hints.
  static volatile jlong _last;         // when a coroutine has made a connection last
  static volatile int   _listeners[Listeners];   // descriptors, -1: none; and 0, or until when each was found to stay full by
  static volatile jlong _stuck_until[2][Listeners]; // those that do not block, and that do
  static volatile int   _next;         // which of them is replaced next
  static volatile int   _accepts[Listeners];     // how often somebody was about to accept there; some are lost

  static bool is_full(int fd, bool* listens);
  static bool is_tcp(int fd);

 public:
  // Of IPv6, or one of IPv4 as it is mapped to these.
  class Address {
   public:
    enum { Size = 16, MappedAt = 12 };

   private:
    u1 _bytes[Size];

   public:
    void set(const u1* bytes, int length);
    int  set_local(int fd);            // that of a socket; its port, or -1: not an internet socket
    bool is(const Address& other) const;
    bool is_any() const;
    bool is_of_this_host() const;
  };

  static void connected();             // by a coroutine that has connected
  static bool has_just_connected();    // somebody

  static void listens(Coroutine* self, int fd);   // by who accepts; NULL: a kernel thread
  // By a coroutine that is going to connect a socket to a port of an address, in native; NULL: it does not say of which one, to find out
  // whether that matters. Not -1: others should run first, who have not yet unless it slept; a number that is another one when somebody was
  // about to accept since. tries: how often it has been told so; over: it does not wait any longer.
  static int may_connect(Coroutine* self, int socket, int port, const Address* target, int tries, bool over, bool blocks);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINECONNECTIONS_HPP
