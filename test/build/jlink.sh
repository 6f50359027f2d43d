#!/usr/bin/env bash
# An image linked with jlink, also compressed and stripped, runs a program on coroutines.
. "$(dirname "$0")/lib.sh"

hello "$WORK/hello"
"$JDK/bin/jlink" --add-modules java.base,java.management --compress=2 --strip-debug --no-header-files --no-man-pages --output "$WORK/image"
expect "linked image" 'hello from worker' "$("$WORK/image/bin/java" -XX:+UseWisp2 -cp "$WORK/hello" Hello)"
expect "linked image, flag off" 'hello from worker' "$("$WORK/image/bin/java" -cp "$WORK/hello" Hello)"
expect "linked image, version" "$PROJECT_ID-$PROJECT_VERSION" "$("$WORK/image/bin/java" -version 2>&1)"
"$JDK/bin/jmod" list "$JDK/jmods/java.base.jmod" > "$WORK/list"
grep -q 'classes/com/alibaba/wisp/engine/' "$WORK/list" || fail "java.base.jmod lacks com.alibaba.wisp.engine"
