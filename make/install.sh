#!/usr/bin/env bash
# Installs the image, removes it, cleans build/. Usage: make/install.sh install|uninstall|clean|distclean [PREFIX] [DESTDIR]
. "$(dirname "$0")/lib.sh"
check_level

action=${1:-} prefix=${2:-$PREFIX_DIR} destdir=${3:-}
MARK=.installed-by-make     # proves that a directory is ours before anything in it is removed

case $action in install|uninstall)
  [[ $prefix == /?* ]] || die "PREFIX=$prefix must be an absolute path other than /."
  to=${destdir%/}$prefix ;;
esac

case $action in
  install)
    if [ -e "$to" ] && [ ! -e "$to/$MARK" ] && [ -n "$(ls -A "$to" 2>/dev/null)" ]; then
      die "$to exists and was not installed by this make; choose another PREFIX or remove it."
    fi
    parent=$(dirname "$to")
    mkdir -p "$parent" 2>/dev/null && [ -w "$parent" ] || die "$parent cannot be written; use sudo make install, or another PREFIX."
    rm -rf "$to.new"
    cp -a "$BUILD/$LEVEL/images/jdk" "$to.new" || { rm -rf "$to.new"; die "copying to $to failed; is the disk full?"; }
    [ "$(id -u)" != 0 ] || chown -R 0:0 "$to.new"
    : > "$to.new/$MARK"
    rm -rf "$to"
    mv "$to.new" "$to"
    say "Installed in $to; try: $to/bin/java -XX:+UseWisp2 -version"
    ;;
  uninstall)
    [ -e "$to" ] || { say "Nothing is installed in $to."; exit 0; }
    [ -e "$to/$MARK" ] || die "$to was not installed by this make; nothing was removed."
    rm -rf "$to"
    say "Removed $to."
    ;;
  clean)
    take_lock
    rm -rf "$BUILD"/{release,fastdebug,slowdebug,dist,images,test,demo,bundles} "$BUILD"/.state/*.configured
    say "Removed what was compiled; source, boot JDK and downloads are still in build/."
    ;;
  distclean)
    if git -C "$SRC" rev-parse -q --verify upstream >/dev/null 2>&1; then
      applied=$(git -C "$SRC" rev-parse -q --verify refs/wisp2/applied || git -C "$SRC" rev-parse 'upstream^{commit}')
      if [ -n "$(git -C "$SRC" status --porcelain -uno)" ] || [ "$(git -C "$SRC" rev-parse HEAD)" != "$applied" ]; then
        die "build/src has work that is not in src/patches; export it with make patches-export, or drop it with make/patches.sh apply --discard."
      fi
    fi
    rm -rf "$BUILD"
    say "Removed build/."
    ;;
  *) die "usage: make/install.sh install|uninstall|clean|distclean [PREFIX] [DESTDIR]" ;;
esac
