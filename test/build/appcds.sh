#!/usr/bin/env bash
# AppCDS: an archive dumped with or without the flag is used with or without the flag, and the program runs.
. "$(dirname "$0")/lib.sh"

hello "$WORK/hello"
(cd "$WORK/hello" && "$JDK/bin/jar" cf "$WORK/hello.jar" Hello.class)
for dump in -XX:-UseWisp2 -XX:+UseWisp2; do
  name=$WORK/archive$dump
  "$JDK/bin/java" $dump -XX:DumpLoadedClassList="$name.list" -cp "$WORK/hello.jar" Hello > /dev/null
  "$JDK/bin/java" $dump -Xshare:dump -XX:SharedClassListFile="$name.list" -XX:SharedArchiveFile="$name.jsa" -cp "$WORK/hello.jar" \
    > "$WORK/dump.log" 2>&1 || { cat "$WORK/dump.log"; fail "dumping with $dump"; }
  for run in -XX:-UseWisp2 -XX:+UseWisp2; do
    # -Xshare:on fails when the archive cannot be used.
    out=$("$JDK/bin/java" $run -Xshare:on -XX:SharedArchiveFile="$name.jsa" -Xlog:class+load -cp "$WORK/hello.jar" Hello 2>&1) ||
      fail "running with $run on an archive dumped with $dump: $(tail -n 3 <<< "$out")"
    expect "$dump then $run" 'hello from worker' "$out"
    expect "$dump then $run, Hello from the archive" 'Hello source: shared objects file' "$out"
    expect "$dump then $run, Thread from the archive" 'java.lang.Thread source: shared objects file' "$out"
  done
done
