#!/usr/bin/env bash
# Fetches and verifies what the build starts from. Usage: make/fetch.sh source | boot-jdk
# Ready files are taken first ($DISTDIR, then a folder distfiles in a sibling of this checkout), then apt is asked.
. "$(dirname "$0")/lib.sh"
take_lock

STATE=$BUILD/.state
FILES=$BUILD/distfiles
mkdir -p "$STATE" "$FILES"

# The mirrors that this machine's apt uses already: main archive, security archive.
find_mirrors() {
  local site suite
  main_site=$MIRROR security_site=
  if [ -z "$main_site" ]; then
    while read -r site suite; do
      case $suite in
        *-security|*/updates) : "${security_site:=$site}" ;;
        *) : "${main_site:=$site}" ;;
      esac
    done < <(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | sort -u | grep -E '/debian')
  fi
  [ -n "$main_site" ] || return 1
  main_site=${main_site%/}
  : "${security_site:=${main_site%/debian}/debian-security}"
}

# private_apt NAME SOURCES-LINE...: an apt of our own below build/, so that signatures are checked and the system stays as it is.
private_apt() {
  apt_root=$BUILD/apt/$1; shift
  rm -rf "$apt_root"
  mkdir -p "$apt_root"/{lists/partial,cache/archives/partial,download}
  printf '%s\n' "$@" > "$apt_root/sources.list"
  apt_options=(-q -o "Dir::Etc::sourcelist=$apt_root/sources.list" -o Dir::Etc::sourceparts=- -o Dir::Etc::preferences=/dev/null
    -o Dir::Etc::preferencesparts=- -o "Dir::State=$apt_root" -o "Dir::State::Lists=$apt_root/lists" -o "Dir::Cache=$apt_root/cache"
    -o Dir::State::status=/dev/null -o APT::Sandbox::User= -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none
    -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o APT::Update::Error-Mode=any)
  apt-get "${apt_options[@]}" update > "$STATE/apt.log" 2>&1
}

keyring() {
  local k
  for k in /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/debian-archive-keyring.pgp; do
    [ ! -f "$k" ] || { echo "$k"; return 0; }
  done
  die "Debian's archive keyring is missing; run: apt-get install debian-archive-keyring"
}

# The tarball in $tarball, its Debian version in $version; the pinned one unless the archive has only another.
find_tarball() {
  local f have
  tarball= version=$UPSTREAM_VERSION
  for f in "$TARBALL" ${DISTDIR:+"$DISTDIR/$UPSTREAM_TARBALL"} "$FILES/$UPSTREAM_TARBALL" "$REPO"/../*/distfiles/"$UPSTREAM_TARBALL"; do
    [ -n "$f" ] || continue
    if [ ! -f "$f" ]; then
      [ "$f" != "$TARBALL" ] || die "--with-tarball=$f does not exist."
      continue
    fi
    have=$(sha256_of "$f")
    if [ "$have" = "$UPSTREAM_SHA256" ]; then tarball=$f; return 0; fi
    die "wrong checksum: $f has sha256 $have, expected $UPSTREAM_SHA256; remove the file or replace it with $UPSTREAM_TARBALL of Debian's source package."
  done
  find_mirrors || die "no mirror: apt has no Debian archive configured and $UPSTREAM_TARBALL was not found; give one with ./configure --mirror=URL, or put the file into \$DISTDIR."
  phase "fetch the OpenJDK source"
  if ! private_apt source "deb-src [signed-by=$(keyring)] $main_site $UPSTREAM_SUITE main"; then
    die "the mirror $main_site does not answer for $UPSTREAM_SUITE (see build/.state/apt.log); give another with ./configure --mirror=URL, or put $UPSTREAM_TARBALL into \$DISTDIR."
  fi
  local offered
  offered=$(apt-cache "${apt_options[@]}" showsrc --only-source "$UPSTREAM_PACKAGE" | sed -n 's/^Version: //p' | sort -V)
  [ -n "$offered" ] || die "$main_site has no source package $UPSTREAM_PACKAGE in $UPSTREAM_SUITE; put $UPSTREAM_TARBALL into \$DISTDIR."
  version=$(grep -F "$UPSTREAM_VERSION-" <<< "$offered" | tail -n 1 || true)
  if [ -z "$version" ]; then
    version=$(tail -n 1 <<< "$offered")
    say "   $UPSTREAM_VERSION is no longer offered; trying $version instead."
  fi
  (cd "$apt_root/download" && apt-get "${apt_options[@]}" source --download-only "$UPSTREAM_PACKAGE=$version") >> "$STATE/apt.log" 2>&1 ||
    die "downloading $UPSTREAM_PACKAGE $version failed (see build/.state/apt.log); run make again, or put $UPSTREAM_TARBALL into \$DISTDIR."
  version=${version%-*}
  f=$(echo "$apt_root"/download/*.orig.tar.xz)
  if [ "$version" = "$UPSTREAM_VERSION" ]; then
    have=$(sha256_of "$f")
    [ "$have" = "$UPSTREAM_SHA256" ] || die "wrong checksum: the mirror's $UPSTREAM_TARBALL has sha256 $have, expected $UPSTREAM_SHA256."
  fi
  tarball=$FILES/${f##*/}
  mv "$f" "$tarball"
  rm -rf "$apt_root"
}

# build/src: upstream as a git work tree with the tag `upstream`, made aside and moved into place when complete.
make_source() {
  if git -C "$SRC" rev-parse -q --verify upstream >/dev/null 2>&1; then return 0; fi
  [ ! -e "$SRC" ] || die "build/src exists but is not a work tree that this build made; move it away and run make again."
  command -v git >/dev/null || die "git is missing; run: apt-get install git"
  local new=$BUILD/src.new
  rm -rf "$new"; mkdir -p "$new"
  if [ -n "$SOURCE_DIR" ]; then
    [ -f "$SOURCE_DIR/make/autoconf/configure.ac" ] || die "--with-source=$SOURCE_DIR is not an OpenJDK 11 source tree."
    phase "copy the OpenJDK source"
    version=$UPSTREAM_VERSION tarball=
    (cd "$SOURCE_DIR" && tar --exclude=./.git --exclude=./build -cf - .) | tar -C "$new" --no-same-owner -xf -
  else
    find_tarball
    phase "unpack the OpenJDK source"
    tar -C "$new" --no-same-owner --strip-components=1 -xJf "$tarball" || die "unpacking $tarball failed; is the disk full?"
  fi
  (
    cd "$new"
    git init -q -b wisp2 .
    git config core.autocrlf false; git config core.fileMode true; git config gc.auto 0; git config commit.gpgSign false
    export GIT_AUTHOR_NAME=OpenJDK GIT_AUTHOR_EMAIL=openjdk@localhost GIT_AUTHOR_DATE='2026-01-01T00:00:00+0000'
    export GIT_COMMITTER_NAME=OpenJDK GIT_COMMITTER_EMAIL=openjdk@localhost GIT_COMMITTER_DATE='2026-01-01T00:00:00+0000'
    git -c core.excludesFile=/dev/null add -f -A .
    git commit -q -m "OpenJDK $version"
    git tag upstream
  )
  printf '%s\n' "$version" > "$STATE/upstream-version"
  mv "$new" "$SRC"
}

# is_boot_jdk DIR: a JDK 10 or 11 with a working compiler and jmods.
is_boot_jdk() {
  local v
  [ -x "$1/bin/javac" ] && [ -d "$1/jmods" ] || return 1
  v=$("$1/bin/javac" -version 2>&1) || return 1
  [[ $v == 'javac 10'* || $v == 'javac 11'* ]]
}

make_boot_jdk() {
  local d f suite lines=() new=$BUILD/boot-jdk.new
  if [ -n "$BOOT_JDK" ]; then
    is_boot_jdk "$BOOT_JDK" || die "--with-boot-jdk=$BOOT_JDK is not a complete JDK 10 or 11."
    return 0
  fi
  if is_boot_jdk "$BUILD/boot-jdk"; then return 0; fi
  rm -rf "$BUILD/boot-jdk" "$new"
  for d in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    if [ -n "$d" ] && is_boot_jdk "$d"; then
      say "   boot JDK: $d"
      ln -s "$d" "$BUILD/boot-jdk"
      return 0
    fi
  done
  find_mirrors || die "no mirror and no boot JDK: give any JDK 10 or 11 with ./configure --with-boot-jdk=DIR, or a mirror with ./configure --mirror=URL"
  phase "fetch the boot JDK"
  for suite in $BOOT_SUITES; do
    case $suite in *-security) d=$security_site ;; *) d=$main_site ;; esac
    lines+=("deb [signed-by=$(keyring)] $d $suite main")
  done
  private_apt boot "${lines[@]}" ||
    die "the mirror $main_site does not answer for $BOOT_SUITES (see build/.state/apt.log); give a JDK 10 or 11 with ./configure --with-boot-jdk=DIR, or another mirror with --mirror=URL"
  # shellcheck disable=SC2086
  (cd "$apt_root/download" && apt-get "${apt_options[@]}" download $BOOT_PACKAGES) >> "$STATE/apt.log" 2>&1 ||
    die "downloading $BOOT_PACKAGES failed (see build/.state/apt.log); give a JDK 10 or 11 with ./configure --with-boot-jdk=DIR"
  mkdir -p "$apt_root/tree"
  for f in "$apt_root"/download/*.deb; do dpkg-deb -x "$f" "$apt_root/tree"; done
  d=$(echo "$apt_root"/tree/usr/lib/jvm/java-11-openjdk-*)
  # conf, and a few files below lib, are links to /etc/java-11-openjdk, which is not there: make them what they point to.
  find "$d" -type l -lname '/etc/*' | while read -r f; do
    local to; to=$apt_root/tree$(readlink "$f")
    rm "$f"
    [ ! -e "$to" ] || cp -rL "$to" "$f"
  done
  is_boot_jdk "$d" || die "the boot JDK from the archive does not run here; give a JDK 10 or 11 with ./configure --with-boot-jdk=DIR"
  cp -a "$d" "$new"
  mv "$new" "$BUILD/boot-jdk"
  rm -rf "$apt_root"
}

case ${1:-} in
  source) make_source ;;
  boot-jdk) make_boot_jdk ;;
  *) die "usage: make/fetch.sh source | boot-jdk" ;;
esac
