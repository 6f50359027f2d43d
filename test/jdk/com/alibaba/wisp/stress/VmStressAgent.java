/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/** The agent that lets VmStress redefine methods; `make stress` puts it into a jar. */

import java.lang.instrument.Instrumentation;

public class VmStressAgent {
    public static void premain(String args, Instrumentation instrumentation) {
        VmStress.instrumentation = instrumentation;
    }
}
