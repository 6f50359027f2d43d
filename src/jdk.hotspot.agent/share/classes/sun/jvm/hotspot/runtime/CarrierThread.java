/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package sun.jvm.hotspot.runtime;

import java.util.Observable;
import java.util.Observer;
import sun.jvm.hotspot.debugger.Address;
import sun.jvm.hotspot.runtime.x86.X86Frame;
import sun.jvm.hotspot.types.AddressField;
import sun.jvm.hotspot.types.TypeDataBase;

/**
 * A carrier, and the question whose registers an OS thread has: those of the coroutine that is mounted on it, or the carrier's own if none
 * is. The stack of every other one, coroutine or carrier, begins at its last Java frame; guessing from the registers of the OS thread that it
 * was on last would show the frames of somebody else. The fields are those of vmStructs_coroutine.hpp.
 */
public class CarrierThread extends JavaThread {
    private static AddressField coroutineField;
    private static AddressField carrierField;
    private static AddressField mountedField;

    static {
        VM.registerVMInitializedObserver(new Observer() {
            public void update(Observable o, Object data) {
                initialize(VM.getVM().getTypeDataBase());
            }
        });
    }

    private static synchronized void initialize(TypeDataBase db) {
        coroutineField = db.lookupType("JavaThread").getAddressField("_coroutine");
        carrierField = db.lookupType("Coroutine").getAddressField("_carrier");
        mountedField = db.lookupType("CarrierThread").getAddressField("_mounted");
    }

    public CarrierThread(Address addr) {
        super(addr);
    }

    @Override
    public boolean isHiddenFromExternalView() {
        return true;
    }

    /** Whether the registers of the OS thread that the thread names are its own. */
    public static boolean hasRegisters(JavaThread thread) {
        if (thread instanceof CarrierThread) {
            return mountedField.getValue(thread.getAddress()) == null;
        }
        Address coroutine = coroutineField.getValue(thread.getAddress());
        if (coroutine == null) {
            return true;
        }
        Address carrier = carrierField.getValue(coroutine);
        return carrier != null && coroutine.equals(mountedField.getValue(carrier));
    }

    /** The top frame of a thread that has no registers, or null: it has never run. */
    public static Frame topFrame(JavaThread thread) {
        Address sp = thread.getLastJavaSP();
        if (sp == null) {
            return null;
        }
        Address pc = thread.getLastJavaPC();
        return pc == null ? new X86Frame(sp, thread.getLastJavaFP()) : new X86Frame(sp, thread.getLastJavaFP(), pc);
    }
}
