# Containers: docs/containers.md.
BASE_IMAGE ?= debian:bookworm-slim

base-image: ## make the base of the images from this machine's apt sources, where it cannot be pulled
	@scripts/base-image '$(BASE_IMAGE)'

images: ## build the images of servers and runner
	@COMMIT='$(COMMIT)' BASE_IMAGE='$(BASE_IMAGE)' scripts/compose build

bench-docker: ## measure in containers (PROFILE, CONNECTIONS, ... as in .env.example)
	@COMMIT='$(COMMIT)' BASE_IMAGE='$(BASE_IMAGE)' scripts/compose bench

check-docker: runner ## the tests of images and Compose, where an engine answers (about 4 minutes)
	BUILD=$(BUILD) prove --timer --failures --exec 'timeout -k 30 900' runner/tests/docker.t

.PHONY: base-image images bench-docker check-docker
