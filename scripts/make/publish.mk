# The static site of what is published.
SITE ?= site
RUNS ?=

publish: $(BUILD)/bin/loopbench ## static site of results/published (or RUNS="ID ...") in SITE (site)
	$(BUILD)/bin/loopbench site results --out '$(SITE)' $(RUNS)

.PHONY: publish
