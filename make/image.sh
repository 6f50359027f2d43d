#!/usr/bin/env bash
# Builds the image or a part of it. Usage: make/image.sh images | hotspot | module NAME
. "$(dirname "$0")/lib.sh"
check_level
take_lock

OUT=$BUILD/$LEVEL
IMAGE=$OUT/images/jdk

# Puts a freshly linked libjvm into the complete image too, so that it can be tried at once.
refresh_libjvm() {
  local new=$OUT/support/modules_libs/java.base/server/libjvm.so to
  for to in "$OUT/jdk/lib/server/libjvm.so" "$IMAGE/lib/server/libjvm.so"; do
    [ -d "${to%/*}" ] || continue
    cmp -s "$new" "$to" || { cp "$new" "$to.new" && mv "$to.new" "$to"; say "   new libjvm in ${to#"$REPO"/}"; }
  done
}

case ${1:-} in
  images)
    phase "build the image ($LEVEL)"
    "$REPO/make/build.sh" images
    [ "$LEVEL" != release ] || ln -sfn release/images "$BUILD/images"
    "$IMAGE/bin/java" -version 2>&1 | sed 's/^/   /'
    ;;
  hotspot)
    "$REPO/make/build.sh" hotspot
    refresh_libjvm
    ;;
  module)
    [ -n "${2:-}" ] || die "name the module: make module MODULE=java.base"
    [ -d "$SRC/src/$2" ] || die "there is no module $2; see build/src/src"
    "$REPO/make/build.sh" "$2"
    ;;
  *) die "unknown target '${1:-}' for make/image.sh" ;;
esac
