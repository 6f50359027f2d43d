#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Writes doc/compatibility.md from test/results: a table per tier, and every test that fails, once, with what is known about it from
# test/results/notes.txt (test or directory, a tab, text). Defends that nothing is counted twice or left out: passed, failed and not run add
# up to the tests of the suite.
#
# How lines are judged. With the flag, only the lines of the latest state of sources and patches in which the test ran count, and one failure
# among them is a failure. The flag off is the same in each state: all lines count, and the last one decides. A test "fails without the flag
# too" if that one is a failure; it is a "flake" if at least ten stock runs are there and one of them failed.
. "$(dirname "$0")/lib.sh"

RESULTS=$REPO/test/results
TO=$REPO/doc/compatibility.md

write() {
  cat <<'END'
# Compatibility

Upstream's own tests, which nobody here wrote, run by the same JDK with the flag off ("stock") and on. This file is written by
`make compat-table` from `test/results`; `make test-compat` runs what has no result yet and adds up over days (see
[HACKING.md](../HACKING.md)). Applications are in [applications.md](applications.md); what the language specification says about races is tested
by `make jcstress`, and threads beside each collector and compiler by `make stress`, both in [HACKING.md](../HACKING.md#the-long-tests).

- **stock** `-XX:-UseWisp2`; **flag** `-XX:+UseWisp2`; **one carrier** the same with `carrierEngines=1`; **migrate** with
  `-XX:+WispAlwaysMigrate`, each switch to another carrier. Tests start with these options; VMs that a test starts itself get them as far as
  the test passes its own on.
- Each cell is passed / failed / **not run**. Not run includes tests that skip themselves or do not apply to this machine. What upstream's
  `ProblemList.txt` excludes is excluded everywhere and not counted; nothing else is excluded.
- A *flake* has failed in one of at least ten runs with the flag off.
END
  awk -v conf="$REPO/test/compat.conf" -v results="$RESULTS" '
    function read_notes(   line, i) {
      while ((getline line < (results "/notes.txt")) > 0) {
        if (line ~ /^#/ || !(i = index(line, "\t"))) continue
        note[substr(line, 1, i - 1)] = substr(line, i + 1)
      }
    }
    function note_of(t,   p) {
      if (t in note) return note[t]
      for (p = t; sub(/[#\/][^#\/]*$/, "", p); ) if (p in note) return note[p]
      return ""
    }
    # Reads one file; sets R[test] to the outcome, fails[test], runs[test] and why[test].
    function read_results(file, stock,   line, f, n, t, state, i, reason) {
      delete R; delete why; delete latest; delete runs; delete fails; delete when
      while ((getline line < file) > 0) {
        n = split(line, f, " "); t = f[1]
        reason = ""; for (i = 7; i <= n; i++) reason = reason (i > 7 ? " " : "") f[i]
        state = stock ? "" : f[4] f[5]
        if (f[2] != "S") runs[t]++
        if (f[2] ~ /[FE]/) fails[t]++
        if (f[6] > newest) newest = f[6]
        if (!(t in R) || f[6] > when[t] && (stock || state != latest[t])) { R[t] = f[2]; why[t] = reason }
        else if (state == latest[t] && (stock ? f[6] >= when[t] : f[2] ~ /[FE]/)) { R[t] = f[2]; why[t] = reason }
        if (f[6] >= when[t]) { when[t] = f[6]; latest[t] = state }
      }
      close(file)
    }
    function cell(suite, config,   i, t, p, f) {
      p = f = 0
      read_results(results "/" suite "/" config, config == "stock")
      for (i = 1; i <= count; i++) {
        t = tests[i]
        if (R[t] == "P") p++
        else if (R[t] ~ /^[FE]$/) {
          f++
          if (config == "stock") { stock_bad[t] = 1; stock_why[t] = why[t] }
          else { bad[t] = bad[t] (bad[t] ? ", " : "") config; if (!(t in bad_why)) { bad_why[t] = why[t]; order[++bads] = t } }
        }
        if (config == "stock") { stock_runs[t] = runs[t] + 0; stock_fails[t] = fails[t] + 0; if (R[t] ~ /^[FE]$/ ) stock_order[++stocks] = t }
      }
      if (p + f == 0) return "not run"
      return p " / " f " / " (count - p - f)
    }
    function md(s) { gsub(/\|/, "\\|", s); gsub(/[<]/, "\\<", s); return s }
    BEGIN {
      read_notes()
      while ((getline line < conf) > 0) {
        sub(/#.*/, "", line)
        if (split(line, f, " ") < 4) continue
        tier = f[1]; suite = f[2]
        if (tier != last) {
          print "\n## Tier " tier "\n"
          if (tier == "a") print "| suite | tests | stock | flag | one carrier | migrate |\n|---|---|---|---|---|---|"
          else print "| suite | tests | stock | flag |\n|---|---|---|---|"
          last = tier
        }
        count = 0; delete tests; total = ""
        while ((getline t < (results "/" suite "/tests")) > 0) { if (t ~ /^# /) total = substr(t, 3); else if (t !~ /^#/) tests[++count] = t }
        close(results "/" suite "/tests")
        where = f[4]; gsub(/,/, ", ", where); gsub(/!/, "without ", where)
        many = count == 0 ? "not listed yet" : count == total ? count : count " of " total
        row = "| " suite ": `" where "` | " many " | " cell(suite, "stock") " | " cell(suite, "flag") " |"
        if (tier == "a") row = row " " cell(suite, "one-carrier") " | " cell(suite, "migrate") " |"
        print row
      }
      print "\n## Differences\n\nTests that fail with the flag and do not fail without it.\n"
      n = 0
      for (i = 1; i <= bads; i++) {
        t = order[i]
        if (stock_bad[t] || stock_fails[t] > 0 && stock_runs[t] >= 10) continue
        if (!n++) print "| test | where | result | what it is |\n|---|---|---|---|"
        print "| " t " | " bad[t] " | " md(bad_why[t]) " | " (note_of(t) ? note_of(t) : stock_runs[t] ? "not explained yet" : "not run without the flag yet") " |"
      }
      if (!n) print "None."
      n = 0
      for (i = 1; i <= bads; i++) {
        t = order[i]
        if (stock_bad[t] || !(stock_fails[t] > 0 && stock_runs[t] >= 10)) continue
        if (!n++) print "\n## Flakes\n\n| test | fails with the flag | stock |\n|---|---|---|"
        print "| " t " | " bad[t] " | " stock_fails[t] " of " stock_runs[t] " runs failed |"
      }
      print "\n## Failing without the flag too\n"
      n = 0
      for (i = 1; i <= stocks; i++) {
        t = stock_order[i]
        if (!n++) print "| test | with the flag | result | |\n|---|---|---|---|"
        print "| " t " | " (bad[t] ? "fails: " bad[t] : "does not fail, or not run") " | " md(stock_why[t]) " | " note_of(t) " |"
      }
      if (!n) print "None."
      print "\nLast result: " (newest ? newest " UTC" : "none") "."
    }'
}

write > "$TO.new"
mv "$TO.new" "$TO"
sed -n '/^## Differences/,$d; /^|/p' "$TO"
say "written: ${TO#"$REPO"/}"
