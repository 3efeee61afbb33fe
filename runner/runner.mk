# The runner: every runner/*/*.c is part of one library, so that tests can link any of it.
RUNNER_LIBS   = $(call pkg,--libs,libuv jansson inih gsl zlib) $(LLHTTP_LIBS) -lpthread -lm
# The file descriptors a container may use are set in docker/enter alone.
CONTAINER_FILES := $(shell sed -n 's/.*{NOFILE:-\([0-9][0-9]*\)}.*/\1/p' docker/enter 2>/dev/null)
RUNNER_CFLAGS = $(call pkg,--cflags,libuv jansson inih gsl zlib) -DCONTAINER_FILES='"$(CONTAINER_FILES)"'
RUNNER_SRCS  := $(foreach d,base config plan target load sample count run store stats report ui,$(wildcard runner/$(d)/*.c))
RUNNER_OBJS  := $(RUNNER_SRCS:%.c=$(BUILD)/obj/%.o)

runner: $(BUILD)/bin/loopbench
.PHONY: runner

$(BUILD)/obj/runner/%.o: runner/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(RUNNER_CFLAGS) $(LLHTTP_CFLAGS) -Irunner -MMD -MP -c $< -o $@

# The commit and the flags are recorded in every run; only this one object knows them.
$(BUILD)/obj/runner/base/buildinfo.o: CPPFLAGS += -DBUILD_COMMIT='"$(COMMIT)"' -DBUILD_FLAGS='"$(subst ",\",$(CFLAGS))"' \
    -DBUILD_SERVER_FLAGS='"$(SERVER_CFLAGS)"' -DBUILD_COMPILER='"$(shell $(CC) --version 2>/dev/null | head -n 1)"' \
    -DBUILD_PREFIX='"$(PREFIX)"'
$(BUILD)/obj/runner/base/buildinfo.o: $(BUILD)/commit
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(COMMIT)' | cmp -s - $@ || printf '%s\n' '$(COMMIT)' > $@

$(BUILD)/libloopbench.a: $(RUNNER_OBJS) $(LLHTTP_OBJS)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/bin/loopbench: $(BUILD)/obj/runner/main.o $(BUILD)/libloopbench.a
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(BUILD)/obj/runner/main.o $(BUILD)/libloopbench.a -o $@ $(RUNNER_LIBS)

-include $(RUNNER_OBJS:.o=.d) $(BUILD)/obj/runner/main.d
