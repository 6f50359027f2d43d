/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package sun.nio.ch;

import java.io.IOException;
import jdk.internal.misc.WispPoll;

/**
 * Waiting for the events of an epoll descriptor, that of a selector or of a group of asynchronous channels. A coroutine
 * takes what is there, and if that is nothing it parks until there is something. Rejected: to park first and call upstream's
 * method afterwards, which takes twice as many system calls when there are events.
 *
 * <p>An instance belongs to a selector, and wakes who selects without its pipe when it can. Upstream's wakeup writes a
 * byte into the pipe, which makes the epoll descriptor ready, which makes that of the event pump ready; a carrier takes
 * that event, who selects takes the other one, and reads the byte: five system calls, where a switch to him is enough.
 * The pipe is left for who selects on a thread that is not a coroutine, or without -XX:+UseWisp2.
 *
 * <p>The protocol: who selects says how he is going to wait, and looks whether he was woken before that ({@link #await}); who
 * wakes says that he has, and looks how the other one waits ({@link #wake}). Both fields are volatile, so that at least one
 * of the two sees the other. If both do the wake-up comes twice, and the second one finds that nothing is to do. Until
 * clear() the selector calls wake() once at most, but again if to wake the other one has failed, as no stack was left. Who wakes a coroutine may give way to it, and so does that
 * ({@link WispPoll#wake}) without the selector's lock for wake-ups, which the other one takes next.
 */
final class WispEPoll {
    /** How it is waited for events. */
    private static final int IN_KERNEL = 0, PARKED = 1, NOT_AT_ALL = 2;

    /** By who selects, while the VM runs with -XX:+UseWisp2; read by who wakes. Begins as what is right without, too. */
    private volatile int waits;

    /** Set by who wakes, cleared by who selects, both under the selector's lock for wake-ups; read by who selects without it. */
    private volatile boolean woken;

    /** There may be a byte in the pipe. Under that lock. */
    private boolean written;

    /** What await has found: belongs to who selects. */
    private boolean wasWoken;

    private final WispInterest interest = new WispInterest();

    /** In place of EPoll.ctl, for an interest that comes, changes or goes. */
    void ctl(int epfd, int operation, int fd, int events) {
        interest.ctl(epfd, operation, fd, events);
    }

    /** The same for one that goes with its key, and upstream has nothing to do for it any more; without the flag nothing. */
    void deregister(int epfd, int fd, SelectionKeyImpl key) {
        if (WispPoll.isOn()) {
            interest.deregister(epfd, fd, key);
        }
    }

    /** In place of EPoll.wait, for who has no selector and does not wake: the same arguments, without a time-out, and results. */
    static int wait(int epfd, long address, int count, int millis) throws IOException {
        int n;
        do {
            n = WispPoll.takeEvents(epfd, address, count, millis);
        } while (n == WispPoll.WOKEN);                  // meant for another descriptor that had this number
        return n == WispPoll.BLOCKING ? EPoll.wait(epfd, address, count, millis) : n;
    }

    /** In place of EPoll.wait, for who selects: the same arguments and results. After a wake-up it does not wait, either. */
    int await(int epfd, long address, int count, int millis) throws IOException {
        int n;
        interest.rearm(epfd);
        if (millis == 0 || !WispPoll.isOn()) {
            n = EPoll.wait(epfd, address, count, millis);
        } else {
            long end = millis > 0 ? System.nanoTime() + millis * 1_000_000L : 0;
            waits = PARKED;
            n = woken ? EPoll.wait(epfd, address, count, 0) : WispPoll.takeEvents(epfd, address, count, millis);
            while (n == WispPoll.WOKEN) {
                n = woken ? EPoll.wait(epfd, address, count, 0) : WispPoll.takeEvents(epfd, address, count, left(millis, end));
            }
            if (n == WispPoll.BLOCKING) {
                waits = IN_KERNEL;
                n = EPoll.wait(epfd, address, count, woken ? 0 : left(millis, end));
            }
            waits = NOT_AT_ALL;
        }
        interest.took(address, n);
        wasWoken = woken;
        return n;
    }

    /** The rest of a time-out, 0 when it is over. */
    private static int left(int millis, long end) {
        return millis < 0 ? millis : (int) Math.max(0, (end - System.nanoTime() + 999_999) / 1_000_000);
    }

    /** Whether there was a wake-up without a byte in the pipe when await returned. */
    boolean wasWoken() {
        return wasWoken;
    }

    /** In place of a byte for the pipe; true: the caller has to wake who selects. */
    boolean wake(int pipe) throws IOException {
        if (WispPoll.isOn()) {
            woken = true;
            int how = waits;
            if (how != IN_KERNEL) {
                return how == PARKED;
            }
        }
        written = true;
        IOUtil.write1(pipe, (byte) 0);
        return false;
    }

    /** Forgets the wake-up. */
    void clear(int pipe) throws IOException {
        if (written || !WispPoll.isOn()) {
            IOUtil.drain(pipe);
            written = false;
        }
        woken = false;
    }
}
