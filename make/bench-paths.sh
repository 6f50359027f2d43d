#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures how late a timer of 10 ms gets while eight threads are blocked in each operation of the JDK that can block, two carriers, and
# two other threads hand over to each other; defends the table "Timers beside blocked operations" of doc/performance.md.
#
#   make/bench-paths.sh           the same as `make bench-paths`: the test BlockingPaths, with the flag and without, by turns
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 5). In a round the timer is set ten times beside each operation; the
# figure of a round is the worst of them. Exit status 1: the median of the rounds is above 20 ms for an operation.
. "$(dirname "$0")/bench-lib.sh"

ROUNDS=${ROUNDS:-5}
GOAL=20
CLASSES=$OUT/paths
TEST=$REPO/test/jdk/com/alibaba/wisp/io

[ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
[ $# = 0 ] || { sed -n 's/^#   make/make/p' "$0" >&2; die "unknown part: $1"; }
mkdir -p "$CLASSES"
"$BENCH_JDK/bin/javac" --add-modules java.net.http,java.rmi,jdk.httpserver -d "$CLASSES" -sourcepath "$REPO/test/lib" "$TEST/BlockingPaths.java" ||
  die "BlockingPaths.java does not compile."
gcc -O2 -shared -fPIC -o "$CLASSES/libSlowNames.so" "$TEST/libSlowNames.c" || die "libSlowNames.c does not compile."

paths() { # paths NAME OPTIONS...
  local name=$1; shift
  LIMIT=180 limited "$BENCH_JDK/bin/java" "$@" -Dcom.alibaba.wisp.carrierEngines=2 -Djava.rmi.server.hostname=127.0.0.1 -Dtest.class.path="$CLASSES" \
    -Dtest.nativepath="$CLASSES" -Djava.library.path="$CLASSES" -cp "$CLASSES" BlockingPaths |
    sed -n "s/ *a timer of 10 ms was \([0-9.]*\) ms late at worst/|$name|\1/p"
}

describe_machine
for ((i = 0; i < ROUNDS; i++)); do
  paths on -XX:+UseWisp2 || { tail -n 3 "$OUT/last.err" >&2; die "BlockingPaths failed with the flag."; }
  paths off -Dnothing || { tail -n 3 "$OUT/last.err" >&2; die "BlockingPaths failed without the flag."; }
done > "$OUT/paths.out"

awk -F'|' -v goal="$GOAL" '
  function median(values,   v, n, i, j, t) {
    n = split(values, v, " ")
    for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    worst = v[n]
    return v[int((n + 1) / 2)]
  }
  { if (!($1 in seen)) { seen[$1] = 1; order[++rows] = $1 } late[$1, $2] = late[$1, $2] " " $3 }
  END {
    print "| operation | flag on, ms late: median of the rounds | worst | flag off: median | worst |"
    print "|---|---:|---:|---:|---:|"
    for (i = 1; i <= rows; i++) {
      on = median(late[order[i], "on"]); on_worst = worst
      off = median(late[order[i], "off"]); off_worst = worst
      printf "| %s | %s | %s | %s | %s |\n", order[i], on, on_worst, off, off_worst
      if (on > goal) missed++
    }
    printf "\nGoal: at most %d ms. %s\n", goal, missed ? missed " MISSED" : "met"
    exit missed > 0
  }' "$OUT/paths.out"
