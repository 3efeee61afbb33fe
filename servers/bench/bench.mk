# Speed and memory of the servers against their targets: a benchmark, run by hand on a quiet machine.
BENCH_ARGS ?=

# Also what `loopbench count` counts allocations with: built with everything else.
$(BUILD)/lib/alloccount.so: servers/bench/alloccount.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CPPFLAGS) -std=c17 -g -O2 $(WARN) -fPIC -shared $< -o $@

bench-servers: servers $(BUILD)/lib/alloccount.so ## measure the servers against their targets
	BUILD='$(BUILD)' servers/bench/bench-servers $(BENCH_ARGS)
.PHONY: bench-servers
