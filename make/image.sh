#!/usr/bin/env bash
# Builds the image or a part of it. Usage: make/image.sh images | hotspot | module NAME | ccache-stats
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

# The version string follows the patch series when an image is made; hotspot and module keep the one they find.
write_version() {
  local line; line="OVERLAY_PATCH_HASH := $(patch_hash)"
  [ "$(cat "$BUILD/.state/version.gmk" 2>/dev/null)" = "$line" ] || echo "$line" > "$BUILD/.state/version.gmk"
}

case ${1:-} in
  images)
    write_version
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
  ccache-stats)
    command -v ccache >/dev/null || die "ccache is not installed; run: make packages"
    for log in "$BUILD/.state"/*.ccache; do
      [ -f "$log" ] || die "nothing was compiled yet; run: make hotspot"
      say "$(basename "$log" .ccache), last build:"
      CCACHE_STATSLOG=$log ccache --show-log-stats | sed -n '/Cacheable/,/Misses/p'
    done
    ;;
  *) die "unknown target '${1:-}' for make/image.sh" ;;
esac
