/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A security manager of the command line that lets nobody come to groups of threads: the engine, which starts after it, asks it for nothing.
 *          Catches: a VM that does not start, as the root of all groups was asked for by ThreadGroup.getParent.
 * @library /test/lib
 * @run main StrictManager
 */

import java.security.Permission;
import wisptest.Check;
import wisptest.Vm;

public class StrictManager {
    public static class Manager extends SecurityManager {
        @Override
        public void checkPermission(Permission permission) {
            if (permission.getName().startsWith("modifyThread")) {
                throw new SecurityException(permission.getName());
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Vm.Result result = Vm.java("-Djava.security.manager=" + Manager.class.getName(), "StrictManager", "child");
            result.exited(0).has("a thread runs");
            return;
        }
        Thread t = new Thread(() -> System.out.println("a thread runs"));
        t.start();
        t.join();
    }
}
