/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

package com.alibaba.wisp.engine;

/** Tells of any thread whether it is a coroutine; the API does so for the calling thread only. */
public final class EngineProbe {
    private EngineProbe() { }

    public static boolean isCoroutine(Thread t) {
        return WispCarrier.isCoroutine(t);
    }
}
