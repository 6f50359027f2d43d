#!/usr/bin/env bash
# The JDK names the project, its version and the patch hash everywhere; the specification version stays 11.
. "$(dirname "$0")/lib.sh"

hash=$(sed -n 's/.*:= *//p' "$BUILD/.state/version.gmk")
[ ${#hash} = 12 ] || fail "build/.state/version.gmk holds no patch hash"
full="$PROJECT_ID-$PROJECT_VERSION-$hash"

version=$("$JDK/bin/java" -version 2>&1)
expect "java -version" "build 11\.0\.[0-9.]+(-ea)?\+[0-9]+-$full" "$version"
expect "java -version" "Wisp2-$PROJECT_VERSION" "$version"
expect "java -version with the flag" "$full" "$("$JDK/bin/java" -XX:+UseWisp2 -version 2>&1)"
expect "-Xinternalversion" "$full" "$("$JDK/bin/java" -Xinternalversion 2>&1)"

release=$(cat "$JDK/release")
expect "release" "JAVA_RUNTIME_VERSION=\"11\.[^\"]*$full\"" "$release"
expect "release" "IMPLEMENTOR=\"$PROJECT_NAME\"" "$release"
expect "release" "IMPLEMENTOR_VERSION=\"Wisp2-$PROJECT_VERSION\"" "$release"

settings=$("$JDK/bin/java" -XshowSettings:properties -version 2>&1)
expect "java.specification.version" 'java\.specification\.version = 11$' "$settings"
expect "java.vm.specification.version" 'java\.vm\.specification\.version = 11$' "$settings"
expect "java.vendor" "java\.vendor = $PROJECT_NAME" "$settings"
expect "javac" '^javac 11\.' "$("$JDK/bin/javac" -version 2>&1)"
