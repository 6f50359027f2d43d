/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package sun.nio.ch;

import java.nio.channels.SelectableChannel;
import java.util.Arrays;
import jdk.internal.misc.WispPoll;

import static sun.nio.ch.EPoll.EPOLLONESHOT;
import static sun.nio.ch.EPoll.EPOLL_CTL_ADD;
import static sun.nio.ch.EPoll.EPOLL_CTL_DEL;
import static sun.nio.ch.EPoll.EPOLL_CTL_MOD;

/**
 * What the epoll descriptor of a selector knows of its channels. A server that hands a channel to a thread of a pool when there is
 * something to read takes away its interest meanwhile, or cancels the key, and comes back for the next request. Upstream takes the
 * channel out of the epoll set then, and puts it in again: two system calls, each of which allocates or frees memory and takes locks
 * of several sets. Here who has done so once is put in with EPOLLONESHOT the next time: when its event has been taken it
 * stays in the set and is quiet, and one cheap call tells that it is wanted again.
 *
 * <p>The states of a descriptor, in the set of this selector:
 *
 * <pre>
 *   AS_TOLD   not there, or as upstream has it: level-triggered
 *   ONCE      not there; is put in for one event the next time
 *   ARMED     there for one event
 *   TAKEN     there, and quiet, as its event has been taken; it is wanted still
 *   SPENT     there, and quiet; it is not wanted
 *
 *   AS_TOLD -> ONCE      the interest goes
 *   ONCE -> ARMED        it comes
 *   ARMED -> TAKEN       await() has returned its event
 *   ARMED -> ONCE        the interest goes before an event
 *   TAKEN -> SPENT       it goes after that: no system call
 *   SPENT -> ARMED       it comes
 *   TAKEN -> ARMED       somebody selects again, and it is wanted still: selectors are level-triggered, so that it has to be
 *                        reported again if not all has been read. The second time in a row AS_TOLD, which needs no calls then
 *   TAKEN -> AS_TOLD     the interest changes
 *   any -> AS_TOLD       the key goes, unless the channel is in blocking mode by then, which says that it is used here, and may
 *                        come back. Else it may go to other selectors, and would be quiet in many
 * </pre>
 *
 * A channel may be closed while it is SPENT and another one have its number then: the kernel forgets the first one, does not
 * know the second one, and that is put in. A channel that does not come back leaves a quiet entry until it is closed, or
 * the selector. Upstream ignores what these calls return, and so does this class but for that.
 *
 * <p>Everything belongs to who holds the selector's lock. Rejected: EPOLLET, with which the kernel says nothing of what was left
 * unread.
 */
final class WispInterest {
    private static final int AS_TOLD = 0, ONCE = 1 << 16, ARMED = 2 << 16, TAKEN = 3 << 16, SPENT = 4 << 16;
    private static final int STATE = 7 << 16;

    /** With ARMED or TAKEN: it was wanted still after its last event. */
    private static final int KEPT = 8 << 16;

    /** What it is wanted for, while it is. */
    private static final int EVENTS = 0xffff;

    /** Descriptors from this number on are AS_TOLD always. */
    private static final int LIMIT = 1 << 16;

    private static final int[] NONE = {};

    /** By descriptor: state and events. As long as it has to be; what is not there is AS_TOLD. */
    private int[] entries = NONE;

    /** Those that have become TAKEN since they were looked through last, each once at most. As long as entries. */
    private int[] taken = NONE;
    private int count;

    /** Whether there was one that is not AS_TOLD or ONCE. */
    private boolean used;

    private int entry(int fd) {
        return fd < entries.length ? entries[fd] : AS_TOLD;
    }

    private void set(int fd, int entry) {
        if (fd < entries.length) {
            entries[fd] = entry;
        }
    }

    /** Whether it can be anything but AS_TOLD. Without memory for that it is as upstream has it, which needs none here. */
    private boolean hasEntry(int fd) {
        if (fd >= entries.length) {
            if (fd >= LIMIT || !WispPoll.isOn()) {
                return false;
            }
            try {
                int length = Math.min(LIMIT, Math.max(fd + 1, 2 * entries.length));
                int[] longer = Arrays.copyOf(entries, length);
                taken = Arrays.copyOf(taken, length);
                entries = longer;
            } catch (OutOfMemoryError e) {
                return false;
            }
        }
        return true;
    }

    private void arm(int epfd, int fd, int operation, int events, int kept) {
        EPoll.ctl(epfd, operation, fd, events | EPOLLONESHOT);
        used = true;
        set(fd, ARMED | kept | events);
    }

    /** In place of EPoll.ctl, for a key that is valid. */
    void ctl(int epfd, int operation, int fd, int events) {
        int entry = entry(fd);
        switch (entry & STATE) {
            case ONCE:
                arm(epfd, fd, EPOLL_CTL_ADD, events, 0);
                break;
            case ARMED:
                if (operation == EPOLL_CTL_DEL) {
                    EPoll.ctl(epfd, operation, fd, 0);
                    set(fd, ONCE);
                } else {
                    arm(epfd, fd, EPOLL_CTL_MOD, events, entry & KEPT);
                }
                break;
            case TAKEN:
                if (operation == EPOLL_CTL_DEL) {
                    set(fd, SPENT);
                } else {
                    EPoll.ctl(epfd, EPOLL_CTL_MOD, fd, events);
                    set(fd, AS_TOLD);
                }
                break;
            case SPENT:
                if (EPoll.ctl(epfd, EPOLL_CTL_MOD, fd, events | EPOLLONESHOT) == 0) {
                    set(fd, ARMED | events);
                } else {
                    arm(epfd, fd, EPOLL_CTL_ADD, events, 0);
                }
                break;
            default:
                EPoll.ctl(epfd, operation, fd, events);
                if (operation == EPOLL_CTL_DEL && hasEntry(fd)) {
                    set(fd, ONCE);
                }
        }
    }

    /** In place of EPoll.ctl and of what upstream notes then, for a key that is not valid any more. */
    void deregister(int epfd, int fd, SelectionKeyImpl key) {
        int state = entry(fd) & STATE;
        SelectableChannel channel = key.channel();
        boolean mayComeBack = channel.isOpen() && channel.isBlocking() && hasEntry(fd);
        boolean quiet = state == TAKEN || state == SPENT;
        // The kernel itself forgets one that is closed. A quiet one is told nothing, as the number may be another's already.
        if (quiet ? channel.isOpen() && !mayComeBack : key.registeredEvents() != 0) {
            EPoll.ctl(epfd, EPOLL_CTL_DEL, fd, 0);
        }
        key.registeredEvents(0);
        set(fd, !mayComeBack ? AS_TOLD : quiet ? SPENT : ONCE);
    }

    /** Before somebody selects. */
    void rearm(int epfd) {
        for (int i = 0; i < count; i++) {
            int fd = taken[i];
            int entry = entries[fd];
            if ((entry & STATE) == TAKEN) {
                int events = entry & EVENTS;
                if ((entry & KEPT) == 0) {
                    arm(epfd, fd, EPOLL_CTL_MOD, events, KEPT);
                } else {
                    EPoll.ctl(epfd, EPOLL_CTL_MOD, fd, events);
                    set(fd, AS_TOLD);
                }
            }
        }
        count = 0;
    }

    /** Afterwards: the events at that address. */
    void took(long address, int events) {
        if (used) {
            for (int i = 0; i < events; i++) {
                int fd = EPoll.getDescriptor(EPoll.getEvent(address, i));
                int entry = entry(fd);
                if ((entry & STATE) == ARMED) {
                    entries[fd] = entry - ARMED + TAKEN;
                    taken[count++] = fd;
                }
            }
        }
    }
}
