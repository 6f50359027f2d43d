/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "jni.h"
#include "jni_util.h"
#include "net_util.h"

/* The number of a descriptor, or -1 with an exception. */
static int number_of(JNIEnv *env, jobject owner)
{
    static jfieldID number = NULL;      /* whoever comes first writes it, or several the same */

    if (number == NULL) {
        number = (*env)->GetFieldID(env, (*env)->GetObjectClass(env, owner), "fd", "I");
        CHECK_NULL_RETURN(number, -1);
    }
    return (*env)->GetIntField(env, owner, number);
}

/*
 * Begins to connect a socket in blocking mode without blocking. Returns the local port if it is connected at once, -1 if that takes time,
 * and -2 for any failure, which upstream's own attempt will find, too.
 */
JNIEXPORT jint JNICALL
Java_java_net_WispSocket_beginConnect0(JNIEnv *env, jclass ignored, jobject owner, jobject address, jint port)
{
    SOCKETADDRESS to;
    int toLength = 0;
    socklen_t length = sizeof(to);
    int blocking = 0;
    int nonBlocking = 1;
    int fd = number_of(env, owner);
    int n;

    if (fd < 0 || NET_InetAddressToSockaddr(env, address, port, &to, &toLength, JNI_TRUE) != 0 ||
        ioctl(fd, FIONBIO, &nonBlocking) < 0) {
        return -2;
    }
    n = connect(fd, &to.sa, toLength) == 0 ? 0 : errno;
    ioctl(fd, FIONBIO, &blocking);
    if (n != 0) {
        return n == EINPROGRESS ? -1 : -2;
    }
    if (getsockname(fd, &to.sa, &length) < 0) {
        return 0;
    }
    return ntohs(to.sa.sa_family == AF_INET6 ? to.sa6.sin6_port : to.sa4.sin_port);
}

static jlong eight_bytes(const unsigned char *b)
{
    jlong value = 0;
    int i;

    for (i = 0; i < 8; i++) {
        value = (jlong) ((uint64_t) value << 8 | b[i]);
    }
    return value;
}

/*
 * Accepts a connection of a socket in non-blocking mode. Returns its number, -1 if there is none, and -2 for any failure, which
 * upstream's own attempt will find, too. Linux gives it a descriptor in blocking mode.
 */
JNIEXPORT jint JNICALL
Java_java_net_WispSocket_accept0(JNIEnv *env, jclass ignored, jobject owner, jlongArray peer)
{
    static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    unsigned char address[16];
    SOCKETADDRESS from;
    socklen_t length = sizeof(from);
    jlong values[3];
    int n;
    int fd = number_of(env, owner);

    do {
        n = fd < 0 ? -2 : accept(fd, &from.sa, &length);
    } while (n == -1 && errno == EINTR);
    if (n < 0) {
        return n == -1 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ECONNABORTED) ? -1 : -2;
    }
    if (from.sa.sa_family == AF_INET6) {
        memcpy(address, &from.sa6.sin6_addr, sizeof(address));
        values[0] = (jlong) from.sa6.sin6_scope_id << 32 | ntohs(from.sa6.sin6_port);
    } else {
        memcpy(address, mapped, sizeof(mapped));
        memcpy(address + sizeof(mapped), &from.sa4.sin_addr, sizeof(from.sa4.sin_addr));
        values[0] = ntohs(from.sa4.sin_port);
    }
    values[1] = eight_bytes(address);
    values[2] = eight_bytes(address + 8);
    (*env)->SetLongArrayRegion(env, peer, 0, 3, values);
    return n;
}

/*
 * Sends a datagram unless that would block: to an address, or null where the socket is
 * connected. What it throws is what PlainDatagramSocketImpl.send0 throws for the same
 * error; a pending error of the socket is reported once, so the caller could not find
 * it again. The number of the descriptor is read when nothing remains to be done, because a
 * socket may be closed, and its number be another one's, whenever the thread can be stopped.
 */
JNIEXPORT jboolean JNICALL
Java_java_net_WispSocket_send0(JNIEnv *env, jclass ignored, jobject owner, jbyteArray b, jint off, jint len,
                               jobject address, jint port, jint trafficClass)
{
    char small[8192];
    char *packet = small;
    SOCKETADDRESS to;
    int fd;
    int toLength = 0;
    int n = 0;

    if (len > MAX_PACKET_LEN) {
        return JNI_FALSE;
    }
    if (address != NULL) {
        if (NET_InetAddressToSockaddr(env, address, port, &to, &toLength, JNI_TRUE) != 0) {
            return JNI_FALSE;
        }
        if (trafficClass != 0) {
            NET_SetTrafficClass(&to, trafficClass);
        }
    }
    if (len > (jint) sizeof(small)) {
        packet = malloc(len);
        if (packet == NULL) {
            return JNI_FALSE;
        }
    }
    (*env)->GetByteArrayRegion(env, b, off, len, (jbyte *) packet);
    if (!(*env)->ExceptionCheck(env)) {
        fd = number_of(env, owner);
        do {
            n = (int) sendto(fd, packet, len, MSG_DONTWAIT, address != NULL ? &to.sa : NULL, toLength);
        } while (n < 0 && errno == EINTR);
    }
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
        if (errno == ECONNREFUSED) {
            JNU_ThrowByName(env, "java/net/PortUnreachableException", "ICMP Port Unreachable");
        } else {
            JNU_ThrowIOExceptionWithLastError(env, "sendto failed");
        }
    }
    if (packet != small) {
        free(packet);
    }
    return n >= 0;
}
