#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures threads that use files, which rest on hand-off: with the flag, without it, and the same operations through io_uring by a C
# program; defends the table "Files" of doc/performance.md and that io_uring is left out.
#
#   make/bench-files.sh           the same as `make bench-files`
#
# Environment: JDK (default: the image of this tree), ROUNDS (default 5), SECONDS_EACH (default 3), FILES (a directory on the disk that is
# meant; default: in build). Each round takes all combinations once.
. "$(dirname "$0")/bench-lib.sh"

ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-3}
FILES=${FILES:-$OUT/files}
CLASSES=$OUT/files-classes
SOURCES=$REPO/test/micro/files
BIG_MB=256

[ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
[ $# = 0 ] || { sed -n 's/^#   make/make/p' "$0" >&2; die "unknown part: $1"; }
mkdir -p "$CLASSES" "$FILES" || die "FILES=$FILES: no directory can be made there; name one on a disk with 1 GB of space."
trap 'rm -rf "$FILES"/own* "$FILES/big"' EXIT
"$BENCH_JDK/bin/javac" -d "$CLASSES" "$SOURCES/FileLoad.java" || die "FileLoad.java does not compile."
gcc -O2 -Wall -o "$CLASSES/ring" "$SOURCES/ring.c" || die "ring.c does not compile."
head -c "$((BIG_MB << 20))" /dev/urandom > "$FILES/big" || die "FILES=$FILES: $BIG_MB MB do not fit; name a directory on a disk with 1 GB of space."

load() { # load OPERATION THREADS OPTION
  limited "$BENCH_JDK/bin/java" "${gc_options[@]}" "$3" -cp "$CLASSES" FileLoad "$1" "$2" "$SECONDS_EACH" "$FILES"
}

describe_machine
combinations='force/1 force/8 force/64 direct/1 direct/8 direct/64 cached/1 cached/64 append/1 append/64
  served-force/8 served-force/64 served-direct/8 served-direct/64 served-cached/64'
declare -A rate late
for ((i = 0; i < ROUNDS; i++)); do
  for c in $combinations; do
    operation=${c%/*} threads=${c#*/}
    for kind in off on; do
      line=$(load "$operation" "$threads" "$([ $kind = on ] && echo -XX:+UseWisp2 || echo -XX:-UseWisp2)") ||
        { tail -n 3 "$OUT/last.err" >&2; die "FileLoad $operation failed."; }
      rate[$c/$kind]+=" ${line% *}" late[$c/$kind]+=" ${line#* }"
    done
    [ "${c#served}" = "$c" ] || continue
    status=0
    line=$(limited "$CLASSES/ring" "$operation" "$threads" "$SECONDS_EACH" "$FILES") || status=$?
    case $status in
      0) rate[$c/ring]+=" $line" ;;
      2) rate[$c/ring]+=" failed" ;;      # the kernel does not allow it
      *) tail -n 3 "$OUT/last.err" >&2; die "ring $operation failed." ;;
    esac
  done
done

say "| operation | threads | off, operations/s | on | io_uring, one thread in C | on/off | on/io_uring | off, late 99 us | on |"
say "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
# shellcheck disable=SC2086
for c in $combinations; do
  off=$(median ${rate[$c/off]}) on=$(median ${rate[$c/on]}) ring=- part=-
  [ -z "${rate[$c/ring]:-}" ] || { ring=$(median ${rate[$c/ring]}); part=$(ratio "$on" "$ring"); }
  say "| ${c%/*} | ${c#*/} | $off | $on | $ring | $(ratio "$on" "$off") | $part | $(median ${late[$c/off]}) | $(median ${late[$c/on]}) |"
done
