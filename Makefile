# OpenJDK 11 with Wisp2: every command of this project. `make help` lists them.

LEVEL ?= release
export LEVEL

default: images

# The image, and parts of it for day-to-day work.
images: ready
	@make/image.sh images

hotspot: ready
	@make/image.sh hotspot

module: ready
	@make/image.sh module "$(MODULE)"

# What a build needs, each step once: packages, source, boot JDK, patches, configuration.
ready:
	@make/ready.sh

packages:
	@make/packages.sh

source:
	@make/fetch.sh source

patches-apply: source
	@make/patches.sh apply

patches-export:
	@make/patches.sh export

patches-status:
	@make/patches.sh status

check: source
	@make/patches.sh check

.PHONY: default images hotspot module ready packages source patches-apply patches-export patches-status check
