#!/usr/bin/env bash
# Brings everything that a build needs up to date: packages, source, boot JDK, patches, configuration. Quick when nothing is to do.
. "$(dirname "$0")/lib.sh"
check_level
take_lock

"$REPO/make/packages.sh"
"$REPO/make/fetch.sh" source
"$REPO/make/fetch.sh" boot-jdk
"$REPO/make/patches.sh" apply
"$REPO/make/configure.sh"
