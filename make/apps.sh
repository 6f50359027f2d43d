#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Runs real applications, unmodified, by the drivers in test/apps: each with the flag on and then off. A run is good when the driver has
# checked every answer, the VM has ended by itself in time with status 0, and left no hs_err file. It defends doc/applications.md.
#
#   make/apps.sh [APP...]         directories of test/apps; all of them by default; the same as make test-apps APPS="..."
#
# Environment: JDK (default: the image of this tree), MODES (default "on off"; also "one", the flag on with one carrier), OPTS (more VM
# options), REPEAT (runs of each mode, default 1), LIMIT (seconds after which a run hangs: its thread dump is in its log then), HEAP,
# ON_HANG (a command that gets the process id and the directory of a run that hangs, before it is killed).
# The jars come from Maven Central, through mvn as this user has configured it, each once; servers are Debian's packages.
. "$(dirname "$0")/lib.sh"

JDK=${JDK:-$BUILD/$LEVEL/images/jdk}
LIMIT=${LIMIT:-300}
SOURCES=$REPO/test/apps
WORK=$BUILD/apps
passed=0 failed=0 failures=()

[ -x "$JDK/bin/java" ] || die "there is no JDK in $JDK; run: make images, or give one with JDK=PATH"
command -v mvn >/dev/null || die "Maven is missing; run: apt-get install maven"

# prepare APP: jars and classes in $WORK/APP, again only when the pom or a source is newer.
prepare() {
  local app=$1 dir=$WORK/$1 command
  [ -f "$SOURCES/$app/pom.xml" ] || die "there is no application $app in test/apps; there are: $(apps)"
  for command in $(setting "$app" needs); do
    [ -x "$(command -v "$command" || ls /usr/lib/postgresql/*/bin/"$command" 2>/dev/null)" ] ||
      die "$app needs $command; run: apt-get install $(setting "$app" packages)"
  done
  mkdir -p "$dir"
  if [ ! "$dir/lib/.done" -nt "$SOURCES/$app/pom.xml" ] || [ ! "$dir/lib/.done" -nt "$SOURCES/pom.xml" ]; then
    rm -rf "$dir/lib"
    mvn -q -B -f "$SOURCES/$app/pom.xml" dependency:copy-dependencies -DoutputDirectory="$dir/lib" > "$dir/mvn.log" 2>&1 ||
      { tail -n 5 "$dir/mvn.log" >&2; die "fetching $app failed, see build/apps/$app/mvn.log"; }
    touch "$dir/lib/.done"
  fi
  if [ ! -f "$dir/classes/.done" ] || [ -n "$(find "$SOURCES/$app" "$SOURCES/lib" -name '*.java' -newer "$dir/classes/.done")" ]; then
    rm -rf "$dir/classes"; mkdir -p "$dir/classes"
    find "$SOURCES/$app" "$SOURCES/lib" -name '*.java' -exec "$JDK/bin/javac" -nowarn -Xlint:none -proc:none --release 11 \
      -d "$dir/classes" -cp "$dir/lib/*" {} + || die "the driver of $app does not compile."
    touch "$dir/classes/.done"
  fi
}

apps() { (cd "$SOURCES" && for f in */pom.xml; do echo "${f%/*}"; done) | xargs; }

# setting APP KEY: what the line "// KEY: ..." of the driver says: needs, packages, options, limit (seconds), heap.
setting() { sed -n "s|^// $2: *||p" "$SOURCES/$1"/*.java | head -n 1; }

main_class() { basename "$(grep -l 'static void main' "$SOURCES/$1"/*.java | head -n 1)" .java; }

# run APP MODE NUMBER: sets `result` to "ok SECONDS" or to what went wrong.
run() {
  local app=$1 mode=$2 dir=$WORK/$1/run-$2 flags=() pid status=0 ticks=0 limit heap options
  case $mode in
    on) flags=(-XX:+UseWisp2) ;;
    one) flags=(-XX:+UseWisp2 -Dcom.alibaba.wisp.carrierEngines=1) ;;
    off) ;;
    *) die "unknown mode $mode; use on, off or one" ;;
  esac
  limit=$(setting "$app" limit); heap=$(setting "$app" heap); options=$(setting "$app" options)
  rm -rf "$dir"; mkdir -p "$dir"
  # shellcheck disable=SC2086
  (cd "$dir" && exec "$JDK/bin/java" -Xmx"${HEAP:-${heap:-512m}}" -XX:ErrorFile="$dir/hs_err.log" -Djava.io.tmpdir="$dir" \
    "${flags[@]}" $options ${OPTS:-} -cp "$WORK/$app/classes:$WORK/$app/lib/*" "$(main_class "$app")") > "$dir/log" 2>&1 < /dev/null &
  pid=$!
  # Counted in naps and not by the clock: a machine that was suspended meanwhile makes no run a hanging one.
  while kill -0 $pid 2>/dev/null; do
    ticks=$((ticks + 1))
    if [ $((ticks / 5)) -ge $((${limit:-0} > LIMIT ? limit : LIMIT)) ]; then
      [ -z "${ON_HANG:-}" ] || "$ON_HANG" $pid "$dir" || true
      kill -QUIT $pid 2>/dev/null || true; sleep 5
      pkill -KILL -P $pid 2>/dev/null || true; kill -KILL $pid 2>/dev/null || true
      result="hangs after $(sed -nE '/^[0-9:]{8} /h; $ { x; p }' "$dir/log")"
      wait $pid 2>/dev/null || true
      return
    fi
    sleep 0.2
  done
  wait $pid || status=$?
  if [ -f "$dir/hs_err.log" ]; then result="crashes, see hs_err.log"
  elif [ $status != 0 ]; then result="status $status: $(grep -m 1 '^FAILED' "$dir/log" || true)"
  elif ! grep -q '^done: ' "$dir/log"; then result="ended without a result"
  else result="ok: $(sed -n 's/^done: //p' "$dir/log")"
  fi
}

read -ra chosen <<< "${*:-$(apps)}"
for app in "${chosen[@]}"; do
  if ! (prepare "$app"); then
    failed=$((failed + 1)); failures+=("$app: not run")
    continue
  fi
  for ((k = 1; k <= ${REPEAT:-1}; k++)); do
    for mode in ${MODES:-on off}; do
      run "$app" "$mode"
      printf '   [%s] %-12s %-4s %s\n' "$(elapsed)" "$app" "$mode" "${result:0:200}"
      case $result in
        ok:*) passed=$((passed + 1)) ;;
        *) failed=$((failed + 1)); failures+=("$app, $mode: ${result:0:200}   (log: build/apps/$app/run-$mode/log)")
           mv "$WORK/$app/run-$mode" "$WORK/$app/failed-$mode-$(date +%H%M%S)" ;;
      esac
    done
  done
done
if [ ${#failures[@]} -gt 0 ]; then printf '%s\n' "${failures[@]}"; fi
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
