/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/*
 * Two JVMs that do the same work by turns, 20 milliseconds each or the work once, while the other one waits: what changes on the machine
 * from one second to the next, by more than the difference that is looked for, meets both. One after the other they would have to run
 * for minutes.
 *
 * Usage: CpuPair SECONDS COMMAND... -- COMMAND...; both commands run CpuBench. Prints what each of them needs, in milliseconds: for the second
 * one the median of its turns, for the first one that by the median of the ratios. Each ratio is of two turns of each; the first VM begins
 * with the first ones, the second with the others. Fails, and says which one it was, if one of them does.
 */
public class CpuPair {
    private static final int LEAST = 4;                    // turns of each

    private static final List<Process> children = new CopyOnWriteArrayList<>();

    private static final class Side {
        private final String name;
        private final Process process;
        private final BufferedReader answers;
        private final List<Double> times = new ArrayList<>();

        Side(List<String> command) throws Exception {
            name = command.contains("-XX:+UseWisp2") ? "on" : "off";
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            children.add(process);
            answers = new BufferedReader(new InputStreamReader(process.getInputStream()));
            String line = answers.readLine();
            if (!"ready".equals(line)) {
                fail(line);
            }
        }

        void turn() throws Exception {
            try {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            } catch (IOException e) {
                fail(answers.readLine());                            // it has ended between two turns
            }
            String line = answers.readLine();
            try {
                times.add(Double.parseDouble(line));
            } catch (NullPointerException | NumberFormatException e) {
                fail(line);
            }
        }

        private void fail(String line) throws Exception {
            StringBuilder rest = new StringBuilder();
            for (; line != null; line = answers.readLine()) {
                rest.append(' ').append(line);                       // a report of the VM
            }
            System.err.println("The VM with the flag " + name + " ended with status " + process.waitFor() + "." + rest);
            System.exit(1);
        }
    }

    private static double median(List<Double> values) {
        values.sort(null);
        int n = values.size();
        return (values.get((n - 1) / 2) + values.get(n / 2)) / 2;
    }

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> children.forEach(Process::destroyForcibly)));
        List<String> all = Arrays.asList(args);
        int middle = all.indexOf("--");
        long time = (long) (Double.parseDouble(args[0]) * 2e9);
        Side left = new Side(all.subList(1, middle)), right = new Side(all.subList(middle + 1, all.size()));
        long start = System.nanoTime();
        for (int i = 0; i < LEAST || i % 2 != 0 || System.nanoTime() - start < time; i++) {
            Side first = i % 2 == 0 ? left : right;
            first.turn();
            (first == left ? right : left).turn();
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < left.times.size(); i += 2) {
            ratios.add(Math.log(left.times.get(i) / right.times.get(i) * left.times.get(i + 1) / right.times.get(i + 1)) / 2);
        }
        double base = median(right.times);
        System.out.printf("%.4f %.4f%n", base * Math.exp(median(ratios)), base);
        for (Process p : children) {
            p.destroyForcibly().waitFor();
        }
    }
}
