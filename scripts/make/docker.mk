# Containers: docs/containers.md.
# Settings (.env.example) come from the environment, or from make's command line, which exports them: Compose
# knows what else .env says, and the defaults.

base-image: ## make the base of the images from this machine's apt sources, where it cannot be pulled
	@scripts/base-image "$$(scripts/compose base)"

images: ## build the images of servers and runner
	@COMMIT='$(COMMIT)' scripts/compose build

# A stage guest-NAME is the image of the guest NAME.
GUEST_IMAGES = $(shell sed -n 's/^FROM .* AS \(guest-.*\)/\1/p' docker/guests.Dockerfile 2>/dev/null)
guest-images: $(GUEST_IMAGES:%=%-image) ## build the images of the guests (all but vertx)

guest-%-image:
	docker build -q -f docker/guests.Dockerfile --target guest-$* -t loopbench-guest-$* \
	    --build-arg BASE_IMAGE="$$(scripts/compose base)" .

guest-vertx-image: ## build the image of the guest vertx, where Maven Central is reached
	docker build -q -f servers/guests/vertx/Dockerfile -t loopbench-guest-vertx --build-arg BASE_IMAGE="$$(scripts/compose base)" .

bench-docker: ## measure in containers (PROFILE, CONNECTIONS, ... as in .env.example)
	@COMMIT='$(COMMIT)' scripts/compose bench

check-docker: runner ## the tests of images and Compose, where an engine answers (about 4 minutes)
	BUILD=$(BUILD) prove --timer --failures --comments --exec 'timeout -k 30 900' runner/tests/docker.t

.PHONY: base-image images guest-images guest-vertx-image bench-docker check-docker
