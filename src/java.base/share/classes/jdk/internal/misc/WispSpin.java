/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package jdk.internal.misc;

/**
 * Loops that spin for another thread. Spinning saves a kernel thread from being put to sleep and woken, which takes some ten microseconds,
 * if the thread that it waits for runs on another processor meanwhile. A coroutine parks and is woken in the time of a few of these rounds,
 * and the one that it waits for is behind it in the queue of its carrier as a rule.
 *
 * <p>So the synchronizers of java.util.concurrent that spin before they block do so as on one processor, hardly at all, and the loops of programs
 * give the carrier away now and then: {@code Thread.onSpinWait}, which is a method then, and calls {@link #hint}.
 *
 * <p>Rejected: a call that the compilers make behind their pause instruction; it is not at a safepoint, so the loop could not yield before
 * its next poll, which trapped. And to give way only, inside of the loops of java.util.concurrent: each turn would be another one
 * that finds nothing.
 */
public final class WispSpin {
    private WispSpin() { }

    /** What Thread.onSpinWait does with -XX:+UseWisp2: waits for a moment, or yields if somebody waits for the same carrier. */
    public static native void hint();

    /** The number of processors to reckon with: one with -XX:+UseWisp2, else those that are available. */
    public static int processors() {
        return WispPoll.isOn() ? 1 : Runtime.getRuntime().availableProcessors();
    }

    /**
     * The rounds after which an Exchanger yields on one processor, before it parks: none with -XX:+UseWisp2, else one. Two that find
     * each other so, by yields, are never woken, and so never sent to a carrier that has nothing to do.
     */
    public static int rounds() {
        return WispPoll.isOn() ? 0 : 1;
    }
}
