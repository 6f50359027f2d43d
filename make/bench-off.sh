#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures what the patches cost with the flag off: ordinary programs on this JDK and on a JDK built from the unpatched source, in pairs.
# It defends "off means stock": the upper end of the 95% interval of the ratio of times is at most 1.01.
#
#   make/bench-off.sh               $PAIRS pairs (default 30, at least 20); the same as `make bench-off`
#   make/bench-off.sh pristine      builds the unpatched JDK in build/pristine with the options of this one (about 15 minutes)
#   make/bench-off.sh control       the unpatched JDK against itself: how wide the interval is when there is no difference
#
# Environment: JDK (default: the image of this tree), PRISTINE (default: build/pristine/images/jdk, built when missing), PAIRS,
# SECONDS_EACH (default 2: time for one workload in one run), WORKLOADS (some of those below), GC_OPTIONS, LIMIT_RATIO (default 1.01).
# Exit status 1: the interval reaches above the limit.
. "$(dirname "$0")/bench-lib.sh"

PAIRS=${PAIRS:-30}
SECONDS_EACH=${SECONDS_EACH:-2}
LIMIT_RATIO=${LIMIT_RATIO:-1.01}
PRISTINE=${PRISTINE:-$BUILD/pristine/images/jdk}
CLASSES=$OUT/off-classes
SOURCES=$OUT/off-src
# Those that hand over between threads run on one CPU: waking another CPU takes long and varies by more than the rest costs.
WORKLOADS=${WORKLOADS:-compute allocate uncontended contended:1 hand-off:1 wait-notify:1 threads:1 pool:1 startup javac}

# A second work tree of build/src at upstream's tag, configured like this image, without the overlay.
pristine() {
  local to=$BUILD/pristine src=$BUILD/pristine-src line options log=$OUT/pristine.log
  [ -f "$BUILD/$LEVEL/spec.gmk" ] || die "there is no build to take the options from; run: make images"
  mkdir -p "$to" "$OUT"
  if [ ! -d "$src" ]; then
    phase "unpack the unpatched source"
    rm -rf "$src.new"; mkdir -p "$src.new"
    git -C "$SRC" archive upstream | tar -C "$src.new" -xf -
    mv "$src.new" "$src"
  fi
  line=$(sed -n 's/^CONFIGURE_COMMAND_LINE *:= *//p' "$BUILD/$LEVEL/spec.gmk")
  eval "options=($line)"
  phase "build the unpatched JDK in build/pristine"
  if [ ! -f "$to/spec.gmk" ]; then
    (cd "$to" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u LEVEL bash "$src/configure" "${options[@]}" 9>&-) > "$log" 2>&1 || die "configure failed, see build/bench/pristine.log"
  fi
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u LEVEL make -C "$to" images 9>&- >> "$log" 2>&1 || die "the build failed, see build/bench/pristine.log"
}

prepare() {
  [ -x "$BENCH_JDK/bin/java" ] || die "there is no JDK in $BENCH_JDK; run: make images, or give one with JDK=PATH"
  if [ ! -x "$PRISTINE/bin/java" ]; then
    [ "$PRISTINE" = "$BUILD/pristine/images/jdk" ] || die "there is no JDK in PRISTINE=$PRISTINE."
    pristine
  fi
  mkdir -p "$CLASSES" "$OUT/off-javac"
  [ "$CLASSES/OffBench.class" -nt "$REPO/test/micro/off/OffBench.java" ] || "$PRISTINE/bin/javac" -d "$CLASSES" -sourcepath "$REPO/test/micro/lib" "$REPO/test/micro/off/OffBench.java" ||
    die "OffBench does not compile."
  # Both JDKs compile the same sources: those of the unpatched one.
  if [ ! -d "$SOURCES/java.base/java/util/concurrent" ]; then
    mkdir -p "$SOURCES"
    (cd "$SOURCES" && "$PRISTINE/bin/jar" xf "$PRISTINE/lib/src.zip" java.base/java/util/concurrent)
  fi
}

# copy_jdk FROM TO: a fresh copy of what runs. The pages of a file that was just written lie differently in memory than those of one that a
# linker wrote an hour ago, and the same JDK runs by up to 4% differently from the two.
copy_jdk() {
  rm -rf "$2"; mkdir -p "$2"
  tar -C "$1" --exclude=./jmods --exclude=./lib/src.zip --exclude=./demo -cf - . | tar -C "$2" -xf -
}

# one JDK WORKLOAD[:1]: milliseconds.
one() {
  local jdk=$1 name=${2%:*} prefix=()
  if [ "$2" != "$name" ]; then prefix=(taskset -c 0); fi
  limited "${prefix[@]}" "$jdk/bin/java" "${gc_options[@]}" "-Dsources=$SOURCES/java.base" "-Doutput=$OUT/off-javac" \
    -cp "$CLASSES" OffBench "$name" "$SECONDS_EACH" || { tail -n 3 "$OUT/last.err" >&2; die "$name failed on $jdk"; }
}

# pairs LEFT-JDK RIGHT-JDK: for each pair and workload both JDKs one after the other, the first one changes.
pairs() {
  local left=$OUT/off-left right=$OUT/off-right log=$OUT/off.tsv p w a b
  [ "$PAIRS" -ge 2 ] || die "PAIRS=$PAIRS: an interval needs at least 2, and a claim at least 20."
  copy_jdk "$1" "$left"
  copy_jdk "$2" "$right"
  describe_machine
  : > "$log"
  for p in $(seq "$PAIRS"); do
    phase "pair $p of $PAIRS"
    for w in $WORKLOADS; do
      if [ $((p % 2)) = 1 ]; then a=$(one "$left" "$w"); b=$(one "$right" "$w"); else b=$(one "$right" "$w"); a=$(one "$left" "$w"); fi
      printf '%s\t%s\t%s\t%s\n' "$p" "${w%:*}" "$a" "$b" >> "$log"
    done
  done
  evaluate "$log"
}

evaluate() { evaluate_pairs "$1" "$LIMIT_RATIO" "ms" "ms stock" "flag off / unpatched build"; }

case ${1:-} in
  '') prepare; pairs "$BENCH_JDK" "$PRISTINE" ;;
  control) prepare; pairs "$PRISTINE" "$PRISTINE" ;;
  pristine) pristine ;;
  evaluate) evaluate "$OUT/off.tsv" ;;
  *) sed -n '4,15p' "$0" | sed 's/^# \{0,1\}//'; exit 2 ;;
esac
