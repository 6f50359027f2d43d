#!/usr/bin/env bash
# dist: the JDK without symbols, the symbols at the same paths, the complete source, checksums; and the same bytes when it is made again.
# The image and its symbols are stand-ins: what LEVEL=dist builds differs from the image of the other tests by its symbols only.
. "$(dirname "$0")/lib.sh"

copy=$WORK/$PROJECT_ID
mkdir -p "$copy/build/dist/images/jdk/lib/server" "$copy/build/dist/support/modules_libs/java.base/server" "$copy/build/dist/support/modules_cmds/java.base"
(cd "$REPO" && { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; }) |
  (cd "$REPO" && xargs -0 -I{} sh -c '[ ! -e "$1" ] || printf "%s\0" "$1"' _ {}) | tar -C "$REPO" --null -T - -cf - | tar -C "$copy" -xf -
ln -s "$BUILD/src" "$copy/build/src"
for d in "$REPO"/../*/distfiles "$BUILD/distfiles"; do
  if [ -d "$d" ]; then mkdir -p "$copy/build/distfiles"; cp -s "$(cd "$d" && pwd -P)"/*.tar* "$copy/build/distfiles/" 2>/dev/null || true; fi
done
image=$copy/build/dist/images/jdk
cp -a "$JDK/release" "$JDK/conf" "$image/"
mkdir "$image/bin"; cp "$JDK/bin/java" "$image/bin/"; echo library > "$image/lib/server/libjvm.so"
echo inside > "$image/lib/libjava.debuginfo"
echo outside > "$copy/build/dist/support/modules_libs/java.base/server/libjvm.debuginfo"
echo command > "$copy/build/dist/support/modules_cmds/java.base/java.debuginfo"

dist() { (cd "$copy" && LEVEL=dist make/dist.sh) > "$WORK/log" 2>&1 || fail "make/dist.sh: $(tail -n 3 "$WORK/log")"; }
dist
out=$copy/build/bundles
sums=$(cat "$out/SHA256SUMS")
(cd "$out" && sha256sum --quiet -c SHA256SUMS) || fail "checksums"
[ "$(wc -l <<< "$sums")" = 3 ] || fail "three files expected: $sums"

list() { tar -tzf "$out"/*-"$1".tar.gz; }
jdk=$(list linux-x64)
expect "JDK" '/bin/java$' "$jdk"; expect "JDK" '/release$' "$jdk"; expect_not "JDK" 'debuginfo' "$jdk"
symbols=$(list linux-x64-symbols)
expect "symbols" '/lib/libjava.debuginfo$' "$symbols"
expect "symbols" '/lib/server/libjvm.debuginfo$' "$symbols"
expect "symbols" '/bin/java.debuginfo$' "$symbols"
source=$(list source)
for f in README "$PROJECT_ID/LICENSE" "$PROJECT_ID/Makefile" "$PROJECT_ID/src/patches/series" \
         "$PROJECT_ID/src/hotspot/share/runtime/coroutine/coroutine.cpp"; do
  expect "source" "-source/$f\$" "$source"
done
expect "source" '/upstream/.*\.tar\.xz$' "$source"

dist
[ "$(cat "$out/SHA256SUMS")" = "$sums" ] || fail "the second run made other bytes"
