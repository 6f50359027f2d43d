#!/usr/bin/env bash
# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# Measures how the same small programs run on this JDK (kernel threads, coroutines), on JDK 25's virtual threads and on Go's goroutines.
# It defends the comparisons with JDK 25 and Go in doc/performance.md.
#
#   make/bench-peers.sh             everything: setup, then compare; the same as `make bench-peers`
#   make/bench-peers.sh setup       JDK 25 of Debian trixie in a folder of its own (needs root, about 700 MB), Go program compiled
#   make/bench-peers.sh compare     the programs interleaved, $ROUNDS rounds (default 5), medians and ratios last
#   make/bench-peers.sh java25 ...  runs JDK 25's java; /bench in it is the folder of the compiled programs
#   make/bench-peers.sh remove      deletes the folder of JDK 25
#
# Environment: JDK (default: the image of this tree), ROUNDS, BENCHES (some of those in the table below), CARRIERS (default "1 2"),
# RUNTIMES (default "off on jdk25 go"), SCALE (percent of the operations, default 100), GC_OPTIONS, PEERS_DIR.
. "$(dirname "$0")/bench-lib.sh"

# Name; what one operation is; operations for kernel threads, coroutines, virtual threads, goroutines; carriers it is run with.
table() {
  cat <<'END'
yield         ns/switch      300000  2000000  1000000  3000000  1
park          ns/round-trip   40000   500000   300000   500000  1,2
queue         ns/round-trip   40000   500000   300000   500000  1,2
monitor       ns/round-trip   40000   500000    20000   500000  1,2
start-main    ns/thread        8000    50000    20000   200000  1,2
start-inside  ns/thread        8000    50000   100000   500000  1,2
sleepers      ms              10000    10000    10000    10000  1,2
skynet        ns/thread        1000   100000   100000  1000000  1,2
contended     ns/entry        20000   300000    20000   500000  1,2
datagram      ns/round-trip   50000   200000   200000   200000  1,2
ring          ns/hop          40000   500000   500000  1000000  1,2
END
}

# The Debian archive that this machine's apt uses, or the one given to ./configure.
mirror() {
  [ -z "$MIRROR" ] || { echo "$MIRROR"; return; }
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -E '/debian/?$' | sort -u | head -n 1
}

setup() {
  [ "$(uname -m)" = x86_64 ] || die "the peers are prepared for x86-64 only."
  prepare_go
  if ! have_jdk25; then
    [ "$(id -u)" = 0 ] || die "preparing JDK 25 needs root (a Debian trixie in $PEERS_DIR); run: sudo -E make bench-peers"
    command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap >/dev/null || die "debootstrap is missing; run: apt-get install debootstrap"
    local site log=$PEERS_DIR/setup.log
    site=$(mirror || true)
    [ -n "$site" ] || die "no mirror: apt has no Debian archive configured; give one with ./configure --mirror=URL"
    mkdir -p "$PEERS_DIR"
    remove
    phase "install Debian trixie with JDK 25 in $PEERS_DIR"
    debootstrap --variant=minbase trixie "$PEER_ROOT.new" "$site" > "$log" 2>&1 || die "debootstrap failed, see $log"
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -c 'for m in proc dev sys; do mount --rbind "/$m" "$1/$m"; done
      exec chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends openjdk-25-jdk-headless' sh "$PEER_ROOT.new" >> "$log" 2>&1 ||
      die "installing JDK 25 failed, see $log"
    mv "$PEER_ROOT.new" "$PEER_ROOT"
  fi
}

remove() {
  local d
  for d in "$PEER_ROOT" "$PEER_ROOT.new"; do
    if grep -qF " $d/" /proc/mounts; then die "something is mounted below $d; unmount it first."; fi
    rm -rf --one-file-system "$d"
  done
}

compare() {
  local rounds=${ROUNDS:-5} scale=${SCALE:-100} log=$OUT/peers.tsv r k bench unit counts carriers n runtime value i
  local all=(off on jdk25 go) runtimes
  read -ra runtimes <<< "${RUNTIMES:-${all[*]}}"
  prepare_programs
  case " ${runtimes[*]} " in *" jdk25 "*) need_jdk25 ;; esac
  case " ${runtimes[*]} " in *" go "*) prepare_go ;; esac
  describe_machine
  : > "$log"
  for r in $(seq "$rounds"); do
    phase "round $r of $rounds"
    while read -r bench unit off on jdk25 go carriers; do
      case " ${BENCHES:-$bench} " in *" $bench "*) ;; *) continue ;; esac
      for n in ${carriers//,/ }; do
        case " ${CARRIERS:-1 2} " in *" $n "*) ;; *) continue ;; esac
        for i in "${!runtimes[@]}"; do
          runtime=${runtimes[$(((i + r) % ${#runtimes[@]}))]}      # another one begins in each round
          local -n count=$runtime
          k=$count
          [ "$bench" = sleepers ] || k=$((count * scale / 100))
          value=$(measure "$runtime" "$n" Peers "$(kind "$runtime")" "$bench" "$k")
          printf '%s\t%s\t%s\t%s\t%s\n' "$bench" "$n" "$runtime" "$value" "$unit" >> "$log"
        done
      done
    done < <(table)
  done
  show "$log"
}

# Peers is told which threads to make; the Go program takes no such word.
kind() { case $1 in jdk25) echo virtual ;; go) ;; *) echo plain ;; esac; }

# Medians as a table, one line for each program and number of carriers, and what coroutines cost compared with each other runtime.
show() {
  say
  say "Medians of ${ROUNDS:-5} interleaved rounds. Kernel threads: \"1\" is pinned to one CPU, \"2\" has the whole machine."
  say
  awk -F'\t' '
    { k = $1 FS $2; if (!(k in unit)) { order[++rows] = k; unit[k] = $5 } if ($4 != "failed") v[k, $3] = v[k, $3] " " $4; else bad[k, $3]++ }
    function med(s,   x, m, i, j, t) {
      m = split(s, x, " "); if (m == 0) return ""
      for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (x[j] + 0 < x[i] + 0) { t = x[i]; x[i] = x[j]; x[j] = t }
      return (x[int((m + 1) / 2)] + x[int(m / 2) + 1]) / 2
    }
    function cell(x) { return x == "" ? "-" : sprintf(x < 100 ? "%.1f" : "%.0f", x) }
    function part(a, b) { return a == "" || b == "" || b == 0 ? "-" : sprintf("%.3f", a / b) }
    END {
      line = "| %-13s | %-13s | %-8s | %10s | %10s | %10s | %10s | %9s | %9s | %9s |\n"
      printf line, "program", "unit", "carriers", "kernel thr", "coroutines", "JDK 25 v.", "goroutines", "of kernel", "of JDK 25", "of Go"
      printf "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
      for (i = 1; i <= rows; i++) {
        k = order[i]; split(k, f, FS)
        off = med(v[k, "off"]); on = med(v[k, "on"]); j = med(v[k, "jdk25"]); g = med(v[k, "go"])
        printf line, f[1], unit[k], f[2], cell(off), cell(on), cell(j), cell(g), part(on, off), part(on, j), part(on, g)
        for (r in bad) { split(r, s, SUBSEP); if (s[1] == k) failures = failures "   " f[1] " " f[2] " " s[2] ": " bad[r] " failed\n" }
      }
      if (failures != "") { printf "\nRuns that failed or hung:\n%s", failures; exit 1 }
    }' "$1"
}

case ${1:-} in
  '') setup; compare ;;
  setup) setup ;;
  compare) compare ;;
  java25) shift; need_jdk25; mkdir -p "$OUT/classes"; exec "${jdk25_command[@]}" "$@" ;;
  remove) remove ;;
  *) sed -n '4,15p' "$0" | sed 's/^# \{0,1\}//'; exit 2 ;;
esac
