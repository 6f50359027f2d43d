#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Runs the tests of test/jcstress with the flag on: two threads race for a moment, many thousand times, and each outcome that the language
# specification forbids is a failure, as is a pair that does not end. Each test runs with and without biased locking in each configuration,
# in a VM of its own. The last line is "N passed, N failed", where a VM counts as one.
#
#   make/jcstress.sh [REGEX...]     only tests whose name matches one of them, e.g. Park; the same as make jcstress JCSTRESS="Park Monitor"
#
# Environment: CONFIG (names, default all but stock, see options_of), MODE (jcstress's preset: sanity, quick, default, tough, stress; default
# quick), ARGS (further options of jcstress; "-sc true" compiles the two sides in each combination), MINUTES (limit for a configuration,
# default 15; what is not at its end then has failed), LEVEL, JDK (another image). jcstress comes from Maven Central, through mvn as this user
# has configured it.
. "$(dirname "$0")/lib.sh"
check_level

JDK=${JDK:-$BUILD/$LEVEL/images/jdk}
SOURCES=$REPO/test/jcstress
OUT=$BUILD/jcstress
MINUTES=${MINUTES:-15}
passed=0 failed=0 failures=() running=''

[ -x "$JDK/bin/java" ] || die "there is no JDK in $JDK; run: make images, or give one with JDK=PATH"
[[ $MINUTES =~ ^[1-9][0-9]*$ ]] || die "MINUTES=$MINUTES is not a number of minutes; give 1 or more."

options_of() {
  case $1 in
    stock|flag|one-carrier|migrate) configuration "$1" ;;
    hand-off)    echo "-XX:+UseWisp2 -XX:+UnlockDiagnosticVMOptions -XX:+WispAlwaysHandOff" ;;
    interpreter) echo "-XX:+UseWisp2 -Xint" ;;
    c1)          echo "-XX:+UseWisp2 -XX:TieredStopAtLevel=1" ;;
    c2)          echo "-XX:+UseWisp2 -XX:-TieredCompilation" ;;
    *) die "there is no configuration '$1'; use flag, one-carrier, migrate, hand-off, interpreter, c1, c2 or stock." ;;
  esac
}

prepare() {
  mkdir -p "$OUT"
  if [ ! "$OUT/lib/.done" -nt "$SOURCES/pom.xml" ]; then
    command -v mvn > /dev/null || die "Maven is missing; run: apt-get install maven"
    phase "fetch jcstress"
    rm -rf "$OUT/lib"
    mvn -q -B -f "$SOURCES/pom.xml" dependency:copy-dependencies -DoutputDirectory="$OUT/lib" > "$OUT/mvn.log" 2>&1 ||
      die "fetching jcstress failed, see build/jcstress/mvn.log"
    touch "$OUT/lib/.done"
  fi
  rm -rf "$OUT/classes"
  mkdir -p "$OUT/classes"
  find "$SOURCES" -name '*.java' -exec "$JDK/bin/javac" -d "$OUT/classes" -cp "$OUT/lib/*" {} + > "$OUT/javac.log" 2>&1 ||
    { cat "$OUT/javac.log" >&2; die "the tests do not compile."; }
}

children() { ps -o pid= --ppid "$1" || true; }

# Stops the harness and its VMs, when the time is over or somebody interrupts us.
stop() {
  local child all
  [ -n "$running" ] || return 0
  all=$(children "$running")
  kill -KILL "$running" 2> /dev/null || true
  wait "$running" 2> /dev/null || true
  for child in $all; do kill -KILL "$child" 2> /dev/null || true; done
  running=''
}
trap stop EXIT

# The threads of the VMs that do not end; kills them.
overdue() { # overdue DIRECTORY
  local child
  for child in $(children "$running"); do
    { tr '\0' ' ' < "/proc/$child/cmdline"; echo; timeout 20 "$JDK/bin/jcmd" "$child" Thread.print; } >> "$1/threads" 2>&1 || true
  done
  stop
}

# Two things that jcstress does by itself do not fit: it would bind the kernel thread under a test to a CPU, which is a carrier's and stays
# bound, and threads that wait for each other's start would spin, on the only carrier until their time slice is over.
one() { # one CONFIGURATION REGEX
  local name=$1 options dir=$OUT/$LEVEL-$1 log end status=0 what counts planned ok bad
  options=$(options_of "$name")
  log=$dir/log
  rm -rf "$dir"; mkdir -p "$dir"
  (cd "$dir" && exec "$JDK/bin/java" -cp "$OUT/classes:$OUT/lib/*" org.openjdk.jcstress.Main -t "$2" -m "${MODE:-quick}" -f 1 -af NONE \
    -spinStyle THREAD_YIELD -r results -jvmArgs "$options" "${args[@]}") > "$log" 2>&1 < /dev/null &
  running=$!
  end=$((SECONDS + MINUTES * 60))
  while kill -0 "$running" 2> /dev/null && [ $SECONDS -lt $end ]; do sleep 1; done
  if kill -0 "$running" 2> /dev/null; then
    overdue "$dir"
    what="; no end after $MINUTES minutes, see ${dir#"$REPO"/}/threads"
  else
    wait "$running" || status=$?
    what=''
    [ $status = 0 ] || what="; jcstress ended with $status"
  fi
  running=''
  # The last line of progress: (Results: 72 planned; 70 passed, 2 failed, 0 soft errs, 0 hard errs)
  counts=$(grep -o '(Results: .*' "$log" | tail -n 1 | grep -oE '[0-9]+' | xargs || true)
  read -r planned ok _ <<< "${counts:-1 0}"
  grep -q "\[OK\] .*${options%% *}" "$log" || { ok=0; what="$what; no VM ran with $options"; }
  bad=$((planned - ok))
  [ -z "$what" ] || [ $bad -gt 0 ] || bad=1
  passed=$((passed + ok)); failed=$((failed + bad))
  if [ $bad -gt 0 ]; then
    failures+=("$name: $bad of $planned$what; log: ${log#"$REPO"/}")
    while read -r what; do failures+=("    $what"); done < <(grep -E '^\.+ \[[A-Z ]+\]' "$log" | grep -v '\[OK\]' | sed 's/^\.* //' | sort -u)
  fi
  printf '   [%s] %-12s %4d passed, %d failed\n' "$(elapsed)" "$name" "$ok" "$bad"
}

# jcstress takes each option once.
read -r -a args <<< "${ARGS:-}"
[[ " ${ARGS:-} " == *" -sc "* ]] || args+=(-sc false)
prepare
phase "jcstress ($LEVEL), mode ${MODE:-quick}"
regex="wisp\\.jcstress\\..*"
[ $# = 0 ] || regex="wisp\\.jcstress\\..*($(IFS='|'; echo "$*")).*"
for config in ${CONFIG:-flag one-carrier migrate hand-off interpreter c1 c2}; do one "$config" "$regex"; done

if [ ${#failures[@]} -gt 0 ]; then say "Failed:"; printf '   %s\n' "${failures[@]}"; fi
say "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
