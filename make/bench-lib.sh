#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures nothing itself: what the benchmark scripts share. One way to start each runtime, one collector and heap for every JVM, medians,
# the line that says on which machine a figure was taken. It defends that the figures of all tables are comparable. Sourced, never run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

BENCH_JDK=${JDK:-$BUILD/$LEVEL/images/jdk}      # the JDK to measure
OUT=$BUILD/bench                                # compiled programs, logs
PROGRAMS=$REPO/test/micro/peers
GC_OPTIONS=${GC_OPTIONS:--XX:+UseParallelGC -Xms1g -Xmx1g}
LIMIT=${LIMIT:-180}                             # seconds after which one run counts as hanging

PEERS_DIR=${PEERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/jdk11-$PROJECT_ID-peers}
PEER_ROOT=$PEERS_DIR/trixie
JAVA25=/usr/lib/jvm/java-25-openjdk-amd64/bin/java

read -ra gc_options <<< "$GC_OPTIONS"

# The Java programs compiled for 11 (JDK 25 runs the same classes), the Go program compiled when there is a Go.
prepare_programs() {
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  mkdir -p "$OUT/classes"
  local sources=("$PROGRAMS"/*.java "$REPO"/make/demo/*.java) stamp=$OUT/classes/.done
  if [ ! -f "$stamp" ] || [ -n "$(find "${sources[@]}" -newer "$stamp")" ]; then
    "$BENCH_JDK/bin/javac" --release 11 -d "$OUT/classes" "${sources[@]}" || die "the benchmark programs do not compile."
    touch "$stamp"
  fi
}

prepare_go() {
  command -v go >/dev/null || die "Go is missing; run: apt-get install golang-go, or put the bin directory of a newer Go on the PATH"
  [ "$OUT/peers-go" -nt "$PROGRAMS/peers.go" ] || (cd "$PROGRAMS" && go build -o "$OUT/peers-go" peers.go) || die "the Go program does not compile."
}

have_jdk25() { [ -x "$PEER_ROOT$JAVA25" ]; }
need_jdk25() { have_jdk25 || die "JDK 25 is not prepared; run as root: make/bench-peers.sh setup"; }

# What starts JDK 25 in its own root directory and its own mount namespace: nothing stays mounted when it ends.
# shellcheck disable=SC2016
jdk25_command=(unshare --mount --propagation private sh -c 'r=$1 b=$2; shift 2
  mkdir -p "$r/bench"
  for m in proc dev sys; do mount --rbind "/$m" "$r/$m"; done
  mount --bind "$b" "$r/bench" && exec chroot "$r" "$@"' sh "$PEER_ROOT" "$OUT/classes" "$JAVA25")

# command_for RUNTIME CARRIERS PROGRAM ARGUMENT...: sets `command`. Kernel threads have no carriers: 1 pins the process to one CPU, 2 leaves
# it free.
command_for() {
  local runtime=$1 n=$2 java=("$BENCH_JDK/bin/java" "${gc_options[@]}" -cp "$OUT/classes"); shift 2
  case $runtime in
    off) if [ "$n" = 1 ]; then command=(taskset -c 0 "${java[@]}" "$@"); else command=("${java[@]}" "$@"); fi ;;
    on) command=("${java[@]}" -XX:+UnlockExperimentalVMOptions -XX:+UseWisp2 "-Dcom.alibaba.wisp.carrierEngines=$n" "$@") ;;
    jdk25) command=("${jdk25_command[@]}" "${gc_options[@]}" "-Djdk.virtualThreadScheduler.parallelism=$n" -cp /bench "$@") ;;
    go) command=(env "GOMAXPROCS=$n" "$OUT/peers-go" "${@:3}") ;;
    *) die "unknown runtime $runtime" ;;
  esac
}

# measure RUNTIME CARRIERS PROGRAM ARGUMENT...: the number that the run prints, or "failed" after a message.
measure() {
  local value command status=0
  command_for "$@"
  value=$(limited "${command[@]}") || status=$?
  case $value in
    ''|*[!0-9.]*)
      if [ $status -ge 124 ]; then value="nothing for $LIMIT seconds, or killed"; fi
      say "   failed: $*${value:+ ($value)}" >&2; tail -n 3 "$OUT/last.err" | sed 's/^/     /' >&2; echo failed ;;
    *) echo "$value" ;;
  esac
}

# limited COMMAND...: killed after $LIMIT seconds; messages go to last.err.
limited() { timeout -k 1 "$LIMIT" "$@" 2>"$OUT/last.err" </dev/null; }

# median VALUE...: of the numbers among them, "failed" if there is none.
median() {
  printf '%s\n' "$@" | grep -v failed | sort -g | awk '{ v[NR] = $1 } END { if (NR == 0) print "failed"; else print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# ratio A B DIGITS: A/B, or "failed".
ratio() { awk -v a="$1" -v b="$2" -v d="${3:-2}" 'BEGIN { if (a == "failed" || b == "failed" || b + 0 == 0) print "failed"; else printf "%.*f\n", d, a / b }'; }

# The machine, in one line, and a warning when something else is running on it.
describe_machine() {
  local cpu load
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  say "$(nproc) CPUs ($cpu), Linux $(uname -r), $(date -u +%Y-%m-%d); JVMs: $GC_OPTIONS"
  load=$(cut -d' ' -f1 /proc/loadavg)
  if awk -v l="$load" 'BEGIN { exit !(l > 0.7) }'; then say "Load is $load before the start: something else runs here; figures are doubtful."; fi
}
