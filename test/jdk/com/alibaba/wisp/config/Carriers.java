/*
 * Copyright (c) 2026, the contributors to OpenJDK 11 with Wisp2.
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * @test
 * @summary How many carriers there are: one for each available processor, ActiveProcessorCount changes that, carrierEngines on
 *          the command line or in the file decides. Values from the file do not show up as system properties.
 * @library /test/lib
 * @modules java.base/com.alibaba.wisp.engine
 * @run main Carriers
 */

import com.alibaba.wisp.engine.WispEngine;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import wisptest.Check;
import wisptest.Vm;

public class Carriers {
    public static class Child {
        public static void main(String[] args) throws Exception {
            boolean[] ran = new boolean[1];
            WispEngine.current().submit(() -> ran[0] = true).get();
            System.out.println("carriers " + WispEngine.current().getWispCarrierIds().size()
                + ", processors " + Runtime.getRuntime().availableProcessors()
                + ", property " + System.getProperty("com.alibaba.wisp.carrierEngines"));
        }
    }

    static void child(String expected, String... options) throws Exception {
        List<String> args = new ArrayList<>();
        args.add("-XX:+UseWisp2");
        args.addAll(Arrays.asList(options));
        args.add("Carriers$Child");
        List<String> command = Vm.command(args.toArray(new String[0]));
        // The harness may set the number, too.
        command.subList(0, command.indexOf("-cp")).removeIf(option -> option.startsWith("-Dcom.alibaba.wisp.carrierEngines="));
        Check.equal(expected, Vm.run(command).exited(0).output.trim(), "output with " + args);
    }

    public static void main(String[] args) throws Exception {
        child("carriers 1, processors 1, property null", "-XX:ActiveProcessorCount=1");
        child("carriers 3, processors 3, property null", "-XX:ActiveProcessorCount=3");
        String two = "-Dcom.alibaba.wisp.carrierEngines=2";
        child("carriers 2, processors 3, property 2", "-XX:ActiveProcessorCount=3", two);
        Files.write(Paths.get("carriers.properties"), Collections.singletonList("com.alibaba.wisp.carrierEngines=5"));
        String file = "-Dcom.alibaba.wisp.config=carriers.properties";
        child("carriers 5, processors 3, property null", "-XX:ActiveProcessorCount=3", file);
        child("carriers 2, processors 3, property 2", "-XX:ActiveProcessorCount=3", two, file);
        child("carriers 1024, processors 3, property 1024", "-XX:ActiveProcessorCount=3", "-Dcom.alibaba.wisp.carrierEngines=1024");
    }
}
