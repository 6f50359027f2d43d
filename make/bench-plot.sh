#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures nothing: draws what make/bench-apps.sh has measured, by gnuplot. Three panels of bars, one for each runtime: throughput with every
# connection busy and CPU time of a request at two thirds, both divided by those of the flag off, and the 99th percentile there. The plot in
# doc/performance.md is one of these.
#
#   make/bench-plot.sh apps.log plot.svg        the log of `make bench-apps`, build/bench/apps.log
#
# Exit status 1: no gnuplot, nothing in the log, or nothing there with the flag off, by which the first two panels divide.
. "$(dirname "$0")/bench-lib.sh"
[ $# = 2 ] || die "usage: make/bench-plot.sh LOG PLOT.svg"
[ -s "$1" ] || die "there is nothing in $1; run: make bench-apps"
grep -q ' off [0-9]' "$1" || die "$1 has no turn with the flag off, by which the plot divides, so there is none; RUNTIMES has to name off"
command -v gnuplot >/dev/null || die "gnuplot is missing, so there is no plot; run: apt-get install gnuplot-nox, then: make/bench-apps.sh evaluate"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# One file for each panel: a line for each workload, a column for each of off, on, jdk25p, jdk25v; "-" where there is no figure. Medians of the turns, and of the
# ratios of turns, as in the tables.
awk -v folder="$folder" "$MEDIAN"'
  function cell(x) { return x > 0 ? sprintf("%.4f", x) : "-" }
  $4 == "failed" { next }
  { if (!($1 in seen)) { seen[$1] = 1; order[++rows] = $1 } }
  $2 == "busy" { rate[$1, $3] = rate[$1, $3] " " $4 }
  $2 == "middle" { cpu[$1, $3] = cpu[$1, $3] " " $6 + $7; late[$1, $3] = late[$1, $3] " " $5 / 1000 }
  END {
    n = split("off on jdk25p jdk25v", r, " ")
    for (i = 1; i <= rows; i++) {
      w = order[i]; a = b = c = "\"" w "\""
      for (j = 1; j <= n; j++) {
        k = w SUBSEP r[j]; base = w SUBSEP "off"
        a = a " " cell(pairs(rate[k], rate[base]))
        b = b " " cell(pairs(cpu[k], cpu[base]))
        c = c " " cell(med(late[k]))
      }
      print a > (folder "/rate"); print b > (folder "/cpu"); print c > (folder "/late")
    }
  }' "$1"

gnuplot <<END || die "gnuplot has drawn nothing from $1"
set terminal svg size 1000,960 font "sans-serif,13" background "white"
set output "$folder/svg"
set multiplot layout 3,1
set datafile missing "-"
set style data histograms
set style histogram clustered gap 1.2
set style fill solid 1.0 noborder
set boxwidth 0.9
set grid ytics lc rgb "#cccccc"
set xtics rotate by -20 scale 0
set key top left horizontal
bars(f) = sprintf("plot '$folder/%s' using 2:xtic(1) title 'flag off' lc rgb '#9e9e9e', '' using 3 title 'flag on' lc rgb '#1565c0', '' using 4 title 'JDK 25 platform' lc rgb '#ffcc80', '' using 5 title 'JDK 25 virtual' lc rgb '#ef6c00'", f)
set yrange [0:*]
set offsets 0, 0, 0.25, 0
set title "Requests a second, every connection busy; flag off = 1, more is better"
eval bars("rate")
set title "CPU time for a request at two thirds of that load; flag off = 1, less is better"
eval bars("cpu")
set logscale y
set offsets 0, 0, 0, 0
set yrange [*:300]
set title "99th percentile at two thirds, ms; less is better"
eval bars("late")
END
# Fewer lines, as it is kept with the documentation.
paste -d ' ' - - - - < "$folder/svg" | sed 's/[[:blank:]]*$//' > "$2"
say "Plot: ${2#"$REPO/"}"
