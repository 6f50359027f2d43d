#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures a million threads that sleep one second each: plain Java with coroutines, on virtual threads of JDK 25, Go with goroutines; and
# Kotlin's coroutines on a dispatcher that starts a thread for each task, with the flag and on virtual threads. Twice in each process, as
# the second time the code is compiled and memory is there. It defends "1,000,000 sleepers complete in at most 6 s once warm, within 16 GB".
#
#   make/bench-sleepers.sh          the same as `make bench-sleepers`; medians last
#
# Environment: JDK (default: the image of this tree), COUNT (default 1000000), ROUNDS (default 3), PASSES (in one process, default 2),
# CARRIERS (default: the CPUs), RUNTIMES (default "on jdk25v go kotlin-on kotlin-jdk25v", of which those that are there are taken),
# GC_OPTIONS (default: ParallelGC, 4 GB), LIMIT (seconds for one process, default 600), PEERS_DIR.
# Kotlin comes from Maven Central, through mvn as this user has configured it.
# Exit status 1: a run failed, or a target is missed.
GC_OPTIONS=${GC_OPTIONS:--XX:+UseParallelGC -Xms4g -Xmx4g}
LIMIT=${LIMIT:-600}
. "$(dirname "$0")/bench-lib.sh"

SLEEPERS=$REPO/test/micro/sleepers
COUNT=${COUNT:-1000000}
ROUNDS=${ROUNDS:-3}
PASSES=${PASSES:-2}
CARRIERS=${CARRIERS:-$(nproc)}
GOAL_SECONDS=6 GOAL_GB=16

available() {
  local all='on' go='' kotlin=''
  if have_jdk25; then all+=' jdk25v' kotlin=' kotlin-jdk25v'; else say "JDK 25 is not prepared (make/bench-peers.sh setup) and left out." >&2; fi
  if command -v go >/dev/null; then go=' go'; else say "There is no Go; left out." >&2; fi
  echo "$all$go kotlin-on$kotlin"
}

# A stack that sleeps takes up to 16 KB with its structures; before Linux 6.13 it also takes two mappings.
check_limits() {
  local free need maps kernel
  case $COUNT in ''|*[!0-9]*|0) die "COUNT=$COUNT is not a number of threads; leave it out for 1000000" ;; esac
  case $PASSES in ''|*[!0-9]*|0|1) die "PASSES=$PASSES: the last of at least 2 is the warm one" ;; esac
  free=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  need=$((4 + COUNT * 16 / 1000000))
  [ "$free" -ge "$need" ] || die "$free GB of memory are available; $COUNT threads may need $need; end other programs, or give a smaller COUNT"
  maps=$(cat /proc/sys/vm/max_map_count)
  kernel=$(uname -r | awk -F'[.-]' '{ print $1 * 100 + $2 }')
  if [ "$kernel" -lt 613 ] && [ "$maps" -lt $((2 * COUNT + 1000)) ]; then
    die "vm.max_map_count is $maps; before Linux 6.13 $COUNT stacks take two mappings each; run as root: sysctl vm.max_map_count=$((2 * COUNT + 10000))"
  fi
}

prepare_sleepers() {
  local dir=$OUT/classes/sleepers                   # below the folder that JDK 25 sees
  prepare_programs
  fetch_jars "$REPO/test/apps/kotlin/pom.xml" "$dir/lib"
  if [ ! -f "$dir/.done" ] || [ -n "$(find "$SLEEPERS"/*.java -newer "$dir/.done")" ]; then
    "$BENCH_JDK/bin/javac" -nowarn -proc:none --release 11 -d "$dir" -cp "$OUT/classes:$dir/lib/*" "$SLEEPERS"/*.java || die "the sleepers do not compile."
    touch "$dir/.done"
  fi
  case " $RUNTIMES " in *" go "*)
    command -v go >/dev/null || die "Go is missing; run: apt-get install golang-go, or put the bin directory of a newer Go on the PATH"
    [ "$OUT/sleepers-go" -nt "$SLEEPERS/sleepers.go" ] || go build -o "$OUT/sleepers-go" "$SLEEPERS/sleepers.go" || die "the Go program does not compile." ;;
  esac
}

# sleepers_command RUNTIME: sets `command`.
sleepers_command() {
  local program=Sleepers jdk=on where=$OUT/classes kind=plain
  case $1 in
    go) command=(env "GOMAXPROCS=$CARRIERS" "$OUT/sleepers-go" "$COUNT" "$PASSES"); return ;;
    on|kotlin-on) ;;
    jdk25v|kotlin-jdk25v) jdk=jdk25 where=/bench kind=virtual ;;
    *) die "unknown runtime $1; use on, jdk25v, go, kotlin-on or kotlin-jdk25v" ;;
  esac
  case $1 in kotlin-*) program=KotlinSleepers ;; esac
  command_for "$jdk" "$CARRIERS" -cp "$where:$where/sleepers:$where/sleepers/lib/*" $program $kind "$COUNT" "$PASSES"
}

# run RUNTIME: a line for each pass to the log: runtime, pass, ms, ms of CPU time, KB at most so far.
run() {
  local command lines status=0 pass=0 line
  sleepers_command "$1"
  lines=$(limited "${command[@]}") || status=$?
  if [ $status != 0 ] || [ "$(wc -l <<< "$lines")" != "$PASSES" ]; then
    say "   failed: $1, status $status" >&2; tail -n 3 "$OUT/last.err" | sed 's/^/     /' >&2
    lines=$(for ((pass = 0; pass < PASSES; pass++)); do echo "failed failed failed"; done) pass=0
  fi
  while read -r line; do
    pass=$((pass + 1))
    printf '%s %s %s\n' "$1" $pass "$line" >> "$LOG"
  done <<< "$lines"
}

# med RUNTIME PASS COLUMN DIVISOR DIGITS: the median of the rounds.
med() {
  local v
  mapfile -t v < <(awk -v r="$1" -v p="$2" -v c="$3" '$1 == r && $2 == p { print $c }' "$LOG")
  if [ ${#v[@]} = 0 ]; then echo failed; else ratio "$(median "${v[@]}")" "$4" "$5"; fi
}

# verdict WHAT VALUE LIMIT UNIT: prints whether the target is met; fails when it is not.
verdict() {
  if [ "$2" = failed ]; then say "$1: not measured"
  elif awk -v v="$2" -v l="$3" 'BEGIN { exit !(v <= l) }'; then say "$1: $2 $4, at most $3: met"
  else say "$1: $2 $4, at most $3: MISSED"; return 1
  fi
}

show() {
  local r missed=0
  say
  say "$COUNT threads that sleep one second; medians of $ROUNDS interleaved rounds, each a process of its own. \"First\" is the first time in the"
  say "process, \"warm\" the last of $PASSES. CPU time and memory (VmHWM, the most the process has had so far) are those of the process."
  say
  say "| program | s, first | CPU s | peak MB | s, warm | CPU s | peak MB |"
  say "|---|---:|---:|---:|---:|---:|---:|"
  for r in "${runtimes[@]}"; do
    say "| $r | $(med "$r" 1 3 1000 2) | $(med "$r" 1 4 1000 2) | $(med "$r" 1 5 1024 0) | $(med "$r" "$PASSES" 3 1000 2) | $(med "$r" "$PASSES" 4 1000 2) | $(med "$r" "$PASSES" 5 1024 0) |"
  done
  say
  if [ "$COUNT" != 1000000 ]; then say "COUNT=$COUNT: the targets are for 1000000."; return; fi
  for r in on kotlin-on; do
    case " ${runtimes[*]} " in *" $r "*) ;; *) continue ;; esac
    verdict "$r, once warm" "$(med "$r" "$PASSES" 3 1000 2)" $GOAL_SECONDS s || missed=1
    verdict "$r, memory" "$(med "$r" "$PASSES" 5 1048576 1)" $GOAL_GB GB || missed=1
  done
  return $missed
}

RUNTIMES=${RUNTIMES:-$(available)}
read -ra runtimes <<< "$RUNTIMES"
case " $RUNTIMES " in *jdk25v*) need_jdk25 ;; esac
mkdir -p "$OUT"
LOG=$OUT/sleepers.log
check_limits
prepare_sleepers
describe_machine
: > "$LOG"
for round in $(seq "$ROUNDS"); do
  phase "round $round of $ROUNDS"
  for i in "${!runtimes[@]}"; do
    run "${runtimes[$(((i + round) % ${#runtimes[@]}))]}"            # another one begins in each round
  done
done
status=0
show || status=1
if grep -q failed "$LOG"; then status=1; fi
exit $status
