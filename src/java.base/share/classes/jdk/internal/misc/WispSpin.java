/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package jdk.internal.misc;

/**
 * What the synchronizers of java.util.concurrent that spin before they block ask at their initialization. Spinning saves a kernel thread
 * from being put to sleep and woken, which takes some ten microseconds, if the thread that it waits for runs on another
 * processor meanwhile. A coroutine parks and is woken in less time than such a loop takes for a few of its hundreds of rounds, and the one
 * that it waits for is behind it in the queue of its carrier as a rule.
 *
 * <p>Rejected: to give way inside of these loops ({@code Thread.onSpinWait} does so, for the loops of programs). Each turn
 * would be another one that finds nothing.
 */
public final class WispSpin {
    private WispSpin() { }

    /** The number of processors to reckon with: one with -XX:+UseWisp2, else those that are available. */
    public static int processors() {
        return WispPoll.isOn() ? 1 : Runtime.getRuntime().availableProcessors();
    }
}
