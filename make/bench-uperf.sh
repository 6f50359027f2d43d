#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures UPerf, the test of RPCs that JGroups brings along: a VM for each of four members on the loopback interface, in each of them
# many threads that call get() on one member or put() on two (8 to 2), over UDP multicast and over TCP. This JDK with kernel threads and
# with coroutines, JDK 25 with platform and with virtual threads, for the senders and for JGroups' own threads. It defends the table of
# UPerf in doc/performance.md: over UDP coroutines gain at least what JDK 25's virtual threads gain over this JDK with the flag off.
#
#   make/bench-uperf.sh             the same as `make bench-uperf`; medians and ratios last
#
# Each run starts the members, lets UPerf's test run WARM_UPS times, and once more, which is measured. CPU time is that of the members'
# processes. Rejected: all members in one VM, where they share the carriers and the compilers' work, and calls are the same objects.
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 5), PROTOCOLS (default "udp tcp"), MEMBERS (default 4), SENDERS
# (threads of each member, default 100, as UPerf), SIZE (bytes of a value, default 1000, as UPerf), SECONDS_EACH (default 10) of each test,
# WARM_UPS (default 2), CARRIERS (default: the CPUs), RUNTIMES (default "off on jdk25p jdk25v", of which those that are there are taken),
# ASYNC (true or false: responses are handled by a thread of the pool; default: what UPerf does, true on 11 and false on 25, which has
# virtual threads), GC_OPTIONS (default: ParallelGC, 512 MB for each member), PEERS_DIR.
# JGroups comes from Maven Central, through mvn as this user has configured it.
# Exit status 1: a run failed, or the target is missed.
GC_OPTIONS=${GC_OPTIONS:--XX:+UseParallelGC -Xms512m -Xmx512m}
. "$(dirname "$0")/bench-lib.sh"

ROUNDS=${ROUNDS:-5}
PROTOCOLS=${PROTOCOLS:-udp tcp}
MEMBERS=${MEMBERS:-4}
SENDERS=${SENDERS:-100}
SIZE=${SIZE:-1000}
SECONDS_EACH=${SECONDS_EACH:-10}
WARM_UPS=${WARM_UPS:-2}
CARRIERS=${CARRIERS:-$(nproc)}
ASYNC=${ASYNC:-}
WORK=$OUT/uperf                                   # logs of the members
PORT=$((20000 + $$ % 20000))
pids=()

check_settings() {
  local p
  for p in $PROTOCOLS; do case $p in udp|tcp) ;; *) die "PROTOCOLS=$PROTOCOLS: there is no $p; use udp or tcp, or both" ;; esac; done
  case $ASYNC in ''|true|false) ;; *) die "ASYNC=$ASYNC is neither true nor false; leave it out for what UPerf does" ;; esac
  [ "$MEMBERS" -ge 2 ] || die "MEMBERS=$MEMBERS: a call needs another member; give at least 2"
}

# JGroups' own configurations, and in them one more attribute, which its transport has: virtual threads or not.
prepare_uperf() {
  local dir=$OUT/classes/uperf p jar                # below the folder that JDK 25 sees
  prepare_programs
  fetch_jars "$REPO/test/apps/uperf/pom.xml" "$dir/lib"
  jar=$(echo "$dir"/lib/jgroups-*.jar)
  for p in udp tcp; do
    (cd "$dir" && "$BENCH_JDK/bin/jar" xf "$jar" "$p.xml") || die "there is no $p.xml in $jar; delete build/bench/classes/uperf and try again"
    # shellcheck disable=SC2016
    sed -i 's/^\( *\)thread_pool.min_threads=/\1use_virtual_threads="${uperf.virtual:false}"\n&/' "$dir/$p.xml"
    grep -q uperf.virtual "$dir/$p.xml" || die "$p.xml of ${jar##*/} has no thread_pool.min_threads; adapt make/bench-uperf.sh to this JGroups"
  done
}

available() {
  if have_jdk25; then echo 'off on jdk25p jdk25v'
  else say "JDK 25 is not prepared (make/bench-peers.sh setup) and left out." >&2; echo 'off on'; fi
}

# member_command RUNTIME PROTOCOL NUMBER: sets `command`.
member_command() {
  local virtual=false jdk=$1 where=$OUT/classes async=true
  case $1 in
    off|on) ;;
    jdk25p) jdk=jdk25 where=/bench async=false ;;
    jdk25v) jdk=jdk25 where=/bench async=false virtual=true ;;
    *) die "unknown runtime $1; use off, on, jdk25p or jdk25v" ;;
  esac
  command_for "$jdk" "$CARRIERS" -Djava.net.preferIPv4Stack=true -Djava.io.tmpdir=/tmp -Djgroups.bind_addr=127.0.0.1 \
    -Djgroups.udp.mcast_port=$((PORT + 1000)) "-Djgroups.tcpping.initial_hosts=127.0.0.1[$PORT]" -Duperf.virtual=$virtual \
    -cp "$where/uperf/lib/*" org.jgroups.tests.perf.UPerf -props "$where/uperf/$2.xml" -name "M$3" -port $((PORT + $3)) \
    -time "$SECONDS_EACH" -size "$SIZE" -threads "$SENDERS" -use_virtual_threads $virtual -async_rsp_handling "${ASYNC:-$async}"
  if [ "$3" -gt 0 ]; then command+=(-nohup); fi
}

# healthy: each member that was started runs, and none has written an exception. What is wrong goes to last.err.
healthy() {
  local m
  for m in "${!pids[@]}"; do
    kill -0 "${pids[$m]}" 2>/dev/null || { say "M$m ended: $(tail -n 1 "$WORK/M$m")" >> "$OUT/last.err"; return 1; }
  done
  ! (cd "$WORK" && grep -E '\b[A-Za-z]+(Exception|Error)\b' M*) >> "$OUT/last.err"
}

# await COUNT TEXT MEMBER...: until each of these has written the text so often. Fails when a member is not healthy, or at the time limit.
await() {
  local count=$1 text=$2 m n naps=$((LIMIT * 10)); shift 2
  for m in "$@"; do
    while n=$(grep -cF -- "$text" "$WORK/M$m") || true; [ "$n" -lt "$count" ]; do
      healthy || return 1
      naps=$((naps - 1))
      [ $naps -gt 0 ] || { say "M$m has not written \"$text\" for $LIMIT seconds" >> "$OUT/last.err"; return 1; }
      sleep 0.1
    done
  done
}

start_members() {
  local i command
  rm -rf "$WORK"; mkdir -p "$WORK"
  mkfifo "$WORK/keys"
  PORT=$((PORT + 10)) pids=()
  for ((i = 0; i < MEMBERS; i++)); do
    member_command "$1" "$2" $i
    if [ $i = 0 ]; then "${command[@]}" < "$WORK/keys" > "$WORK/M0" 2>&1 & pids+=($!); exec 8> "$WORK/keys"
    else "${command[@]}" < /dev/null > "$WORK/M$i" 2>&1 8>&- & pids+=($!)
    fi
    # shellcheck disable=SC2046
    await 1 "] ($((i + 1))) [" $(seq 0 $i) || return 1
  done
}

end_members() {
  exec 8>&-
  [ ${#pids[@]} = 0 ] || { kill -9 "${pids[@]}" 2>/dev/null || true; wait "${pids[@]}" 2>/dev/null || true; }
  pids=()
}

# test_run NUMBER: UPerf's test by its key. It throws away keys that came before its menu.
test_run() {
  # shellcheck disable=SC2046
  await "$1" '[1] Start test' 0 && sleep 0.5 && echo 1 >&8 && await "$1" 'Throughput:' 0 && await "$1" 'done (in' $(seq 0 $((MEMBERS - 1)))
}

all_usage() { local p; for p in "${pids[@]}"; do usage "$p"; done | awk '{ u += $1; s += $2 } END { print u, s }'; }

# measured: "requests/s of a member, CPU us of a request, user, system, us of a get, of a put".
measured() {
  local before after tries
  for tries in 1 2 3; do
    before=$(all_usage)
    test_run $((WARM_UPS + tries)) || return 1
    after=$(all_usage)
    # UPerf waits for the results of the members for 1.2 times the length of the test: with fewer of them it is run again.
    awk -v members="$MEMBERS" -v t=$TICK_US -v a="$before" -v b="$after" '
      { gsub(/[,()]/, "") }
      /= Results:/ { n = 0; requests = 0 }
      /^M[0-9]+: .* reqs\/sec/ { n++; requests += $4 + $6 }
      /Throughput:/ { sub(/.*Throughput: */, ""); rate = $1 + 0 }
      /^Roundtrip:/ { for (i = 1; i <= NF; i++) if ($i == "=") rtt[++k % 2] = $(i + 1) }
      END {
        split(a, x, " "); split(b, y, " ")
        if (n != members || requests == 0) exit 1
        u = (y[1] - x[1]) * t / requests; s = (y[2] - x[2]) * t / requests
        printf "%.0f %.1f %.1f %.1f %.0f %.0f\n", rate, u + s, u, s, rtt[1], rtt[0]
      }' "$WORK/M0" && return
  done
  say "results of fewer than $MEMBERS members, three times" >> "$OUT/last.err"
  return 1
}

# run RUNTIME PROTOCOL: appends a line to the log.
run() {
  local line='' i
  : > "$OUT/last.err"
  if start_members "$1" "$2"; then
    for ((i = 1; i <= WARM_UPS; i++)); do test_run $i || break; done
    if [ $i -gt "$WARM_UPS" ]; then line=$(measured) && healthy || line=; fi
  fi
  end_members
  if [ -z "$line" ]; then
    say "   failed: $1 over $2; logs in build/bench/uperf-failed" >&2; tail -n 3 "$OUT/last.err" | sed 's/^/     /' >&2
    rm -rf "$WORK-failed"; mv "$WORK" "$WORK-failed"
    line='failed failed failed failed failed failed'
  fi
  printf '%s %s %s\n' "$2" "$1" "$line" >> "$LOG"
}

of() { awk -v p="$1" -v r="$2" -v f="$3" '$1 == p && $2 == r { print $f }' "$LOG"; }
med() { local v; mapfile -t v < <(of "$1" "$2" "$3"); if [ ${#v[@]} = 0 ]; then echo failed; else median "${v[@]}"; fi; }

# row PROTOCOL RUNTIME: a line of the first table.
row() {
  local base='' cells=() f v
  case $2 in on) base=off ;; jdk25v) base=jdk25p ;; esac
  for f in 3 4 5 6 7 8; do
    v=$(med "$1" "$2" $f)
    case $v:$f in failed:*) v=- ;; *:[456]) v=$(printf '%.1f' "$v") ;; *) v=$(printf '%.0f' "$v") ;; esac
    cells+=("$v")
    case $f in 3) cells+=("${base:+$(ratio "$(med "$1" "$2" 3)" "$(med "$1" "$base" 3)")}") ;; 6) cells+=("${base:+$(ratio "$(med "$1" "$2" 4)" "$(med "$1" "$base" 4)")}") ;; esac
  done
  say "| $1 | $2 |$(printf ' %s |' "${cells[@]}")"
}

# quotient PROTOCOL RUNTIME RUNTIME: of the medians, and the smallest and the largest of those of each round.
quotient() {
  local q low high
  q=$(ratio "$(med "$1" "$2" 3)" "$(med "$1" "$3" 3)")
  [ "$q" != failed ] || { echo "not measured"; return; }
  read -r low high <<< "$(paste -d ' ' <(of "$1" "$2" 3) <(of "$1" "$3" 3) | awk 'NF == 2 && !/failed/ { q = $1 / $2; if (!n++ || q < l) l = q; if (q > h) h = q } END { printf "%.2f %.2f\n", l, h }')"
  echo "$q ($low to $high)"
}

show() {
  local p r target on virtual verdict missed=0
  say
  say "UPerf, $MEMBERS members with $SENDERS senders each, values of $SIZE bytes; medians of $ROUNDS interleaved rounds. CPU time of the members for one request,"
  say "the time of a get and of a put. \"of off\" of jdk25v is its virtual threads divided by its platform threads."
  say
  say "| protocol | threads | requests/s of a member | of off | CPU us | user | system | of off | get us | put us |"
  say "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
  for p in $PROTOCOLS; do
    for r in "${runtimes[@]}"; do row "$p" "$r"; done
  done
  say
  say "Requests per second, divided; in brackets the smallest and the largest of one round."
  say
  say "| protocol | on / off | JDK 25 virtual / platform | JDK 25 virtual / off | JDK 25 platform / off | on / JDK 25 virtual |"
  say "|---|---:|---:|---:|---:|---:|"
  for p in $PROTOCOLS; do
    say "| $p | $(quotient "$p" on off) | $(quotient "$p" jdk25v jdk25p) | $(quotient "$p" jdk25v off) | $(quotient "$p" jdk25p off) | $(quotient "$p" on jdk25v) |"
  done
  say
  for p in $PROTOCOLS; do
    on=$(ratio "$(med "$p" on 3)" "$(med "$p" off 3)" 3) virtual=$(ratio "$(med "$p" jdk25v 3)" "$(med "$p" off 3)" 3)
    target="on / off at least JDK 25 virtual / off"
    if [ "$on" = failed ] || [ "$virtual" = failed ]; then verdict="not measured"
    elif awk -v a="$on" -v b="$virtual" 'BEGIN { exit !(a >= b) }'; then verdict="$on, $virtual: met"
    else verdict="$on, $virtual: MISSED"; [ "$p" != udp ] || missed=1
    fi
    [ "$p" = udp ] || verdict+=" (no target, for comparison)"
    say "$p, $target: $verdict"
  done
  return $missed
}

check_settings
RUNTIMES=${RUNTIMES:-$(available)}
read -ra runtimes <<< "$RUNTIMES"
case " $RUNTIMES " in *" jdk25"*) need_jdk25 ;; esac
mkdir -p "$OUT"
LOG=$OUT/uperf.log
trap end_members EXIT
prepare_uperf
describe_machine
: > "$LOG"
for round in $(seq "$ROUNDS"); do
  phase "round $round of $ROUNDS"
  for p in $PROTOCOLS; do
    for i in "${!runtimes[@]}"; do
      run "${runtimes[$(((i + round) % ${#runtimes[@]}))]}" "$p"      # another one begins in each round
    done
  done
done
status=0
show || status=1
if grep -q failed "$LOG"; then status=1; fi
exit $status
