# Tests, lint, sanitizers, fuzzing.
TEST_SRCS   := $(wildcard runner/tests/test_*.c servers/tests/test_*.c)
TEST_BINS   := $(TEST_SRCS:%.c=$(BUILD)/tests/%)
FUZZ_SRCS   := $(wildcard runner/tests/fuzz/fuzz_*.c servers/tests/fuzz/fuzz_*.c)
FUZZ_BINS   := $(FUZZ_SRCS:%.c=$(BUILD)/fuzz/%)
TAP_SCRIPTS := $(wildcard runner/tests/*.t servers/tests/*.t)
FUZZ_SECONDS ?= 10

tests: all $(TEST_BINS)
.PHONY: tests

$(BUILD)/tests/runner/tests/%: runner/tests/%.c $(BUILD)/libloopbench.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(RUNNER_CFLAGS) $(LLHTTP_CFLAGS) -Irunner -MMD -MP -MF $@.d $(LDFLAGS) $< $(BUILD)/libloopbench.a -o $@ \
	    $(RUNNER_LIBS) -lcmocka

$(BUILD)/tests/servers/tests/%: servers/tests/%.c $(COMMON_OBJS) $(HTTP1_OBJS) $(LLHTTP_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SERVER_CFLAGS) $(LLHTTP_CFLAGS) -Iservers -MMD -MP -MF $@.d $(LDFLAGS) $< $(filter %.o,$^) -o $@ \
	    $(LLHTTP_LIBS) -lpthread -lcmocka -lm
-include $(TEST_BINS:=.d)
