#!/usr/bin/env bash
# Shared by the scripts in make/: paths, messages, phases with elapsed time, the lock. Sourced, never run.

set -euo pipefail

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=$REPO/build
SRC=$BUILD/src
LEVEL=${LEVEL:-release}
export LC_ALL=C

# shellcheck source=make/upstream.conf
. "$REPO/make/upstream.conf"

# What ./configure was told; see ./configure --help.
MIRROR='' TARBALL='' SOURCE_DIR='' BOOT_JDK='' PREFIX_DIR=/usr/local/jdk-11-wisp2 PACKAGE_INSTALL=yes EXTRA_CONFIGURE=()
# shellcheck disable=SC1091
[ ! -f "$BUILD/config.sh" ] || . "$BUILD/config.sh"

START=${START:-$(date +%s)}
export START

say()  { printf '%s\n' "$*"; }
die()  { printf 'error: %s\n' "$*" >&2; exit 1; }
elapsed() { local s=$(($(date +%s) - START)); printf '%d:%02d' $((s / 60)) $((s % 60)); }
phase() { printf '== [%s] %s\n' "$(elapsed)" "$*"; }

# Only one make at a time works on build/: the second one waits and says so.
take_lock() {
  [ -z "${WISP_LOCKED:-}" ] || return 0
  mkdir -p "$BUILD"
  exec 9>"$BUILD/.lock"
  if ! flock -n 9; then
    say "Another make works in $BUILD; waiting for it."
    flock 9
  fi
  export WISP_LOCKED=1
}

check_level() {
  case $LEVEL in
    release|fastdebug|slowdebug|dist) ;;
    *) die "LEVEL=$LEVEL is unknown; use release, fastdebug, slowdebug or dist." ;;
  esac
}

# upstream_field number|pre|build: the parts of a Debian version such as 11.0.33~4ea or 11.0.32.1+1.
upstream_field() {
  local v; v=$(cat "$BUILD/.state/upstream-version" 2>/dev/null || echo "$UPSTREAM_VERSION")
  case $1 in
    number) echo "${v%%[~+]*}" ;;
    pre) case $v in *~*ea*) echo ea ;; esac ;;
    build) v=${v#*[~+]}; echo "${v%%[!0-9]*}" ;;
  esac
}

sha256_of() { sha256sum "$1" | cut -d' ' -f1; }

# First 12 digits of the hash over the patch series, in order: names what was patched.
patch_hash() {
  local p=$REPO/src/patches f
  { for f in $(series_of "$p/series"); do cat "$p/$f"; done; } 2>/dev/null | sha256sum | cut -c1-12
}

# The file names in a series file, without comments and blank lines.
series_of() { [ ! -f "$1" ] || sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"; }

# configuration NAME: VM options of a configuration that the long tests have in common; nothing for other names.
configuration() {
  case $1 in
    stock)       echo "-XX:-UseWisp2" ;;
    flag)        echo "-XX:+UseWisp2" ;;
    one-carrier) echo "-XX:+UseWisp2 -Dcom.alibaba.wisp.carrierEngines=1" ;;
    migrate)     echo "-XX:+UseWisp2 -XX:+UnlockDiagnosticVMOptions -XX:+WispAlwaysMigrate" ;;
  esac
}
