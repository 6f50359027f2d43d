#!/usr/bin/env bash
# Gate: no function that parks keeps the address of a thread-local variable. A coroutine can come back from a park on
# another OS thread, so Thread::current() must be read anew each time, by the two instructions of coroutineHooks.hpp.
# In the functions below the compiler may neither call __tls_get_addr nor __errno_location, whose result it may keep, nor take the thread
# pointer itself into a register (mov %fs:0x0,reg); %fs:0x28 is the stack protector, the same in all threads, and %fs:(reg) is a load by offset.
set -u
cd "$(dirname "$0")/../.."
lib=
for level in release fastdebug; do
  f=build/$level/support/modules_libs/java.base/server/libjvm.so
  [ -f "$f" ] && { lib=$f; break; }
done
[ -n "$lib" ] || { echo "disassembly gate: libjvm.so is not built yet, nothing to look at"; exit 0; }
command -v objdump >/dev/null || { echo "disassembly gate: objdump is missing; install binutils"; exit 1; }

functions='Coroutine::switch_out Coroutine::park Coroutine::wait_until Coroutine::wait_in_native Coroutine::park_in_native
  Coroutine::sleep_in_native Wisp_park Wisp_sleep Coroutine::park_event Coroutine::yield Coroutine::yield_current
  Coroutine::wait Coroutine::preemption_point Coroutine::block_os_thread CarrierThread::leave CarrierThread::run_queue
  ObjectMonitor::enter ObjectMonitor::EnterI ObjectMonitor::ReenterI ObjectMonitor::wait ObjectMonitor::complete_exit
  os::sleep Parker::park JVM_Sleep Unsafe_Park Monitor::wait ObjectSynchronizer::wait ObjectSynchronizer::waitUninterruptibly
  InstanceKlass::initialize_impl SystemDictionary::double_lock_wait SystemDictionary::resolve_instance_class_or_null
  JavaCalls::call_helper CoroutineThread::entry ThreadSafepointState::handle_polling_page_exception
  InterpreterRuntime::at_safepoint CoroutineSockets::write EventPump::await EventPump::await_event Wisp_await
  Coroutine::moved_much CoroutineConnections::may_connect CoroutineSockets::take_events read_into write_parts'

names=$(nm -C "$lib" | grep -iE ' [tw] ' | sed -E 's/^[0-9a-f]+ . //; s/\(.*//')
missing=0
for f in $functions; do
  grep -qxF "$f" <<< "$names" || { echo "disassembly gate: $f is not in $lib; if it was renamed or inlined, change the list"; missing=1; }
done

pattern=$(printf '%s|' $functions | sed 's/|$//')
bad=$(objdump -d -C --no-show-raw-insn "$lib" | awk -v pattern="^($pattern)[(]" '
  /^[0-9a-f]+ <.*>:$/ { name = $0; sub(/^[0-9a-f]+ </, "", name); sub(/>:$/, "", name)
                        looking = (name ~ pattern) || name ~ /^(JVM_Sleep|Unsafe_Park|Wisp_park|Wisp_sleep|Wisp_await)$/; n += looking; next }
  looking && (/__tls_get_addr/ || /__errno_location/ || /%fs:0x0,/) { print "  " name ": " $0 }
  END { print n " functions looked at" > "/dev/stderr"; if (n < 20) print "  only " n " functions found" }' 2> build/.disassembly.count)
if [ -n "$bad" ] || [ "$missing" = 1 ]; then
  printf 'disassembly gate: thread-local addresses are kept across parks:\n%s\n' "$bad"
  exit 1
fi
echo "disassembly gate: $(cat build/.disassembly.count), no address of a thread-local variable in them"
rm -f build/.disassembly.count
