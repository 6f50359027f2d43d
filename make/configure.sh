#!/usr/bin/env bash
# Configures build/$LEVEL: runs upstream's configure once per set of options and writes custom-spec.gmk beside spec.gmk.
. "$(dirname "$0")/lib.sh"
check_level
take_lock

OUT=$BUILD/$LEVEL

options() {
  local jtreg=/usr/share/jtreg
  printf '%s\n' \
    "--with-boot-jdk=${BOOT_JDK:-$BUILD/boot-jdk}" \
    --enable-headless-only --disable-warnings-as-errors --with-extra-cflags=-I/usr/include/PCSC \
    --with-zlib=system --with-libjpeg=system --with-giflib=system --with-libpng=system --with-lcms=system --with-harfbuzz=system \
    "--with-version-pre=$(upstream_field pre)" "--with-version-build=$(upstream_field build)" \
    "--with-version-opt=$PROJECT_ID-$PROJECT_VERSION" \
    "--with-vendor-name=$PROJECT_NAME" "--with-vendor-version-string=Wisp2-$PROJECT_VERSION"
  [ ! -d $jtreg ] || printf '%s\n' "--with-jtreg=$jtreg"
  ! command -v ccache >/dev/null || printf '%s\n' --enable-ccache
  case $LEVEL in
    release) printf '%s\n' --with-debug-level=release --with-native-debug-symbols=none ;;
    dist) printf '%s\n' --with-debug-level=release --with-native-debug-symbols=external ;;
    *) printf '%s\n' "--with-debug-level=$LEVEL" --with-native-debug-symbols=internal ;;
  esac
  [ ${#EXTRA_CONFIGURE[@]} = 0 ] || printf '%s\n' "${EXTRA_CONFIGURE[@]}"
}

mapfile -t opts < <(options)
signature=$(printf '%s\n' "${opts[@]}" "$UPSTREAM_VERSION" "$(g++ -dumpfullversion 2>/dev/null)")

STATE=$BUILD/.state
mkdir -p "$STATE"

# What upstream's makefiles read last: our extension makefiles, and a ccache that does not care where the repository lies.
custom_spec() {
  cat > "$STATE/custom-spec" <<EOF
# Written by make/configure.sh; included at the end of spec.gmk.
OVERLAY_ROOT := $REPO
include \$(OVERLAY_ROOT)/make/custom/spec.gmk
EOF
  cmp -s "$STATE/custom-spec" "$OUT/custom-spec.gmk" || mv "$STATE/custom-spec" "$OUT/custom-spec.gmk"
}

if [ -f "$OUT/spec.gmk" ] && [ "$(cat "$STATE/$LEVEL.configured" 2>/dev/null)" = "$signature" ]; then
  custom_spec
  exit 0
fi

phase "configure $LEVEL"
rm -f "$STATE/$LEVEL.configured"
[ -f "$OUT/spec.gmk" ] || rm -rf "$OUT"      # upstream's configure wants an empty directory, or one that it made
mkdir -p "$OUT"
if ! (cd "$OUT" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u LEVEL bash "$SRC/configure" "${opts[@]}" > "$STATE/$LEVEL.configure.out" 2>&1 9>&-); then
  tail -n 15 "$STATE/$LEVEL.configure.out" >&2
  die "upstream's configure failed; its output is in build/.state/$LEVEL.configure.out. A missing package is installed by: make packages"
fi
custom_spec
printf '%s\n' "$signature" > "$STATE/$LEVEL.configured"
