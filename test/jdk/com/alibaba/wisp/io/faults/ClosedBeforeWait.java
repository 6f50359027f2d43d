/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A thread has read the number of its descriptor, and another one closes that and opens something else, which gets the number,
 *          before it begins to wait: a datagram socket is closed so. It must not wait for the other descriptor, which may stay
 *          open for ever, or be closed by somebody who knows of nobody who waits. Hangs if it does.
 * @modules java.base/java.io:+open java.base/jdk.internal.misc:+open java.base/sun.nio.ch:+open
 * @library /test/lib
 * @run main/othervm ClosedBeforeWait
 */

import java.io.FileDescriptor;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import jdk.internal.misc.JavaIOFileDescriptorAccess;
import jdk.internal.misc.SharedSecrets;
import jdk.internal.misc.WispPoll;
import wisptest.Check;
import wisptest.Crew;

public class ClosedBeforeWait {
    static final int READABLE = 1, CLOSED = 2, EDGE = 1, NOT_OPEN = -1009;     // as WispPoll has them
    static final JavaIOFileDescriptorAccess ACCESS = SharedSecrets.getJavaIOFileDescriptorAccess();

    public static void main(String[] args) throws Exception {
        if (!WispPoll.isOn()) {
            System.out.println("Kernel threads wait in the kernel.");
            return;
        }
        Method await = WispPoll.class.getDeclaredMethod("await0", FileDescriptor.class, int.class, int.class, long.class, int.class);
        await.setAccessible(true);
        try (ServerSocketChannel other = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Method getFDVal = other.getClass().getDeclaredMethod("getFDVal");
            getFDVal.setAccessible(true);
            int number = (int) getFDVal.invoke(other);
            FileDescriptor own = new FileDescriptor();
            ACCESS.set(own, number);
            // It is registered as one that somebody has waited for.
            Crew crew = new Crew();
            crew.start("registers", () -> WispPoll.awaitReadable(own, 1)).join();
            crew.check();

            ACCESS.set(own, -1);                             // closed, and the number is the other one's
            crew.start("late", () -> Check.equal(CLOSED, (int) await.invoke(null, own, number, READABLE, 0L, EDGE), "result")).join();
            crew.check();

            Method receive = WispPoll.class.getDeclaredMethod("receive0", FileDescriptor.class, int.class, boolean.class, byte[].class, int.class,
                                                              int.class, long[].class, long.class);
            receive.setAccessible(true);
            Check.Code receives = () -> Check.equal(NOT_OPEN, (int) receive.invoke(null, own, number, true, new byte[1], 0, 1, new long[3], 0L),
                                                    "result");
            crew.start("receives late", receives).join();
            crew.check();

            ACCESS.set(own, number);                         // while it waits
            Thread waits = crew.start("early", () -> Check.equal(CLOSED, (int) await.invoke(null, own, number, READABLE, 0L, EDGE), "result"));
            Check.awaitFrame(waits, "await0");
            ACCESS.set(own, -1);
            WispPoll.closing(number);
            waits.join();
            crew.check();
        }
    }
}
