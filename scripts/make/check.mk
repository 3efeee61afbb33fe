# Tests, lint, sanitizers, fuzzing.
TEST_SRCS    := $(wildcard runner/tests/test_*.c servers/tests/test_*.c)
TEST_BINS    := $(TEST_SRCS:%.c=$(BUILD)/tests/%)
# Minutes of images and containers: check-docker.
TAP_SCRIPTS  := $(filter-out runner/tests/docker.t,$(wildcard runner/tests/*.t servers/tests/*.t))
FUZZ_SRCS    := $(wildcard runner/tests/fuzz/fuzz_*.c servers/tests/fuzz/fuzz_*.c)
FUZZ_BINS    := $(FUZZ_SRCS:%.c=$(BUILD)/fuzz/%)
FUZZ_SECONDS ?= 20
C_SRCS        = $(RUNNER_SRCS) runner/main.c $(wildcard servers/*/*.c servers/guests/*/*.c)
ALL_C         = $(sort $(wildcard runner/*/*.[ch] runner/*.c servers/*/*.[ch] servers/guests/*/*.[ch] runner/tests/fuzz/*.c \
                  servers/tests/fuzz/*.c))
# Scripts that test what other programs make of ours (a browser, an engine, valgrind): not twice.
PLAIN_ONLY   := runner/tests/html.t runner/tests/container.t runner/tests/count.t \
                runner/tests/count_real.t
# Each test is a process of its own with a time limit; prove reads the TAP, and shows what
# failed and why (its comments), and what was skipped, with the reason.
# Most tests wait more than they compute, so several run at once; those that provoke or
# measure a disturbance of the machine run alone.
JOBS         ?= 3
PROVE        := prove --jobs $(JOBS) --rules 'seq=**/{faults,smoke,calibrate,interrupt}.t' \
                --rules 'seq=**/test_target_local' --rules 'par=**' \
                --timer --failures --comments --directives --exec 'scripts/run-test 300'

deps: ## install what running needs (apt), saying so first; elsewhere name it
	@scripts/deps run

deps-dev: ## install what testing needs, too
	@scripts/deps dev

deps-guests: ## install the guest servers that Debian has, none of them started
	@scripts/deps guests

# The libraries' flags are read when make starts: what deps installs is seen by a second make.
bench: deps ## build, measure the quick profile (about 5 minutes), write report and plots
	@$(MAKE) --no-print-directory all
	$(BUILD)/bin/loopbench run --profile $(or $(PROFILE),quick)

test: deps-dev ## unit, whole-command and conformance tests, then the same under ASan and UBSan
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory asan

check: all $(TEST_BINS)
	BUILD=$(BUILD) SANITIZE=$(SANITIZE) $(PROVE) $(TEST_BINS) \
	    $(if $(SANITIZE),$(filter-out $(PLAIN_ONLY),$(TAP_SCRIPTS)),$(TAP_SCRIPTS))

asan: ## the tests under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=address,undefined check

tests: all $(TEST_BINS)

export ASAN_OPTIONS  ?= detect_leaks=1
export UBSAN_OPTIONS ?= print_stacktrace=1

$(BUILD)/tests/runner/tests/%: runner/tests/%.c $(BUILD)/libloopbench.a
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(RUNNER_CFLAGS) $(LLHTTP_CFLAGS) -Irunner -MMD -MP -MF $@.d $(LDFLAGS) $< \
	    $(BUILD)/libloopbench.a -o $@ $(RUNNER_LIBS) -lcmocka

$(BUILD)/tests/servers/tests/%: servers/tests/%.c $(COMMON_OBJS) $(HTTP1_OBJS) $(LLHTTP_OBJS)
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SERVER_CFLAGS) $(LLHTTP_CFLAGS) $(STORE_CFLAGS) -Iservers -MMD -MP -MF $@.d $(LDFLAGS) $< \
	    $(filter %.o,$^) -o $@ $(LLHTTP_LIBS) $(COMMON_LIBS) -lpthread -lcmocka -lm
-include $(TEST_BINS:=.d)

# Lint: the second compiler, clang-tidy (a stamp per file), cppcheck, format, layers.
lint: deps-dev ## clang-tidy, cppcheck, format and layer checks, clang warnings
	@$(MAKE) --no-print-directory lint-all

lint-all: lint-format lint-source lint-cppcheck lint-tidy lint-clang

lint-format:
	clang-format --dry-run -Werror $(ALL_C)

lint-source:
	scripts/check-source

# ctuuninitvar takes every `struct err` that a callee fills for read before it is set; the sanitizers and
# clang-tidy's analyzer watch for true ones.
lint-cppcheck:
	@mkdir -p $(BUILD)/cppcheck
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --suppress=ctuuninitvar \
	    --cppcheck-build-dir=$(BUILD)/cppcheck \
	    -D_GNU_SOURCE -DLOOPBENCH_VERSION='""' -Irunner -Iservers $(C_SRCS)

TIDY_STAMPS = $(C_SRCS:%.c=$(BUILD)/tidy/%.ok)
lint-tidy: $(TIDY_STAMPS)

TIDY_FLAGS = $(CPPFLAGS) -std=c17 $(RUNNER_CFLAGS) $(LLHTTP_CFLAGS) $(STORE_CFLAGS) $(SERVER_FLAGS_libevent) $(SERVER_FLAGS_h2o) \
    -DBUILD_COMMIT='""' -DBUILD_FLAGS='""' -DBUILD_SERVER_FLAGS='""' -DBUILD_COMPILER='""' -DBUILD_PREFIX='""'
$(BUILD)/tidy/runner/%.ok: runner/%.c .clang-tidy $(wildcard runner/*/*.h)
	@mkdir -p $(@D)
	@echo "  TIDY  $<"
	$(Q)clang-tidy --quiet $< -- $(TIDY_FLAGS) -Irunner 2>/dev/null
	@touch $@
$(BUILD)/tidy/servers/%.ok: servers/%.c .clang-tidy $(wildcard servers/*/*.h servers/guests/*/*.h)
	@mkdir -p $(@D)
	@echo "  TIDY  $<"
	$(Q)clang-tidy --quiet $< -- $(TIDY_FLAGS) -Iservers 2>/dev/null
	@touch $@

lint-clang:
	$(MAKE) --no-print-directory CC=clang BUILD=$(BUILD)/clang tests

# Fuzzing: every parser, from the seeds in tests/fuzz/corpus/NAME.
fuzz: deps-dev ## fuzz every parser for FUZZ_SECONDS (20) each
	@$(MAKE) --no-print-directory CC=clang BUILD=$(BUILD)/fuzzing SANITIZE=address,undefined fuzz-run

fuzz-run: $(FUZZ_BINS)
	@set -e; for f in $(FUZZ_BINS); do \
	    name=$${f##*/fuzz_}; new=$(BUILD)/corpus/$$name; mkdir -p $$new; \
	    seeds=; for d in runner servers; do test -d $$d/tests/fuzz/corpus/$$name && seeds=$$d/tests/fuzz/corpus/$$name; done; \
	    echo "fuzz $$name"; \
	    $$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=0 \
	        -artifact_prefix=$(BUILD)/corpus/$$name- $$new $$seeds; \
	done; echo "fuzz: nothing found"

$(BUILD)/fuzz/runner/tests/fuzz/%: runner/tests/fuzz/%.c $(BUILD)/libloopbench.a
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer $(RUNNER_CFLAGS) $(LLHTTP_CFLAGS) -Irunner $(LDFLAGS) $< \
	    $(BUILD)/libloopbench.a -o $@ $(RUNNER_LIBS)
$(BUILD)/fuzz/servers/tests/fuzz/%: servers/tests/fuzz/%.c $(COMMON_OBJS) $(HTTP1_OBJS) $(LLHTTP_OBJS)
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer $(LLHTTP_CFLAGS) -Iservers $(LDFLAGS) $< $(filter %.o,$^) -o $@ \
	    $(LLHTTP_LIBS) $(COMMON_LIBS) -lpthread

.PHONY: deps deps-dev deps-guests bench test check asan tests lint lint-all lint-format lint-source lint-cppcheck lint-tidy lint-clang fuzz fuzz-run
