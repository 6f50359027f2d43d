#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures what the kernel takes for requests of twenty queries each to a PostgreSQL on this machine, by a C program that does nothing
# else: a thread for each connection, one or two threads that wait by epoll, one or two that send and receive by io_uring. At the two loads
# of the workloads with twenty queries in `make bench-apps`. It defends what doc/performance.md says is possible there.
#
#   make/bench-queries.sh           the same as `make bench-queries`; medians and ratios last
#
# Environment: ROUNDS (default 5, by turns), SECONDS_EACH (default 3), LOADS (requests per second, default "1850 610").
. "$(dirname "$0")/bench-lib.sh"

ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-3}
LOADS=${LOADS:-1850 610}
ways=(threads epoll1 epoll2 ring1 ring2)

[ $# = 0 ] || { sed -n 's/^#   make/make/p' "$0" >&2; die "unknown part: $1"; }
mkdir -p "$OUT"
gcc -O2 -Wall -o "$OUT/queries" "$REPO/test/micro/queries/queries.c" -lm -lpthread || die "queries.c does not compile."
trap stop_postgresql EXIT
start_postgresql 60
describe_machine
declare -A rate cpu of user system switches
for ((round = 0; round < ROUNDS; round++)); do
  for load in $LOADS; do
    base=
    for way in "${ways[@]}"; do
      status=0
      line=$(limited "$OUT/queries" "$way" "$PG_PORT" "$load" "$SECONDS_EACH") || status=$?
      case $status in
        0) ;;
        2) continue ;;                    # the kernel does not allow it
        *) tail -n 3 "$OUT/last.err" >&2; die "queries $way failed." ;;
      esac
      read -r r u s n <<< "$line"
      sum=$(awk -v u="$u" -v s="$s" 'BEGIN { print u + s }')
      [ "$way" != threads ] || base=$sum
      k=$load/$way
      rate[$k]+=" $r" cpu[$k]+=" $sum" user[$k]+=" $u" system[$k]+=" $s" switches[$k]+=" $n" of[$k]+=" $(ratio "$sum" "$base" 3)"
    done
  done
done
say
say "CPU time and context switches of the process for a request of 20 queries; \"of threads\": the median of the ratios of neighbours."
say
say "| offered, requests/s | way to wait | requests/s | CPU us | user | system | switches | of threads |"
say "|---:|---|---:|---:|---:|---:|---:|---:|"
# shellcheck disable=SC2086
for load in $LOADS; do
  for way in "${ways[@]}"; do
    k=$load/$way
    [ -n "${rate[$k]:-}" ] || { say "| $load | $way | not allowed by this kernel | | | | | |"; continue; }
    say "| $load | $way | $(median ${rate[$k]}) | $(median ${cpu[$k]}) | $(median ${user[$k]}) | $(median ${system[$k]}) | $(median ${switches[$k]}) | $(ratio "$(median ${of[$k]})" 1 2) |"
  done
done
