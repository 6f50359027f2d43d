#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures blocking servers under load: com.sun.net.httpserver, Tomcat and Jetty with a pool of 200 threads, with and without a real
# PostgreSQL behind them, and a proxy with two sockets and two threads for each of 1,000 connections. This JDK with kernel threads and with
# coroutines, JDK 25 with platform and with virtual threads. It defends the tables of servers in doc/performance.md.
#
#   make/bench-apps.sh              the same as `make bench-apps`; medians and ratios last
#   make/bench-apps.sh evaluate     the tables of the last run again, also of one that was interrupted
#
# A round of a workload starts the server of each runtime, warms them up, and measures them by turns of a few seconds, the others idle
# meanwhile, as machines change their speed within minutes. Three loads: every connection busy all the time; about two thirds of what the
# slowest manages on a slow machine, where it may not bear all of it; and a small one. For the latter two each connection thinks between
# two requests. Before its first turn at each load a server goes on under it until its compilers are done: they have other code to compile
# at a smaller one, and would take up to a third of the CPU time for ten seconds. Before the first load it does so once more after a pause, in
# which the others have done the same: HikariCP asks whether a connection is alive that nobody has used for half a second, and what it
# does for that makes compiled code of the driver invalid. CPU time (user and system) and context switches are those
# of the JVM's process alone; the switches of threads that end meanwhile are lost, so that there is no such figure for the proxy on kernel
# threads. A ratio is the median of the ratios of all turns, each of which compares neighbours.
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 1), WORKLOADS (some of those in the table below), CONNECTIONS of
# wrk (default 200), TURNS of each load in a round (default 5), SECONDS_EACH of a turn (default 2), WARM_UP (default 8) and SETTLE (at each
# of the other loads, default 6), in seconds, to which up to STEPS (default 5) times 3 seconds are added while the compilers take more
# than COMPILERS (default 2) percent of a CPU, QUOTA (percent of a CPU that each server may use, as in a container with a limit; default: no
# limit; needs root), CARRIERS (default: the CPUs that there are, or so many as the quota fills), RUNTIMES (default "off on jdk25p jdk25v", of which those that
# are there are taken; "before": another image of this JDK with the flag, at BEFORE), ON_OPTIONS (more VM options with the flag),
# GC_OPTIONS, PEERS_DIR.
# wrk and PostgreSQL are Debian's packages, the jars come from Maven Central, through mvn as this user has configured it.
. "$(dirname "$0")/bench-lib.sh"

WEB=$REPO/test/micro/web
ROUNDS=${ROUNDS:-1}
TURNS=${TURNS:-5}
CONNECTIONS=${CONNECTIONS:-200}
SECONDS_EACH=${SECONDS_EACH:-2}
WARM_UP=${WARM_UP:-8}
SETTLE=${SETTLE:-6}
STEPS=${STEPS:-5}
COMPILERS=${COMPILERS:-2}
QUOTA=${QUOTA:-}
[[ $QUOTA =~ ^([1-9][0-9]{0,4})?$ ]] || die "QUOTA=$QUOTA is no percentage of a CPU from 1 to 99999."
CARRIERS=${CARRIERS:-$((QUOTA == 0 || (QUOTA + 99) / 100 > $(nproc) ? $(nproc) : (QUOTA + 99) / 100))}
LOADS=(busy middle small)                           # as the log names them

# Name; server; path or "-"; milliseconds between two requests of a connection for the second and for the third measurement (proxy:
# messages per second).
table() {
  cat <<'END'
http-plaintext    httpserver  plaintext  7     40
http-json         httpserver  json       7     40
http-db           httpserver  db         13    100
http-queries      httpserver  queries    100   300
tomcat-plaintext  tomcat      plaintext  7     40
tomcat-json       tomcat      json       7     40
tomcat-db         tomcat      db         13    100
tomcat-queries    tomcat      queries    100   300
jetty-plaintext   jetty       plaintext  7     40
jetty-json        jetty       json       7     40
jetty-db          jetty       db         13    100
jetty-queries     jetty       queries    100   300
proxy-1000        proxy       -          20000 5000
END
}

prepare_web() {
  prepare_programs
  command -v wrk >/dev/null || die "wrk is missing; run: apt-get install wrk"
  local lib=$OUT/classes/web/lib                      # below the folder that JDK 25 sees
  fetch_jars "$WEB/pom.xml" "$lib"
  if [ -n "$(find "$WEB"/*.java -newer "$OUT/classes/web/.done" 2>&1)" ]; then
    "$BENCH_JDK/bin/javac" -nowarn -proc:none --release 11 --add-modules jdk.httpserver -d "$OUT/classes/web" -cp "$lib/*" "$WEB"/*.java ||
      die "the servers do not compile."
    touch "$OUT/classes/web/.done"
  fi
  [ "$OUT/web-backend" -nt "$WEB/backend.c" ] || gcc -O2 -Wall -o "$OUT/web-backend" "$WEB/backend.c" || die "the proxy's back end does not compile."
  [ "$OUT/echo-client" -nt "$REPO/test/micro/echo/client.c" ] || gcc -O2 -Wall -o "$OUT/echo-client" "$REPO/test/micro/echo/client.c" || die "the client does not compile."
}

available() {
  if have_jdk25; then echo 'off on jdk25p jdk25v'
  else say "JDK 25 is not prepared (make/bench-peers.sh setup) and left out." >&2; echo 'off on'; fi
}

# server_command RUNTIME SERVER PATH BACK-END-PORT: sets `command`.
server_command() {
  local runtime=$1 kind=plain jdk=$1 where=$OUT/classes carriers=$CARRIERS more=() program
  case $runtime in
    off) ;;
    on) read -ra more <<< "${ON_OPTIONS:-}" ;;
    before) jdk=on ;;
    jdk25p) jdk=jdk25 where=/bench ;;
    jdk25v) jdk=jdk25 where=/bench kind=virtual ;;
    *) die "unknown runtime $runtime; use off, on, before, jdk25p or jdk25v" ;;
  esac
  case $2 in
    proxy) program=(Proxy "$kind" "$4") ;;
    *) program=(WebServer "$2" "$kind")
       case $3 in db|queries) program+=("$JDBC") ;; esac ;;
  esac
  # com.sun.net.httpserver of 11 waits for delayed acknowledgements unless told not to.
  if [ "$jdk" = off ] && [ -n "$QUOTA" ]; then carriers=2; fi          # else one would pin it to a CPU
  command_for "$jdk" "$carriers" "${more[@]}" -Dsun.net.httpserver.nodelay=true -Dsun.net.httpserver.maxIdleConnections=2000 -Djava.io.tmpdir=/tmp \
    -cp "$where/web:$where/web/lib/*" "${program[@]}"
  if [ "$runtime" = before ]; then command[0]=$BEFORE/bin/java; fi
}

# load SERVER PATH PORT SECONDS THINK: the line of load.lua.
load() {
  if [ "$1" = proxy ]; then
    local line
    line=$(timeout -k 1 "$LIMIT" "$OUT/echo-client" "$3" 1000 0 "$4" "$5" 2>> "$OUT/last.err") || return 1
    read -ra line <<< "$line"
    awk -v r="${line[0]}" -v s="$4" -v m="${line[1]}" -v p="${line[2]}" 'BEGIN { printf "%.1f %d %d %d 0\n", r, m, p, r * s }'
  else
    THINK=$5 timeout -k 1 "$LIMIT" wrk -t 1 -c "$CONNECTIONS" --timeout "${LIMIT}s" -d "${4}s" -s "$WEB/load.lua" "http://127.0.0.1:$3/$2" 2>> "$OUT/last.err" | tail -n 1
  fi
}

# measured SERVER PATH PORT PID THINK: "requests/s p99-us user-us system-us switches", the last three for one request.
measured() {
  local before after line
  read -ra before <<< "$(usage "$4")"
  line=$(load "$1" "$2" "$3" "$SECONDS_EACH" "$5") || return 1
  read -ra after <<< "$(usage "$4")"
  read -ra line <<< "$line"
  [ ${#line[@]} = 5 ] && [ "${line[3]}" -gt 0 ] || return 1
  if [ "${line[4]}" != 0 ]; then say "${line[4]} of ${line[3]} requests failed" >> "$OUT/last.err"; return 1; fi
  awk -v n="${line[3]}" -v t=$TICK_US -v r="${line[0]}" -v p="${line[2]}" -v a="${before[*]}" -v b="${after[*]}" 'BEGIN {
    split(a, x, " "); split(b, y, " ")
    printf "%.0f %d %.1f %.1f %.2f\n", r, p, (y[1] - x[1]) * t / n, (y[2] - x[2]) * t / n, (y[3] - x[3]) / n }'
}

# compilers PID: CPU time of the compilers' threads that there are, in milliseconds.
compilers() {
  local task name nanos sum=0
  for task in /proc/"$1"/task/*; do
    { read -r name < "$task/comm" && read -r nanos _ < "$task/schedstat"; } 2>/dev/null || continue
    case $name in 'C1 Comp'*|'C2 Comp'*) sum=$((sum + nanos / 1000000)) ;; esac
  done
  echo $sum
}

# settle SERVER PATH PORT PID SECONDS THINK: the load, until the compilers are done.
settle() {
  local before seconds=3
  load "$1" "$2" "$3" "$5" "$6" > /dev/null || true
  for _ in $(seq "$STEPS"); do
    before=$(compilers "$4")
    load "$1" "$2" "$3" $seconds "$6" > /dev/null || true
    [ $(($(compilers "$4") - before)) -gt $((seconds * COMPILERS * 10)) ] || return 0
  done
}

# The servers of a round: the numbers of their processes, "" if it has failed; their ports; and our ends of their standard inputs. Each
# ends when that is closed. The last of them is the proxy's back end.
pids=() ports=() inputs=()

# new_group NAME: makes a control group whose processes get QUOTA percent of a CPU, and sets `group`.
groups=() group=
new_group() {
  local top=/sys/fs/cgroup
  [ -e $top/cgroup.controllers ] || top=$top/cpu
  group=$top/wisp-bench-$$-$1
  { mkdir "$group" && if [ "${top##*/}" = cpu ]; then echo 100000 > "$group/cpu.cfs_period_us" && echo $((QUOTA * 1000)) > "$group/cpu.cfs_quota_us"
    else echo "$((QUOTA * 1000)) 100000" > "$group/cpu.max"; fi; } 2>> "$OUT/last.err" ||
    { rmdir "$group" 2>/dev/null || true; die "QUOTA=$QUOTA needs the right to make control groups with a CPU quota in $top; run it as root where the controller is mounted, or without QUOTA."; }
  groups+=("$group")
}

# start COMMAND...: one more of them, which prints its port.
start() {
  local i=${#pids[@]} port='' input
  rm -f "$OUT/web.ctl" "$OUT/web.port.$i"; mkfifo "$OUT/web.ctl"
  (
    for input in "${inputs[@]}"; do exec {input}>&-; done
    if [ -n "$group" ]; then echo "$BASHPID" > "$group/cgroup.procs" || exit 1; fi
    exec "$@" < "$OUT/web.ctl" > "$OUT/web.port.$i" 2>> "$OUT/last.err"
  ) &
  pids[i]=$!
  exec {input}> "$OUT/web.ctl"
  inputs[i]=$input
  for _ in $(seq 300); do
    port=$(head -n 1 "$OUT/web.port.$i" 2>/dev/null)
    [ -z "$port" ] || break
    kill -0 "${pids[i]}" 2>/dev/null || break
    sleep 0.1
  done
  ports[i]=$port
}

stop_all() {
  local input
  for input in "${inputs[@]}"; do exec {input}>&-; done
  for _ in $(seq 50); do kill -0 "${pids[@]}" 2>/dev/null || break; sleep 0.1; done
  kill -9 "${pids[@]}" 2>/dev/null || true
  wait "${pids[@]}" 2>/dev/null || true
  [ ${#groups[@]} = 0 ] || rmdir "${groups[@]}" 2>/dev/null || true
  pids=() ports=() inputs=() groups=()
}

# round SERVER PATH MIDDLE SMALL NAME: appends a line to the log for each turn of a runtime: workload, "busy", "middle" or "small", runtime, figures.
round() {
  local server=$1 path=$2 thinks=(0 "$3" "$4") name=$5 command back='' i load seconds turn k figures
  : > "$OUT/last.err"
  if [ "$server" = proxy ]; then
    start "$OUT/web-backend"
    back=${ports[0]}
    local back_pid=${pids[0]} back_input=${inputs[0]}
    pids=() ports=() inputs=()
  fi
  for i in "${!runtimes[@]}"; do
    server_command "${runtimes[i]}" "$server" "$path" "$back"
    [ -z "$QUOTA" ] || new_group "${runtimes[i]}"
    start "${command[@]}"
    group=
  done
  for load in "${!LOADS[@]}"; do
    for seconds in $([ "$load" != 0 ] || echo "$WARM_UP") "$SETTLE"; do
      for i in "${!runtimes[@]}"; do
        [ -z "${ports[i]}" ] || settle "$server" "$path" "${ports[i]}" "${pids[i]}" "$seconds" "${thinks[load]}"
      done
    done
    for turn in $(seq "$TURNS"); do
      for k in "${!runtimes[@]}"; do
        i=$(((k + turn) % ${#runtimes[@]}))           # another one begins in each turn
        figures=
        [ -z "${ports[i]}" ] || figures=$(measured "$server" "$path" "${ports[i]}" "${pids[i]}" "${thinks[load]}") || figures=
        if [ -z "$figures" ]; then
          say "   failed: ${runtimes[i]}, $name, ${LOADS[load]}" >&2; tail -n 3 "$OUT/last.err" | sed 's/^/     /' >&2
          figures='failed failed failed failed failed'
        fi
        printf '%s %s %s %s\n' "$name" "${LOADS[load]}" "${runtimes[i]}" "$figures" >> "$LOG"
      done
    done
  done
  if [ -n "$back" ]; then pids+=("$back_pid") inputs+=("$back_input"); fi
  stop_all
}

# Medians of all turns. "of off": the flag on divided by off; "v/p": JDK 25's virtual threads divided by its platform threads.
show() {
  local kind
  for kind in "${LOADS[@]}"; do
    say
    case $kind in
      busy) say "Every connection busy. Medians of $(awk '$2 == "busy" { n[$1, $3]++ } END { for (k in n) if (n[k] > most) most = n[k]; print most + 0 }' "$LOG") turns; CPU time and context switches of the JVM's process for one request." ;;
      middle) say "The same load on all, about two thirds of what they manage: each connection thinks between two requests (proxy: messages at a fixed rate)." ;;
      small) say "The same with a small load." ;;
    esac
    say
    awk -v kind="$kind" -v runtimes="${runtimes[*]}" "$MEDIAN"'
      $2 == kind { if (!($1 in seen)) { seen[$1] = 1; order[++rows] = $1 }
        for (i = 4; i <= 8; i++) v[$1, $3, i] = v[$1, $3, i] " " $i
        v[$1, $3, 9] = v[$1, $3, 9] " " ($6 == "failed" ? $6 : $6 + $7) }
      function cell(x, f) { return x == "" ? "-" : sprintf(f, x) }
      function of(w, r, f) { return med(v[w, r, f]) }
      END {
        n = split(runtimes, r, " ")
        printf "| workload | threads | requests/s | of off | p99 ms | CPU us | user | system | of off | switches |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        for (i = 1; i <= rows; i++) for (j = 1; j <= n; j++) {
          w = order[i]; t = r[j]; base = t ~ /^jdk25/ ? "jdk25p" : "off"
          printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", w, t, cell(of(w, t, 4), "%.0f"), t == base ? "" : cell(pairs(v[w, t, 4], v[w, base, 4]), "%.2f"),
            of(w, t, 5) == "" ? "-" : sprintf("%.1f", of(w, t, 5) / 1000), cell(of(w, t, 9), "%.1f"), cell(of(w, t, 6), "%.1f"), cell(of(w, t, 7), "%.1f"),
            t == base ? "" : cell(pairs(v[w, t, 9], v[w, base, 9]), "%.2f"), w ~ /^proxy/ && t == base ? "-" : cell(of(w, t, 8), "%.2f")
        }
      }' "$LOG"
  done
  case " ${runtimes[*]} " in *" jdk25v "*) say; say "\"of off\" of jdk25v is its virtual threads divided by its platform threads." ;; esac
}

# The goal: 1.3 times the throughput, or at most 0.77 of the CPU time at the same load, and a 99th percentile that is no worse; and the gain
# that JDK 25 has. 99th percentiles of turns of the same program differ by a tenth, so up to 1.1 times is no worse.
show_goal() {
  say
  say "The goal: 1.3 times the throughput of the flag off, or at most 0.77 of its CPU time at the same load, with a 99th percentile there of at most 1.1"
  say "times, which are the milliseconds; \"later\": it is more at a load where the CPU time would do. The last two columns: where the ratio is at"
  say "least as good as that of JDK 25, virtual threads to platform threads."
  say
  awk "$MEDIAN"'
    { if (!($1 in seen)) { seen[$1] = 1; order[++rows] = $1 }
      bad = $4 == "failed"
      r[$1, $2, $3] = r[$1, $2, $3] " " $4; p[$1, $2, $3] = p[$1, $2, $3] " " (bad ? $5 : $5 / 1000); c[$1, $2, $3] = c[$1, $2, $3] " " (bad ? $6 : $6 + $7) }
    function rounded(x) { return int(100 * x + 0.5) / 100 }
    function cpu(w, k) { return rounded(pairs(c[w, k, "on"], c[w, k, "off"])) }
    function cpu25(w, k) { return rounded(pairs(c[w, k, "jdk25v"], c[w, k, "jdk25p"])) }
    function late(w, k) { return sprintf("%.1f, %.1f, %.1f", med(p[w, k, "on"]), med(p[w, k, "off"]), med(p[w, k, "jdk25v"])) }
    function later(w, k) { return pairs(p[w, k, "on"], p[w, k, "off"]) > 1.1 }
    function which(m, s, none) { return m && s ? "both" : m ? "two thirds" : s ? "small" : none }
    END {
      printf "| workload | throughput, on/off | JDK 25 v/p | CPU at two thirds, on/off | JDK 25 v/p | ms: on, off, JDK 25 v | CPU at the small load, on/off | JDK 25 v/p | ms: on, off, JDK 25 v | goal | gain in throughput | in CPU time |\n"
      printf "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|---|\n"
      for (i = 1; i <= rows; i++) {
        w = order[i]
        g = rounded(pairs(r[w, "busy", "on"], r[w, "busy", "off"])); gv = rounded(pairs(r[w, "busy", "jdk25v"], r[w, "busy", "jdk25p"]))
        m = cpu(w, "middle"); mv = cpu25(w, "middle"); s = cpu(w, "small"); sv = cpu25(w, "small")
        if (g == 0 || gv == 0) continue
        much = g >= 1.3 && !later(w, "busy"); mc = m > 0 && m <= 0.77; sc = s > 0 && s <= 0.77
        goal = which(mc && !later(w, "middle"), sc && !later(w, "small"), "")
        goal = (much ? "throughput" : "") (much && goal != "" ? "; " : "") (goal == "" ? "" : "CPU time, " goal)
        slow = which(mc && later(w, "middle"), sc && later(w, "small"), "")
        printf "| %s | %.2f | %.2f | %.2f | %.2f | %s | %.2f | %.2f | %s | %s | %s | %s |\n", w, g, gv, m, mv, late(w, "middle"), s, sv, late(w, "small"),
          (goal == "" ? "missed" : goal) (slow == "" ? "" : "; later, " slow), (g >= gv ? "reached" : "not reached"), which(m <= mv, s <= sv, "not reached")
      }
    }' "$LOG"
}

# How far apart the JDKs are, and whether that lies in threads: with kernel threads only libraries and compilers differ.
show_absolute() {
  say
  say "Requests a second, every connection busy, divided: coroutines by JDK 25's virtual threads; kernel threads of this JDK by JDK 25's platform"
  say "threads; the first by the second, which is what threads gain in this JDK by what they gain in that one."
  say
  awk "$MEDIAN"'
    $2 == "busy" { if (!($1 in seen)) { seen[$1] = 1; order[++rows] = $1 }; r[$1, $3] = r[$1, $3] " " $4 }
    END {
      printf "| workload | on / JDK 25 virtual | off / JDK 25 platform | the gain, divided |\n|---|---:|---:|---:|\n"
      for (i = 1; i <= rows; i++) {
        w = order[i]; v = pairs(r[w, "on"], r[w, "jdk25v"]); p = pairs(r[w, "off"], r[w, "jdk25p"])
        if (v > 0 && p > 0) printf "| %s | %.2f | %.2f | %.2f |\n", w, v, p, v / p
      }
    }' "$LOG"
}

# A machine without gnuplot still has the tables.
plot() { say; rm -f "$OUT/apps.svg"; "$(dirname "$0")/bench-plot.sh" "$LOG" "$OUT/apps.svg" || true; }

mkdir -p "$OUT"
LOG=$OUT/apps.log
runtimes=()
case ${1:-run} in
  run) ;;
  evaluate)
    [ -s "$LOG" ] || die "there are no runs in build/bench/apps.log yet; run the benchmark first"
    for runtime in off before on jdk25p jdk25v; do
      ! grep -q " $runtime " "$LOG" || runtimes+=("$runtime")
    done
    show; show_goal; show_absolute; plot
    exit 0 ;;
  *) die "unknown argument $1; use evaluate, or none" ;;
esac
RUNTIMES=${RUNTIMES:-$(available)}
read -ra runtimes <<< "$RUNTIMES"
case " $RUNTIMES " in *" before "*) [ -x "${BEFORE:-}/bin/java" ] || die "BEFORE is '${BEFORE:-}', which has no bin/java; name another image of this JDK" ;; esac
: > "$LOG"
trap stop_postgresql EXIT
ulimit -S -n "$(ulimit -H -n)"
prepare_web
start_postgresql $((20 * ${#runtimes[@]} + 20))
JDBC="jdbc:postgresql://127.0.0.1:$PG_PORT/postgres?user=wisp"
describe_machine
[ -z "$QUOTA" ] || say "Each server may use $QUOTA percent of a CPU."
for number in $(seq "$ROUNDS"); do
  phase "round $number of $ROUNDS"
  while read -r name server path middle small <&3; do
    case " ${WORKLOADS:-$name} " in *" $name "*) ;; *) continue ;; esac
    round "$server" "$path" "$middle" "$small" "$name"
  done 3< <(table)
done
show
case " $RUNTIMES " in *" off"*" on "*jdk25p*jdk25v*) show_goal; show_absolute ;; esac
plot
if grep -q failed "$LOG"; then exit 1; fi
