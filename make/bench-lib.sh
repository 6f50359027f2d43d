#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures nothing itself: what the benchmark scripts share. One way to start each runtime, one collector and heap for every JVM, medians,
# the line that says on which machine a figure was taken. It defends that the figures of all tables are comparable. Sourced, never run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

BENCH_JDK=${JDK:-$BUILD/$LEVEL/images/jdk}      # the JDK to measure
OUT=$BUILD/bench                                # compiled programs, logs
PROGRAMS=$REPO/test/micro/peers
GC_OPTIONS=${GC_OPTIONS:--XX:+UseParallelGC -Xms1g -Xmx1g}
LIMIT=${LIMIT:-180}                             # seconds after which one run counts as hanging

PEERS_DIR=${PEERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/jdk11-$PROJECT_ID-peers}
PEER_ROOT=$PEERS_DIR/trixie
JAVA25=/usr/lib/jvm/java-25-openjdk-amd64/bin/java

read -ra gc_options <<< "$GC_OPTIONS"
TICK_US=$((1000000 / $(getconf CLK_TCK)))

# The Java programs compiled for 11 (JDK 25 runs the same classes), the Go program compiled when there is a Go.
prepare_programs() {
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  mkdir -p "$OUT/classes"
  local sources=("$PROGRAMS"/*.java "$REPO"/make/demo/*.java) stamp=$OUT/classes/.done
  if [ ! -f "$stamp" ] || [ -n "$(find "${sources[@]}" -newer "$stamp")" ]; then
    "$BENCH_JDK/bin/javac" --release 11 -d "$OUT/classes" "${sources[@]}" || die "the benchmark programs do not compile."
    touch "$stamp"
  fi
}

prepare_go() {
  command -v go >/dev/null || die "Go is missing; run: apt-get install golang-go, or put the bin directory of a newer Go on the PATH"
  [ "$OUT/peers-go" -nt "$PROGRAMS/peers.go" ] || (cd "$PROGRAMS" && go build -o "$OUT/peers-go" peers.go) || die "the Go program does not compile."
}

have_jdk25() { [ -x "$PEER_ROOT$JAVA25" ]; }
need_jdk25() { have_jdk25 || die "JDK 25 is not prepared; run as root: make/bench-peers.sh setup"; }

# What starts JDK 25 in its own root directory and its own mount namespace: nothing stays mounted when it ends.
# shellcheck disable=SC2016
jdk25_command=(unshare --mount --propagation private sh -c 'r=$1 b=$2; shift 2
  mkdir -p "$r/bench"
  for m in proc dev sys; do mount --rbind "/$m" "$r/$m"; done
  mount --bind "$b" "$r/bench" && exec chroot "$r" "$@"' sh "$PEER_ROOT" "$OUT/classes" "$JAVA25")

# command_for RUNTIME CARRIERS PROGRAM ARGUMENT...: sets `command`. Kernel threads have no carriers: 1 pins the process to one CPU, 2 leaves
# it free.
command_for() {
  local runtime=$1 n=$2 java=("$BENCH_JDK/bin/java" "${gc_options[@]}" -cp "$OUT/classes"); shift 2
  case $runtime in
    off) if [ "$n" = 1 ]; then command=(taskset -c 0 "${java[@]}" "$@"); else command=("${java[@]}" "$@"); fi ;;
    on) command=("${java[@]}" -XX:+UnlockExperimentalVMOptions -XX:+UseWisp2 "-Dcom.alibaba.wisp.carrierEngines=$n" "$@") ;;
    jdk25) command=("${jdk25_command[@]}" "${gc_options[@]}" "-Djdk.virtualThreadScheduler.parallelism=$n" -cp /bench "$@") ;;
    go) command=(env "GOMAXPROCS=$n" "$OUT/peers-go" "${@:3}") ;;
    *) die "unknown runtime $runtime" ;;
  esac
}

# measure RUNTIME CARRIERS PROGRAM ARGUMENT...: the number that the run prints, or "failed" after a message.
measure() {
  local value command status=0
  command_for "$@"
  value=$(limited "${command[@]}") || status=$?
  case $value in
    ''|*[!0-9.]*)
      if [ $status -ge 124 ]; then value="nothing for $LIMIT seconds, or killed"; fi
      say "   failed: $*${value:+ ($value)}" >&2; tail -n 3 "$OUT/last.err" | sed 's/^/     /' >&2; echo failed ;;
    *) echo "$value" ;;
  esac
}

# limited COMMAND...: killed after $LIMIT seconds; messages go to last.err.
limited() { timeout -k 1 "$LIMIT" "$@" 2>"$OUT/last.err" </dev/null; }

# median VALUE...: of the numbers among them, "failed" if there is none.
median() {
  printf '%s\n' "$@" | grep -v failed | sort -g | awk '{ v[NR] = $1 } END { if (NR == 0) print "failed"; else print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# ratio A B DIGITS: A/B, or "failed".
ratio() { awk -v a="$1" -v b="$2" -v d="${3:-2}" 'BEGIN { if (a == "failed" || b == "failed" || b + 0 == 0) print "failed"; else printf "%.*f\n", d, a / b }'; }

# For all tables. med(list): the median of a list in a string; pairs(list, list): of the ratios of its elements. "" if it is empty; "failed"
# does not count.
MEDIAN='function med(s,   x, y, n, m, i, j, t) {
  n = split(s, x, " "); m = 0
  for (i = 1; i <= n; i++) if (x[i] != "failed") y[++m] = x[i]
  if (m == 0) return ""
  for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (y[j] + 0 < y[i] + 0) { t = y[i]; y[i] = y[j]; y[j] = t }
  return (y[int((m + 1) / 2)] + y[int(m / 2) + 1]) / 2
}
function pairs(s, u,   a, b, n, m, i, r) {
  n = split(s, a, " "); m = split(u, b, " ")
  for (i = 1; i <= n && i <= m; i++) if (a[i] != "failed" && b[i] != "failed" && b[i] > 0) r = r " " a[i] / b[i]
  return med(r)
}'

# evaluate_pairs LOG LIMIT LEFT RIGHT WHAT: the log has lines "pair, workload, left figure, right figure", by tabs. The mean of the logarithms
# of the paired ratios and its t interval, for each workload, and for the geometric mean of all workloads. Succeeds when the interval of
# the latter ends at the limit or below.
evaluate_pairs() {
  [ -f "$1" ] || die "there are no pairs in build/bench/${1##*/} yet; run the benchmark first"
  [ "$(cut -f 1 "$1" | sort -u | wc -l)" -ge 2 ] || die "build/bench/${1##*/} has fewer than 2 pairs; an interval needs at least 2"
  say
  awk -F'\t' -v limit="$2" -v left="$3" -v right="$4" -v what="$5" '
    function t975(df,   z) { z = 1.959964; return z + (z^3 + z) / (4 * df) + (5 * z^5 + 16 * z^3 + 3 * z) / (96 * df^2) + (3 * z^7 + 19 * z^5 + 17 * z^3 - 15 * z) / (384 * df^3) }
    function row(name, n, sum, squares, a, b,   m, s, h) {
      m = sum / n
      if (n < 2) { printf "| %-12s | %10s | %10s | %7.4f | %-18s | %-9s |\n", name, a, b, exp(m), "", ""; return }
      s = (squares - n * m * m) / (n - 1); s = s > 0 ? sqrt(s) : 0; h = t975(n - 1) * s / sqrt(n)
      low = exp(m - h); high = exp(m + h)
      verdict = high <= limit + 0 ? "met" : low > limit + 0 ? "MISSED" : "not shown"
      printf "| %-12s | %10s | %10s | %7.4f | %7.4f to %7.4f | %-9s |\n", name, a, b, exp(m), low, high, verdict
    }
    { if (!($2 in n)) names[++count] = $2
      r = log($3 / $4); n[$2]++; sum[$2] += r; sq[$2] += r * r; a[$2] += log($3); b[$2] += log($4); pair[$1] += r; in_pair[$1]++ }
    END {
      printf "| %-12s | %10s | %10s | %7s | %-18s | %-9s |\n|---|---:|---:|---:|---|---|\n", "workload", left, right, "ratio", "95% interval", "<= " limit
      for (i = 1; i <= count; i++) { w = names[i]; row(w, n[w], sum[w], sq[w], sprintf("%.3f", exp(a[w] / n[w])), sprintf("%.3f", exp(b[w] / n[w]))) }
      for (p in pair) if (in_pair[p] == count) { v = pair[p] / count; all += v; all2 += v * v; pairs++ }
      if (pairs < 2) { print "\nFewer than 2 complete pairs: no interval."; exit 1 }
      row("all", pairs, all, all2, "", "")
      printf "\n%s, geometric mean of %d workloads, %d pairs: upper end of the 95%% interval %.4f, target <= %s: %s\n", what, count, pairs, high, limit, verdict
      exit verdict != "met"
    }' "$1"
}

# fetch_jars POM FOLDER: what the pom names, from Maven Central through mvn as this user has configured it; again only when the pom is newer.
fetch_jars() {
  [ ! "$2/.done" -nt "$1" ] || return 0
  command -v mvn >/dev/null || die "Maven is missing; run: apt-get install maven"
  phase "fetch the jars of ${1#"$REPO/"}"
  rm -rf "$2"; mkdir -p "$OUT"
  mvn -q -B -f "$1" dependency:copy-dependencies -DoutputDirectory="$2" > "$OUT/mvn.log" 2>&1 || die "fetching failed, see build/bench/mvn.log"
  touch "$2/.done"
}

# usage PID: ticks of CPU time in user mode, in the kernel, and context switches of all threads.
usage() {
  local stat switches
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || { echo '0 0 0'; return; }
  read -ra stat <<< "${stat##*) }"
  switches=$(cat /proc/"$1"/task/*/status 2>/dev/null | awk '/ctxt_switches/ { n += $2 } END { print n + 0 }')
  echo "${stat[11]} ${stat[12]} $switches"
}

# The machine, in one line, and a warning when something else is running on it.
describe_machine() {
  local cpu load
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  say "$(nproc) CPUs ($cpu), Linux $(uname -r), $(date -u +%Y-%m-%d); JVMs: $GC_OPTIONS"
  load=$(cut -d' ' -f1 /proc/loadavg)
  if awk -v l="$load" 'BEGIN { exit !(l > 0.7) }'; then say "Load is $load before the start: something else runs here; figures are doubtful."; fi
}

# ---- PostgreSQL, one for a whole benchmark; it refuses to run as root

PG_HOME='' PG_PID='' PG_PORT=''

# start_postgresql CONNECTIONS: with a table of 10,000 rows, for so many connections at most. Sets PG_PORT.
start_postgresql() {
  local bin as=()
  [ "$(id -u)" != 0 ] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
  [ -x "$bin/postgres" ] || die "PostgreSQL is missing; run: apt-get install postgresql"
  PG_HOME=$(mktemp -d)
  [ "$(id -u)" != 0 ] || chown postgres:postgres "$PG_HOME"
  PG_PORT=$((20000 + $$ % 10000))
  (cd / && "${as[@]}" "$bin/initdb" -D "$PG_HOME/data" -A trust -U wisp -E UTF8 --no-sync) > "$OUT/postgresql.log" 2>&1 || die "initdb failed, see build/bench/postgresql.log"
  (cd / && exec "${as[@]}" "$bin/postgres" -D "$PG_HOME/data" -p $PG_PORT -h 127.0.0.1 -k "$PG_HOME" -F -c max_connections="$1" -c jit=off) >> "$OUT/postgresql.log" 2>&1 &
  PG_PID=$!
  for _ in $(seq 100); do
    ! "$bin/pg_isready" -q -h 127.0.0.1 -p $PG_PORT || break
    sleep 0.1
  done
  "$bin/psql" -q -h 127.0.0.1 -p $PG_PORT -U wisp postgres -c 'create table world(id int primary key, number int not null);
    insert into world select n, (random() * 10000)::int from generate_series(1, 10000) n; analyze world;' >> "$OUT/postgresql.log" 2>&1 ||
    die "PostgreSQL does not answer, see build/bench/postgresql.log"
}

stop_postgresql() {
  [ -z "$PG_PID" ] || { kill -INT "$PG_PID" 2>/dev/null; wait "$PG_PID" 2>/dev/null; }
  [ -z "$PG_HOME" ] || rm -rf "$PG_HOME"
}
