#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures the JMH benchmarks of test/micro/jmh with the flag off, with it, and with it on one carrier, each in forks of its own. It
# defends the JMH table of doc/performance.md: what one operation costs, with JMH's error, where the other scripts give one figure.
#
#   make/bench-micro.sh [JMH-ARGUMENT...]     e.g. YieldSwitch -f 3; the same as make bench-micro ARGS="..."
#   make/bench-micro.sh quick                 every benchmark for a moment, to see that it runs
#
# Environment: JDK (default: the image of this tree), MODES (default "off on one"), GC_OPTIONS. JMH comes from Maven Central, through mvn
# as this user has configured it.
. "$(dirname "$0")/bench-lib.sh"

SOURCES=$REPO/test/micro/jmh
WORK=$OUT/jmh

prepare() {
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  mkdir -p "$WORK/classes"
  fetch_jars "$SOURCES/pom.xml" "$WORK/lib"
  if [ ! -f "$WORK/classes/.done" ] || [ -n "$(find "$SOURCES" -name '*.java' -newer "$WORK/classes/.done")" ]; then
    rm -rf "$WORK/classes"; mkdir -p "$WORK/classes"
    find "$SOURCES" -name '*.java' -exec "$BENCH_JDK/bin/javac" -d "$WORK/classes" -cp "$WORK/lib/*" {} + || die "the benchmarks do not compile."
    touch "$WORK/classes/.done"
  fi
}

prepare
describe_machine
defaults=(-f 2 -wi 3 -w 1 -i 5 -r 1) settings=()
if [ "${1:-}" = quick ]; then defaults=(-f 1 -wi 1 -w 100ms -i 1 -r 100ms); shift; fi
# JMH takes each option once: a default gives way to the same option among the arguments.
for ((k = 0; k < ${#defaults[@]}; k += 2)); do
  case " $* " in *" ${defaults[k]} "*) ;; *) settings+=("${defaults[@]:k:2}") ;; esac
done
for mode in ${MODES:-off on one}; do
  case $mode in
    off) flags='' what='flag off' ;;
    on) flags='-XX:+UseWisp2' what='flag on' ;;
    one) flags='-XX:+UseWisp2 -Dcom.alibaba.wisp.carrierEngines=1' what='flag on, one carrier' ;;
    *) die "unknown mode $mode; use off, on or one" ;;
  esac
  phase "$what"
  # The forks get the flags; the JVM that starts them runs without.
  "$BENCH_JDK/bin/java" -cp "$WORK/classes:$WORK/lib/*" org.openjdk.jmh.Main -foe true -to "${LIMIT}s" -rf csv -rff "$WORK/$mode.csv" \
    -jvm "$BENCH_JDK/bin/java" -jvmArgs "$GC_OPTIONS $flags" "${settings[@]}" "$@" > "$WORK/$mode.log" 2>&1 ||
    { tail -n 20 "$WORK/$mode.log" >&2; die "JMH failed with: $what; see build/bench/jmh/$mode.log"; }
done

# One line for each benchmark, a column for each mode, JMH's 99.9% error behind each figure.
say
files=()
for mode in ${MODES:-off on one}; do files+=("$WORK/$mode.csv"); done
awk -F, -v modes="${MODES:-off on one}" '
  function clean(s) { gsub(/["\r]/, "", s); return s }
  FNR == 1 { file++; for (i = 1; i <= NF; i++) col[clean($i)] = i; next }
  { name = clean($1); sub(/^wisp\.micro\./, "", name); p = col["Param: threads"]; if (p && clean($p) != "") name = name " " clean($p)
    if (!(name in unit)) { order[++rows] = name; unit[name] = clean($col["Unit"]) }
    value[name, file] = $col["Score"]; error[name, file] = $col["Score Error (99.9%)"] }
  END {
    n = split(modes, m, " "); title["off"] = "flag off"; title["on"] = "flag on"; title["one"] = "one carrier"
    printf "| %-28s | %-6s |", "benchmark", "unit"; for (f = 1; f <= n; f++) printf " %20s |", title[m[f]]; print ""
    printf "|---|---|"; for (f = 1; f <= n; f++) printf "---:|"; print ""
    for (i = 1; i <= rows; i++) {
      printf "| %-28s | %-6s |", order[i], unit[order[i]]
      for (f = 1; f <= n; f++) printf " %20s |", ((order[i], f) in value) ? sprintf("%.1f ± %.1f", value[order[i], f], error[order[i], f]) : "-"
      print ""
    }
  }' "${files[@]}"
