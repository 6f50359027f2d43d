#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures what a coroutine costs when there are many; defends the table "Many threads" of doc/performance.md: a start and an end cost
# with 100,000 threads at most 1.5 times what they cost with 10,000; 10,000 threads are dumped in at most 2 s.
#
#   make/bench-scale.sh           1,000, 10,000 and 100,000 threads, by turns; the same as `make bench-scale`
#   make/bench-scale.sh million   1,000,000 threads, once; needs about 20 GB of memory
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 3), SCALE_OPTIONS (default: SerialGC, fixed heap).
# Exit status 1: the target is missed.
. "$(dirname "$0")/bench-lib.sh"

ROUNDS=${ROUNDS:-3}
SCALE_OPTIONS=${SCALE_OPTIONS:--XX:+UseSerialGC -Xms1g -Xmx1g -Xmn256m}
CLASSES=$OUT/scale
read -ra scale_options <<< "$SCALE_OPTIONS"

[ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
mkdir -p "$CLASSES"
"$BENCH_JDK/bin/javac" -d "$CLASSES" "$REPO/test/micro/scale/Scale.java" || die "Scale.java does not compile."
scale() { limited "$BENCH_JDK/bin/java" "${scale_options[@]}" -XX:+UseWisp2 -cp "$CLASSES" Scale "$@"; }

GC_OPTIONS=$SCALE_OPTIONS describe_machine
if [ "${1:-}" = million ]; then
  SCALE_OPTIONS='-XX:+UseSerialGC -Xms3g -Xmx3g -Xmn1g'; read -ra scale_options <<< "$SCALE_OPTIONS"
  LIMIT=600
  free=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  [ "$free" -ge 20 ] || die "$free GB of memory are available; a million threads need 20."
  say "start, end in us each: $(scale 1000000 nolook)"
  exit
fi
[ $# = 0 ] || { sed -n 's/^#   make/make/p' "$0" >&2; die "unknown part: $1"; }

declare -A runs
sizes='1000 10000 100000'
for ((i = 0; i < ROUNDS; i++)); do
  for n in $sizes; do
    line=$(scale "$n") || { tail -n 3 "$OUT/last.err" >&2; die "Scale $n failed."; }
    runs[$n]+="$line"$'\n'
  done
done
column() { local v; mapfile -t v < <(printf '%s' "${runs[$1]}" | awk -v c="$2" '{ print $c }'); median "${v[@]}"; }
say '| threads | start us | end us | KB each, heap included | young collection ms | stop all ms | all stack traces ms | Thread.print ms | Wisp.dump ms |'
say '|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
for n in $sizes; do
  say "$(printf '| %7s | %8s | %6s | %22s | %19s | %11s | %19s | %15s | %12s |' "$n" "$(column "$n" 1)" "$(column "$n" 2)" "$(column "$n" 3)" "$(column "$n" 4)" "$(column "$n" 5)" "$(column "$n" 6)" "$(column "$n" 7)" "$(column "$n" 8)")"
done
missed=0
for c in 1 2; do
  r=$(ratio "$(column 100000 $c)" "$(column 10000 $c)" 2)
  verdict=$(awk -v r="$r" 'BEGIN { print r <= 1.5 ? "met" : "MISSED" }')
  [ "$verdict" = met ] || missed=1
  say "$([ $c = 1 ] && echo start || echo end), 100,000 / 10,000: $r, at most 1.5: $verdict"
done
for c in 7 8; do
  verdict=$(awk -v ms="$(column 10000 $c)" 'BEGIN { print ms <= 2000 ? "met" : "MISSED" }')
  [ "$verdict" = met ] || missed=1
  say "$([ $c = 7 ] && echo Thread.print || echo Wisp.dump) of 10,000: at most 2000 ms: $verdict"
done
exit $missed
