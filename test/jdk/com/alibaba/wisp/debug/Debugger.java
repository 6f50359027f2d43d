/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A debugger: suspend all and resume, stacks and states of threads that park, sleep, wait, compute or sit in a queue,
 *          breakpoints hit by many threads, stopping all or only the thread, single steps, popping a frame, calling a method in a
 *          suspended thread. Catches: carriers that the debugger sees and suspends, so that the program stays frozen after
 *          resuming one thread; a suspended thread that keeps its carrier from the others; stacks that cannot be read.
 * @library /test/lib
 * @modules jdk.jdi
 * @build Debuggee
 * @run main Debugger
 */

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.IntegerValue;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.event.VMStartEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.StepRequest;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import wisptest.Check;
import wisptest.Vm;

public class Debugger {
    static VirtualMachine vm;
    static ReferenceType type;

    public static void main(String[] args) throws Exception {
        List<String> command = Vm.command();
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("home").setValue(System.getProperty("test.jdk", System.getProperty("java.home")));
        arguments.get("options").setValue(command.subList(1, command.size()).stream()
                                                 .map(o -> "\"" + o + "\"").collect(Collectors.joining(" ")));
        arguments.get("main").setValue("Debuggee");
        vm = connector.launch(arguments);
        Process process = vm.process();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        forward(process.getErrorStream());
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()));

        ClassPrepareRequest prepare = vm.eventRequestManager().createClassPrepareRequest();
        prepare.addClassFilter("Debuggee");
        prepare.enable();
        type = ((ClassPrepareEvent) next(ClassPrepareEvent.class)).referenceType();
        vm.resume();
        Check.equal("ready", out.readLine(), "the debuggee's output");

        for (int i = 0; i < 10; i++) {
            suspendAll();
        }
        oneOfMany();
        breakpointsForAll();
        breakpointsForOne();
        BreakpointEvent at = steps();
        popAndCall(at);

        set("over", 1);
        vm.resume();
        forward(process.getInputStream());
        Check.equal(0, process.waitFor(), "exit code of the debuggee");
        System.out.println("done");
    }

    static void forward(InputStream in) {
        Thread t = new Thread(() -> {
            try {
                in.transferTo(System.out);
            } catch (Exception e) {
                System.out.println(e);
            }
        });
        t.setDaemon(true);
        t.start();
    }

    /** The next event that is not of the VM itself; the threads that it has suspended stay so. */
    static Event next(Class<? extends Event> wanted) throws Exception {
        while (true) {
            EventSet set = vm.eventQueue().remove();
            for (Event event : set) {
                if (wanted.isInstance(event)) {
                    return event;
                }
                if (!(event instanceof VMStartEvent)) {
                    throw new AssertionError("unexpected " + event);
                }
            }
            set.resume();
        }
    }

    static int get(String field) {
        return ((IntegerValue) type.getValue(type.fieldByName(field))).value();
    }

    static void set(String field, int value) throws Exception {
        ((ClassType) type).setValue(type.fieldByName(field), vm.mirrorOf(value));
    }

    static Method method(String name) {
        return type.methodsByName(name).get(0);
    }

    static ThreadReference thread(String name) {
        return vm.allThreads().stream().filter(t -> t.name().equals(name)).findAny().get();
    }

    static void awaitProgress(String field) throws Exception {
        int from = get(field);
        while (get(field) < from + 3) {
            Thread.sleep(1);
        }
    }

    /** Names the method that must be on the stack of each kind of thread. */
    static String expectedFrame(String thread) {
        switch (thread.replaceAll("-.*", "")) {
            case "parked":  return "park";
            case "sleeper": return "sleeper";
            case "waiter":  return "wait";
            case "hog":     return "hog";
            case "blocked": return "enterMonitor";
            case "yielder": return "yielder";
            default:        return null;
        }
    }

    static void suspendAll() throws Exception {
        vm.suspend();
        Set<String> kinds = new HashSet<>();
        for (ThreadReference t : vm.allThreads()) {
            Check.that(!t.name().startsWith("Wisp"), "the debugger sees " + t.name());
            Check.that(t.isSuspended(), t.name() + " is not suspended");
            Check.equal(1, t.suspendCount(), "suspensions of " + t.name());
            String expected = expectedFrame(t.name());
            List<StackFrame> frames = t.frames();
            if (expected != null) {
                kinds.add(expected);
                Check.that(frames.stream().anyMatch(f -> f.location().method().name().equals(expected)),
                           t.name() + " has no frame of " + expected + ": " + frames);
            }
        }
        Check.equal(6, kinds.size(), "kinds of threads: " + kinds);
        int hogs = get("hogs"), sleeps = get("sleeps"), yields = get("yields");
        Thread.sleep(5);
        Check.equal(hogs, get("hogs"), "rounds of threads that compute, suspended");
        Check.equal(sleeps, get("sleeps"), "rounds of threads that sleep, suspended");
        Check.equal(yields, get("yields"), "rounds of threads that yield, suspended");
        vm.resume();
        awaitProgress("hogs");
        awaitProgress("sleeps");
        awaitProgress("yields");
    }

    /** All are suspended but one, which must run. */
    static void oneOfMany() throws Exception {
        vm.suspend();
        ThreadReference sleeper = thread("sleeper-0");
        sleeper.resume();
        awaitProgress("sleeps");
        sleeper.suspend();
        int sleeps = get("sleeps");
        ThreadReference hog = thread("hog-0");
        hog.resume();
        awaitProgress("hogs");
        hog.suspend();
        Check.equal(sleeps, get("sleeps"), "rounds of threads that sleep, suspended");
        vm.resume();
        awaitProgress("sleeps");
    }

    static void breakpointsForAll() throws Exception {
        BreakpointRequest request = vm.eventRequestManager().createBreakpointRequest(method("marked").location());
        request.setSuspendPolicy(EventRequest.SUSPEND_ALL);
        request.enable();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 30; i++) {
            BreakpointEvent event = (BreakpointEvent) next(BreakpointEvent.class);
            seen.add(event.thread().name());
            Check.equal("marked", event.location().method().name(), "where");
            Check.equal("sleeper", event.thread().frame(1).location().method().name(), "called by");
            int hogs = get("hogs");
            Check.equal(hogs, get("hogs"), "threads that compute at a breakpoint for all");
            vm.resume();
        }
        System.out.println("breakpoints hit by " + seen);
        Check.that(seen.size() > 1, "only one thread came to the breakpoint");
        remove(request);
    }

    static void remove(BreakpointRequest request) throws Exception {
        vm.suspend();
        vm.eventRequestManager().deleteEventRequest(request);
        for (EventSet set; (set = vm.eventQueue().remove(200)) != null; ) {
            set.resume();
        }
        vm.resume();
    }

    /** Only the thread stops, as many of them as there are; all others go on. */
    static void breakpointsForOne() throws Exception {
        BreakpointRequest request = vm.eventRequestManager().createBreakpointRequest(method("marked").location());
        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        request.enable();
        int n = get("sleepers");
        Set<ThreadReference> stopped = new HashSet<>();
        while (stopped.size() < n) {
            stopped.add(((BreakpointEvent) next(BreakpointEvent.class)).thread());
        }
        int sleeps = get("sleeps");
        awaitProgress("hogs");
        awaitProgress("yields");
        Check.equal(sleeps, get("sleeps"), "rounds of threads that are stopped");
        request.disable();
        stopped.forEach(ThreadReference::resume);
        awaitProgress("sleeps");
        remove(request);
    }

    static BreakpointEvent steps() throws Exception {
        BreakpointRequest request = vm.eventRequestManager().createBreakpointRequest(method("stepped").location());
        request.setSuspendPolicy(EventRequest.SUSPEND_ALL);
        request.addCountFilter(1);
        // While all are stopped: an event that the library hears of before the reply that tells the request's number is none of the request's to it,
        // and is lost, the only one here.
        vm.suspend();
        request.enable();
        vm.resume();
        BreakpointEvent event = (BreakpointEvent) next(BreakpointEvent.class);
        ThreadReference t = event.thread();
        int line = event.location().lineNumber();
        for (int i = 1; i <= 4; i++) {                       // the fourth line waits
            StepRequest step = vm.eventRequestManager().createStepRequest(t, StepRequest.STEP_LINE, StepRequest.STEP_OVER);
            step.addCountFilter(1);
            step.enable();
            vm.resume();
            StepEvent done = (StepEvent) next(StepEvent.class);
            Check.equal(t, done.thread(), "thread of the step");
            Check.equal(line + i, done.location().lineNumber(), "line after a step");
            vm.eventRequestManager().deleteEventRequest(step);
        }
        request = vm.eventRequestManager().createBreakpointRequest(method("stepped").location());
        request.addThreadFilter(t);
        request.enable();
        vm.resume();
        event = (BreakpointEvent) next(BreakpointEvent.class);
        request.disable();
        return event;
    }

    static void popAndCall(BreakpointEvent event) throws Exception {
        ThreadReference t = event.thread();
        Check.equal("stepped", t.frame(0).location().method().name(), "frame");
        String caller = t.frame(1).location().method().name();
        t.popFrames(t.frame(0));
        Check.equal(caller, t.frame(0).location().method().name(), "frame after popping");
        // The method blocks, and the only thread that may run is this one.
        Value v = ((ClassType) type).invokeMethod(t, method("called"), Collections.singletonList(vm.mirrorOf(20)),
                                                  ClassType.INVOKE_SINGLE_THREADED);
        Check.equal(21, ((IntegerValue) v).value(), "result of the call");
        // This one needs another thread.
        v = ((ClassType) type).invokeMethod(t, method("calledTogether"), Collections.emptyList(), 0);
        Check.equal(7, ((IntegerValue) v).value(), "result of the call");
    }
}
