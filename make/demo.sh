#!/usr/bin/env bash
# The first program to look at: PingPong with kernel threads, with coroutines, and with coroutines on one CPU, as a table.
. "$(dirname "$0")/lib.sh"

JDK=$BUILD/$LEVEL/images/jdk
KERNEL_TRIPS=${KERNEL_TRIPS:-100000}      # kernel threads need 10 to 90 seconds per million, so they get fewer and are scaled
WISP_TRIPS=${WISP_TRIPS:-1000000}
classes=$BUILD/demo

mkdir -p "$classes"
[ "$classes/PingPong.class" -nt "$REPO/make/demo/PingPong.java" ] || "$JDK/bin/javac" -d "$classes" "$REPO/make/demo/PingPong.java"

# run TRIPS OPTION...: milliseconds for a million round trips
run() {
  local trips=$1 ms; shift
  ms=$("$JDK/bin/java" "$@" -cp "$classes" PingPong "$trips") || die "PingPong failed with: java $*"
  echo $((ms * 1000000 / trips))
}

row() { printf '   %-74s %9d %9s\n' "$1" "$2" "$3"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f x", a / (b > 0 ? b : 1) }'; }

phase "PingPong: two threads, two LinkedBlockingQueues, milliseconds per 1,000,000 round trips"
say "   Kernel threads first, $KERNEL_TRIPS round trips, scaled: 2 to 15 seconds. The rest takes a few seconds."
kernel=$(run "$KERNEL_TRIPS")
wisp=$(run "$WISP_TRIPS" -XX:+UseWisp2)
single=$(run "$WISP_TRIPS" -XX:+UnlockExperimentalVMOptions -XX:+UseWisp2 -XX:ActiveProcessorCount=1)
say
printf '   %-74s %9s %9s\n' "java ..." "ms" "faster"
row "(kernel threads)" "$kernel" "1.0 x"
row "-XX:+UseWisp2" "$wisp" "$(ratio "$kernel" "$wisp")"
row "-XX:+UnlockExperimentalVMOptions -XX:+UseWisp2 -XX:ActiveProcessorCount=1" "$single" "$(ratio "$kernel" "$single")"
say
say "   Try it: build/$LEVEL/images/jdk/bin/java -XX:+UseWisp2 -jar your.jar     (doc/user-guide.md)"
