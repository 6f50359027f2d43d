#!/usr/bin/env bash
# The quick suite: gates, gtests, jtreg tests in several configurations, distribution tests. Its last line is "N passed, N failed".
# Usage: make/test.sh [PATH...]     PATH: a test file or directory below test/ or build/src/test/, or gtest:FILTER
# Environment: LEVEL, SUITE (names from test/quick.conf to run), OPTS (VM options for PATH), TIMEOUT_FACTOR, CONCURRENCY,
# STALLS (milliseconds, 1 to 1000: meanwhile each processor is taken away for random times up to that, half of all; needs root)
. "$(dirname "$0")/lib.sh"
check_level

JDK=$BUILD/$LEVEL/images/jdk
OUT=$BUILD/test/$LEVEL
JTREG=/usr/share/jtreg/lib/jtreg.jar
LIST=$REPO/test/quick.conf
passed=0 failed=0 failures=()
export JDK REPO BUILD LEVEL

case $LEVEL in release) factor=3 ;; *) factor=8 ;; esac
TIMEOUT_FACTOR=${TIMEOUT_FACTOR:-$factor}
CONCURRENCY=${CONCURRENCY:-$(nproc)}

count() { # count PASSED FAILED NAME
  passed=$((passed + $1)); failed=$((failed + $2))
  printf '   [%s] %-28s %4d passed, %d failed\n' "$(elapsed)" "$3" "$1" "$2"
}

# one NAME COMMAND...: a test that is one program; its output is shown when it fails.
one() {
  local name=$1 log; shift
  log=$OUT/$(tr -c 'A-Za-z0-9\n' - <<< "$name").log
  if "$@" > "$log" 2>&1; then
    count 1 0 "$name"
  else
    sed 's/^/     /' "$log" | tail -n 40
    failures+=("$name   (log: ${log#"$REPO"/})")
    count 0 1 "$name"
  fi
}

run_gates() {
  local f
  one "gate: patches" "$REPO/make/patches.sh" check
  for f in "$REPO"/make/gates/*.sh "$REPO"/test/gates/*.sh; do
    [ ! -x "$f" ] || one "gate: $(basename "$f" .sh)" "$f"
  done
}

# The first arguments of the TEST macros in our gtest files, as a filter.
gtest_filter() {
  grep -rhoE '^TEST(_VM|_OTHER_VM|_VM_ASSERT|_VM_ASSERT_MSG|_F|_VM_F)?\( *[A-Za-z0-9_]+' "$REPO/test/hotspot/gtest" 2>/dev/null |
    sed 's/.*( *//' | sort -u | sed 's/$/*/' | paste -sd : -
}

run_gtest() { # run_gtest NAME FILTER OPTIONS...
  local name=$1 filter=$2 log ok bad=0; shift 2
  local launcher=$BUILD/$LEVEL/hotspot/variant-server/libjvm/gtest/gtestLauncher
  [ -n "$filter" ] || return 0
  [ -x "$launcher" ] || { failures+=("$name (no gtestLauncher; run: make hotspot)"); count 0 1 "$name"; return 0; }
  log=$OUT/$name.log
  local status=0
  (cd "$OUT" && timeout 900 "$launcher" -jdk:"$JDK" --gtest_filter="$filter" --gtest_color=no "$@") > "$log" 2>&1 || status=$?
  ok=$(grep -c '^\[       OK \]' "$log" || true)
  bad=$(sed -n 's/^\[  FAILED  \] \([A-Za-z0-9_.]*\).*/\1/p' "$log" | sort -u | wc -l)
  [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
  if [ $((ok + bad)) = 0 ]; then bad=1; echo "no test ran" >> "$log"; fi
  if [ "$bad" != 0 ]; then tail -n 25 "$log" | sed 's/^/     /'; failures+=("$name   (log: ${log#"$REPO"/})"); fi
  count "$ok" "$bad" "$name"
}

# Native parts of our tests: libNAME.c gives build/test/LEVEL/native/libNAME.so, exeNAME.c an executable NAME.
build_native() {
  local f to
  mkdir -p "$OUT/native"
  while read -r f; do
    to=$OUT/native/$(basename "${f%.*}")
    case ${f##*/} in
      libExecutable*) to=$to.so; flags='-shared -fPIC -Wl,-z,execstack' ;;
      lib*) to=$to.so; flags='-shared -fPIC' ;;
      exe*) to=$OUT/native/$(basename "${f%.*}" | sed 's/^exe//'); flags= ;;
    esac
    [ "$to" -nt "$f" ] && continue
    # shellcheck disable=SC2086
    gcc -O1 -g -Wall $flags -I"$JDK/include" -I"$JDK/include/linux" -o "$to" "$f" -pthread -ldl || die "compiling ${f#"$REPO"/} failed."
  done < <(find "$REPO/test" \( -name 'lib*.c' -o -name 'exe*.c' \) -not -path '*/gtest/*' 2>/dev/null)
}

# excerpt JTR: the last that a failed test printed, and why it failed; whoever reads the log of a machine that is gone has no more.
excerpt() {
  echo "     ${1##*/}:"
  sed -n '/^#section:main/,/^#section:[^m]/p' "$1" | awk '
    /^----------.*\(/ { section = $0; next }
    /^result: / { section = "" }
    section ~ /^----------System.out/ { out[++n] = $0 }
    section ~ /^----------System.err/ && m < 12 { err[++m] = $0 }
    END { for (i = n > 20 ? n - 19 : 1; i <= n; i++) print out[i]; for (i = 1; i <= m; i++) print err[i] }' | cut -c 1-200 | sed 's/^/     /'
}

# Each root has one work directory, so that its classes are compiled once and not for every line of quick.conf.
run_jtreg() { # run_jtreg NAME ROOT TESTS OPTIONS...
  local name=$1 root=$2 tests=$3 log work dir t f ok bad result reason; shift 3
  local paths=() exclude=()
  [ -f "$JTREG" ] || { failures+=("$name (jtreg is missing; run: make packages)"); count 0 1 "$name"; return 0; }
  for t in ${tests//,/ }; do
    [ ! -e "$root/$t" ] || paths+=("$root/$t")
  done
  if [ ${#paths[@]} = 0 ] || ! grep -rlq '@test' "${paths[@]}" 2>/dev/null; then return 0; fi
  for f in "$REPO/test/problem-list.txt" "$root/ProblemList.txt"; do
    if [ -f "$f" ]; then exclude+=("-exclude:$f"); fi
  done
  work=$OUT/work-${root//\//-}
  dir=$OUT/$name
  log=$OUT/$name.log
  rm -rf "$dir"; mkdir -p "$dir" "$work"
  find "$work" -name '*.jtr' -delete; rm -rf "$work/jtData"      # else the report repeats earlier results
  "$JDK/bin/java" -Xmx512m -jar "$JTREG" -jdk:"$JDK" -othervm -ignore:quiet -retain:fail,error,hs_err_pid*,core* -automatic \
    -concurrency:"$CONCURRENCY" -timeoutFactor:"$TIMEOUT_FACTOR" -w:"$work" -r:"$dir/report" -verbose:fail,error \
    -nativepath:"$OUT/native" -javaoptions:"$*" -k:'!stress' "${exclude[@]}" "${paths[@]}" > "$log" 2>&1 || true
  ok=0 bad=0
  while read -r t result reason; do
    case $result in
      Passed.) ok=$((ok + 1)) ;;
      *)
        bad=$((bad + 1))
        f=${t%.java*}; f=${f%.sh}
        [[ $t != *'#'* ]] || f=${f}_${t##*#}
        cp "$work/$f.jtr" "$dir/" 2>/dev/null && excerpt "$dir/${f##*/}.jtr" || true
        failures+=("$name: $t $result ${reason:0:100}")
        failures+=("    ${dir#"$REPO"/}/${f##*/}.jtr")
        ;;
    esac
  done < <(grep -E '^[^ ]+ +(Passed|Failed|Error)\.' "$dir/report/text/summary.txt" 2>/dev/null)
  if [ $((ok + bad)) = 0 ] && ! grep -q 'no tests selected' "$log"; then
    bad=1; tail -n 5 "$log" | sed 's/^/     /'; failures+=("$name   (no test ran; log: ${log#"$REPO"/})")
  fi
  count "$ok" "$bad" "$name"
}

run_dist() {
  local f
  for f in "$REPO"/test/build/*.sh; do
    [ ! -x "$f" ] || one "build: $(basename "$f" .sh)" "$f"
  done
}

wanted() { [ -z "${SUITE:-}" ] || [[ " $SUITE " == *" $1 "* ]]; }

run_quick() {
  local kind name root tests options
  while read -r kind name root tests options; do
    case $kind in ''|'#'*) continue ;; esac
    wanted "$name" || continue
    # shellcheck disable=SC2086
    case $kind in
      gates) run_gates ;;
      gtest) run_gtest "$name" "$(gtest_filter)" $options ;;
      jtreg) run_jtreg "$name" "${root/#upstream/build\/src\/test}" "$tests" $options ;;
      dist)  run_dist ;;
      *) die "test/quick.conf: unknown kind '$kind'." ;;
    esac
  done < "$LIST"
}

# run_path PATH: one test, or all tests of a directory, in whichever root it lies.
run_path() {
  local path=$1 abs root
  case $path in
    gtest:*) run_gtest "gtest-one" "${path#gtest:}" ${OPTS:--XX:+UseWisp2}; return 0 ;;
  esac
  abs=$(realpath -e "$path" 2>/dev/null) || die "there is no test '$path'; give a path below test/ or build/src/test/, or gtest:FILTER."
  case $abs in
    *.sh) one "${abs#"$REPO"/}" "$abs"; return 0 ;;
  esac
  root=$abs
  while [ ! -f "$root/TEST.ROOT" ]; do
    [ "$root" != / ] || die "'$path' lies in no test root (a directory with TEST.ROOT above it)."
    root=$(dirname "$root")
  done
  run_jtreg one "${root#"$REPO"/}" "${abs#"$root"/}" ${OPTS:--XX:+UseWisp2}
  if [ "$failed" != 0 ]; then grep -vE '^(Report|Results) written' "$OUT/one.log" | tail -n 60; fi
}

[ -x "$JDK/bin/java" ] || die "there is no image for LEVEL=$LEVEL; run: make images LEVEL=$LEVEL"
cd "$REPO"
mkdir -p "$OUT"
build_native
phase "test ($LEVEL)"
if [ -n "${STALLS:-}" ]; then
  [[ $STALLS =~ ^[1-9][0-9]{0,3}$ && $STALLS -le 1000 ]] || die "STALLS=$STALLS is no number of milliseconds from 1 to 1000."
  "$OUT/native/Stalls" "$STALLS" & stalls=$!
  trap 'kill $stalls' EXIT
  sleep 0.2
  kill -0 $stalls 2>/dev/null || die "STALLS=$STALLS needs the right to use real-time priorities; run it as root, or without STALLS."
fi
if [ $# -gt 0 ]; then for p in "$@"; do run_path "$p"; done; else run_quick; fi

if [ ${#failures[@]} -gt 0 ]; then say "Failed:"; printf '   %s\n' "${failures[@]}"; fi
say "tests took $(elapsed) minutes."
say "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
