#!/usr/bin/env bash
# Runs upstream's make in build/$LEVEL for one target and shows how far it is. Usage: make/build.sh TARGET [variable=value...]
. "$(dirname "$0")/lib.sh"
check_level
take_lock

OUT=$BUILD/$LEVEL
STATE=$BUILD/.state
target=$1; shift

# Messages that a complete build from scratch prints, measured; a rough scale for the percentage.
total_of() {
  case $1 in
    images) echo "${IMAGES_LINES:-2500}" ;;
    hotspot) echo "${HOTSPOT_LINES:-830}" ;;
    *) echo 0 ;;
  esac
}

# One line every 20 seconds, also while nothing is printed: elapsed time, share of the expected messages, the last message.
show_progress() {
  local total=$1 n=0 last now line share what= status
  last=$(date +%s)
  while true; do
    status=0
    IFS= read -r -t 20 line || status=$?
    if [ "$status" = 0 ]; then
      n=$((n + 1))
      case $line in *rror:*) printf '%s\n' "$line" ;; esac
      case $line in *ake\[*|make:*|'') ;; *) what=$line ;; esac
    elif [ "$status" -le 128 ]; then
      break
    fi
    printf -v now '%(%s)T' -1
    if [ $((now - last)) -ge 20 ]; then
      last=$now
      share=
      [ "$total" = 0 ] || share=", about $((n * 100 / total > 99 ? 99 : n * 100 / total))%"
      printf '   [%s] %s%s: %.90s\n' "$(elapsed)" "$target" "$share" "$what"
    fi
  done
}

log=$STATE/$LEVEL.$target.log
run() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u LEVEL -u WISP_LOCKED make -C "$OUT" LOG=info "$@" 9>&-; }

began=$(date +%s)
export CCACHE_STATSLOG=$STATE/$LEVEL.$target.ccache
rm -f "$CCACHE_STATSLOG"
if ! run "$target" "$@" 2>&1 | tee "$log" | show_progress "$(total_of "$target")"; then
  if grep -qE '\] (Terminated|Interrupt|Hangup)' "$log"; then
    die "building $target ($LEVEL) was interrupted; run make again, it continues where it stopped."
  fi
  say "-- the end of build/.state/$LEVEL.$target.log:"
  grep -E '(^|[^A-Za-z])[Ee]rror:|\*\*\*' "$log" | sort -u | head -20
  tail -n 30 "$log"
  die "building $target ($LEVEL) failed; the whole output is in build/.state/$LEVEL.$target.log"
fi
hits=
if [ -f "$CCACHE_STATSLOG" ]; then
  hits=$(awk '/^(direct|preprocessed)_cache_hit$/ { h++ } /^cache_miss$/ { m++ }
    END { if (h + m) printf " ccache: %d of %d compilations were hits, %d%%.", h, h + m, 100 * h / (h + m) }' "$CCACHE_STATSLOG")
fi
say "   $target ($LEVEL) took $(($(date +%s) - began)) s.$hits"
