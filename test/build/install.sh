#!/usr/bin/env bash
# install and uninstall: the installed JDK runs, a foreign directory is never touched, DESTDIR is honoured.
. "$(dirname "$0")/lib.sh"
run() { "$REPO/make/install.sh" "$@" 2>&1; }

run install "$WORK/jdk" > /dev/null
expect "installed" "$PROJECT_ID-$PROJECT_VERSION" "$("$WORK/jdk/bin/java" -XX:+UseWisp2 -version 2>&1)"
run install "$WORK/jdk" > /dev/null                                 # again, over itself
run install /opt/wisp "$WORK/root" > /dev/null
[ -x "$WORK/root/opt/wisp/bin/java" ] || fail "DESTDIR was not honoured"
run uninstall /opt/wisp "$WORK/root" > /dev/null
[ ! -e "$WORK/root/opt/wisp" ] || fail "uninstall left files"

mkdir "$WORK/foreign"; touch "$WORK/foreign/file"
expect "foreign directory" 'was not installed by this make' "$(run install "$WORK/foreign" || true)"
expect "foreign directory" 'was not installed by this make' "$(run uninstall "$WORK/foreign" || true)"
[ -e "$WORK/foreign/file" ] || fail "a foreign directory was touched"
expect "relative prefix" 'must be an absolute path' "$(run install some/where || true)"
expect "nothing there" 'Nothing is installed' "$(run uninstall "$WORK/nowhere")"
run uninstall "$WORK/jdk" > /dev/null
[ ! -e "$WORK/jdk" ] || fail "uninstall left files"
