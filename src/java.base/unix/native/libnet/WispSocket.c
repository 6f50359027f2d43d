/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include <errno.h>
#include <linux/tcp.h>
#include <stddef.h>
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
 * Whether the other end has answered a connect that was in progress, as it has over the loopback interface when that returns. A connect
 * that blocks returns then. If the other end closes the connection at once, that is what the next call finds, and another connect
 * would find it first: so it is not asked whether it stands, but whether the first byte, which is the question, was acknowledged.
 */
static int has_connected(int fd)
{
    struct tcp_info info;
    socklen_t length = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           length >= offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(info.tcpi_bytes_acked) && info.tcpi_bytes_acked > 0;
}

static int local_port_of(int fd)
{
    SOCKETADDRESS local;
    socklen_t length = sizeof(local);

    if (getsockname(fd, &local.sa, &length) < 0) {
        return 0;
    }
    return ntohs(local.sa.sa_family == AF_INET6 ? local.sa6.sin6_port : local.sa4.sin_port);
}

/*
 * Begins to connect a socket in blocking mode without blocking. Returns the local port if it is connected at once, -1 if that takes time,
 * and -2 for any failure, which upstream's own attempt will find, too.
 */
static int begin_connect(JNIEnv *env, jobject owner, jobject address, jint port)
{
    SOCKETADDRESS to;
    int toLength = 0;
    int blocking = 0;
    int nonBlocking = 1;
    int fd = number_of(env, owner);
    int n;

    if (fd < 0 || NET_InetAddressToSockaddr(env, address, port, &to, &toLength, JNI_TRUE) != 0 ||
        ioctl(fd, FIONBIO, &nonBlocking) < 0) {
        return -2;
    }
    n = connect(fd, &to.sa, toLength) == 0 ? 0 : errno;
    if (n == EINPROGRESS && has_connected(fd)) {
        n = 0;
    }
    ioctl(fd, FIONBIO, &blocking);
    if (n != 0) {
        return n == EINPROGRESS ? -1 : -2;
    }
    return local_port_of(fd);
}

/*
 * After a wait. Returns the local port, or -1 if it is not connected, or not known to be, which upstream's own attempt will find out.
 */
static int end_connect(JNIEnv *env, jobject owner)
{
    int fd = number_of(env, owner);

    return fd >= 0 && has_connected(fd) ? local_port_of(fd) : -1;
}

JNIEXPORT jint JNICALL
Java_java_net_WispSocket_endConnect0(JNIEnv *env, jclass ignored, jobject owner)
{
    return end_connect(env, owner);
}

JNIEXPORT jint JNICALL
Java_sun_nio_ch_WispChannel_endConnect0(JNIEnv *env, jclass ignored, jobject owner)
{
    return end_connect(env, owner);
}

JNIEXPORT jint JNICALL
Java_java_net_WispSocket_beginConnect0(JNIEnv *env, jclass ignored, jobject owner, jobject address, jint port)
{
    return begin_connect(env, owner, address, port);
}

JNIEXPORT jint JNICALL
Java_sun_nio_ch_WispChannel_beginConnect0(JNIEnv *env, jclass ignored, jobject owner, jobject address, jint port)
{
    return begin_connect(env, owner, address, port);
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
 * connected. Returns 1 if it has, 0 if there is no room, -1 if upstream has to do it. What it throws is what PlainDatagramSocketImpl.send0 throws for the same
 * error; a pending error of the socket is reported once, so the caller could not find
 * it again. The number of the descriptor is read when nothing remains to be done, because a
 * socket may be closed, and its number be another one's, whenever the thread can be stopped.
 */
JNIEXPORT jint JNICALL
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
        return -1;
    }
    if (address != NULL) {
        if (NET_InetAddressToSockaddr(env, address, port, &to, &toLength, JNI_TRUE) != 0) {
            return -1;
        }
        if (trafficClass != 0) {
            NET_SetTrafficClass(&to, trafficClass);
        }
    }
    if (len > (jint) sizeof(small)) {
        packet = malloc(len);
        if (packet == NULL) {
            return -1;
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
