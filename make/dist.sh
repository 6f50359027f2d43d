#!/usr/bin/env bash
# Makes the release files in build/bundles: JDK, debug symbols, source bundle, checksums. Needs the image of LEVEL=dist.
. "$(dirname "$0")/lib.sh"
take_lock

IMAGE=$BUILD/dist/images/jdk
OUT=$BUILD/bundles
name=openjdk-$(upstream_field number)-$PROJECT_ID-$PROJECT_VERSION
stamp='2026-01-01 00:00:00Z'

# Same content, same bytes: order, owner and time are fixed.
pack() { # pack FILE DIRECTORY-IN-WORK
  tar -C "$WORK" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$stamp" -cf - "$2" | gzip -9n > "$OUT/$1.new"
  mv "$OUT/$1.new" "$OUT/$1"
  say "   $1  $(du -h "$OUT/$1" | cut -f1)"
}

phase "release files"
rm -rf "$OUT"; mkdir -p "$OUT"
WORK=$(mktemp -d "$BUILD/.dist.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

cp -a "$IMAGE" "$WORK/$name"
mkdir -p "$WORK/$name-symbols"
(cd "$WORK/$name" && find . -name '*.debuginfo' | while read -r f; do
  mkdir -p "../$name-symbols/$(dirname "$f")"; mv "$f" "../$name-symbols/$f"
done)
# The symbols of a library may have stayed outside the image; take them from where the build left them.
(cd "$BUILD/dist/support" && find modules_libs modules_cmds -name '*.debuginfo' | while read -r f; do
  case $f in
    modules_libs/*) to=lib/$(cut -d/ -f3- <<< "$f") ;;
    *) to=bin/$(cut -d/ -f3- <<< "$f") ;;
  esac
  to=$WORK/$name-symbols/$to
  [ -e "$to" ] || { mkdir -p "$(dirname "$to")"; cp "$f" "$to"; }
done)
[ -n "$(find "$WORK/$name-symbols" -name '*.debuginfo' -print -quit)" ] || die "the build of LEVEL=dist made no debug symbols."
pack "$name-linux-x64.tar.gz" "$name"
pack "$name-linux-x64-symbols.tar.gz" "$name-symbols"

# The source bundle holds what was compiled: upstream, patches and our files, laid out so that make finds the tarball.
top=$WORK/$name-source
mkdir -p "$top/$PROJECT_ID" "$top/upstream/distfiles"
if git -C "$REPO" rev-parse -q --verify HEAD >/dev/null 2>&1; then
  (cd "$REPO" && git ls-files -z) | (cd "$REPO" && xargs -0 -I{} sh -c '[ ! -e "$1" ] || printf "%s\0" "$1"' _ {}) |
    tar -C "$REPO" --null -T - -cf - | tar -C "$top/$PROJECT_ID" -xf -
else
  tar -C "$REPO" --exclude=./build -cf - . | tar -C "$top/$PROJECT_ID" -xf -
fi
tarball=
for f in "$TARBALL" ${DISTDIR:+"$DISTDIR/$UPSTREAM_TARBALL"} "$BUILD/distfiles/$UPSTREAM_TARBALL" "$REPO"/../*/distfiles/"$UPSTREAM_TARBALL"; do
  if [ -n "$f" ] && [ -f "$f" ] && [ "$(sha256_of "$f")" = "$UPSTREAM_SHA256" ]; then tarball=$f; break; fi
done
if [ -n "$tarball" ]; then
  cp "$tarball" "$top/upstream/distfiles/"
else
  git -C "$SRC" archive --prefix=openjdk-upstream/ upstream | xz -T0 -3 > "$top/upstream/openjdk-upstream.tar.xz"
fi
cat > "$top/README" <<EOF
$PROJECT_NAME $PROJECT_VERSION: the complete source of the binaries with the same name.
$PROJECT_ID/ is the project with its patches, upstream/ the unchanged OpenJDK source. To build: cd $PROJECT_ID && make
EOF
pack "$name-source.tar.gz" "$name-source"

(cd "$OUT" && sha256sum ./*.tar.gz | sed 's|\./||' > SHA256SUMS)
say "   in build/bundles, checksums in SHA256SUMS"
