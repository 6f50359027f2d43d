/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineSockets.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

// The functions that make a system call and read errno are not inlined into those that
// park: the address of errno is that of the carrier, and compilers keep it across calls.
// They return a count, or minus the error number.

const int SmallBuffer = 8192;
const int LargeBuffer = 131072;        // upstream's limits: a read never returns more than that,
const int PacketBuffer = 65536;        // nor a datagram than this

// As much of what is asked for as upstream handles at once, on the stack if it is little, or if there is no other memory.
class CopyBuffer : public StackObj {
  char  _small[SmallBuffer];
  char* _large;
  int   _size;

 public:
  CopyBuffer(int wanted, int limit = LargeBuffer) : _large(NULL), _size(MIN2(wanted, limit)) {
    if (_size > SmallBuffer) {
      _large = (char*) ::malloc(_size);
      _size = _large != NULL ? _size : SmallBuffer;
    }
  }
  ~CopyBuffer()                        { ::free(_large); }
  char* memory()                       { return _large != NULL ? _large : _small; }
  int   size() const                   { return _size; }
};

// A send that takes so long has most likely lost its CPU to the process that it has woken: the answer may be there then, though no event
// has told of it. To read it at once saves a wait, and the way back, at which the caches are cold. A kernel thread gets that
// by trying each time; here a try in vain is a call more, where the other end takes its time. A send of much data may take as
// long, and is followed by one try too many.
const jlong LostCpuNanos = 16 * 1000;

// A call that has moved so many takes some microseconds at least.
const jlong BulkBytes = 16 * 1024;

static bool would_block(jlong n) {
  return n == -EAGAIN || n == -EWOULDBLOCK;
}

static void sent(JavaThread* thread, int fd, jlong bytes, jlong nanos) {
  if (nanos >= LostCpuNanos && thread->coroutine()->may_read_early()) {
    EventPump::expect_answer(fd);
  }
  if (bytes >= BulkBytes) {
    Coroutine::moved_much(thread);
  }
}

// What is left of a buffer full that did not go at once. Upstream copies before it blocks, so the array is not read again after a wait: its
// owner may write to it, and for single bytes all threads that write to a socket have one array.
class KeptBytes : public StackObj {
  char* _memory;
  int   _sent;
  int   _size;

 public:
  KeptBytes() : _memory(NULL), _sent(0), _size(0) { }
  ~KeptBytes()                         { ::free(_memory); }
  // Without memory it stays empty, and the array is read again.
  void keep(const char* bytes, int size) {
    _memory = (char*) ::malloc(size);
    if (_memory != NULL) {
      memcpy(_memory, bytes, size);
      _size = size;
    }
  }
  bool is_empty() const                { return _memory == NULL; }
  int  try_send(int fd, jlong* nanos);
};

// Like upstream it copies before it sends, so that the array is not held. At most one
// buffer full. nanos: the time of the system call, unless NULL.
static NOINLINE int try_write(JNIEnv* env, int fd, jbyteArray b, int off, int len, jlong* nanos, KeptBytes* kept) {
  CopyBuffer copy(len);
  char* buffer = copy.memory();
  len = copy.size();
  env->GetByteArrayRegion(b, off, len, (jbyte*) buffer);
  jlong start = nanos != NULL ? os::javaTimeNanos() : 0;
  int n;
  do {
    n = (int) ::send(fd, buffer, len, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    n = -errno;
  }
  if (nanos != NULL) {
    *nanos = os::javaTimeNanos() - start;
  }
  if (n >= 0 ? n < len : would_block(n)) {
    const int sent = MAX2(n, 0);
    kept->keep(buffer + sent, len - sent);
  }
  return n;
}

// A call that is for sockets only costs less. nanos: as above.
static NOINLINE ssize_t try_send(int fd, struct iovec* v, int count, jlong* nanos) {
  struct msghdr message;
  memset(&message, 0, sizeof(message));
  message.msg_iov = v;
  message.msg_iovlen = count;
  jlong start = nanos != NULL ? os::javaTimeNanos() : 0;
  ssize_t n;
  do {
    n = count == 1 ? ::send(fd, v->iov_base, v->iov_len, MSG_DONTWAIT) : ::sendmsg(fd, &message, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    n = -errno;
  }
  if (nanos != NULL) {
    *nanos = os::javaTimeNanos() - start;
  }
  return n;
}

int KeptBytes::try_send(int fd, jlong* nanos) {
  struct iovec rest;
  rest.iov_base = _memory + _sent;
  rest.iov_len = _size - _sent;
  int n = (int) ::try_send(fd, &rest, 1, nanos);
  _sent += MAX2(n, 0);
  if (_sent == _size) {
    ::free(_memory);
    _memory = NULL;
    _sent = _size = 0;
  }
  return n;
}

// Some sandboxes answer calls that they do not know with EPERM.
static bool is_unknown_call(int error) {
  return error == EOPNOTSUPP || error == ENOSYS || error == EPERM;
}

// Which of these events are there now, or have gone wrong. An error is for the call that follows to find.
static NOINLINE int events_now(int fd, int events) {
  struct pollfd p;
  p.fd = fd;
  p.events = (short) events;
  p.revents = 0;
  int n;
  do {
    n = ::poll(&p, 1, 0);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? POLLERR : p.revents;
}

// The kernel may know no non-blocking call for this kind of descriptor. When it is
// writable, what a pipe takes in one piece does not block.
static NOINLINE ssize_t try_writev(int fd, struct iovec* v, int count) {
  ssize_t n;
  do {
    n = ::pwritev2(fd, v, count, -1, RWF_NOWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && is_unknown_call(errno)) {
    if (events_now(fd, POLLOUT) == 0) {
      return -EAGAIN;
    }
    do {
      n = ::write(fd, v->iov_base, MIN2(v->iov_len, (size_t) 4096));
    } while (n < 0 && errno == EINTR);
  }
  return n < 0 ? -errno : n;
}

// Who reads the same pipe meanwhile can make the second way wait.
static NOINLINE ssize_t try_readv(int fd, struct iovec* v, int count) {
  ssize_t n;
  do {
    n = ::preadv2(fd, v, count, -1, RWF_NOWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && is_unknown_call(errno)) {
    if (events_now(fd, POLLIN) == 0) {
      return -EAGAIN;
    }
    do {
      n = ::readv(fd, v, count);
    } while (n < 0 && errno == EINTR);
  }
  return n < 0 ? -errno : n;
}

static NOINLINE ssize_t try_receive(int fd, struct iovec* v, int count) {
  struct msghdr message;
  memset(&message, 0, sizeof(message));
  message.msg_iov = v;
  message.msg_iovlen = count;
  ssize_t n;
  do {
    n = count == 1 ? ::recv(fd, v->iov_base, v->iov_len, MSG_DONTWAIT) : ::recvmsg(fd, &message, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n;
}

static NOINLINE int try_events(int fd, struct epoll_event* events, int count) {
  int n;
  do {
    n = epoll_wait(fd, events, count, 0);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n;
}

// A waiting that ends because the connection broke: if something was written, the caller
// must hear of that first, and the error is left to the next call.
static bool is_broken(int fd) {
  return (events_now(fd, POLLOUT) & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

// In a safe state while it waits; in native again afterwards.
static EventPump::Result wait(JavaThread* thread, int fd, int events, jlong deadline, uint ticket,
                              EventPump::Kind kind = EventPump::EDGE) {
  OSThreadWaitState osts(thread->osthread(), false /* not Object.wait() */);
  thread->set_suspend_equivalent();
  thread->_thread_state = _thread_blocked;
  EventPump::Result result = EventPump::await_event(thread->coroutine(), fd, events, deadline, kind, ticket);
  Coroutine::end_native_wait(thread);
  return result;
}

// Waits with its OS thread, if it keeps that. True: something came, or a signal.
static bool stay(JavaThread* thread, int fd, jlong deadline) {
  OSThreadWaitState osts(thread->osthread(), false /* not Object.wait() */);
  thread->set_suspend_equivalent();
  thread->_thread_state = _thread_blocked;
  bool came = thread->coroutine()->stay_to_read(fd, deadline);
  Coroutine::end_native_wait(thread);
  return came;
}

bool CoroutineSockets::is_number_of(JNIEnv* env, jobject owner, int fd) {
  static jfieldID number = NULL;       // of the field; whoever comes first writes it, or several the same
  if (number == NULL) {
    number = env->GetFieldID(env->GetObjectClass(owner), "fd", "I");
  }
  return env->GetIntField(owner, number) == fd;
}

static void set_registered(JNIEnv* env, jobject owner) {
  static jfieldID registered = NULL;   // as above
  if (registered == NULL) {
    registered = env->GetFieldID(env->GetObjectClass(owner), "wispRegistered", "Z");
  }
  env->SetBooleanField(owner, registered, JNI_TRUE);
}

// Set by WispPoll.closes, which then waits for the users of the number.
static bool is_closing(JNIEnv* env, jobject owner) {
  static jfieldID closing = NULL;      // as above
  if (closing == NULL) {
    closing = env->GetFieldID(env->GetObjectClass(owner), "wispClosing", "Z");
  }
  return env->GetBooleanField(owner, closing);
}

// What a read reads into.
class ReadInto : public StackObj {
 public:
  // Tries without blocking. drained: it has given less than it was asked for, so there is nothing left. Not of pipes: one
  // of packets (O_DIRECT) may have another one, and who reads what it has written itself would wait for that event.
  virtual jlong try_read(int fd, bool* drained) const = 0;
  // False: the number may be another descriptor's by now. Asked after each ticket, and of a stream only after a wait.
  virtual bool is_open(int fd, bool waited) const { return true; }
};

// From a stream socket, which keeps its number while somebody uses it, unless there is no descriptor to replace it with, or it is closed as it is
// accepted once more.
class ReadIntoArray : public ReadInto {
  JNIEnv*    _env;
  jobject    _owner;
  jbyteArray _b;
  int        _off;
  int        _len;

 public:
  ReadIntoArray(JNIEnv* env, jobject owner, jbyteArray b, int off, int len) : _env(env), _owner(owner), _b(b), _off(off), _len(len) { }
  NOINLINE jlong try_read(int fd, bool* drained) const;
  bool is_open(int fd, bool waited) const { return !waited || CoroutineSockets::is_number_of(_env, _owner, fd); }
};

class ReadIntoMemory : public ReadInto {
  bool          _socket;
  struct iovec* _parts;
  int           _count;

 public:
  ReadIntoMemory(bool socket, struct iovec* parts, int count) : _socket(socket), _parts(parts), _count(count) { }
  NOINLINE jlong try_read(int fd, bool* drained) const;
};

// A datagram, whose size says nothing of the next one. Datagram sockets do not keep their number while somebody uses it.
class ReadDatagram : public ReadInto {
  JNIEnv*    _env;
  jobject    _owner;
  jbyteArray _b;
  int        _off;
  int        _len;
  jlongArray _sender;

 public:
  ReadDatagram(JNIEnv* env, jobject owner, jbyteArray b, int off, int len, jlongArray sender) :
    _env(env), _owner(owner), _b(b), _off(off), _len(len), _sender(sender) { }
  NOINLINE jlong try_read(int fd, bool* drained) const;
  bool is_open(int fd, bool waited) const { return CoroutineSockets::is_number_of(_env, _owner, fd); }
};

jlong ReadIntoArray::try_read(int fd, bool* drained) const {
  CopyBuffer copy(_len);
  char* buffer = copy.memory();
  const int len = copy.size();
  int n;
  do {
    n = (int) ::recv(fd, buffer, len, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    n = -errno;
  } else if (n > 0) {
    *drained = n < len;
    _env->SetByteArrayRegion(_b, _off, n, (jbyte*) buffer);
  }
  return n;
}

jlong ReadIntoMemory::try_read(int fd, bool* drained) const {
  ssize_t n = _socket ? try_receive(fd, _parts, _count) : try_readv(fd, _parts, _count);
  size_t room = 0;
  for (int i = 0; i < _count; i++) {
    room += _parts[i].iov_len;
  }
  *drained = _socket && n > 0 && (size_t) n < room;
  return n;
}

jlong ReadDatagram::try_read(int fd, bool* drained) const {
  CopyBuffer copy(_len, PacketBuffer);
  char* buffer = copy.memory();
  if (copy.size() < MIN2(_len, PacketBuffer)) {
    return -ENOMEM;                    // and not a part of the datagram
  }
  union {
    struct sockaddr     any;
    struct sockaddr_in  v4;
    struct sockaddr_in6 v6;
  } from;
  socklen_t size = sizeof(from);
  int n = -EBADF;
  EventPump::enter(fd);
  if (!is_closing(_env, _owner)) {
    do {
      n = (int) ::recvfrom(fd, buffer, copy.size(), MSG_DONTWAIT, &from.any, &size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
      n = -errno;
    }
  }
  EventPump::leave(fd);
  if (n < 0) {
    return n;
  }
  // As WispPoll.receive() says.
  jlong sender[3];
  if (from.any.sa_family == AF_INET6) {
    sender[0] = (jlong) from.v6.sin6_scope_id << 32 | ntohs(from.v6.sin6_port);
    memcpy(&sender[1], &from.v6.sin6_addr, 2 * sizeof(jlong));
    sender[1] = (jlong) be64toh((uint64_t) sender[1]);
    sender[2] = (jlong) be64toh((uint64_t) sender[2]);
  } else {
    sender[0] = ntohs(from.v4.sin_port);
    sender[1] = 0;
    sender[2] = (jlong) 0xffff << 32 | ntohl(from.v4.sin_addr.s_addr);
  }
  _env->SetByteArrayRegion(_b, _off, n, (jbyte*) buffer);
  _env->SetLongArrayRegion(_sender, 0, 3, sender);
  return n;
}

// When the time is over it is tried once more: data may be there that the pump has not heard
// of. A pinned coroutine always tries, as it would wait with its carrier; one that may stay, as it may know of it before the pump.
static jlong read_into(const ReadInto& into, JNIEnv* env, int fd, bool registered, jlong nanos) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  if (thread->coroutine() == NULL) {
    return CoroutineSockets::BLOCKING;
  }
  jlong deadline = 0;
  bool timed_out = false;
  bool waited = false;
  for (;;) {
    uint ticket = EventPump::ticket(fd, EventPump::READABLE);
    if (!into.is_open(fd, waited)) {   // after the ticket, see there
      return CoroutineSockets::ERROR - EBADF;
    }
    if (!registered || timed_out || !EventPump::is_drained(fd, ticket) || thread->coroutine()->is_pinned() || thread->coroutine()->may_stay()) {
      bool drained = false;
      jlong n = into.try_read(fd, &drained);
      if (n >= 0) {
        if (registered && drained) {
          EventPump::drained(fd, ticket);
        }
        if (n >= BulkBytes) {
          Coroutine::moved_much(thread);
        }
        return n;
      }
      if (!would_block(n)) {
        return CoroutineSockets::ERROR + n;
      }
      if (timed_out) {
        return CoroutineSockets::TIMED_OUT;
      }
      if (!registered) {
        return CoroutineSockets::UNREGISTERED;
      }
    }
    if (nanos > 0 && deadline == 0) {
      deadline = Coroutine::deadline_after_nanos(nanos);
    }
    waited = true;
    if (thread->coroutine()->may_stay() && stay(thread, fd, deadline)) {
      continue;
    }
    switch (wait(thread, fd, EventPump::READABLE, deadline, ticket)) {
      case EventPump::READY:
      case EventPump::CLOSED:    break;
      case EventPump::TIMED_OUT: timed_out = true; break;
      default:                   return CoroutineSockets::BLOCKING;
    }
  }
}

jint JNICALL CoroutineSockets::read(JNIEnv* env, jclass ignored, jobject owner, jint fd, jboolean registered, jbyteArray b, jint off,
                                    jint len, jlong nanos) {
  return (jint) read_into(ReadIntoArray(env, owner, b, off, len), env, fd, registered, nanos);
}

jint JNICALL CoroutineSockets::read_memory(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address,
                                           jint len) {
  struct iovec part;
  part.iov_base = (void*) (intptr_t) address;
  part.iov_len = (size_t) len;
  return (jint) read_into(ReadIntoMemory(socket, &part, 1), env, fd, registered, 0);
}

jlong JNICALL CoroutineSockets::readv(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address, jint count) {
  return read_into(ReadIntoMemory(socket, (struct iovec*) (intptr_t) address, count), env, fd, registered, 0);
}

jint JNICALL CoroutineSockets::receive(JNIEnv* env, jclass ignored, jobject owner, jint fd, jboolean registered, jbyteArray b,
                                       jint off, jint len, jlongArray sender, jlong nanos) {
  return (jint) read_into(ReadDatagram(env, owner, b, off, len, sender), env, fd, registered, nanos);
}

// The descriptor is not one that an owner has registered, so each wait arms it; an event that
// was there already is reported then. When the time is over it is tried once more, as for reads.
// Errors are for the caller to find once more.
jint JNICALL CoroutineSockets::take_events(JNIEnv* env, jclass ignored, jint fd, jlong address, jint count, jlong nanos) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  if (thread->coroutine() == NULL) {
    return BLOCKING;
  }
  jlong deadline = 0;
  bool timed_out = false;
  for (;;) {
    uint ticket = EventPump::ticket(fd, EventPump::READABLE);
    int n = try_events(fd, (struct epoll_event*) (intptr_t) address, count);
    if (n != 0 || timed_out) {
      return n >= 0 ? n : (jint) BLOCKING;
    }
    if (nanos > 0 && deadline == 0) {
      deadline = Coroutine::deadline_after_nanos(nanos);
    }
    switch (wait(thread, fd, EventPump::READABLE, deadline, ticket, EventPump::ONE_SHOT)) {
      case EventPump::READY:
      case EventPump::CLOSED:    break;
      case EventPump::POSTED:    return WOKEN;
      case EventPump::TIMED_OUT: timed_out = true; break;
      default:                   return BLOCKING;
    }
  }
}

// Returns len; or what was written before it would have had to wait for a descriptor that the
// pump cannot have; or an error, whatever was written before, as upstream throws then.
jint JNICALL CoroutineSockets::write(JNIEnv* env, jclass ignored, jobject owner, jint fd, jboolean registered, jbyteArray b, jint off,
                                     jint len) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  if (thread->coroutine() == NULL) {
    return BLOCKING;
  }
  int done = 0;
  KeptBytes kept;
  while (done < len) {
    uint ticket = EventPump::ticket(fd, EventPump::WRITABLE);
    jlong nanos = 0;
    jlong* measured = EventPump::was_drained(fd) ? &nanos : NULL;
    int n = kept.is_empty() ? try_write(env, fd, b, off + done, len - done, measured, &kept) : kept.try_send(fd, measured);
    if (n >= 0) {
      done += n;
      sent(thread, fd, n, nanos);
      continue;
    }
    if (!would_block(n)) {
      return ERROR + n;
    }
    if (!registered) {                 // not by the caller, for whom the array would be read again
      if (!EventPump::register_edge(fd)) {
        return done > 0 ? done : BLOCKING;
      }
      set_registered(env, owner);
      registered = true;
      continue;
    }
    switch (wait(thread, fd, EventPump::WRITABLE, 0, ticket)) {
      case EventPump::READY:
      case EventPump::CLOSED:
        if (!is_number_of(env, owner, fd)) {
          return ERROR - EBADF;        // as for reads
        }
        break;
      default:                return done > 0 ? done : BLOCKING;
    }
  }
  return done;
}

// Returns the sum of the parts, or what was written before something else happened;
// BLOCKING and errors only if nothing was. Changes the parts.
static jlong write_parts(JNIEnv* env, int fd, bool registered, bool socket, struct iovec* v, int count) {
  JavaThread* thread = JavaThread::thread_from_jni_environment(env);
  if (thread->coroutine() == NULL) {
    return CoroutineSockets::BLOCKING;
  }
  jlong done = 0;
  for (;;) {
    uint ticket = EventPump::ticket(fd, EventPump::WRITABLE);
    jlong nanos = 0;
    jlong n = socket ? try_send(fd, v, count, EventPump::was_drained(fd) ? &nanos : NULL) : try_writev(fd, v, count);
    if (n >= 0) {
      done += n;
      sent(thread, fd, n, nanos);
      while (count > 0 && (size_t) n >= v->iov_len) {
        n -= v->iov_len;
        v++;
        count--;
      }
      if (count == 0) {
        return done;
      }
      v->iov_base = (char*) v->iov_base + n;
      v->iov_len -= n;
      if (!socket) {
        continue;
      }
      // No room is left. Another call would find the same, or the error of a connection that has broken since, which would be lost
      // with it: it is that of the next call, perhaps of who reads. is_broken() leaves it there.
    } else if (!would_block(n)) {
      return done > 0 ? done : CoroutineSockets::ERROR + n;
    }
    if (!registered) {
      // Once something is written the caller cannot call again. It learns of the
      // registration the next time, and registers once more.
      if (done == 0 || !EventPump::register_edge(fd)) {
        return done > 0 ? done : CoroutineSockets::UNREGISTERED;
      }
      registered = true;
      continue;
    }
    if (done > 0 && is_broken(fd)) {   // while it gave way
      return done;
    }
    EventPump::Result result = wait(thread, fd, EventPump::WRITABLE, 0, ticket);
    if (result == EventPump::NOT_POLLABLE || (done > 0 && is_broken(fd))) {
      return done > 0 ? done : CoroutineSockets::BLOCKING;
    }
  }
}

jlong JNICALL CoroutineSockets::writev(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address,
                                       jint count) {
  return write_parts(env, fd, registered, socket, (struct iovec*) (intptr_t) address, count);
}

jlong JNICALL CoroutineSockets::write_memory(JNIEnv* env, jclass ignored, jint fd, jboolean registered, jboolean socket, jlong address,
                                             jint len) {
  struct iovec v;
  v.iov_base = (void*) (intptr_t) address;
  v.iov_len = (size_t) len;
  return write_parts(env, fd, registered, socket, &v, 1);
}

// Who closes a socket that lingers waits until its data have arrived or the time is over, but not if a kernel thread is in a call for
// it: the close is the end of that call then, and the signal that ends it ends the lingering, too. Coroutines that
// use it wait in the pump, or in a run queue, and are in no call.
void CoroutineSockets::before_closing(int fd) {
  struct linger value;
  socklen_t length = sizeof(value);
  if (::getsockopt(fd, SOL_SOCKET, SO_LINGER, &value, &length) == 0 &&
      value.l_onoff != 0 && value.l_linger > 0) {
    value.l_onoff = 0;
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, length);
  }
}
