#!/usr/bin/env bash
# Bad input to the build gives one clear line that says what to do, and leaves nothing half done. Works on a copy of make/.
. "$(dirname "$0")/lib.sh"

# A checkout beside others, as in real life: top/checkout, top/other/distfiles.
top=$WORK/top
mkdir -p "$top/checkout"
cp -r "$REPO/make" "$REPO/configure" "$top/checkout/"
cd "$top/checkout"
unset DISTDIR WISP_LOCKED JAVA_HOME

# refused WHAT PATTERN COMMAND...: it fails, the last line is the message, and that message matches.
refused() {
  local what=$1 pattern=$2 out status=0; shift 2
  out=$("$@" 2>&1) || status=$?
  [ "$status" != 0 ] || fail "$what: expected a failure, got: $out"
  expect "$what" "$pattern" "$(tail -n 1 <<< "$out")"
  rm -rf build/apt
}
with() { env "$@"; }

# configure
refused "unknown option" 'unknown option --frob; see ./configure --help' ./configure --frob
refused "missing tarball" 'nowhere does not exist' ./configure --with-tarball=/nowhere
refused "bad source tree" 'not an OpenJDK 11 source tree' ./configure --with-source="$WORK"
refused "bad boot JDK" 'has no bin/javac' ./configure --with-boot-jdk="$WORK"
refused "bad level" 'use release, fastdebug or slowdebug' ./configure --debug-level=quick
refused "bad mirror" 'is not a URL' ./configure --mirror=nonsense
refused "relative prefix" 'must be an absolute path' ./configure --prefix=here
[ ! -e build/config.sh ] || fail "a refused configure left build/config.sh"

# source
mkdir -p "$top/other/distfiles"
echo broken > "$top/other/distfiles/$UPSTREAM_TARBALL"
refused "wrong checksum" 'wrong checksum: .* expected .*; remove the file or replace it' make/fetch.sh source
[ ! -e build/src ] || fail "a refused tarball left build/src"
rm -r "$top/other"
./configure --mirror=http://127.0.0.1:9/debian > /dev/null
refused "no mirror answers" 'does not answer .*--mirror=URL' make/fetch.sh source
refused "no boot JDK" 'does not answer|--with-boot-jdk=DIR' make/fetch.sh boot-jdk
rm build/config.sh
mkdir -p build/src
refused "foreign build/src" 'not a work tree that this build made; move it away' make/fetch.sh source
rmdir build/src

# An unpacking that was interrupted is started again, not taken for complete.
mkdir -p "$WORK/tree/make/autoconf" build/src.new
touch "$WORK/tree/make/autoconf/configure.ac" "$WORK/tree/whole" build/src.new/half
./configure --with-source="$WORK/tree" > /dev/null
make/fetch.sh source > /dev/null
[ -f build/src/whole ] && [ ! -e build/src/half ] && [ ! -e build/src.new ] || fail "an interrupted unpacking was taken for complete"
make/fetch.sh source > /dev/null
rm -rf build/src build/config.sh

# machine
mkdir bin
printf '#!/bin/sh\n[ "$1" = -m ] && echo aarch64 || echo Linux\n' > bin/uname; chmod +x bin/uname
refused "unsupported CPU" 'x86-64 only, this CPU is aarch64' with PATH="$PWD/bin:$PATH" make/packages.sh
printf '#!/bin/sh\n[ "$1" = -m ] && echo x86_64 || echo FreeBSD\n' > bin/uname
refused "unsupported system" 'Linux only, not on FreeBSD' with PATH="$PWD/bin:$PATH" make/packages.sh
rm bin/uname
refused "no space" 'GB free; make room' with NEED_GB=9999999 make/packages.sh
printf '#!/bin/sh\necho not-installed\n' > bin/dpkg-query
printf '#!/bin/sh\necho 1000\n' > bin/id
printf '#!/bin/sh\nexit 1\n' > bin/sudo
chmod +x bin/*
refused "package missing, no root" 'not root; run: sudo apt-get install' with PATH="$PWD/bin:$PATH" NEED_GB=0 make/packages.sh < /dev/null
rm -r bin

# levels and tests
refused "unknown level" 'LEVEL=quick is unknown' with LEVEL=quick make/image.sh images
refused "no image" "no image for LEVEL=$LEVEL; run: make images LEVEL=$LEVEL" make/test.sh
