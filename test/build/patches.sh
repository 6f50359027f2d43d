#!/usr/bin/env bash
# The patch queue commands: apply, save, export and the gate, on a small source tree; each bad patch is refused with one line.
. "$(dirname "$0")/lib.sh"

mkdir -p "$WORK/repo/build/src" "$WORK/repo/src/patches"
cp -r "$REPO/make" "$WORK/repo/"
cd "$WORK/repo"
unset WISP_LOCKED
g() { git -C build/src "$@"; }
patches() { make/patches.sh "$@" 2>&1 < /dev/null; }
refused() { # refused WHAT PATTERN COMMAND...
  local what=$1 pattern=$2 out; shift 2
  if out=$("$@" 2>&1); then fail "$what: expected a failure, got: $out"; fi
  expect "$what" "$pattern" "$out"
}

g init -q -b wisp2 .
g config user.name Tester; g config user.email tester@localhost
seq 1 40 > build/src/a.cpp; seq 1 40 > build/src/b.cpp
g add -A; g commit -q -m upstream; g tag upstream
: > src/patches/series

expect "empty series" '0 patches' "$(patches check)"
patches apply > /dev/null

# A new topic, a second one, and a fixup of the first.
header() { printf '%s\n\nWhy-patch: no hook there.\nHook: Co::x()\nOff-cost: one branch.\nTests: T.java\n' "$1"; }
sed -i '10s/.*/&\nhook_a();/' build/src/a.cpp
g commit -q -a -m "$(header 'alpha: hook a')"
sed -i '30s/.*/&\nhook_b();/' build/src/b.cpp
g commit -q -a -m "$(header 'beta')"
sed -i '20s/.*/&\nhook_a2();/' build/src/a.cpp
refused "export with edits" 'uncommitted edits; commit them first' patches export
patches save alpha > /dev/null
expect "export" '2 patches' "$(patches export)"
[ "$(tr '\n' ' ' < src/patches/series)" = "alpha.patch beta.patch " ] || fail "series: $(cat src/patches/series)"
expect "gate" '2 patches, 2 upstream files touched, 3 lines added, 0 removed' "$(patches check)"
[ "$(g rev-list --count upstream..HEAD)" = 2 ] || fail "the fixup was not folded"
[ -z "$(patches export | grep written)" ] || fail "a second export changed files"

# The series changes while build/src is clean: only the files that differ are written.
cp -r src/patches "$WORK/full"
touch -d '2020-01-01' build/src/a.cpp
before=$(stat -c %Y build/src/a.cpp)
echo alpha.patch > src/patches/series; rm src/patches/beta.patch
patches apply > /dev/null
! grep -q hook_b build/src/b.cpp || fail "beta was not taken back"
[ "$(stat -c %Y build/src/a.cpp)" = "$before" ] || fail "apply touched a file that does not differ"

# Own work in build/src is never lost.
echo mine >> build/src/b.cpp
rm -r src/patches; cp -r "$WORK/full" src/patches
refused "apply over edits" 'build/src has work of its own' patches apply
grep -q mine build/src/b.cpp || fail "an edit was lost"
patches apply --discard > /dev/null
! grep -q mine build/src/b.cpp || fail "--discard kept the edit"
g cat-file -p refs/wisp2/discarded:b.cpp | grep -q mine || fail "--discard did not keep the edit aside"

# What the gate refuses.
bad() { # bad WHAT PATTERN SED-SCRIPT
  rm -r src/patches; cp -r "$WORK/full" src/patches
  sed -i "$3" src/patches/alpha.patch
  refused "$1" "$2" patches check
}
bad "no header field" 'lacks the header field Off-cost' '/^Off-cost/d'
bad "comment line" 'only a comment or blank' 's|^+hook_a();|+// a comment|'
bad "trailing blank" 'trailing blank' 's|^+hook_a();|+hook_a(); |'
bad "offset" 'offset' 's/^@@ -8,6 +8,7 @@/@@ -7,6 +7,7 @@/'
bad "changed context" 'does not apply' 's/^ 11$/ eleven/'
bad "not as exported" 'not what an export writes' 's/^Subject: alpha/Subject: [PATCH] alpha/'
rm -r src/patches; cp -r "$WORK/full" src/patches
cp src/patches/alpha.patch src/patches/stray.patch
refused "patch outside the series" 'stray.patch is not in series' patches check
rm src/patches/stray.patch; echo gone.patch >> src/patches/series
refused "series without patch" 'names gone.patch, which does not exist' patches check
