# Containers: docs/containers.md.
# Settings (.env.example) come from the environment, or from make's command line, which exports them: Compose
# knows what else .env says, and the defaults.

base-image: ## make the base of the images from this machine's apt sources, where it cannot be pulled
	@scripts/base-image "$$(scripts/compose base)"

images: ## build the images of servers and runner
	@COMMIT='$(COMMIT)' scripts/compose build

bench-docker: ## measure in containers (PROFILE, CONNECTIONS, ... as in .env.example)
	@COMMIT='$(COMMIT)' scripts/compose bench

check-docker: runner ## the tests of images and Compose, where an engine answers (about 4 minutes)
	BUILD=$(BUILD) prove --timer --failures --exec 'timeout -k 30 900' runner/tests/docker.t

.PHONY: base-image images bench-docker check-docker
