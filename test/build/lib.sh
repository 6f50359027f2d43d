# Shared by the distribution tests: where things are, and checks that say what they expected. Sourced.

set -euo pipefail
REPO=${REPO:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)}
BUILD=$REPO/build
LEVEL=${LEVEL:-release}
JDK=${JDK:-$BUILD/$LEVEL/images/jdk}
export LC_ALL=C
. "$REPO/make/upstream.conf"

WORK=$(mktemp -d "${TMPDIR:-/tmp}/wisp-build-test.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect WHAT PATTERN TEXT: the text contains the pattern (extended regular expression).
expect() { grep -qE -- "$2" <<< "$3" || fail "$1: expected /$2/ in: $3"; }
expect_not() { ! grep -qE -- "$2" <<< "$3" || fail "$1: did not expect /$2/ in: $3"; }

# hello DIR: compiles a program that starts a thread and prints "hello from" its name.
hello() {
  mkdir -p "$1"
  cat > "$1/Hello.java" <<'EOF'
public class Hello {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.out.println("hello from " + Thread.currentThread().getName()), "worker");
        t.start();
        t.join();
    }
}
EOF
  "$JDK/bin/javac" -d "$1" "$1/Hello.java"
}
