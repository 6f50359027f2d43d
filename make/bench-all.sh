#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures nothing itself: runs what compares this JDK with the flag, without it, JDK 25 and Go, one benchmark after the other, and gathers
# their tables in build/bench/all/report.md; the plot of the servers is beside it, if gnuplot is there. It defends that one command makes the
# tables of doc/performance.md that compare runtimes.
#
#   make/bench-all.sh           the same as `make bench-all`; about three hours
#
# Environment: PARTS (default "apps uperf sleepers peers cpu", each a make/bench-PART.sh), and what those understand; ROUNDS and
# SECONDS_EACH, which mean something else in each of them, are better given to one at a time.
# Exit status 1: a part failed, or missed a target.
. "$(dirname "$0")/bench-lib.sh"

ALL=$OUT/all
REPORT=$ALL/report.md
read -ra parts <<< "${PARTS:-apps uperf sleepers peers cpu}"
for part in "${parts[@]}"; do
  [ "$part" != all ] && [ -x "$REPO/make/bench-$part.sh" ] ||
    die "PARTS names $part, which is no benchmark; those are: $(cd "$REPO/make" && ls bench-*.sh | sed 's/^bench-//;s/\.sh$//' | grep -v -x 'lib\|all\|plot' | tr '\n' ' ')"
done
case " ${parts[*]} " in *" apps "*) command -v gnuplot >/dev/null || say "gnuplot is missing, so there will be no plot; run: apt-get install gnuplot-nox" ;; esac
have_jdk25 || say "JDK 25 is not prepared and left out; run as root: make/bench-peers.sh setup"

mkdir -p "$ALL"
{ say "# Side by side"; say; describe_machine; } | tee "$REPORT"
failed=()
for part in "${parts[@]}"; do
  phase "bench-$part"
  "$REPO/make/bench-$part.sh" 2>&1 | tee "$ALL/$part.txt"
  [ "${PIPESTATUS[0]}" = 0 ] || failed+=("$part")
  { say; say "## make bench-$part"; say; grep -v '^==' "$ALL/$part.txt"; } >> "$REPORT"
  [ "$part" != apps ] || [ ! -f "$OUT/apps.svg" ] || { cp "$OUT/apps.svg" "$ALL/apps.svg"; { say; say "![servers](apps.svg)"; } >> "$REPORT"; }
done
say "Report: ${REPORT#"$REPO/"}"
[ ${#failed[@]} = 0 ] || { say "Failed, or missed a target: ${failed[*]}"; exit 1; }
