#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures each figure that this project promises and prints it next to its target; defends the table "Targets" of doc/performance.md.
#
#   make/bench.sh [all]       everything below, then the table again; the same as `make bench`
#   make/bench.sh pingpong    two queues, the whole machine: at least 20 times faster than with the flag off
#   make/bench.sh pinned      the same, pinned to one CPU: at least 3 times faster
#   make/bench.sh carriers    the same against JDK 25's virtual threads: one carrier at most 1.0 of its time, two carriers at most 0.6
#   make/bench.sh yield       a yield switch between two coroutines on one carrier: at most 0.5 of Go's runtime.Gosched
#   make/bench.sh memory      10,000 parked coroutines: at most 24 KB each outside the Java heap
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 5), TRIPS (default 1000000; smaller only to try the scripts out),
# GC_OPTIONS. What needs JDK 25 or Go says so when it is missing (make/bench-peers.sh setup prepares them); exit status 1: a target is missed.
. "$(dirname "$0")/bench-lib.sh"

ROUNDS=${ROUNDS:-5}
TRIPS=${TRIPS:-1000000}
THREADS=${THREADS:-10000}
missed=0
results=()

# target WHAT VALUE UNIT at-least|at-most LIMIT
target() {
  local verdict sign='<=' line
  if [ "$4" = at-least ]; then sign='>='; fi
  verdict=$(awk -v v="$2" -v s="$sign" -v l="$5" 'BEGIN { print v == "failed" ? "FAILED" : (s == "<=" ? v <= l : v >= l) ? "met" : "MISSED" }')
  if [ "$verdict" != met ]; then missed=$((missed + 1)); fi
  printf -v line '| %-66s | %9s %-2s | %s %-5s | %-6s |' "$1" "$2" "$3" "$sign" "$5" "$verdict"
  results+=("$line")
  say "$line"
}

show_runs() { say "   $1: ${*:2}"; }

# trips_per_million JAVA-PREFIX... TRIPS: milliseconds for a million round trips of the demo's program.
pingpong_run() {
  local trips=$1 ms; shift
  ms=$(limited "$@" -cp "$OUT/classes" PingPong "$trips") || { tail -n 3 "$OUT/last.err" >&2; echo failed; return; }
  awk -v ms="$ms" -v t="$trips" 'BEGIN { printf "%.0f\n", ms * 1000000 / t }'
}

# pingpong_pair WHAT LIMIT OFF-TRIPS COMMAND-PREFIX...: 5 runs with the flag and 3 without, mixed; the ratio of the medians.
pingpong_pair() {
  local what=$1 limit=$2 off_trips=$3 on=() off=() step; shift 3
  for step in on off on off on off on on; do
    if [ $step = on ]; then on+=("$(pingpong_run "$TRIPS" "$@" "$BENCH_JDK/bin/java" -XX:+UseWisp2)")
    else off+=("$(pingpong_run "$off_trips" "$@" "$BENCH_JDK/bin/java")"); fi
  done
  show_runs "ms per million round trips, kernel threads ($off_trips trips, scaled)" "${off[@]}"
  show_runs "ms per million round trips, coroutines" "${on[@]}"
  target "$what" "$(ratio "$(median "${off[@]}")" "$(median "${on[@]}")" 1)" "x" at-least "$limit"
}

pingpong() {
  phase "PingPong on the whole machine, default options"
  pingpong_pair "PingPong, whole machine: kernel threads / coroutines" 20 $((TRIPS / 10))
}

pinned() {
  phase "PingPong pinned to one CPU, default options"
  pingpong_pair "PingPong, pinned to one CPU: kernel threads / coroutines" 3 $((TRIPS / 2)) taskset -c 0
}

carriers() {
  need_jdk25
  local n r limit ours theirs trips=$((TRIPS / 2))
  for n in 1 2; do
    phase "queue ping-pong, $n carrier(s), against JDK 25 at parallelism $n"
    ours=() theirs=()
    for r in $(seq "$ROUNDS"); do
      if [ $((r % 2)) = 1 ]; then ours+=("$(measure on $n Peers plain queue "$trips")"); fi
      theirs+=("$(measure jdk25 $n Peers virtual queue "$trips")")
      if [ $((r % 2)) = 0 ]; then ours+=("$(measure on $n Peers plain queue "$trips")"); fi
    done
    show_runs "ns per round trip, coroutines" "${ours[@]}"
    show_runs "ns per round trip, JDK 25" "${theirs[@]}"
    case $n in 1) limit=1.0 ;; 2) limit=0.6 ;; esac
    target "PingPong, $n carrier(s): coroutines / JDK 25 virtual threads" "$(ratio "$(median "${ours[@]}")" "$(median "${theirs[@]}")" 2)" "" at-most $limit
  done
}

yield() {
  prepare_go
  local r ours=() theirs=()
  phase "yield switch, one carrier, against runtime.Gosched with GOMAXPROCS=1"
  for r in $(seq "$ROUNDS"); do
    if [ $((r % 2)) = 1 ]; then ours+=("$(measure on 1 Peers plain yield $((TRIPS * 3)))"); fi
    theirs+=("$(measure go 1 Peers '' yield $((TRIPS * 3)))")
    if [ $((r % 2)) = 0 ]; then ours+=("$(measure on 1 Peers plain yield $((TRIPS * 3)))"); fi
  done
  say "   of 100 yields, so many let the other coroutine run: $(measure on 1 Peers plain alternate "$TRIPS")"
  show_runs "ns per switch, coroutines" "${ours[@]}"
  show_runs "ns per switch, Go" "${theirs[@]}"
  target "yield switch, one carrier: coroutine / goroutine" "$(ratio "$(median "${ours[@]}")" "$(median "${theirs[@]}")" 2)" "" at-most 0.5
}

# sample PID HEAP-START HEAP-BYTES: VmRSS, VmPTE and the heap's resident part, in KB. The heap's pages are counted one by one in pagemap,
# because the kernel joins the heap's mapping with what lies next to it.
sample() {
  local status
  status=$(awk '/^VmRSS:/ { r = $2 } /^VmPTE:/ { p = $2 } END { print r, p }' "/proc/$1/status")
  echo "$status $(perl -e '
    ($file, $from, $bytes) = @ARGV;
    open(F, "<:raw", $file) or die "$file: $!\n";
    sysseek(F, hex($from) / 4096 * 8, 0); $left = $bytes / 4096 * 8; $n = 0;
    while ($left > 0) { $got = sysread(F, $buffer, $left > 65536 ? 65536 : $left) or die "$file: short\n"; $left -= $got;
      for (unpack("Q*", $buffer)) { $n++ if $_ >> 63 } }
    print $n * 4' "/proc/$1/pagemap" "$2" "$3")"
}

# parked COMMAND...: KB for each parked thread outside the heap, and in the heap, and kernel threads at the end.
parked() {
  local line heap='' bytes='' before after pid tasks
  coproc VM { exec "$@" 2>"$OUT/last.err"; }
  pid=$VM_PID
  local in=${VM[0]} out=${VM[1]}
  while IFS= read -r -t 120 -u "$in" line; do
    case $line in
      *'Heap address: '*)
        heap=$(sed -n 's/.*Heap address: 0x\([0-9a-f]*\),.*/\1/p' <<< "$line")
        bytes=$(($(sed -n 's/.*size: \([0-9]*\) MB.*/\1/p' <<< "$line") * 1048576)) ;;
      'parked 0')
        sleep 1; before=$(sample "$pid" "$heap" "$bytes"); echo >&"$out" ;;
      'parked '*)
        sleep 2; after=$(sample "$pid" "$heap" "$bytes"); tasks=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l); echo >&"$out"; break ;;
    esac
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  if [ -z "${before:-}" ] || [ -z "${after:-}" ]; then tail -n 3 "$OUT/last.err" >&2; echo "failed failed failed"; return; fi
  awk -v b="$before" -v a="$after" -v n="$THREADS" -v t="$tasks" 'BEGIN {
    split(b, x, " "); split(a, y, " ")
    printf "%.1f %.1f %d\n", (y[1] + y[2] - x[1] - x[2] - (y[3] - x[3])) / n, (y[3] - x[3]) / n, t }'
}

memory() {
  local gc kind result outside inside tasks r all
  phase "memory of $THREADS parked threads, outside the heap and in it; -Xms1g -Xmx1g"
  for gc in UseParallelGC UseG1GC; do
    for kind in on off; do
      local options=("$BENCH_JDK/bin/java" "-XX:+$gc" -Xms1g -Xmx1g '-Xlog:gc+heap+coops=debug:stdout' -cp "$OUT/classes")
      if [ $kind = on ]; then options+=(-XX:+UseWisp2); fi
      all=()
      for r in 1 2 3; do
        result=$(parked "${options[@]}" Parked plain "$THREADS")
        read -r outside inside tasks <<< "$result"
        all+=("$outside")
      done
      say "   flag $kind, $gc: ${all[*]} KB each outside the heap (3 runs); last run: $inside KB in the heap, $tasks kernel threads"
      if [ $kind = on ]; then target "a parked coroutine of $THREADS, outside the heap, $gc" "$(median "${all[@]}")" KB at-most 24; fi
    done
  done
}

prepare_programs
describe_machine
case ${1:-all} in
  all)
    pingpong; pinned
    if have_jdk25; then carriers; else say "JDK 25 is not prepared; skipped (make/bench-peers.sh setup)."; missed=$((missed + 1)); fi
    if command -v go >/dev/null; then yield; else say "Go is missing; skipped."; missed=$((missed + 1)); fi
    memory
    phase "targets"
    printf '| %-66s | %12s | %8s | %-6s |\n|---|---:|---|---|\n' figure measured target ''
    printf '%s\n' "${results[@]}" ;;
  pingpong|pinned|carriers|yield|memory) "$1" ;;
  *) sed -n '4,15p' "$0" | sed 's/^# \{0,1\}//'; exit 2 ;;
esac
if [ "$missed" != 0 ]; then say "$missed missed or not measured."; exit 1; fi
