/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_RUNTIME_COROUTINE_COROUTINECOMMANDS_HPP
#define SHARE_VM_RUNTIME_COROUTINE_COROUTINECOMMANDS_HPP

// The jcmd commands Wisp.status, Wisp.dump, Wisp.conversion and Wisp.profile. Without
// -XX:+UseWisp2 they exist too, and say that there is nothing to see.
//
// Wisp.status needs no safepoint: it reads counters, and the names of the coroutines that
// run, under the lock of sysmon's look, which keeps their threads alive.

#include "services/diagnosticArgument.hpp"
#include "services/diagnosticFramework.hpp"

class CarrierThread;
class Coroutine;
class RunQueue;

class WispStatusDCmd : public DCmdWithParser {
  DCmdArgument<bool> _verbose;

  void print_settings(bool converting);
  void print_threads();
  void print_carriers(jlong now);
  void print_mounted(CarrierThread* carrier, jlong now);
  void print_totals();

 public:
  WispStatusDCmd(outputStream* output, bool heap);
  static const char* name()         { return "Wisp.status"; }
  static const char* description()  { return "Print carriers, run queues and counters of the coroutine scheduler."; }
  static const char* impact()       { return "Low"; }
  static const JavaPermission permission() {
    JavaPermission p = {"java.lang.management.ManagementPermission", "monitor", NULL};
    return p;
  }
  static int num_arguments();
  virtual void execute(DCmdSource source, TRAPS);
};

class WispDumpDCmd : public DCmdWithParser {
  DCmdArgument<jlong> _groups;
  DCmdArgument<jlong> _depth;
  DCmdArgument<jlong> _names;

 public:
  WispDumpDCmd(outputStream* output, bool heap);
  static const char* name()         { return "Wisp.dump"; }
  static const char* description()  { return "Print all threads grouped by identical stacks, the largest group first."; }
  static const char* impact()       { return "Medium: safepoints of about 10 ms, one for some thousand threads."; }
  static const JavaPermission permission() {
    JavaPermission p = {"java.lang.management.ManagementPermission", "monitor", NULL};
    return p;
  }
  static int num_arguments();
  virtual void execute(DCmdSource source, TRAPS);
};

class WispConversionDCmd : public DCmdWithParser {
  DCmdArgument<char*> _mode;

 public:
  WispConversionDCmd(outputStream* output, bool heap);
  static const char* name()         { return "Wisp.conversion"; }
  static const char* description()  {
    return "Tell or set whether Thread.start() makes coroutines. Threads that exist stay what they are.";
  }
  static const char* impact()       { return "Low"; }
  static const JavaPermission permission() {
    JavaPermission p = {"java.lang.management.ManagementPermission", "control", NULL};
    return p;
  }
  static int num_arguments();
  virtual void execute(DCmdSource source, TRAPS);
};

class WispProfileDCmd : public DCmdWithParser {
  DCmdArgument<char*> _mode;

 public:
  WispProfileDCmd(outputStream* output, bool heap);
  static const char* name()         { return "Wisp.profile"; }
  static const char* description()  {
    return "Tell or set whether times are measured: in run queues, on carriers, parked. Costs two clock reads a switch.";
  }
  static const char* impact()       { return "Low"; }
  static const JavaPermission permission() {
    JavaPermission p = {"java.lang.management.ManagementPermission", "control", NULL};
    return p;
  }
  static int num_arguments();
  virtual void execute(DCmdSource source, TRAPS);
};

#endif // SHARE_VM_RUNTIME_COROUTINE_COROUTINECOMMANDS_HPP
