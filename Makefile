# OpenJDK 11 with Wisp2: every command of this project. `make help` lists them; HACKING.md explains them.

-include build/config.mk
DEFAULT_LEVEL ?= release
LEVEL ?= $(DEFAULT_LEVEL)
export LEVEL
export START := $(shell date +%s)

default: images

help:
	@make/help.sh

# --- the JDK

images: ready
	@make/image.sh images

demo: images
	@make/demo.sh

# Not built again as root when it is there.
install: $(if $(wildcard build/$(LEVEL)/images/jdk/bin/java),,images)
	@make/install.sh install "$(PREFIX)" "$(DESTDIR)"

uninstall:
	@make/install.sh uninstall "$(PREFIX)" "$(DESTDIR)"

dist:
	@LEVEL=dist make/ready.sh
	@LEVEL=dist make/image.sh images
	@LEVEL=dist make/dist.sh

# --- day-to-day work

hotspot: ready
	@make/image.sh hotspot

module: ready
	@make/image.sh module "$(MODULE)"

# make test [TEST=path] [SUITE="names"] [OPTS="VM options"]
test: images
	@make/test.sh $(TEST)

# make test-apps [APPS="names"]: real applications, with the flag on and off
test-apps: $(if $(JDK),,images)
	@make/apps.sh $(APPS)

check: source
	@make/patches.sh check

patches-apply: source
	@make/patches.sh apply

patches-export:
	@make/patches.sh export

patches-status:
	@make/patches.sh status

ccache-stats:
	@make/image.sh ccache-stats

# --- what a build needs, each step once

ready:
	@make/ready.sh

packages:
	@make/packages.sh

source:
	@make/fetch.sh source

# --- benchmarks: bench, bench-peers and others

-include make/bench.mk

# --- long tests: test-compat, compat-table, stress

-include make/compat.mk

# --- cleaning

clean:
	@make/install.sh clean

distclean:
	@make/install.sh distclean

.PHONY: default help images demo install uninstall dist hotspot module test test-apps check patches-apply patches-export patches-status \
	ccache-stats ready packages source clean distclean
