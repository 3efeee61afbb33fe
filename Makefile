# loopbench: build, test, benchmark. `make help` lists the targets.
#
# Everything is made under $(BUILD). Sources are found by folder, so a new file, a new server or a
# new test needs no line here:
#   servers/NAME/*.c          -> build/bin/server-NAME   (NAME.mk in that folder adds its libraries)
#   servers/guests/evhttp/*.c -> build/bin/guest-evhttp
#   runner/*/*.c, main.c      -> build/bin/loopbench
#   {servers,runner}/tests/test_*.c    -> build/tests/…  (cmocka)
#   {servers,runner}/tests/*.t         -> run as they are (TAP)
#   {servers,runner}/tests/fuzz/fuzz_*.c -> build/fuzz/… (libFuzzer)

BUILD    ?= build
CC       ?= cc
PREFIX   ?= /usr/local
DESTDIR  ?=
SANITIZE ?=
VERSION  := $(shell cat VERSION)
COMMIT   := $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || echo unknown)

# make V=1 shows the commands.
Q := $(if $(V),,@)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

WARN     := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wpointer-arith -Wwrite-strings -Wformat=2
OPT      ?= $(if $(SANITIZE),-O1,-O2)
SAN      := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CPPFLAGS += -D_GNU_SOURCE -DLOOPBENCH_VERSION='"$(VERSION)"'
DEBUG    ?= -g
CFLAGS   += -std=c17 $(DEBUG) $(OPT) $(WARN) $(SAN) -fno-common
LDFLAGS  += $(SAN)

pkg       = $(shell pkg-config $(1) $(2) 2>/dev/null)

# llhttp: a library where the distribution has one, its C sources where it ships those.
ifneq ($(call pkg,--modversion,libllhttp),)
LLHTTP_CFLAGS := $(call pkg,--cflags,libllhttp)
LLHTTP_LIBS   := $(call pkg,--libs,libllhttp)
LLHTTP_OBJS   :=
else
# Strict: the loose mode takes any two bytes for the CRLF after a chunk, and blanks in header names.
LLHTTP_CFLAGS := -isystem /usr/share/include/llhttp -DLLHTTP_STRICT_MODE=1
LLHTTP_LIBS   :=
LLHTTP_OBJS   := $(patsubst %,$(BUILD)/llhttp/%.o,llhttp api http)
endif

all: servers guests runner $(BUILD)/lib/alloccount.so ## build the servers, the guests and the runner

include servers/servers.mk
include runner/runner.mk

# Objects depend on the flags they were built with, not only on their sources.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SERVER_CFLAGS) $(RUNNER_CFLAGS) $(LLHTTP_CFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
	    printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@

$(BUILD)/llhttp/%.o: /usr/share/llhttp/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(CPPFLAGS) -std=c17 -g $(if $(SANITIZE),-O1,-O3) $(SAN) $(LLHTTP_CFLAGS) -w -c $< -o $@

include scripts/make/check.mk
include scripts/make/docker.mk
include scripts/make/publish.mk
include servers/bench/bench.mk

install: all ## install loopbench and its servers under PREFIX (and DESTDIR)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/libexec/loopbench' '$(DESTDIR)$(PREFIX)/share/loopbench/plots' '$(DESTDIR)$(PREFIX)/share/loopbench/replays'
	install -m 755 $(BUILD)/bin/loopbench '$(DESTDIR)$(PREFIX)/bin/'
	install -m 755 $(BUILD)/bin/server-* $(GUEST_BINS) '$(DESTDIR)$(PREFIX)/libexec/loopbench/'
	install -m 755 $(BUILD)/lib/alloccount.so '$(DESTDIR)$(PREFIX)/libexec/loopbench/'
	install -m 644 plots/*.gp '$(DESTDIR)$(PREFIX)/share/loopbench/plots/'
	if [ -d servers/guests ]; then cp -RP servers/guests '$(DESTDIR)$(PREFIX)/share/loopbench/'; fi
	install -m 644 replays/*.ini '$(DESTDIR)$(PREFIX)/share/loopbench/replays/'

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(PREFIX)/bin/loopbench'
	rm -rf '$(DESTDIR)$(PREFIX)/libexec/loopbench' '$(DESTDIR)$(PREFIX)/share/loopbench'

clean: ## remove everything that was built (results stay)
	rm -rf $(BUILD)

help: ## list these targets
	@echo 'loopbench $(VERSION): make TARGET'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

FORCE:
.PHONY: all install uninstall clean help FORCE
