#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Runs the stress program test/jdk/com/alibaba/wisp/stress/VmStress.java once for each line of test/stress.conf: every collector with heap
# verification, compilers, kinds of locks, rare paths of the scheduler. Bounded: SECONDS_EACH (default 10) of work for each line and a limit
# after which it counts as hanging. The last line is "N passed, N failed, N not run".
#
#   make/stress.sh [NAME...]    only these lines
# Environment: LEVEL, JDK (another image), SECONDS_EACH, SEED (the same decisions again), OPTS (further VM options), LIMIT (seconds for one run)
. "$(dirname "$0")/lib.sh"
check_level

JDK=${JDK:-$BUILD/$LEVEL/images/jdk}
OUT=$BUILD/stress/$LEVEL
SECONDS_EACH=${SECONDS_EACH:-10}
case $LEVEL in release) slow=1 ;; *) slow=3 ;; esac
LIMIT=${LIMIT:-$((SECONDS_EACH * 3 + 240 * slow))}
passed=0 failed=0 not_run=0 failures=()

[ -x "$JDK/bin/java" ] || die "there is no image for LEVEL=$LEVEL; run: make images LEVEL=$LEVEL"

prepare() {
  local sources=("$REPO"/test/lib/wisptest/*.java "$REPO"/test/jdk/com/alibaba/wisp/stress/VmStress*.java)
  rm -rf "$OUT"
  mkdir -p "$OUT/classes"
  "$JDK/bin/javac" -d "$OUT/classes" "${sources[@]}" || die "VmStress does not compile."
  printf 'Premain-Class: VmStressAgent\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n' > "$OUT/manifest"
  "$JDK/bin/jar" --create --file "$OUT/agent.jar" --manifest "$OUT/manifest" -C "$OUT/classes" VmStressAgent.class
}

one() { # one NAME OPTIONS...
  local name=$1 began status=0 dir=$OUT/$1 log=$OUT/$1.log what; shift
  mkdir -p "$dir"
  began=$(date +%s)
  # shellcheck disable=SC2086
  (cd "$dir" && ulimit -c "${CORE:-0}" && exec timeout -k 5 "$LIMIT" "$JDK/bin/java" -XX:+UseWisp2 -Xmx256m -Dvmstress.hang=$((120 * slow)) "$@" ${OPTS:-} \
    -javaagent:"$OUT/agent.jar" -cp "$OUT/classes" VmStress "$SECONDS_EACH" ${SEED:-}) > "$log" 2>&1 || status=$?
  if [ $status = 0 ] && grep -qx ok "$log"; then
    what=passed; passed=$((passed + 1))
  elif grep -qE '^(Error: VM option|Unrecognized VM option|Error: Could not create)|is (notproduct|develop)|not supported' "$log" && ! grep -q '^seed' "$log"; then
    what="not run: $(grep -m 1 -E '^(Error|Unrecognized)|not supported' "$log")"; not_run=$((not_run + 1))
  else
    case $status in 124|137) what="FAILED: no end after $LIMIT s" ;; 3) what="FAILED: hang" ;; 134|139) what="FAILED: crash" ;; *) what="FAILED: exit status $status" ;; esac
    failed=$((failed + 1)); failures+=("$name: $what; log: ${log#"$REPO"/}")
  fi
  printf '   [%s] %-15s %4d s  %s\n' "$(elapsed)" "$name" $(($(date +%s) - began)) "$what"
}

wanted() { [ $# = 1 ] || [[ " ${*:2} " == *" $1 "* ]]; }

phase "stress ($LEVEL), $SECONDS_EACH s for each line of test/stress.conf"
prepare
while read -r name options <&3; do
  case $name in ''|'#'*) continue ;; esac
  wanted "$name" "$@" || continue
  # shellcheck disable=SC2086
  one "$name" ${options//VERIFY/-XX:+UnlockDiagnosticVMOptions -XX:+VerifyBeforeGC -XX:+VerifyAfterGC}
done 3< "$REPO/test/stress.conf"

if [ ${#failures[@]} -gt 0 ]; then say "Failed:"; printf '   %s\n' "${failures[@]}"; fi
say "$passed passed, $failed failed, $not_run not run"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
