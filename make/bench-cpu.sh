#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures what the flag costs where there is nothing to gain: computations that never block and javac of Apache Commons Math, each warm in
# a VM of its own, with the flag and without it, in pairs of alternating order. It defends "CPU-bound work, same collector and loop flags on
# both sides, loses at most 1%": the upper end of the 95% interval of the ratio of times is at most 1.01.
#
#   make/bench-cpu.sh               $PAIRS pairs (default 20); the same as `make bench-cpu`
#   make/bench-cpu.sh flags         prints the options that the flag changes, and that both sides get, and ends
#   make/bench-cpu.sh control       the flag off on both sides: how wide the interval is when there is no difference
#   make/bench-cpu.sh evaluate      the table of the last run again, also of one that was interrupted
#
# The flag gives other defaults to some options of the VM (polls in counted loops; no biased locking). They are found by comparing what
# the VM prints, and both sides get them. SAME=none: each side has its own defaults, the cost as a person meets it who adds the flag.
#
# Environment: JDK (default: the image of this tree), PAIRS, SECONDS_EACH (default 2: time for one workload in one run, after half as much of
# warm-up; javac takes more), WORKLOADS (some of those below), SAME (all or none, default all), GC_OPTIONS, LIMIT (seconds for one run,
# default 180), LIMIT_RATIO (default 1.01).
# The sources of Commons Math come from Maven Central, through mvn as this user has configured it.
# Exit status 1: the interval does not end below the limit ("not shown": it holds the limit; "MISSED": it lies above).
. "$(dirname "$0")/bench-lib.sh"

PAIRS=${PAIRS:-20}
SECONDS_EACH=${SECONDS_EACH:-2}
LIMIT_RATIO=${LIMIT_RATIO:-1.01}
SAME=${SAME:-all}
WORKLOADS=${WORKLOADS:-allocate hash maps matrix sieve bodies sort strings streams locks parallel javac}
WORK=$OUT/cpu
LOG=$OUT/cpu.tsv

prepare() {
  local source=$REPO/test/micro/cpu/CpuBench.java
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  case $PAIRS in ''|*[!0-9]*|0|1) die "PAIRS=$PAIRS: an interval needs at least 2, and a claim at least 20" ;; esac
  case $SAME in all|none) ;; *) die "SAME=$SAME is unknown; use all or none" ;; esac
  mkdir -p "$WORK/classes" "$WORK/output"
  [ "$WORK/classes/CpuBench.class" -nt "$source" ] || "$BENCH_JDK/bin/javac" -d "$WORK/classes" -sourcepath "$REPO/test/micro/lib" "$source" || die "CpuBench does not compile."
  case " $WORKLOADS " in *" javac "*)
    fetch_jars "$REPO/test/apps/build/pom.xml" "$WORK/lib"
    if [ ! -d "$WORK/sources" ]; then
      rm -rf "$WORK/sources.new"; mkdir -p "$WORK/sources.new"
      (cd "$WORK/sources.new" && "$BENCH_JDK/bin/jar" xf "$WORK"/lib/commons-math3-*-sources.jar) || die "the sources of Commons Math are not there; delete build/bench/cpu and try again"
      mv "$WORK/sources.new" "$WORK/sources"
    fi ;;
  esac
}

# vm_flags OPTION...: one line for each option of the VM: type, name, value.
vm_flags() {
  limited "$BENCH_JDK/bin/java" "${gc_options[@]}" "$@" -XX:+PrintFlagsFinal -version |
    awk '$3 ~ /^:?=$/ { print $1, $2, $4 ~ /^{/ ? "" : $4 }' | sort
}

# changed_flags OPTION...: the lines that the flag changes besides itself, as it leaves them.
changed_flags() { comm -13 <(vm_flags -XX:-UseWisp2 "$@") <(vm_flags -XX:+UseWisp2 "$@") | awk '$2 != "UseWisp2"'; }

# What both sides get, into `same`. A flag that still differs would be a difference that the table does not show.
same=()
find_same() {
  local type name value rest
  vm_flags -XX:+UseWisp2 | grep UseWisp2 > /dev/null || die "a VM with GC_OPTIONS=\"$GC_OPTIONS\" and the flag does not start: $(head -n 1 "$OUT/last.err")"
  if [ "$SAME" = none ]; then return; fi
  while read -r type name value; do
    case $type:$value in
      bool:true) same+=("-XX:+$name") ;;
      bool:*) same+=("-XX:-$name") ;;
      *) same+=("-XX:$name=$value") ;;
    esac
  done < <(changed_flags)
  rest=$(changed_flags "${same[@]}")
  [ -z "$rest" ] || die "the flag changes \"$(echo "$rest" | xargs)\" even when both sides get it; give both sides one value with GC_OPTIONS"
}

# one on|off WORKLOAD: milliseconds.
one() {
  local flag=-XX:-UseWisp2 status=0
  if [ "$1" = on ]; then flag=-XX:+UseWisp2; fi
  limited "$BENCH_JDK/bin/java" "${gc_options[@]}" "${same[@]}" $flag "-Dsources=$WORK/sources" "-Doutput=$WORK/output" \
    -cp "$WORK/classes" CpuBench "$2" "$SECONDS_EACH" || status=$?
  if [ $status -ge 124 ]; then die "$2 with the flag $1 takes more than $LIMIT seconds, or was killed; give it more with LIMIT=SECONDS"; fi
  if [ $status != 0 ]; then tail -n 3 "$OUT/last.err" >&2; die "$2 failed with the flag $1, see build/bench/last.err"; fi
}

# pairs LEFT RIGHT: for each pair and workload both sides one after the other; which one comes first changes.
pairs() {
  local p w a b
  describe_machine
  say "On both sides: ${same[*]:-nothing, each has its own defaults}"
  : > "$LOG"
  for p in $(seq "$PAIRS"); do
    phase "pair $p of $PAIRS"
    for w in $WORKLOADS; do
      if [ $((p % 2)) = 1 ]; then a=$(one "$1" "$w"); b=$(one "$2" "$w"); else b=$(one "$2" "$w"); a=$(one "$1" "$w"); fi
      printf '%s\t%s\t%s\t%s\n' "$p" "$w" "$a" "$b" >> "$LOG"
    done
  done
}

case ${1:-} in
  '') prepare; find_same; pairs on off; evaluate_pairs "$LOG" "$LIMIT_RATIO" "ms on" "ms off" "flag on / flag off" ;;
  flags) prepare; find_same; say "${same[*]}" ;;
  control) prepare; find_same; pairs off off; evaluate_pairs "$LOG" "$LIMIT_RATIO" "ms off" "ms off" "flag off / flag off" ;;
  evaluate) evaluate_pairs "$LOG" "$LIMIT_RATIO" "ms on" "ms off" "flag on / flag off" ;;
  *) sed -n '4,24p' "$0" | sed 's/^# \{0,1\}//'; exit 2 ;;
esac
