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
 */
final class WispEPoll {
    private WispEPoll() { }

    /** In place of EPoll.wait: the same arguments and results. */
    static int wait(int epfd, long address, int count, int millis) throws IOException {
        int n = WispPoll.takeEvents(epfd, address, count, millis);
        return n == WispPoll.BLOCKING ? EPoll.wait(epfd, address, count, millis) : n;
    }
}
