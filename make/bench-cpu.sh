#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures what the flag costs where there is nothing to gain: computations that never block and javac of Apache Commons Math, each warm in
# two VMs, with the flag and without it, that take turns of 20 milliseconds, or once the work (CpuPair.java). It defends "CPU-bound work, same
# collector and loop flags on both sides, loses at most 1%": the upper end of the 95% interval of the ratio of times is at most 1.01.
#
#   make/bench-cpu.sh               $PAIRS pairs (default 20); the same as `make bench-cpu`
#   make/bench-cpu.sh flags         prints the options that the flag changes, and that both sides get, and ends
#   make/bench-cpu.sh control       the flag off on both sides: how wide the interval is when there is no difference
#   make/bench-cpu.sh evaluate      the table of the last run again, also of one that was interrupted
#
# The flag gives other defaults to some options of the VM (polls in counted loops). They are found by comparing what
# the VM prints, and both sides get them. SAME=none: each side has its own defaults, the cost as a person meets it who adds the flag.
#
# Environment: JDK (default: the image of this tree), PAIRS, SECONDS_EACH (default 1: time for one workload in one VM, after half as much of
# warm-up; javac takes more), WORKLOADS (some of those below), TIMES (how many times two VMs are started for a workload in a pair, of which
# the geometric mean counts; default "streams=5 sieve=3", others once), SAME (all or none, default all), GC_OPTIONS, LIMIT (seconds for one
# run, default 180), LIMIT_RATIO (default 1.01).
# Streams are compiled in one of two ways in a process, with or without the flag, one of which takes 1.6 times as long; the sieve's array comes
# to lie well or not. With one run each these two alone made the interval of all wider than 1%.
# The sources of Commons Math come from Maven Central, through mvn as this user has configured it.
# Exit status 1: the interval does not end below the limit ("not shown": it holds the limit; "MISSED": it lies above).
. "$(dirname "$0")/bench-lib.sh"

PAIRS=${PAIRS:-20}
SECONDS_EACH=${SECONDS_EACH:-1}
LIMIT_RATIO=${LIMIT_RATIO:-1.01}
TIMES=${TIMES-streams=5 sieve=3}
SAME=${SAME:-all}
ALL='allocate hash maps matrix sieve bodies sort strings streams locks parallel javac'
WORKLOADS=${WORKLOADS:-$ALL}
WORK=$OUT/cpu
LOG=$OUT/cpu.tsv

prepare() {
  local sources=("$REPO"/test/micro/cpu/*.java)
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  case $PAIRS in ''|*[!0-9]*|0|1) die "PAIRS=$PAIRS: an interval needs at least 2, and a claim at least 20" ;; esac
  local t
  for t in $TIMES; do
    case $t in *=|*=0*|*=*[!0-9]*|[!a-z]*) false ;; *=*) ;; *) false ;; esac || die "TIMES=\"$TIMES\": $t is not a workload, = and a number of runs of at least 1, as streams=5"
    case " ${ALL} " in *" ${t%%=*} "*) ;; *) die "TIMES=\"$TIMES\": there is no workload ${t%%=*}; use some of: $ALL" ;; esac
  done
  case $SAME in all|none) ;; *) die "SAME=$SAME is unknown; use all or none" ;; esac
  mkdir -p "$WORK/classes" "$WORK/output"
  if [ ! -f "$WORK/classes/.done" ] || [ -n "$(find "${sources[@]}" -newer "$WORK/classes/.done")" ]; then
    "$BENCH_JDK/bin/javac" -d "$WORK/classes" -sourcepath "$REPO/test/micro/lib" "${sources[@]}" || die "the programs of bench-cpu do not compile."
    touch "$WORK/classes/.done"
  fi
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

# side on|off WORKLOAD FOLDER: the command of one VM, which may write to that folder, into `command`.
side() {
  local flag=-XX:-UseWisp2
  if [ "$1" = on ]; then flag=-XX:+UseWisp2; fi
  command=("$BENCH_JDK/bin/java" "${gc_options[@]}" "${same[@]}" "$flag" "-Dsources=$WORK/sources" "-Doutput=$WORK/output/$3"
    -cp "$WORK/classes" CpuBench "$2" "$(awk -v s="$SECONDS_EACH" 'BEGIN { print s / 2 }')")
}

# both on|off on|off WORKLOAD: milliseconds of the two; the first one begins.
both() {
  local first command status=0
  side "$1" "$3" first; first=("${command[@]}")
  side "$2" "$3" second
  mkdir -p "$WORK/output/first" "$WORK/output/second"
  limited "$BENCH_JDK/bin/java" -Xmx64m -XX:-UseWisp2 -cp "$WORK/classes" CpuPair "$SECONDS_EACH" "${first[@]}" -- "${command[@]}" || status=$?
  if [ $status -ge 124 ]; then die "$3, with the flag $1 and $2, takes more than $LIMIT seconds, or was killed; give it more with LIMIT=SECONDS"; fi
  if [ $status != 0 ]; then tail -n 1 "$OUT/last.err" >&2; die "$3 failed, see build/bench/last.err"; fi
}

# times WORKLOAD: how often it is run on each side of a pair.
times() { local t; for t in $TIMES; do case $t in "$1="*) echo "${t#*=}"; return ;; esac; done; echo 1; }

# mean VALUE...: the geometric one.
mean() { printf '%s\n' "$@" | awk '{ s += log($1) } END { printf "%.4f\n", exp(s / NR) }'; }

# pairs LEFT RIGHT: for each pair and workload both sides; which one comes first changes.
pairs() {
  local p w i times a b
  describe_machine
  say "On both sides: ${same[*]:-nothing, each has its own defaults}"
  : > "$LOG"
  for p in $(seq "$PAIRS"); do
    phase "pair $p of $PAIRS"
    for w in $WORKLOADS; do
      a=() b=()
      for i in $(seq "$(times "$w")"); do
        if [ $(((p + i) % 2)) = 0 ]; then
          times=$(both "$1" "$2" "$w"); a+=("${times% *}") b+=("${times#* }")
        else
          times=$(both "$2" "$1" "$w"); a+=("${times#* }") b+=("${times% *}")
        fi
      done
      printf '%s\t%s\t%s\t%s\n' "$p" "$w" "$(mean "${a[@]}")" "$(mean "${b[@]}")" >> "$LOG"
    done
  done
}

case ${1:-} in
  '') prepare; find_same; pairs on off; evaluate_pairs "$LOG" "$LIMIT_RATIO" "ms on" "ms off" "flag on / flag off" ;;
  flags) prepare; find_same; say "${same[*]}" ;;
  control) prepare; find_same; pairs off off; evaluate_pairs "$LOG" "$LIMIT_RATIO" "ms off" "ms off" "flag off / flag off" ;;
  evaluate) evaluate_pairs "$LOG" "$LIMIT_RATIO" "ms on" "ms off" "flag on / flag off" ;;
  *) sed -n '4,23p' "$0" | sed 's/^# \{0,1\}//'; exit 2 ;;
esac
