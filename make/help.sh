#!/usr/bin/env bash
# Prints what `make` can do.
cat <<'EOF'
OpenJDK 11 with Wisp2

  make demo               build everything that is missing, then PingPong with kernel threads and with coroutines
  make test               build everything that is missing, then the quick suite; last line: N passed, N failed

  make  |  make images    the JDK in build/images/jdk; starts with packages, source, boot JDK, patches
  make install            copies it to PREFIX (make install PREFIX=/opt/jdk; DESTDIR is honoured)
  make uninstall          removes it again
  make dist               JDK, debug symbols, source bundle and checksums in build/bundles
  make clean              removes what was compiled; make distclean removes build/ as a whole
  ./configure --help      other mirror, tarball, source tree, boot JDK, debug level, prefix

  make hotspot            only libjvm, and puts it into the image that exists
  make module MODULE=M    only one module, such as java.base, for build/LEVEL/jdk/bin/java
  make test TEST=PATH     one test or directory, ours or below build/src/test; OPTS="..." VM options, gtest:FILTER
  make test SUITE=NAME    one or more lines of test/quick.conf
  make test-apps          real applications from Maven Central and Debian, flag on and off; APPS="names", JDK=PATH
  make test-compat        upstream's own suites, flag off and on; adds up over days; COMPAT="suite or path" CONFIG="flag stock" MINUTES=60
  make compat-table       doc/compatibility.md from those results
  make stress             a stress program with every collector, compiler and rare path; STRESS="g1 z" only these
  make jcstress           jcstress with the flag on: outcomes of races that the language forbids; JCSTRESS="Park" CONFIG="flag migrate"
  make check              the patch gate alone
  make patches-apply      brings build/src to the state of src/patches
  make patches-export     writes src/patches from the commits in build/src; make/patches.sh save TOPIC makes such a commit
  make patches-status     what is applied, what is not exported
  make ccache-stats       the hit rate of the last build

  make bench              every promised figure beside its target; bench-peers, bench-echo, bench-apps, bench-queries, bench-uperf, bench-cpu, bench-sleepers, bench-off, bench-fair, bench-scale, bench-paths, bench-files, bench-micro, bench-all: see HACKING.md

  LEVEL=fastdebug         with any of the above: a second build with asserts in build/fastdebug, beside build/release
EOF
