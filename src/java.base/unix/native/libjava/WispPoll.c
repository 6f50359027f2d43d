/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "jni.h"
#include "jni_util.h"

/*
 * Throws what java.net and sun.nio.ch throw for the number of an error, with the text of
 * the same library functions. The kinds are those of WispPoll.
 */
JNIEXPORT void JNICALL
Java_jdk_internal_misc_WispPoll_fail0(JNIEnv *env, jclass ignored, jint error, jint kind)
{
    errno = error;
    switch (kind) {
    case 0:
        JNU_ThrowByNameWithMessageAndLastError(env, "java/net/SocketException", "Read failed");
        break;
    case 1:
        JNU_ThrowByNameWithMessageAndLastError(env, "java/net/SocketException", "Write failed");
        break;
    case 3:
        JNU_ThrowIOExceptionWithLastError(env, "Read failed");
        break;
    case 4:
        JNU_ThrowByNameWithMessageAndLastError(env, "java/net/SocketException", "Receive failed");
        break;
    default:
        JNU_ThrowIOExceptionWithLastError(env, "Write failed");
        break;
    }
}

/*
 * Changes nothing but the one flag, as two calls of fcntl would.
 */
JNIEXPORT jboolean JNICALL
Java_jdk_internal_misc_WispPoll_setBlocking0(JNIEnv *env, jclass ignored, jint fd, jboolean blocking)
{
    int nonBlocking = !blocking;
    return ioctl(fd, FIONBIO, &nonBlocking) == 0;
}

/*
 * Waits until a descriptor is writable, or has failed, for so many milliseconds at most.
 */
JNIEXPORT jboolean JNICALL
Java_jdk_internal_misc_WispPoll_awaitWritable0(JNIEnv *env, jclass ignored, jint fd, jint millis)
{
    struct pollfd descriptor = { fd, POLLOUT, 0 };
    struct timespec now;
    jlong end;
    jlong left = millis;
    int n;

    clock_gettime(CLOCK_MONOTONIC, &now);
    end = (jlong) now.tv_sec * 1000 + now.tv_nsec / 1000000 + millis;
    do {
        n = poll(&descriptor, 1, (int) left);
        if (n >= 0 || errno != EINTR) {
            break;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        left = end - ((jlong) now.tv_sec * 1000 + now.tv_nsec / 1000000);
    } while (left > 0);
    return n > 0;
}

/*
 * Sends a byte of urgent data unless that would block.
 */
JNIEXPORT jint JNICALL
Java_jdk_internal_misc_WispPoll_sendUrgent0(JNIEnv *env, jclass ignored, jint fd, jint data)
{
    char byte = (char) data;
    int n;

    do {
        n = (int) send(fd, &byte, 1, MSG_OOB | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    return n >= 0 ? n : errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}
