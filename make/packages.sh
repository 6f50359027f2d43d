#!/usr/bin/env bash
# Checks the machine and installs the Debian packages that a build needs; says what to do when it cannot.
. "$(dirname "$0")/lib.sh"

PACKAGES="gcc g++ make git autoconf m4 file zip unzip xz-utils bzip2 ccache pkgconf perl-base procps util-linux
 libx11-dev libxext-dev libxrender-dev libxtst-dev libxt-dev libxrandr-dev libcups2-dev libfontconfig1-dev libasound2-dev
 libfreetype-dev libpcsclite-dev libpng-dev libjpeg-dev libgif-dev liblcms2-dev zlib1g-dev libharfbuzz-dev jtreg7"
NEED_GB=${NEED_GB:-8}       # source, its git directory and one image; each further LEVEL takes about 4 more

system=$(uname -s) cpu=$(uname -m)
[ "$system" = Linux ] || die "this builds on Linux only, not on $system; use a Debian 12 machine, container or virtual machine."
[ "$cpu" = x86_64 ] || die "coroutines are written for x86-64 only, this CPU is $cpu; build on an x86-64 machine."

# Space is asked for before the first build only.
if [ ! -d "$BUILD/$LEVEL/images/jdk" ]; then
  mkdir -p "$BUILD"
  free=$(($(df --output=avail -k "$BUILD" | tail -n 1) / 1048576))
  [ "$free" -ge "$NEED_GB" ] || die "a build needs $NEED_GB GB, $BUILD has $free GB free; make room or put the repository on another disk."
fi

[ "${PACKAGE_INSTALL:-yes}" = yes ] || exit 0
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  die "this system has no apt; install what doc/building.md lists by hand and tell so with: ./configure --no-packages"
fi

missing=()
for p in $PACKAGES; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0

phase "install ${#missing[@]} build packages"
as_root=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then as_root=(sudo)
  else die "packages are missing and this user is not root; run: sudo apt-get install -y --no-install-recommends ${missing[*]}"; fi
fi
mkdir -p "$BUILD/.state"
log=$BUILD/.state/packages.log
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
  grep -E '^(E|W):' "$log" | head -5 >&2
  die "apt could not install: ${missing[*]}. The output is in build/.state/packages.log; Debian 12 has all of them."
fi
