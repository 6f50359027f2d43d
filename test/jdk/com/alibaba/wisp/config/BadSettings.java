/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary A setting that cannot be used ends the start of the VM: exit status 1, one line that names the setting, the value and
 *          what to do, and the program does not run. What can be ignored is one warning line, and the program runs. With the
 *          flag off, nothing is said.
 * @library /test/lib
 * @run main BadSettings
 */

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import wisptest.Check;
import wisptest.Vm;

public class BadSettings {
    static final String P = "-Dcom.alibaba.wisp.";

    public static class Hello {
        public static void main(String[] args) {
            System.out.println("hello");
        }
    }

    static Vm.Result hello(String flag, String... options) throws Exception {
        List<String> args = new ArrayList<>(Collections.singletonList(flag));
        args.addAll(Arrays.asList(options));
        args.add("BadSettings$Hello");
        return Vm.java(args.toArray(new String[0]));
    }

    static void refused(String option, String... parts) throws Exception {
        Vm.Result r = hello("-XX:+UseWisp2", option).exited(1).hasNot("hello").hasNot("Exception").hasNot("\tat ");
        Check.equal(1L, r.output.lines().count(), "lines of output");
        for (String part : parts) {
            r.has(part);
        }
        hello("-XX:-UseWisp2", option).exited(0).has("hello").hasNot("wisp");
    }

    static void warned(String option, String... parts) throws Exception {
        Vm.Result r = hello("-XX:+UseWisp2", option).exited(0).has("hello");
        Check.equal(2L, r.output.lines().count(), "lines of output");
        r.has(" warning: ");
        for (String part : parts) {
            r.has(part);
        }
        hello("-XX:-UseWisp2", option).exited(0).has("hello").hasNot("warning");
    }

    public static void main(String[] args) throws Exception {
        for (String bad : new String[] {"0", "-1", "1025", "many"}) {
            refused(P + "carrierEngines=" + bad, "\"" + bad + "\"", "com.alibaba.wisp.carrierEngines", "1 to 1024");
        }
        refused(P + "stacksize=1k", "\"1k\"", "com.alibaba.wisp.stacksize", "136k");
        refused(P + "stacksize=big", "\"big\"", "com.alibaba.wisp.stacksize");
        refused(P + "sysmonTickUs=0", "com.alibaba.wisp.sysmonTickUs", "1 to 10000000");
        refused(P + "allThreadAsWisp=maybe", "\"maybe\"", "com.alibaba.wisp.allThreadAsWisp", "true or false");
        refused(P + "config=missing.properties", "missing.properties", "com.alibaba.wisp.config", "cannot be read");
        Files.write(Paths.get("bad.properties"), Collections.singletonList("com.alibaba.wisp.stacksize=7"));
        refused(P + "config=bad.properties", "bad.properties", "\"7\"", "com.alibaba.wisp.stacksize");

        warned(P + "carrierEngine=4", "com.alibaba.wisp.carrierEngine ");
        warned(P + "threadAsWisp.black=name:a;foo;class:b", "com.alibaba.wisp.threadAsWisp.black", "\"foo\"");
        warned(P + "threadAsWisp.white=package:a.*", "com.alibaba.wisp.threadAsWisp.white", "\"package:a.*\"");

        // Nothing to say.
        Vm.Result quiet = hello("-XX:+UseWisp2", P + "carrierEngines=2", P + "stacksize=512k", P + "sysmonTickUs=100000",
                                P + "enableHandOff=true", P + "growCarrier=false", P + "transparentWispSwitch=true",
                                P + "threadAsWisp.black=name:process reaper;").exited(0);
        Check.equal("hello", quiet.output.trim(), "output");
        Check.equal("hello", hello("-XX:+UseWisp2", "-XX:+UnlockExperimentalVMOptions").exited(0).output.trim(), "output");
    }
}
