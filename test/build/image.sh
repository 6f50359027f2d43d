#!/usr/bin/env bash
# The image is a complete JDK 11: all modules and jmods, tools, src.zip with our files, cacerts, legal notices, our package exported.
. "$(dirname "$0")/lib.sh"

for m in java.base java.se java.desktop java.net.http jdk.jfr jdk.jdi jdk.httpserver jdk.management jdk.jshell jdk.localedata; do
  [ -f "$JDK/jmods/$m.jmod" ] || fail "jmods/$m.jmod is missing"
done
[ "$(ls "$JDK/jmods" | wc -l)" -ge 69 ] || fail "jmods has only $(ls "$JDK/jmods" | wc -l) modules"
for t in java javac jar jlink jmod jstack jcmd jmap jdb jshell javadoc keytool serialver; do
  [ -x "$JDK/bin/$t" ] || fail "bin/$t is missing"
done

# src.zip holds every Java file of ours, and the patched upstream files.
unzip -Z1 "$JDK/lib/src.zip" > "$WORK/src.list"
grep -q '^java.base/java/lang/Thread.java$' "$WORK/src.list" || fail "src.zip lacks java/lang/Thread.java"
while read -r f; do
  entry=$(sed -E 's|^src/([^/]+)/[^/]+/classes/|\1/|' <<< "$f")
  grep -qxF "$entry" "$WORK/src.list" || fail "src.zip lacks $entry"
done < <(cd "$REPO" && find src -path '*/classes/*.java')

n=$("$JDK/bin/keytool" -list -cacerts -storepass changeit 2>/dev/null | grep -c trustedCertEntry || true)
[ "$n" -gt 50 ] || fail "cacerts has $n certificates"

grep -q 'GNU General Public License' "$JDK/legal/java.base/LICENSE" || fail "legal/java.base/LICENSE is missing"
[ -s "$JDK/legal/java.base/ASSEMBLY_EXCEPTION" ] || fail "legal/java.base/ASSEMBLY_EXCEPTION is missing"
[ -s "$JDK/legal/java.base/wisp2.md" ] || fail "legal/java.base/wisp2.md is missing"

expect "describe-module" 'exports com\.alibaba\.wisp\.engine' "$("$JDK/bin/java" --describe-module java.base)"

# Without debug symbols the image stays small; nothing of the build machine is in it.
[ -z "$(find "$JDK" -name '*.debuginfo' -print -quit)" ] || [ "$LEVEL" = dist ] || fail "the image holds debug symbols"
if [ "$LEVEL" = release ] && grep -rlF "$REPO/" "$JDK/lib" "$JDK/bin" --include='*.so' > "$WORK/paths" 2>/dev/null; then
  fail "path of the build machine in: $(head -3 "$WORK/paths" | tr '\n' ' ')"
fi

hello "$WORK/hello"
expect "run" 'hello from worker' "$("$JDK/bin/java" -cp "$WORK/hello" Hello)"
expect "run with the flag" 'hello from worker' "$("$JDK/bin/java" -XX:+UseWisp2 -cp "$WORK/hello" Hello)"
