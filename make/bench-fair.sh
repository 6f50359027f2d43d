#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures what threads that do not give way cost the others, and what watching for them costs; defends the table "Fairness" of
# doc/performance.md.
#
#   make/bench-fair.sh [all]      everything below; the same as `make bench-fair`
#   make/bench-fair.sh hogs       one carrier, one endless computation of each kind: a sleeper of 1 ms wakes up at most two time slices
#                                 late (99 of 100), and the computation does at least 0.98 of what it does alone
#   make/bench-fair.sh natives    two carriers, 20 threads in a native call of 1 s: 1,000 sleepers of 1 ms keep 0.95 of their rate
#   make/bench-fair.sh idle       an idle process: at most 2 wake-ups a second more than with the flag off, at most 0.1% CPU more
#
# Interpreted computations differ by a tenth and more from one process to the next; there the pairs are quarters of seconds of one process.
#
# Environment: JDK (default: the image of this tree), PAIRS (default 5), MILLIS (default 4000: length of one run), GC_OPTIONS.
# Exit status 1: a target is missed.
. "$(dirname "$0")/bench-lib.sh"

PAIRS=${PAIRS:-5}
MILLIS=${MILLIS:-4000}
PROGRAM=$REPO/test/micro/fair
CLASSES=$OUT/fair
missed=0

fair() { limited "$BENCH_JDK/bin/java" "${gc_options[@]}" -XX:+UseWisp2 -Djava.library.path="$CLASSES" -cp "$CLASSES" "$@"; }

# met VALUE at-least|at-most LIMIT: "met" or "MISSED", and counts.
met() {
  awk -v v="$1" -v how="$2" -v l="$3" 'BEGIN { print (how == "at-least" ? v >= l : v <= l) ? "met" : "MISSED" }'
}

# interval VALUE...: mean and 95% interval (Student's t).
interval() {
  printf '%s\n' "$@" | awk '
    { n++; s += $1; q += $1 * $1 }
    END {
      split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23 2.20 2.18 2.16 2.14 2.13 2.12 2.11 2.10 2.09", t, " ")
      m = s / n; v = n > 1 ? (q - n * m * m) / (n - 1) : 0
      h = n > 1 ? (n - 1 in t ? t[n - 1] : 2.0) * sqrt((v > 0 ? v : 0) / n) : 0
      printf "%.3f %.3f %.3f\n", m, m - h, m + h
    }'
}

row() {
  local line
  printf -v line '| %-12s | %-11s | %7s | %7s | %7s | %-22s | %-6s |' "$@"
  say "$line"
}

hogs() {
  phase "One carrier, one computation, one sleeper of 1 ms; $PAIRS pairs of $MILLIS ms"
  row "computation" "compiler" "late 50" "late 99" "worst" "work kept [95%]" ""
  local kind mode options alone with kept i ratios p50 p99 worst mean low high verdict
  for mode in default int c1; do
    case $mode in default) options=() ;; int) options=(-Xint) ;; c1) options=(-XX:TieredStopAtLevel=1) ;; esac
    for kind in loop counted locked initializer throwing yield sleep0; do
      case $mode:$kind in int:counted|int:initializer|int:throwing|c1:initializer|c1:throwing|int:sleep0|c1:sleep0) continue ;; esac
      ratios=() p50=() p99=() worst=()
      for ((i = 0; i < PAIRS; i++)); do
        read -r alone _ <<< "$(fair -Dcom.alibaba.wisp.carrierEngines=1 "${options[@]}" Fair hog $kind "$MILLIS" 0)"
        read -r -a with <<< "$(fair -Dcom.alibaba.wisp.carrierEngines=1 "${options[@]}" Fair hog $kind "$MILLIS" 1)"
        [ -n "$alone" ] && [ ${#with[@]} = 4 ] || { tail -n 3 "$OUT/last.err" >&2; die "Fair hog $kind failed."; }
        case $mode in
          int) kept=$(fair -Dcom.alibaba.wisp.carrierEngines=1 "${options[@]}" Fair turns $kind "$MILLIS") ;;
          *) kept=$(ratio "${with[0]}" "$alone" 4) ;;
        esac
        ratios+=("$kept") p50+=("${with[1]}") p99+=("${with[2]}") worst+=("${with[3]}")
      done
      read -r mean low high <<< "$(interval "${ratios[@]}")"
      verdict=$(met "$(median "${p99[@]}")" at-most 20)
      if [ "$verdict" = met ]; then verdict=$(met "$high" at-least 0.98); fi
      [ "$verdict" = met ] || missed=$((missed + 1))
      row "$kind" "$mode" "$(median "${p50[@]}")" "$(median "${p99[@]}")" "$(median "${worst[@]}")" "$mean [$low, $high]" "$verdict"
    done
  done
}

natives() {
  phase "Two carriers, 20 threads in native calls of 1 s beside 1,000 sleepers of 1 ms; $PAIRS pairs"
  local i alone with ratios=() mean low high verdict
  for ((i = 0; i < PAIRS; i++)); do
    alone=$(fair -Dcom.alibaba.wisp.carrierEngines=2 Fair native "$MILLIS" 0)
    with=$(fair -Dcom.alibaba.wisp.carrierEngines=2 Fair native "$MILLIS" 20)
    [ -n "$alone" ] && [ -n "$with" ] || { tail -n 3 "$OUT/last.err" >&2; die "Fair native failed."; }
    say "   sleeps per second: $alone alone, $with beside the natives"
    ratios+=("$(ratio "$with" "$alone" 4)")
  done
  read -r mean low high <<< "$(interval "${ratios[@]}")"
  verdict=$(met "$high" at-least 0.95); [ "$verdict" = met ] || missed=$((missed + 1))
  say "   rate kept: $mean [$low, $high], at least 0.95: $verdict"
}

# wakeups PID: voluntary context switches of all threads of a process so far.
wakeups() { cat /proc/"$1"/task/*/status 2>/dev/null | awk '/^voluntary/ { n += $2 } END { print n + 0 }'; }
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }

# idle_run OPTION: wake-ups and CPU seconds per second of an idle process.
idle_run() {
  local pid line w0 w1 c0 c1 seconds=10
  exec 8< <(exec "$BENCH_JDK/bin/java" "${gc_options[@]}" "$1" -cp "$CLASSES" Fair idle 15000)
  pid=$!
  read -r line <&8; [ "$line" = quiet ] || die "Fair idle failed."
  w0=$(wakeups $pid); c0=$(ticks $pid); sleep $seconds; w1=$(wakeups $pid); c1=$(ticks $pid)
  kill -9 $pid; exec 8<&-
  awk -v w=$((w1 - w0)) -v c=$((c1 - c0)) -v s=$seconds -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.1f %.4f\n", w / s, c / hz / s }'
}

idle() {
  phase "An idle process with 100 parked threads; 3 pairs of 10 s"
  local i w c off_w=() off_c=() on_w=() on_c=() verdict
  for i in 1 2 3; do
    read -r w c <<< "$(idle_run -XX:-UseWisp2)"; off_w+=("$w") off_c+=("$c")
    read -r w c <<< "$(idle_run -XX:+UseWisp2)"; on_w+=("$w") on_c+=("$c")
  done
  say "   wake-ups per second: ${off_w[*]} off, ${on_w[*]} on; CPU: ${off_c[*]} off, ${on_c[*]} on"
  w=$(awk -v a="$(median "${on_w[@]}")" -v b="$(median "${off_w[@]}")" 'BEGIN { printf "%.1f", a - b }')
  c=$(awk -v a="$(median "${on_c[@]}")" -v b="$(median "${off_c[@]}")" 'BEGIN { printf "%.4f", a - b }')
  verdict=$(met "$w" at-most 2); [ "$verdict" = met ] || missed=$((missed + 1))
  say "   more wake-ups per second with the flag: $w, at most 2: $verdict"
  verdict=$(met "$c" at-most 0.001); [ "$verdict" = met ] || missed=$((missed + 1))
  say "   more CPU with the flag: $c of one, at most 0.001: $verdict"
}

prepare() {
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  mkdir -p "$CLASSES"
  "$BENCH_JDK/bin/javac" -d "$CLASSES" "$PROGRAM/Fair.java" || die "Fair.java does not compile."
  gcc -O2 -shared -fPIC -I "$BENCH_JDK/include" -I "$BENCH_JDK/include/linux" -o "$CLASSES/libfairnap.so" "$PROGRAM/fairnap.c" ||
    die "fairnap.c does not compile; is gcc installed?"
}

case ${1:-all} in
  all) parts='hogs natives idle' ;;
  hogs|natives|idle) parts=$1 ;;
  *) sed -n 's/^#   make/make/p' "$0" >&2; die "unknown part: $1" ;;
esac
prepare
describe_machine
for part in $parts; do $part; done
if [ $missed -gt 0 ]; then say "$missed missed."; exit 1; fi
