/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * UPerf, the test of RPCs that JGroups brings along: each member has many threads that call get() on one member and put() on two at a
 * time. Four members, over TCP and over UDP multicast. First all in this VM, where the calls that arrive are counted: as many as were
 * made, or one was lost or came twice. Then UPerf's own main, in a VM for each member with the options of this one, told what to do by
 * the keys of its menu. With use_virtual_threads, which JGroups looks for by reflection, it must fall back on 11.
 */
// options: -Djava.net.preferIPv4Stack=true -Djgroups.bind_addr=127.0.0.1
// limit: 400
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgroups.tests.perf.CountingUPerf;
import org.jgroups.tests.perf.UPerf;
import org.jgroups.util.Util;
import wisp.apps.App;

public class UPerfApp {
    static final int MEMBERS = 4, SENDERS = 50, SECONDS = 3, SIZE = 1000;

    static void inThisVm(String config, boolean virtual) throws Throwable {
        App.phase(config + ", members in one VM" + (virtual ? ", virtual threads asked for" : ""));
        int port = App.freePort();
        System.setProperty("jgroups.tcpping.initial_hosts", "127.0.0.1[" + port + "]");
        List<CountingUPerf> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            CountingUPerf m = new CountingUPerf();
            m.time(SECONDS).size(SIZE).threads(SENDERS);
            m.init(config, "M" + i, null, port, virtual, false);
            members.add(m);
        }
        for (CountingUPerf m : members) {
            while (m.viewSize() != MEMBERS) {
                Thread.sleep(20);
            }
        }
        // UPerf prints the exceptions of calls that fail, and goes on.
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream err = System.err;
        System.setErr(new PrintStream(errors, true));
        long[] calls = members.get(0).benchmark(MEMBERS);
        System.setErr(err);
        App.equal(errors.toString(), "", "what UPerf wrote to System.err");
        long gets = 0, puts = 0;
        for (CountingUPerf m : members) {
            gets += m.getsReceived.sum();
            puts += m.putsReceived.sum();
            App.equal(m.wrong.get(), 0, "values of a wrong size");
        }
        App.check(gets > MEMBERS * SENDERS && puts > MEMBERS * SENDERS, "only " + gets + " gets and " + puts + " puts");
        App.equal(gets, calls[0], "gets that arrived, and those that were made");
        App.equal(puts, calls[1], "puts that arrived, and those that were made");
        for (CountingUPerf m : members) {
            m.leave();
        }
    }

    static class Vm {
        final Path log;
        final Process process;

        Vm(String config, int port, int n) throws IOException {
            log = Path.of(config + "-" + n + ".log").toAbsolutePath();
            List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
            for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
                command.add(option.startsWith("-Xmx") ? "-Xmx200m" : option);
            }
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), "-Djgroups.tcpping.initial_hosts=127.0.0.1[" + port + "]",
                    UPerf.class.getName(), "-props", config, "-name", "M" + n, "-port", "" + port, "-time", "" + 2 * SECONDS, "-size", "" + SIZE,
                    "-threads", "" + SENDERS));
            if (n > 0) {
                command.add("-nohup");
            }
            process = App.start(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
        }

        String output() throws IOException {
            return Files.readString(log);
        }

        void press(String key) throws IOException {
            OutputStream keys = process.getOutputStream();
            keys.write((key + "\n").getBytes());
            keys.flush();
        }

        void await(String text, int times) throws Exception {
            while (output().split(Pattern.quote(text), -1).length <= times) {
                App.check(process.isAlive(), "a member ended before it wrote " + text + ":\n" + output());
                Thread.sleep(50);
            }
        }
    }

    static void vmEach(String config) throws Throwable {
        App.phase(config + ", a VM for each member");
        int port = App.freePort();
        List<Vm> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            members.add(new Vm(config, port, i));
            for (Vm m : members) {
                m.await("] (" + (i + 1) + ") [", 1);
            }
        }
        Vm first = members.get(0);
        // Results that come later than 1.2 times what the test takes are not waited for: on a busy machine it is repeated.
        int complete = 0;
        for (int round = 1; complete < MEMBERS && round <= 5; round++) {
            first.press("1");
            first.await("Throughput:", round);
            for (Vm m : members) {
                m.await("done (in", round);
            }
            String output = first.output();
            Matcher results = Pattern.compile("M\\d: ([\\d,.]+) reqs/sec \\(([\\d,]+) gets, ([\\d,]+) puts").matcher(output.substring(output.lastIndexOf("= Results")));
            for (complete = 0; results.find(); complete++) {
                App.check(!results.group(2).equals("0") && !results.group(3).equals("0"), "a member made no calls: " + results.group());
            }
        }
        App.equal(complete, MEMBERS, "results of members");
        for (Vm m : members) {
            App.check(!m.output().matches("(?s).*(Exception|Error)\\b.*"), "a member fails, see " + m.log);
        }
        // Members that leave write of connections that were closed, with the flag and without.
        first.press("X");
        for (Vm m : members) {
            App.equal(m.process.waitFor(), 0, "exit status of a member");
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            App.check(!Util.virtualThreadsAvailable(), "virtual threads are not there on 11");
            inThisVm("tcp.xml", false);
            inThisVm("udp.xml", false);
            inThisVm("tcp.xml", true);
            vmEach("tcp.xml");
            vmEach("udp.xml");
        });
    }
}
