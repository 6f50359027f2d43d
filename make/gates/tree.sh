#!/usr/bin/env bash
# Gate over the tracked files: length, blanks at line ends, scripts that parse and say what they are.
. "$(dirname "$0")/../lib.sh"
cd "$REPO"

bad=0
complain() { echo "$*" >&2; bad=$((bad + 1)); }

looked=0
while IFS= read -r -d '' f; do
  [ -f "$f" ] || continue
  looked=$((looked + 1))
  case $f in LICENSE|src/patches/*) continue ;; esac
  lines=$(wc -l < "$f")
  [ "$lines" -le 800 ] || complain "$f has $lines lines, at most 800 are allowed; split it by topic."
  ! grep -nE '[[:blank:]]+$' "$f" /dev/null | head -n 3 | grep . >&2 || complain "$f has blanks at the end of a line (above)."
  if head -n 1 "$f" | grep -q '^#!.*bash'; then
    bash -n "$f" || complain "$f is not valid bash."
    sed -n 2p "$f" | grep -q '^# ' || complain "$f: the second line must be a comment that says what the script is."
  fi
done < <(git ls-files -z 2>/dev/null || find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0)

[ "$looked" -gt 10 ] || complain "the gate looked at $looked files only; is this the repository?"
[ "$bad" = 0 ] || die "the tree gate found $bad problems (above)."
echo "tree gate: $looked files"
