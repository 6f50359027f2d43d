#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Runs upstream's own suites (test/compat.conf) with the flag off and on, and keeps one line per test and run in
# test/results/SUITE/CONFIGURATION: test, P(assed) F(ailed) E(rror) S(kipped by itself), seconds, hash of our sources, hash of the patches,
# date, reason. The lines of several machines and days are simply joined (.gitattributes says so to git); `table` judges them.
#
#   make/compat.sh run [WHAT...]    WHAT: a tier (a, b, c), a suite, or a path below a test root; default: everything
#   make/compat.sh table            writes doc/compatibility.md from the results and the notes in test/results/notes.txt
#
# A test that has a result in a configuration is not run again unless it failed with other sources or patches; so an interrupted run goes on
# where it was. Nothing is excluded but what upstream's ProblemList.txt lists, in every configuration.
#
# Environment: CONFIG (names, default those of the tier), AGAIN=1 (run what has no result of the present sources), RUNS=n (until there are n
# results), MINUTES=n (stop after), CONCURRENCY, TIMEOUT_FACTOR, LEVEL, JDK (another image than that of the tree).
. "$(dirname "$0")/lib.sh"
check_level

CONF=$REPO/test/compat.conf
RESULTS=$REPO/test/results
OUT=$BUILD/compat
JTREG=/usr/share/jtreg/lib/jtreg.jar
TESTS=$SRC/test
SEED=20181
CONCURRENCY=${CONCURRENCY:-$(nproc)}
TIMEOUT_FACTOR=${TIMEOUT_FACTOR:-6}

options_of() {
  local options
  options=$(configuration "$1")
  [ -n "$options" ] || die "there is no configuration '$1'; use stock, flag, one-carrier or migrate."
  echo "$options"
}

configs_of() {
  if [ -n "${CONFIG:-}" ]; then echo "$CONFIG"; elif [ "$1" = a ]; then echo "flag one-carrier migrate stock"; else echo "flag stock"; fi
}

# The image that is tested is a copy, so that the tree can be built meanwhile.
prepare_jdk() {
  local from=${JDK:-$BUILD/$LEVEL/images/jdk}
  [ -x "$from/bin/java" ] || die "there is no JDK in $from; run: make images LEVEL=$LEVEL"
  [ -f "$JTREG" ] || die "jtreg is missing; run: make packages"
  TESTED=$OUT/jdk-$$
  mkdir -p "$OUT"
  find "$OUT" -maxdepth 1 -name 'jdk-*' | while read -r d; do kill -0 "${d##*-}" 2>/dev/null || rm -rf "$d"; done
  cp -a "$from" "$TESTED"
  trap 'rm -rf "$TESTED"' EXIT
}

# 8 digits over what is ours in the JDK, without the patches, and 8 over the patches.
hashes() {
  source_hash=$({ echo "$UPSTREAM_SHA256"; cd "$REPO/src" && find . -path ./patches -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-8)
  patches=$(patch_hash | cut -c1-8)
}

jtreg() { # jtreg ROOT ARGUMENTS...
  local root=$1 problems=(); shift
  [ ! -f "$TESTS/$root/ProblemList.txt" ] || problems=("-exclude:$TESTS/$root/ProblemList.txt")
  exec ${limit+"${limit[@]}"} "$TESTED/bin/java" -Xmx512m -jar "$JTREG" -jdk:"$TESTED" -ignore:quiet -automatic -k:'!headful' "${problems[@]}" "$@"
}

# The tests of a suite, in the order in which the configuration names them; the list of a sample is made once and kept.
list_tests() { # list_tests SUITE ROOT WHAT SAMPLE
  local suite=$1 root=$2 what=$3 sample=$4 file=$RESULTS/$1/tests p paths=() not=() all=$OUT/list
  [ ! -s "$file" ] || return 0
  mkdir -p "$RESULTS/$suite" "$OUT/w-list"
  for p in ${what//,/ }; do
    case $p in !*) not+=(-e "^${p#!}/") ;; *) [ ! -e "$TESTS/$root/$p" ] || paths+=("$TESTS/$root/$p") ;; esac
  done
  say "   listing $suite"
  (jtreg "$root" -agentvm -javaoptions:-XX:+UseWisp2 -l -w:"$OUT/w-list" -r:"$OUT/r-list" "${paths[@]}" < /dev/null) |
    grep -E '^[^ ]+\.(java|sh|html)(#[^ ]*)?$' | sort > "$all" || true
  [ ${#not[@]} = 0 ] || { grep -v "${not[@]}" "$all" > "$all.2"; mv "$all.2" "$all"; }
  [ -s "$all" ] || die "no tests found for $suite; does $TESTS/$root exist?"
  {
    echo "# $(wc -l < "$all")"
    if [ -n "$sample" ]; then shuf -n "$sample" --random-source=<(yes $SEED) "$all" | sort; else cat "$all"; fi
  } > "$file"
}

# Those tests of stdin that are to be run; see the head of this file for the rule.
to_do() { # to_do RESULT-FILE
  awk -v now="$source_hash $patches" -v again="${AGAIN:-}" -v runs="${RUNS:-0}" -v file="$1" '
    BEGIN {
      while ((getline line < file) > 0) {
        split(line, f, " "); t = f[1]; n[t]++
        current = f[4] " " f[5] == now
        if (current) fresh[t] = 1
        if (f[6] >= date[t]) { date[t] = f[6]; bad[t] = f[2] ~ /[FE]/ && !current }
      }
    }
    /^#/ { next }
    runs > 0 ? n[$1] < runs : !n[$1] || bad[$1] || again && !fresh[$1]' -
}

record() { # record CONFIG SUITE ROOT TEST RESULT
  local config=$1 suite=$2 test=$4 result=$5 jtr status seconds reason=''
  jtr=$OUT/w-${3//\//-}/$(sed -E 's/\.(java|sh|html)//; s/#/_/' <<< "$test").jtr
  [ -f "$jtr" ] || jtr=/dev/null
  status=$(sed -n 's/^execStatus=//p' "$jtr" | tail -n 1 | sed 's/\\//g')
  seconds=$(sed -n 's/^elapsed=\([0-9]*\).*/\1/p' "$jtr" | tail -n 1)
  case $result:$status in
    Passed:*[sS]kipped*) result=S ;;
    Passed:*) result=P ;;
    Error:*) result=E ;;
    *) result=F ;;
  esac
  if [ $result != P ]; then reason=$(sed -e "s#${BUILD}#build#g; s#${REPO}/##g; s#^[A-Z][a-z]*\. ##" -e 's#/tmp/[^ ]*#FILE#g' <<< "$status" | cut -c1-110); fi
  if [ $result = F ] || [ $result = E ]; then
    mkdir -p "$OUT/failed/$config"
    cp "$jtr" "$OUT/failed/$config/$(tr '/' '.' <<< "$test").jtr"
  fi
  echo "$test $result $(((${seconds:-0} + 999) / 1000)) $source_hash $patches $(date -u +%Y-%m-%dT%H:%M)${reason:+ $reason}" >> "$RESULTS/$suite/$config"
  done_tests=$((done_tests + 1))
  printf '   [%s] %-11s %-14s %4d/%d %s %s%s\n' "$(elapsed)" "$config" "$suite" "$done_tests" "$all_tests" "$result" "$test" "${reason:+   $reason}"
}

run_suite() { # run_suite CONFIG SUITE ROOT WHAT SAMPLE [PATH]
  local config=$1 suite=$2 root=$3 only=${6:-} list=$OUT/todo-$$ line native left limit=()
  list_tests "$suite" "$root" "$4" "$5"
  awk -v p="$only" 'p == "" || $1 == p || index($1, p "/") == 1 || index($1, p "#") == 1' "$RESULTS/$suite/tests" | to_do "$RESULTS/$suite/$config" > "$list"
  all_tests=$(wc -l < "$list") done_tests=0
  [ "$all_tests" -gt 0 ] || return 0
  phase "$config: $suite, $all_tests tests to run"
  mkdir -p "$OUT/w-${root//\//-}" "$RESULTS/$suite"
  rm -rf "$OUT/w-${root//\//-}/classes"                 # a test may delete a class in the course of a run, and finds it missing in the next
  native=$OUT/native
  natives "$root" "${4//!/}" "$native"
  sed -i "s#^#$TESTS/$root/#" "$list"
  if [ -n "${MINUTES:-}" ]; then
    left=$((START + MINUTES * 60 - $(date +%s)))
    limit=(timeout -k 5 $((left > 1 ? left : 1)))
  fi
  while read -r line; do
    # What is running when the minutes are over is ended, and that is no result.
    [ -z "${MINUTES:-}" ] || [ "$(date +%s)" -lt $((START + MINUTES * 60)) ] || continue
    # "Error:" begins results and jtreg's own messages; the last line of a run in which a test failed is one of these.
    if [[ $line =~ ^(Passed|FAILED|Error):\ +([^ ]+\.(java|sh|html)(#[^ ]*)?)$ ]]; then
      record "$config" "$suite" "$root" "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}"
    elif [[ $line == Error:* && $line != *"Some tests failed"* ]]; then
      say "   jtreg: ${line#Error: }"
    fi
  done < <(ulimit -S -c 0; jtreg "$root" -agentvm -ea -esa -concurrency:"$CONCURRENCY" -timeoutFactor:"$TIMEOUT_FACTOR" \
             -retain:fail,error,hs_err_pid* -w:"$OUT/w-${root//\//-}" -r:"$OUT/r-${root//\//-}" -v:summary \
             -nativepath:"$native" -javaoptions:"$(options_of "$config")" "@$list" 2>&1 < /dev/null)
}

suites() { sed -e 's/#.*//' -e '/^ *$/d' "$CONF"; }

run() {
  local what config tier suite root paths sample tiers_done=''
  prepare_jdk
  hashes
  for what in "${@:-a b c}"; do
    for tier in a b c; do
      for config in $(configs_of $tier); do
        options_of "$config" > /dev/null
        while read -r t suite root paths sample <&3; do
          [ "$t" = $tier ] || continue
          [ -z "${MINUTES:-}" ] || [ "$(date +%s)" -lt $((START + MINUTES * 60 - 20)) ] || { say "$MINUTES minutes are over."; return 0; }
          if [[ " $what " == *" $tier "* || " $what " == *" $suite "* ]]; then
            run_suite "$config" "$suite" "$root" "$paths" "$sample"; tiers_done=1
          elif [ -e "$TESTS/$root/${what%%#*}" ] && ! suites | awk -v what="$what" '$2 == what { found = 1 } END { exit !found }'; then
            run_suite "$config" "$suite" "$root" "$paths" "$sample" "$what"; tiers_done=1
          fi
        done 3< <(suites)
      done
    done
  done
  [ -n "$tiers_done" ] || die "'$*' is no tier, suite or test; see test/compat.conf"
  say "Results are in test/results; failed tests in ${OUT#"$REPO"/}/failed. make compat-table writes doc/compatibility.md."
}

# Native parts of a suite's tests, compiled here: upstream's make builds those of all suites, which takes half an hour.
natives() { # natives ROOT WHAT TO
  local f to compiler link include=() wanted=() bad=0 nsk=$TESTS/hotspot/jtreg/vmTestbase
  for f in "$TESTED/include" "$TESTED/include/linux" "$TESTS/lib/native" "$TESTS/lib/jdk/test/lib/jvmti" "$nsk/nsk/stress/jni" \
    "$SRC"/src/java.base/{share,unix,linux}/native/{libjli,libjava} "$SRC"/src/hotspot/{share,os/posix}/include; do include+=(-I"$f"); done
  while read -r f; do include+=(-I"$f"); done < <(find "$nsk"/{nsk,vm,vm/mlvm}/share \( -name '*.cpp' -o -name '*.c' -o -name '*.h' \) -printf '%h\n' | sort -u)
  mkdir -p "$3"
  while read -r f; do
    to=$3/$(basename "${f%.*}")
    case ${f##*/} in lib*) to=$to.so ;; exe*) to=$3/$(basename "${f%.*}" | sed 's/^exe//') ;; esac
    [ ! "$to" -nt "$f" ] || continue
    case $f in *.cpp) compiler=g++ ;; *) compiler=gcc ;; esac
    case ${f##*/} in lib*) link='-shared -fPIC' ;; *) link="-L$TESTED/lib/server -L$TESTED/lib/jli -ljvm -ljli" ;; esac
    rm -f "$to"; wanted+=("$to")
    echo "$compiler -o $to $f $link"
  done < <(cd "$TESTS/$1" && [[ $2 != vmTestbase/* ]] || shared="$nsk/nsk/share $nsk/vm/share"
           find ${2//,/ } ${shared:-} "$TESTS/lib" "$TESTS/$1/testlibrary" \( -name 'lib*.c' -o -name 'lib*.cpp' -o -name 'exe*.c' \) 2>/dev/null |
             grep -v windows | sed "s#^\([^/]\)#$TESTS/$1/\1#") > "$OUT/natives.list"
  xargs -P "$(nproc)" -L 1 bash -c '"$1" -O1 -fno-omit-frame-pointer -w "${@:2}" -DPACKAGE_PATH='"'\"\"'"' '"$(printf ' %q' "${include[@]}")"' -lpthread -ldl' _ \
    < "$OUT/natives.list" 2>> "$OUT/natives.log" || true
  for f in "${wanted[@]}"; do [ -e "$f" ] || bad=$((bad + 1)); done
  [ $bad = 0 ] || say "   $bad native libraries do not compile, see ${OUT#"$REPO"/}/natives.log; their tests fail"
}

case ${1:-} in
  run) shift; run "$@" ;;
  table) "$REPO/make/compat-table.sh" ;;
  *) die "usage: make/compat.sh run [TIER|SUITE|PATH...] | table" ;;
esac
