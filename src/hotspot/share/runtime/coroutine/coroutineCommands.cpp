/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#include "precompiled.hpp"
#include "memory/resourceArea.hpp"
#include "runtime/coroutine/carrierThread.hpp"
#include "runtime/coroutine/coroutine.hpp"
#include "runtime/coroutine/coroutineAffinity.hpp"
#include "runtime/coroutine/coroutineCommands.hpp"
#include "runtime/coroutine/coroutineGroups.hpp"
#include "runtime/coroutine/coroutineReport.hpp"
#include "runtime/coroutine/coroutineScheduler.hpp"
#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/coroutine/coroutineSysmon.hpp"
#include "runtime/coroutine/coroutineThread.hpp"
#include "runtime/coroutine/eventPump.hpp"
#include "runtime/coroutine/runQueue.hpp"
#include "runtime/coroutine/startSeries.hpp"
#include "runtime/interfaceSupport.inline.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.hpp"

void DCmdRegistrant::register_dcmds_ext() {
  uint32_t everywhere = DCmd_Source_Internal | DCmd_Source_AttachAPI | DCmd_Source_MBean;
  DCmdFactory::register_DCmdFactory(new DCmdFactoryImpl<WispStatusDCmd>(everywhere, true, false));
  DCmdFactory::register_DCmdFactory(new DCmdFactoryImpl<WispDumpDCmd>(everywhere, true, false));
  DCmdFactory::register_DCmdFactory(new DCmdFactoryImpl<WispConversionDCmd>(everywhere, true, false));
  DCmdFactory::register_DCmdFactory(new DCmdFactoryImpl<WispProfileDCmd>(everywhere, true, false));
}

static bool is_off(outputStream* st) {
  if (!UseWisp2) {
    st->print_cr("Wisp is off: this VM runs without -XX:+UseWisp2, and every Java thread is a kernel thread.");
    return true;
  }
  if (!CoroutineThread::is_booted()) {
    st->print_cr("Wisp is not up yet: the VM is starting.");
    return true;
  }
  return false;
}

// The framework asks the class, but the parser of an object knows.
#define WISP_NUM_ARGUMENTS(type)              \
  int type::num_arguments() {                 \
    ResourceMark rm;                          \
    type* command = new type(NULL, false);    \
    DCmdMark mark(command);                   \
    return command->_dcmdparser.num_arguments(); \
  }

WISP_NUM_ARGUMENTS(WispStatusDCmd)
WISP_NUM_ARGUMENTS(WispDumpDCmd)
WISP_NUM_ARGUMENTS(WispConversionDCmd)
WISP_NUM_ARGUMENTS(WispProfileDCmd)

// ---- Wisp.status

WispStatusDCmd::WispStatusDCmd(outputStream* output, bool heap) : DCmdWithParser(output, heap),
  _verbose("-verbose", "Also print the counters of each run queue", "BOOLEAN", false, "false") {
  _dcmdparser.add_dcmd_option(&_verbose);
}

static jlong total(RunQueue::Counter c) {
  return RunQueue::total(c);
}

static double profiled(RunQueue::Counter c) {
  return RunQueue::counted_time(c) / (double) NANOSECS_PER_SEC;
}

void WispStatusDCmd::execute(DCmdSource source, TRAPS) {
  if (is_off(output())) {
    return;
  }
  ResourceMark rm(THREAD);
  bool converting = CoroutineThread::is_converting(CHECK);
  print_settings(converting);
  print_threads();
  output()->cr();
  CoroutineSysmon::begin_look();       // no safepoint and no lock from here to the end
  print_carriers(os::javaTimeNanos());
  CoroutineSysmon::end_look();
  output()->cr();
  print_totals();
}

void WispStatusDCmd::print_settings(bool converting) {
  output()->print_cr("Wisp2: %d run queue%s%s, time slice " INTX_FORMAT " ms%s, monitor tick " JLONG_FORMAT " us, stacks " SIZE_FORMAT
                     " KB, conversion %s, profile %s",
                     CoroutineScheduler::active_count(), CoroutineScheduler::active_count() == 1 ? "" : "s",
                     CoroutineScheduler::follows() ? ", as many as processors" : "", WispTimeSliceMillis,
                     WispTimeSliceMillis == 0 ? " (no preemption)" : "", CoroutineSysmon::tick_nanos() / 1000,
                     CoroutineStack::size_for(0) / K, converting ? "on" : "off",
                     RunQueue::counts_times() ? "on" : "off");
}

void WispStatusDCmd::print_threads() {
  ThreadsListHandle tlh;
  int doing[CoroutineReport::DOINGS];
  int coroutines = 0;
  int kernel = 0;
  memset(doing, 0, sizeof(doing));
  for (uint i = 0; i < tlh.length(); i++) {
    JavaThread* thread = tlh.list()->thread_at(i);
    if (thread->is_exiting() || thread->is_hidden_from_external_view()) {
      continue;
    }
    if (thread->coroutine() == NULL) {
      kernel++;
    } else {
      coroutines++;
      doing[CoroutineReport::what(thread)]++;
    }
  }
  output()->print("Threads: %d coroutines", coroutines);
  const char* separator = " (";
  for (int i = 0; i < CoroutineReport::DOINGS; i++) {
    if (doing[i] > 0) {
      output()->print("%s%d %s", separator, doing[i], CoroutineReport::name((CoroutineReport::Doing) i));
      separator = ", ";
    }
  }
  output()->print_cr("%s, %d kernel threads", coroutines > 0 ? ")" : "", kernel);
  output()->print("Started since the VM did: " JLONG_FORMAT " coroutines, of which " JLONG_FORMAT " have ended; ",
                  total(RunQueue::STARTS), total(RunQueue::ENDS));
  CoroutineThread::print_kept(output());
}

// What a carrier runs; since when is known while sysmon is awake, as it is when anything waits.
void WispStatusDCmd::print_mounted(CarrierThread* carrier, jlong now) {
  Coroutine* co = carrier->mounted();
  JavaThread* thread = co != NULL ? co->thread() : NULL;
  if (thread == NULL) {
    return;
  }
  ResourceMark rm;
  jlong since = carrier->mounted_since();
  output()->print("\"%s\", %s", JavaThread::name_for(thread->threadObj()),
                  co->state() == Coroutine::BLOCKED ? "pinned" : co->is_staying() ? "reading between calls that block it" :
                  thread->thread_state() == _thread_in_native ? "in native code" :
                  thread->thread_state() == _thread_blocked ? "blocked in the VM" : "running");
  if (since != 0 && now - since >= NANOSECS_PER_MILLISEC) {
    output()->print(", for " JLONG_FORMAT " ms", (now - since) / NANOSECS_PER_MILLISEC);
  }
}

void WispStatusDCmd::print_carriers(jlong now) {
  output()->print_cr("%5s  %-16s %7s  %-9s %7s %7s %12s  %s", "queue", "carrier", "tid", "state", "waiting", "timers", "switches",
                     "coroutine");
  for (int i = 0; i < CoroutineScheduler::count(); i++) {
    RunQueue* queue = CoroutineScheduler::queue(i);
    CarrierThread* carrier = queue->carrier();
    const char* state = carrier == NULL ? (queue->is_resting() ? "resting" : "no carrier") :
                        !queue->is_idle() ? "busy" :
                        carrier == CoroutineScheduler::watcher() ? "polling" : "sleeping";
    ResourceMark rm;
    output()->print("%5d  %-16s %7d  %-9s %7u %7d %12" PRId64 "  ", i, carrier != NULL ? JavaThread::name_for(carrier->threadObj()) : "-",
                    carrier != NULL ? carrier->osthread()->thread_id() : 0, state, queue->length(), queue->timers()->size(),
                    (int64_t) queue->switches());
    if (carrier != NULL && !queue->is_idle()) {
      print_mounted(carrier, now);
    }
    output()->cr();
    if (_verbose.value()) {
      output()->print("      ");
      for (int c = RunQueue::STEALS; c < RunQueue::COUNTERS; c++) {
        jlong value = queue->counter((RunQueue::Counter) c);
        if (value != 0) {
          output()->print(" %s=" JLONG_FORMAT, RunQueue::name((RunQueue::Counter) c), value);
        }
      }
      output()->cr();
    }
  }
  int held = 0;
  for (CarrierThread* carrier = CarrierThread::first(); carrier != NULL; carrier = carrier->next()) {
    if (!carrier->has_lost_queue()) {
      continue;
    }
    if (held++ < 100 || _verbose.value()) {
      ResourceMark rm;
      output()->print("%5s  %-16s %7d  %-9s %7s %7s %12s  ", "-", JavaThread::name_for(carrier->threadObj()), carrier->osthread()->thread_id(),
                      "held", "", "", "");
      print_mounted(carrier, now);
      output()->cr();
    }
  }
  if (held > 100 && !_verbose.value()) {
    output()->print_cr("       and %d more held carriers; see -verbose", held - 100);
  }
  output()->cr();
  output()->print_cr("Kernel threads held by native code or pins: %d; spare carriers: %d, coming: %d; queues without carrier: %d; "
                     "threads bound so far: %d",
                     held, CoroutineScheduler::spare_count(), CoroutineScheduler::coming_count(), CoroutineScheduler::orphan_count(),
                     CoroutineAffinity::bound_count());
}

void WispStatusDCmd::print_totals() {
  output()->print_cr("Scheduler: " JLONG_FORMAT " switches, " JLONG_FORMAT " parks, " JLONG_FORMAT " yields, " JLONG_FORMAT
                     " preemptions (" JLONG_FORMAT " requested), " JLONG_FORMAT " taken by other carriers (" JLONG_FORMAT
                     " searches in vain), " JLONG_FORMAT " hand-offs, " JLONG_FORMAT " pinned parks",
                     total(RunQueue::SWITCHES), total(RunQueue::PARKS), total(RunQueue::YIELDS), total(RunQueue::PREEMPTS),
                     CoroutineSysmon::preempt_requests(), total(RunQueue::STEALS), total(RunQueue::FAILED_STEALS),
                     CoroutineScheduler::hand_offs(), total(RunQueue::PINNED_PARKS));
  output()->print_cr("Waiting for a carrier: " JLONG_FORMAT " in queues, %d in the global queue; "
                     "a carrier has made room for starters for " JLONG_FORMAT " ms",
                     total(RunQueue::WAITING), CoroutineScheduler::global_size(), StartSeries::room_nanos() / NANOSECS_PER_MILLISEC);
  output()->print_cr("Timers: " JLONG_FORMAT " set, " JLONG_FORMAT " fired", total(RunQueue::TIMERS), total(RunQueue::TIMEOUTS));
  output()->print_cr("Event pump: %d coroutines wait for descriptors; " JLONG_FORMAT " waits, " JLONG_FORMAT " polls, " JLONG_FORMAT
                     " events, " JLONG_FORMAT " interrupted sleeps",
                     EventPump::waiters(), total(RunQueue::DESCRIPTOR_WAITS), total(RunQueue::POLLS), total(RunQueue::EVENTS),
                     total(RunQueue::POLL_INTERRUPTS));
  output()->print_cr("Stacks: " SIZE_FORMAT " KB mapped", CoroutineStack::mapped() / K);
  if (RunQueue::counts_times()) {
    double seconds = (os::javaTimeNanos() - RunQueue::times_since()) / (double) NANOSECS_PER_SEC;
    output()->print_cr("Profile of %.1f s: running %.3f s, waiting for a carrier %.3f s, parked %.3f s, of which for descriptors %.3f s",
                       seconds, profiled(RunQueue::RUN_NANOS), profiled(RunQueue::QUEUED_NANOS), profiled(RunQueue::PARKED_NANOS),
                       profiled(RunQueue::DESCRIPTOR_NANOS));
  }
}

// ---- Wisp.dump

WispDumpDCmd::WispDumpDCmd(outputStream* output, bool heap) : DCmdWithParser(output, heap),
  _groups("-groups", "How many groups to print", "INT", false, "100"),
  _depth("-depth", "How many frames of a stack to compare and print, 1 to 1024", "INT", false, "100"),
  _names("-names", "How many threads of a group to name", "INT", false, "3") {
  _dcmdparser.add_dcmd_option(&_groups);
  _dcmdparser.add_dcmd_option(&_depth);
  _dcmdparser.add_dcmd_option(&_names);
}

void WispDumpDCmd::execute(DCmdSource source, TRAPS) {
  if (is_off(output())) {
    return;
  }
  jlong depth = _depth.value();
  if (depth < 1 || depth > 1024 || _groups.value() < 0 || _names.value() < 0) {
    output()->print_cr("Bad value: -depth is 1 to 1024, -groups and -names are 0 or more.");
    return;
  }
  ThreadsListHandle tlh;
  CoroutineGroups* groups = new CoroutineGroups(tlh.list(), (int) depth, (int) MIN2(_names.value(), (jlong) 1000));
  groups->collect_all();
  groups->print(output(), (int) MIN2(_groups.value(), (jlong) max_jint));
  delete groups;
}

// ---- Switches

// -1: none of the words.
static int parse_switch(const char* word) {
  return strcasecmp(word, "on") == 0 ? 1 : strcasecmp(word, "off") == 0 ? 0 : -1;
}

WispConversionDCmd::WispConversionDCmd(outputStream* output, bool heap) : DCmdWithParser(output, heap),
  _mode("on|off", "New threads are coroutines, or kernel threads; without it the present setting is printed", "STRING", false) {
  _dcmdparser.add_dcmd_argument(&_mode);
}

void WispConversionDCmd::execute(DCmdSource source, TRAPS) {
  if (is_off(output())) {
    return;
  }
  if (_mode.is_set()) {
    int on = parse_switch(_mode.value());
    if (on < 0) {
      output()->print_cr("Bad value \"%s\": write on or off.", _mode.value());
      return;
    }
    CoroutineThread::set_converting(on == 1, CHECK);
  }
  bool converting = CoroutineThread::is_converting(CHECK);
  output()->print_cr("Conversion is %s: new threads are %s.", converting ? "on" : "off",
                     converting ? "coroutines, unless the settings exclude them" : "kernel threads");
}

WispProfileDCmd::WispProfileDCmd(outputStream* output, bool heap) : DCmdWithParser(output, heap),
  _mode("on|off", "Start or stop measuring times; without it the present setting is printed", "STRING", false) {
  _dcmdparser.add_dcmd_argument(&_mode);
}

void WispProfileDCmd::execute(DCmdSource source, TRAPS) {
  if (is_off(output())) {
    return;
  }
  if (_mode.is_set()) {
    int on = parse_switch(_mode.value());
    if (on < 0) {
      output()->print_cr("Bad value \"%s\": write on or off.", _mode.value());
      return;
    }
    RunQueue::count_times(on == 1);
  }
  output()->print_cr("Profile is %s: times are %smeasured.", RunQueue::counts_times() ? "on" : "off",
                     RunQueue::counts_times() ? "" : "not ");
}
