# The servers: servers/common is linked into each; a server folder with a NAME.mk may name its libraries.
SERVER_NAMES  := libevent libuv h2o null
# Of the databases only the headers: their libraries are loaded when they are first used
# (common/db_library.h). Jansson is small.
STORE_CFLAGS  := $(call pkg,--cflags,sqlite3) $(call pkg,--cflags,libpq) $(call pkg,--cflags,jansson)
COMMON_LIBS   := $(call pkg,--libs,jansson zlib)
SERVER_BINS   := $(SERVER_NAMES:%=$(BUILD)/bin/server-%)
SERVER_CFLAGS := -O3 -flto=auto
ifneq ($(SANITIZE),)
SERVER_CFLAGS :=
endif
ifneq ($(findstring clang,$(CC)),)
SERVER_CFLAGS := -O3
endif

SERVER_LIBS_libevent   = $(call pkg,--libs,libevent_core) $(LLHTTP_LIBS)
SERVER_FLAGS_libevent  = $(call pkg,--cflags,libevent_core)
SERVER_OBJS_libevent   = $(LLHTTP_OBJS)
SERVER_LIBS_libuv      = $(call pkg,--libs,libuv) $(LLHTTP_LIBS)
SERVER_FLAGS_libuv     = $(call pkg,--cflags,libuv)
SERVER_OBJS_libuv      = $(LLHTTP_OBJS)
SERVER_LIBS_h2o        = $(call pkg,--libs,libh2o-evloop)
SERVER_FLAGS_h2o       = $(call pkg,--cflags,libh2o-evloop)

# common/http1*.c carries HTTP for servers whose library has none: it needs llhttp and is linked only there.
COMMON_SRCS   := $(filter-out servers/common/http1%,$(wildcard servers/common/*.c))
HTTP1_SRCS    := $(wildcard servers/common/http1*.c)
COMMON_OBJS   := $(COMMON_SRCS:%.c=$(BUILD)/obj/%.o)
HTTP1_OBJS    := $(HTTP1_SRCS:%.c=$(BUILD)/obj/%.o)
SERVER_OBJS_libevent  += $(HTTP1_OBJS)
SERVER_OBJS_libuv     += $(HTTP1_OBJS)

servers: $(SERVER_BINS)
# What they share, alone: images are built in these two steps (Dockerfile).
server-common: $(COMMON_OBJS) $(HTTP1_OBJS) $(LLHTTP_OBJS)
.PHONY: servers server-common

$(BUILD)/obj/servers/common/%.o: servers/common/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SERVER_CFLAGS) $(LLHTTP_CFLAGS) $(STORE_CFLAGS) -Iservers -MMD -MP -c $< -o $@

define SERVER_RULES
SRCS_$(1) := $$(wildcard servers/$(1)/*.c)
$(BUILD)/obj/servers/$(1)/%.o: servers/$(1)/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	@echo "  CC  $$@"
	$$(Q)$$(CC) $$(CPPFLAGS) $$(CFLAGS) $$(SERVER_CFLAGS) $$(LLHTTP_CFLAGS) $$(SERVER_FLAGS_$(1)) -Iservers -MMD -MP -c $$< -o $$@
$(BUILD)/bin/server-$(1): $$(SRCS_$(1):%.c=$(BUILD)/obj/%.o) $$(COMMON_OBJS) $$(SERVER_OBJS_$(1)) $(BUILD)/flags
	@mkdir -p $$(@D)
	@echo "  LD  $$@"
	$$(Q)$$(CC) $$(CFLAGS) $$(SERVER_CFLAGS) $$(LDFLAGS) $$(filter %.o,$$^) -o $$@ $$(SERVER_LIBS_$(1)) $(COMMON_LIBS) -lpthread
-include $$(SRCS_$(1):%.c=$(BUILD)/obj/%.d)
endef
$(foreach s,$(SERVER_NAMES),$(eval $(call SERVER_RULES,$(s))))
-include $(COMMON_OBJS:.o=.d) $(HTTP1_OBJS:.o=.d)

# The tests of the thin loop interface take its implementation and the library along.
define LOOP_TEST_RULES
$(BUILD)/tests/servers/tests/test_loop_$(1): $(BUILD)/obj/servers/$(1)/loop.o
$(BUILD)/tests/servers/tests/test_loop_$(1): CFLAGS += $(SERVER_FLAGS_$(1))
$(BUILD)/tests/servers/tests/test_loop_$(1): COMMON_LIBS += $(SERVER_LIBS_$(1))
endef
$(foreach s,libevent libuv h2o,$(eval $(call LOOP_TEST_RULES,$(s))))

# The guest that is compiled: libevent's own HTTP layer. It shares nothing with the servers above.
ifneq ($(call pkg,--modversion,libevent_extra),)
GUEST_BINS    := $(BUILD)/bin/guest-evhttp
endif
GUEST_SRCS    := $(wildcard servers/guests/evhttp/*.c)
guests: $(GUEST_BINS)
.PHONY: guests

$(BUILD)/obj/servers/guests/%.o: servers/guests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SERVER_CFLAGS) $(call pkg,--cflags,libevent_extra jansson zlib) -Iservers -MMD -MP -c $< -o $@
$(BUILD)/bin/guest-evhttp: $(GUEST_SRCS:%.c=$(BUILD)/obj/%.o) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) $(SERVER_CFLAGS) $(LDFLAGS) $(filter %.o,$^) -o $@ $(call pkg,--libs,libevent_extra libevent_core jansson zlib) -lpthread
-include $(GUEST_SRCS:%.c=$(BUILD)/obj/%.d)

# The guest that only Maven can build, where Maven Central is reached.
guest-vertx: ## build the guest vertx (JDK 17, Maven, network)
	mvn -q -B -f servers/guests/vertx/pom.xml -Doutput='$(abspath $(BUILD))/vertx' package
	install -D -m 644 $(BUILD)/vertx/guest-vertx.jar $(BUILD)/bin/guest-vertx.jar
.PHONY: guest-vertx
