#!/usr/bin/env bash
# -XX:+PrintFlagsFinal lists every flag that our source declares, and the java man page of the image documents each of them.
. "$(dirname "$0")/lib.sh"

declared=$(sed -nE 's/^ *(product|diagnostic|experimental|manageable|develop)\( *[a-z0-9_]+ *, *([A-Za-z0-9]+),.*/\1 \2/p' \
  "$REPO/src/hotspot/share/runtime/globals_ext.hpp")
[ -n "$declared" ] || fail "found no flag in globals_ext.hpp"
listed=$("$JDK/bin/java" -XX:+UnlockDiagnosticVMOptions -XX:+UnlockExperimentalVMOptions -XX:+PrintFlagsFinal -version 2>/dev/null)
page=$(cat "$JDK/man/man1/java.1")
n=0
while read -r kind flag; do
  [ "$kind" != develop ] || continue
  expect "PrintFlagsFinal" "[ ]$flag +=" "$listed"
  grep -qE -- "XX:[+]?$flag(=|\$| )" <<< "$page" || fail "the man page does not document -XX $flag (make/man/wisp-flags.1)"
  n=$((n + 1))
done <<< "$declared"
shown=$("$JDK/bin/java" -XX:+PrintFlagsFinal -version 2>/dev/null)
expect "PrintFlagsFinal without unlocking" ' UseWisp2 +=' "$shown"
for f in $(grep -oE ' (Use)?Wisp[A-Za-z0-9]* ' <<< "$listed"); do
  grep -q " $f\$" <<< "$declared" || fail "PrintFlagsFinal lists $f, which globals_ext.hpp does not declare in a form that this test reads"
done
command -v man >/dev/null && { man -l "$JDK/man/man1/java.1" 2>/dev/null | grep -q UseWisp2 || fail "man does not show UseWisp2"; }

# What UseWisp2 implies for flags of OpenJDK, unless the user has chosen.
values() { "$JDK/bin/java" -XX:+UseSerialGC "$@" -XX:+PrintFlagsFinal -version 2>/dev/null | grep -E ' (UseBiasedLocking|UseCountedLoopSafepoints|LoopStripMiningIter) ' | awk '{ print $2 $3 $4 }' | tr '\n' ' '; }
expect "flags without UseWisp2" '^LoopStripMiningIter=0 UseBiasedLocking=true UseCountedLoopSafepoints=false $' "$(values)"
expect "flags with UseWisp2" '^LoopStripMiningIter=1000 UseBiasedLocking=true UseCountedLoopSafepoints=true $' "$(values -XX:+UseWisp2)"
expect "chosen flags" '^LoopStripMiningIter=0 UseBiasedLocking=false UseCountedLoopSafepoints=false $' \
  "$(values -XX:+UseWisp2 -XX:-UseBiasedLocking -XX:-UseCountedLoopSafepoints)"
echo "$n flags"
