#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures a blocking echo server with one thread for each connection: this JDK with kernel threads and with coroutines, JDK 25 with
# platform and with virtual threads, Go with goroutines. The client is a process of its own on the same machine. It defends the table of
# the echo server in doc/performance.md.
#
#   make/bench-echo.sh              the same as `make bench-echo`; medians and ratios last
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 5), CONNECTIONS (default "100 1000 10000"), SECONDS_EACH (default 5)
# and WARM_UP (default 3) of each run, RATE (messages per second for the latency, default 10000), CARRIERS (default: the CPUs),
# RUNTIMES (default "off on jdk25p jdk25v go", of which those that are there are taken), GC_OPTIONS, PEERS_DIR.
. "$(dirname "$0")/bench-lib.sh"

ECHO=$REPO/test/micro/echo
ROUNDS=${ROUNDS:-5}
CONNECTIONS=${CONNECTIONS:-100 1000 10000}
SECONDS_EACH=${SECONDS_EACH:-5}
WARM_UP=${WARM_UP:-3}
RATE=${RATE:-10000}
CARRIERS=${CARRIERS:-$(nproc)}

prepare_echo() {
  prepare_programs
  [ "$OUT/echo-client" -nt "$ECHO/client.c" ] || gcc -O2 -Wall -o "$OUT/echo-client" "$ECHO/client.c" || die "the client does not compile."
  case " $RUNTIMES " in *" go "*)
    [ "$OUT/echo-go" -nt "$ECHO/server.go" ] || go build -o "$OUT/echo-go" "$ECHO/server.go" || die "the Go server does not compile." ;;
  esac
}

available() {
  local all='off on'
  if have_jdk25; then all+=' jdk25p jdk25v'; else say "JDK 25 is not prepared (make/bench-peers.sh setup) and left out." >&2; fi
  if command -v go >/dev/null; then all+=' go'; else say "There is no Go; left out." >&2; fi
  echo "$all"
}

# Both ends have a descriptor for each connection, in processes of their own.
check_limits() {
  local c most=0 hard
  for c in $CONNECTIONS; do if [ "$c" -gt "$most" ]; then most=$c; fi; done
  hard=$(ulimit -H -n)
  if [ "$hard" != unlimited ] && [ "$hard" -lt $((most + 200)) ]; then
    die "RLIMIT_NOFILE is $hard, $most connections need $((most + 200)); raise it: ulimit -n $((most + 200)), as root."
  fi
  ulimit -S -n "$hard"
}

server_for() {
  case $1 in
    off) command_for off "$CARRIERS" EchoServer plain ;;
    on) command_for on "$CARRIERS" EchoServer plain ;;
    jdk25p) command_for jdk25 "$CARRIERS" EchoServer plain ;;
    jdk25v) command_for jdk25 "$CARRIERS" EchoServer virtual ;;
    go) command=(env "GOMAXPROCS=$CARRIERS" "$OUT/echo-go") ;;
    *) die "unknown runtime $1" ;;
  esac
}

# CPU time of a process so far, microseconds.
cpu_time() { awk -v tick="$TICK_US" '{ sub(/.*\) /, ""); print ($12 + $13) * tick }' "/proc/$1/stat"; }

# run RUNTIME CONNECTIONS: throughput, then p99 and the server's CPU time of a message, both in us, at the rate; three times "failed" after
# a message.
run() {
  local runtime=$1 n=$2 command port='' fast='' steady='' i server before cpu=0
  server_for "$runtime"
  rm -f "$OUT/echo.ctl"; mkfifo "$OUT/echo.ctl"
  "${command[@]}" < "$OUT/echo.ctl" > "$OUT/echo.port" 2> "$OUT/last.err" & server=$!
  exec 8> "$OUT/echo.ctl"
  for i in $(seq 200); do
    port=$(head -n 1 "$OUT/echo.port")
    [ -z "$port" ] || break
    sleep 0.1
  done
  if [ -n "$port" ]; then
    fast=$(timeout -k 1 "$LIMIT" "$OUT/echo-client" "$port" "$n" "$WARM_UP" "$SECONDS_EACH" 0 2>> "$OUT/last.err") || fast=
    before=$(cpu_time "$server")
    steady=$(timeout -k 1 "$LIMIT" "$OUT/echo-client" "$port" "$n" 1 "$SECONDS_EACH" "$RATE" 2>> "$OUT/last.err") || steady=
    cpu=$(awk -v b="$before" -v a="$(cpu_time "$server")" -v n=$((RATE * (SECONDS_EACH + 1))) 'BEGIN { printf "%.1f", (a - b) / n }')
  fi
  exec 8>&-
  for i in $(seq 50); do kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
  kill -9 "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  if [ -z "$fast" ] || [ -z "$steady" ]; then
    say "   failed: $runtime with $n connections" >&2; tail -n 3 "$OUT/last.err" | sed 's/^/     /' >&2
    echo "failed failed failed"
  else
    read -ra fast <<< "$fast"; read -ra steady <<< "$steady"
    echo "${fast[0]} ${steady[2]} $cpu"
  fi
}

of() { awk -F'\t' -v n="$1" -v r="$2" -v f="$3" '$1 == n && $2 == r { print $f }' "$LOG"; }
med() { local v; mapfile -t v < <(of "$1" "$2" "$3"); if [ ${#v[@]} = 0 ]; then echo failed; else median "${v[@]}"; fi; }

show() {
  local n r line
  say
  say "Echo of 64 bytes, one thread for each connection; medians of $ROUNDS interleaved rounds. Messages per second with every connection"
  say "busy, and, in brackets, the 99th percentile of the latency and the CPU time of the server for a message, in us, at $RATE messages"
  say "per second."
  say
  say "| connections |$(printf ' %s |' "${runtimes[@]}") on/off | jdk25 v/p | on/go |"
  say "|---:|$(printf -- '---:|%.0s' "${runtimes[@]}")---:|---:|---:|"
  for n in $CONNECTIONS; do
    line="| $n |"
    for r in "${runtimes[@]}"; do line+=" $(printf '%.0f' "$(med "$n" "$r" 3)" 2>/dev/null) ($(med "$n" "$r" 4), $(med "$n" "$r" 5)) |"; done
    say "$line $(ratio "$(med "$n" on 3)" "$(med "$n" off 3)") | $(ratio "$(med "$n" jdk25v 3)" "$(med "$n" jdk25p 3)") | $(ratio "$(med "$n" on 3)" "$(med "$n" go 3)") |"
  done
}

RUNTIMES=${RUNTIMES:-$(available)}
read -ra runtimes <<< "$RUNTIMES"
LOG=$OUT/echo.tsv
mkdir -p "$OUT"
check_limits
prepare_echo
describe_machine
: > "$LOG"
for round in $(seq "$ROUNDS"); do
  phase "round $round of $ROUNDS"
  for n in $CONNECTIONS; do
    for i in "${!runtimes[@]}"; do
      runtime=${runtimes[$(((i + round) % ${#runtimes[@]}))]}          # another one begins in each round
      read -r messages p99 cpu <<< "$(run "$runtime" "$n")"
      printf '%s\t%s\t%s\t%s\t%s\n' "$n" "$runtime" "$messages" "$p99" "$cpu" >> "$LOG"
    done
  done
done
show
if grep -q failed "$LOG"; then exit 1; fi
