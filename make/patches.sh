#!/usr/bin/env bash
# The patch queue: turns src/patches into commits in build/src and back. Usage: make/patches.sh status|apply|save|export|check
. "$(dirname "$0")/lib.sh"

PATCHES=$REPO/src/patches
APPLIED=refs/wisp2/applied            # the commit that the last apply or export left
FIELDS='Why-patch Hook Off-cost Tests'
MAX_ADDED=${MAX_ADDED:-6}             # added lines per hunk; more is logic, and logic belongs into our own files
WORK=                                 # scratch directory, removed on exit

usage() {
  cat <<'EOF'
Usage: make/patches.sh COMMAND
  status           what build/src has that src/patches has not, and the other way round
  apply            bring build/src to the state of src/patches; files that do not differ keep their time stamps.
                   Refuses when build/src has work of its own.
  apply --discard  the same, and throws that work away (the old head stays in refs/wisp2/discarded)
  save TOPIC       commit all edits in build/src as part of patch TOPIC; a new topic opens an editor for its header
  export           fold fixup commits into their topics and write src/patches from the commits in build/src
  check            the gate: src/patches is well-formed, applies without fuzz and offset, and exports to the same bytes
EOF
}

# The user's own git settings must not change what is exported.
g() { GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$SRC" "$@"; }
scratch() { [ -n "$WORK" ] || { WORK=$(mktemp -d "$BUILD/.patches.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; }; }
need_src() { g rev-parse -q --verify upstream >/dev/null 2>&1 || die "build/src is not there yet; run: make source"; }

# Author, committer and date are constants, so that the same patches give the same commit ids everywhere.
fixed_identity() {
  export GIT_AUTHOR_NAME="$PROJECT_NAME" GIT_AUTHOR_EMAIL="$PROJECT_ID@localhost" GIT_AUTHOR_DATE='2026-01-01T00:00:00+0000'
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
}

# topic_of SUBJECT: the part before a colon is the topic and names the file.
topic_of() { local t=${1%%:*}; t=${t//[^A-Za-z0-9._-]/-}; printf '%s' "$t"; }

# Builds the commits of a series without touching any file: prints the last commit. $1 = patch directory.
commits_of() {
  local dir=$1 head tree f
  scratch; fixed_identity
  head=$(g rev-parse 'upstream^{commit}')
  export GIT_INDEX_FILE=$WORK/index
  g read-tree upstream
  for f in $(series_of "$dir/series"); do
    [ -f "$dir/$f" ] || die "src/patches/series names $f, which does not exist."
    g mailinfo -k --encoding=UTF-8 "$WORK/msg" "$WORK/diff" < "$dir/$f" > "$WORK/info" ||
      die "src/patches/$f is not a mail-format patch; patches are written by: make patches-export"
    [ -s "$WORK/diff" ] || die "src/patches/$f has no diff."
    if ! g apply --cached --verbose "$WORK/diff" > "$WORK/log" 2>&1; then
      sed -n 's/^error: */  /p' "$WORK/log" | head -5 >&2
      die "src/patches/$f does not apply to OpenJDK $UPSTREAM_VERSION; if the patches before it changed, export again (make patches-export)."
    fi
    if grep -q '(offset' "$WORK/log"; then
      die "src/patches/$f applies only with an offset; re-export it with: make patches-apply patches-export"
    fi
    tree=$(g write-tree)
    { sed -n 's/^Subject: //p' "$WORK/info"; echo; cat "$WORK/msg"; } | sed -e '/./,$!d' > "$WORK/text"
    head=$(g commit-tree "$tree" -p "$head" -F "$WORK/text")
  done
  unset GIT_INDEX_FILE
  printf '%s' "$head"
}

# write_patches COMMIT DIR: the series upstream..COMMIT as files, in one normal form.
write_patches() {
  local c subject f names=' '
  mkdir -p "$2"
  : > "$2/series"
  for c in $(g rev-list --reverse "upstream..$1"); do
    subject=$(g log -1 --format=%s "$c")
    f=$(topic_of "$subject").patch
    case $names in *" $f "*) die "two commits in build/src have the topic ${f%.patch}; name one of them \"fixup! ...\"." ;; esac
    names+="$f "
    g -c core.abbrev=40 -c diff.algorithm=myers -c diff.noprefix=false -c diff.mnemonicPrefix=false -c diff.renames=false \
      format-patch -1 --stdout --zero-commit --full-index --no-signature --no-stat --keep-subject -N \
      --no-renames --unified=3 --no-color "$c" > "$2/$f"
    echo "$f" >> "$2/series"
  done
}

# Folds fixup commits into their topics: prints the last commit of the clean series upstream..$1.
fold() {
  local c s t i tree head order=() subjects=() members=()
  scratch; fixed_identity
  for c in $(g rev-list --reverse "upstream..$1"); do
    s=$(g log -1 --format=%s "$c")
    t=$s
    while [[ $t == 'fixup! '* ]]; do t=${t#fixup! }; done
    if [ "$t" != "$s" ]; then
      for i in "${!order[@]}"; do
        [ "$(topic_of "${subjects[$i]}")" = "$(topic_of "$t")" ] && { members[i]+=" $c"; continue 2; }
      done
      die "build/src has \"$s\", but no earlier commit of topic $(topic_of "$t")."
    fi
    order+=("$c") subjects+=("$s") members+=("$c")
  done
  head=$(g rev-parse 'upstream^{commit}')
  export GIT_INDEX_FILE=$WORK/fold
  g read-tree upstream
  for i in "${!order[@]}"; do
    for c in ${members[$i]}; do
      g diff-tree -p --full-index --binary --no-renames "$c^" "$c" > "$WORK/part"
      g apply --cached --3way "$WORK/part" > "$WORK/log" 2>&1 ||
        die "commit $(g log -1 --format='%h (%s)' "$c") cannot be folded into its topic; reorder by hand: git -C build/src rebase -i upstream"
    done
    tree=$(g write-tree)
    g log -1 --format=%B "${order[$i]}" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' > "$WORK/text"
    head=$(g commit-tree "$tree" -p "$head" -F "$WORK/text")
  done
  unset GIT_INDEX_FILE
  printf '%s' "$head"
}

dirty() { [ -n "$(g status --porcelain -uno)" ]; }

apply() {
  need_src; scratch
  local target head applied
  target=$(commits_of "$PATCHES")
  head=$(g rev-parse HEAD)
  applied=$(g rev-parse -q --verify "$APPLIED" || true)
  if [ "$target" = "$applied" ] && [ "${1:-}" != --discard ]; then return 0; fi  # the series did not change: edits stay as they are
  if [ "$(g rev-parse "$target^{tree}")" = "$(g rev-parse "$head^{tree}")" ] && [ "${1:-}" != --discard ]; then
    g update-ref refs/heads/wisp2 "$target"
    g symbolic-ref HEAD refs/heads/wisp2
  elif [ "${1:-}" = --discard ]; then
    g update-ref refs/wisp2/discarded "$(g stash create 2>/dev/null | grep . || echo "$head")"
    g checkout -q -f -B wisp2 "$target"
  else
    if dirty || { [ -n "$applied" ] && [ "$head" != "$applied" ]; }; then
      die "src/patches changed, but build/src has work of its own. Keep it with 'make/patches.sh save TOPIC' and 'make patches-export', or drop it with 'make/patches.sh apply --discard'."
    fi
    g checkout -q -B wisp2 "$target"
  fi
  g update-ref "$APPLIED" "$target"
  say "build/src: $(g rev-list --count "upstream..$target") patches applied to OpenJDK $UPSTREAM_VERSION."
}

export_patches() {
  need_src; scratch
  local clean f
  ! dirty || die "build/src has uncommitted edits; commit them first: make/patches.sh save TOPIC"
  clean=$(fold HEAD)
  [ "$(g rev-parse "$clean^{tree}")" = "$(g rev-parse 'HEAD^{tree}')" ] || die "folding the fixup commits lost a change; nothing was written."
  write_patches "$clean" "$WORK/out"
  mkdir -p "$PATCHES"
  for f in "$PATCHES"/*.patch; do
    [ ! -f "$f" ] || [ -f "$WORK/out/${f##*/}" ] || { rm -f "$f"; say "removed  ${f##*/}"; }
  done
  for f in "$WORK/out"/*; do
    cmp -s "$f" "$PATCHES/${f##*/}" || { cp "$f" "$PATCHES/.new" && mv "$PATCHES/.new" "$PATCHES/${f##*/}"; say "written  ${f##*/}"; }
  done
  clean=$(commits_of "$PATCHES")
  g update-ref refs/heads/wisp2 "$clean"
  g update-ref "$APPLIED" "$clean"
  say "src/patches: $(series_of "$PATCHES/series" | wc -l) patches."
}

save() {
  need_src
  local topic=${1:-} c s old=
  [ -n "$topic" ] || die "save needs a topic: make/patches.sh save TOPIC"
  dirty || { say "build/src has no edits."; return 0; }
  for c in $(g rev-list "upstream..HEAD"); do
    s=$(g log -1 --format=%s "$c")
    [ "$(topic_of "$s")" != "$topic" ] || old=$s
  done
  g config user.name >/dev/null || g config user.name "$PROJECT_NAME"
  g config user.email >/dev/null || g config user.email "$PROJECT_ID@localhost"
  if [ -n "$old" ]; then
    g commit -q -a -m "fixup! $old"
  else
    scratch
    { printf '%s: \n\n' "$topic"; for f in $FIELDS; do printf '%s: \n' "$f"; done; } > "$WORK/template"
    if [ -t 0 ]; then g commit -q -a -e -F "$WORK/template"; else g commit -q -a -F "$WORK/template"; say "Fill the header: git -C build/src commit --amend"; fi
  fi
  g log -1 --format='%h %s' --stat
}

status() {
  need_src; scratch
  local target head applied
  target=$(commits_of "$PATCHES"); head=$(g rev-parse HEAD); applied=$(g rev-parse -q --verify "$APPLIED" || echo none)
  say "series: $(series_of "$PATCHES/series" | wc -l) patches, hash $(patch_hash)"
  if [ "$target" = "$applied" ]; then say "build/src was last brought to this series."; else say "The series changed since build/src was last brought to it: make patches-apply"; fi
  [ "$head" = "$applied" ] || { say "Commits in build/src after that:"; g log --oneline "$applied..HEAD" 2>/dev/null || g log --oneline upstream..HEAD; }
  if dirty; then say "Uncommitted edits in build/src:"; g status --short -uno; fi
}

bad=0
complain() { printf 'src/patches: %s\n' "$*" >&2; bad=$((bad + 1)); }

check_form() {
  local f field body
  for f in "$PATCHES"/*; do
    case ${f##*/} in
      series) ;;
      *.patch) series_of "$PATCHES/series" | grep -qxF "${f##*/}" || complain "${f##*/} is not in series." ;;
      '*') ;;
      *) complain "${f##*/} is neither series nor a .patch file." ;;
    esac
  done
  series_of "$PATCHES/series" | sort | uniq -d | while read -r f; do complain "$f is twice in series."; done
  for f in $(series_of "$PATCHES/series"); do
    [ -f "$PATCHES/$f" ] || { complain "series names $f, which does not exist."; continue; }
    body=$(sed -n '1,/^---$/p' "$PATCHES/$f")
    for field in $FIELDS; do
      grep -qE "^$field: .*[^ ]" <<< "$body" || complain "$f lacks the header field $field (write it into the commit message in build/src)."
    done
    grep -q '^new file mode' "$PATCHES/$f" && complain "$f adds a file; new files belong into src/, not into a patch."
    grep -nE '^\+.*[[:space:]]$' "$PATCHES/$f" | sed "s|^|src/patches: $f: trailing blank in line |" >&2 | grep . && bad=$((bad + 1))
    awk -v f="$f" -v max="$MAX_ADDED" '
      function flush() { if (n > max) { printf "src/patches: %s: hunk %s of %s adds %d lines, at most %d are allowed; move the logic into src/.\n", f, hunk, file, n, max; e = 1 } n = 0 }
      /^diff --git / { flush(); file = $4; sub(/^b\//, "", file); in_hunk = 0; next }
      /^@@ / { flush(); hunk = $2; in_hunk = 1; next }
      in_hunk && /^\+/ {
        n++; t = substr($0, 2); gsub(/[ \t]/, "", t)
        if (t == "" || t ~ /^\/\// || t ~ /^\/\*.*\*\/$/ || t ~ /^\*/) { printf "src/patches: %s: %s gets a line that is only a comment or blank: \"%s\"\n", f, file, substr($0, 2); e = 1 }
      }
      END { flush(); exit e }' "$PATCHES/$f" >&2 || bad=$((bad + 1))
  done
}

check() {
  need_src
  scratch
  check_form
  [ "$bad" = 0 ] || die "the patch gate found $bad problems (above)."
  local target f n=0
  target=$(commits_of "$PATCHES")
  write_patches "$target" "$WORK/out"
  for f in $(series_of "$PATCHES/series") ; do
    n=$((n + 1))
    cmp -s "$PATCHES/$f" "$WORK/out/$f" || complain "$f is not what an export writes; run: make patches-apply patches-export"
  done
  [ "$bad" = 0 ] || die "the patch gate found $bad problems (above)."
  g diff --numstat "upstream" "$target" |
    awk -v n="$n" '{ a += $1; d += $2; c++ } END { printf "patch gate: %d patches, %d upstream files touched, %d lines added, %d removed\n", n, c, a, d }'
}

case ${1:-} in
  apply) take_lock; apply "${2:-}" ;;
  export) take_lock; export_patches ;;
  save) save "${2:-}" ;;
  status) status ;;
  check) check ;;
  -h|--help|help) usage ;;
  *) usage >&2; exit 2 ;;
esac
