/* Dividing CPUs between server and load generator, on machines of many shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "sample/cpusplit.h"

static cpu_set_t set_of(const char *text) {
    cpu_set_t set;
    struct err e;
    assert_int_equal(cpus_parse(text, "test", &set, &e), 0);
    return set;
}

/* Shapes: SMT siblings as (n, n + half), as (2n, 2n + 1), or none. */
enum shape { NONE, HALVES, PAIRS };

static void cores_of(enum shape shape, int cpus, int core[CPU_SETSIZE]) {
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        core[cpu] = cpu;
        if (shape == HALVES && cpu < cpus) {
            core[cpu] = cpu % (cpus / 2);
        } else if (shape == PAIRS && cpu < cpus) {
            core[cpu] = cpu & ~1;
        }
    }
}

static void test_choice(void **state) {
    (void)state;
    static const struct {
        const char *allowed;
        enum shape shape;
        int cpus, workers, threads;
        const char *server, *generator, *note;
    } cases[] = {
        {"0-1", NONE, 2, 1, 1, "1", "0", ""},
        {"0-3", NONE, 4, 1, 1, "3", "2", ""}, /* CPU 0, where interrupts land, stays free */
        {"0-3", NONE, 4, 2, 2, "2-3", "0-1", ""},
        {"0-3", HALVES, 4, 1, 1, "1", "0", ""},
        {"0-3", PAIRS, 4, 1, 1, "2", "0", ""},
        {"0-3", PAIRS, 4, 2, 2, "2-3", "0-1", ""},
        {"0-7", HALVES, 8, 2, 1, "2-3", "1", ""}, /* a core for each worker */
        {"0-7", HALVES, 8, 3, 1, "1-3", "0", ""},
        {"0-7", HALVES, 8, 4, 1, "1-3,7", "0", ""}, /* rather than a core on both sides */
        {"0-7", HALVES, 8, 4, 4, "2-3,6-7", "0-1,4-5", ""},
        {"5,9", NONE, 16, 1, 1, "9", "5", ""}, /* whatever a cpuset leaves */
        {"2,6", HALVES, 8, 1, 1, "6", "2", "server and load generator share a core (SMT)"},
        {"0-1", PAIRS, 2, 1, 1, "1", "0", "server and load generator share a core (SMT)"},
        {"0-3", PAIRS, 4, 3, 1, "1-3", "0", "server and load generator share a core (SMT)"},
        {"0-3", PAIRS, 4, 8, 1, "2-3", "0", "fewer CPUs than server workers"},
        {"0-2", NONE, 3, 2, 2, "1-2", "0", "fewer CPUs than load generator threads"},
        {"0-1", NONE, 2, 2, 2, "1", "0",
         "fewer CPUs than server workers; fewer CPUs than load generator threads"},
        {"3", NONE, 4, 1, 1, "3", "3", "server and load generator share CPUs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int core[CPU_SETSIZE];
        char server[CPUS_TEXT_SIZE];
        char generator[CPUS_TEXT_SIZE];
        cpu_set_t allowed = set_of(cases[i].allowed);
        struct cpusplit split;
        cores_of(cases[i].shape, cases[i].cpus, core);
        cpusplit_choose(&allowed, core, cases[i].workers, cases[i].threads, &split);
        cpus_format(&split.server, server, sizeof server);
        cpus_format(&split.generator, generator, sizeof generator);
        if (strcmp(server, cases[i].server) != 0 || strcmp(generator, cases[i].generator) != 0 ||
            strcmp(split.note, cases[i].note) != 0) {
            fail_msg("case %zu: server %s, generator %s, '%s'", i, server, generator, split.note);
        }
    }
}

/* Properties that hold on every machine. */
static void test_properties(void **state) {
    (void)state;
    srand(7);
    for (int i = 0; i < 3000; i++) {
        int core[CPU_SETSIZE];
        int cpus = 2 * (1 + rand() % 12);
        int workers = 1 + rand() % 8;
        int threads = 1 + rand() % 8;
        cpu_set_t allowed;
        cpu_set_t extra;
        struct cpusplit split;
        cores_of(rand() % 3, cpus, core);
        CPU_ZERO(&allowed);
        for (int cpu = 0; cpu < cpus; cpu++) {
            if (rand() % 4) {
                CPU_SET((size_t)cpu, &allowed);
            }
        }
        if (CPU_COUNT(&allowed) == 0) {
            continue;
        }
        cpusplit_choose(&allowed, core, workers, threads, &split);
        CPU_OR(&extra, &split.server, &split.generator);
        CPU_AND(&extra, &extra, &allowed);
        assert_int_equal(CPU_COUNT(&extra), CPU_COUNT(&split.server) +
                                                (split.disjoint ? CPU_COUNT(&split.generator) : 0));
        assert_true(CPU_COUNT(&split.server) >= 1 && CPU_COUNT(&split.generator) >= 1);
        assert_int_equal(split.disjoint, CPU_COUNT(&allowed) > 1);
        assert_true(CPU_COUNT(&split.server) <= workers);
        assert_true(CPU_COUNT(&split.generator) <= threads);
        assert_int_equal(split.server_short, CPU_COUNT(&split.server) < workers);
        if (workers == 1 && split.shares_core) { /* then there was only one core */
            int first = -1;
            for (int cpu = 0; cpu < cpus; cpu++) {
                if (CPU_ISSET((size_t)cpu, &allowed)) {
                    first = first < 0 ? core[cpu] : first;
                    assert_int_equal(core[cpu], first);
                }
            }
        }
    }
}

static void write_siblings(const char *root, int cpu, const char *text) {
    char path[512];
    struct err e;
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/topology", root, cpu);
    assert_int_equal(file_mkdirs(path, &e), 0);
    size_t n = strlen(path);
    snprintf(path + n, sizeof path - n, "/thread_siblings_list");
    assert_int_equal(file_write_atomic(path, text, strlen(text), &e), 0);
}

static void remove_siblings(const char *root, int cpu) {
    static const char *const parts[] = {"/topology/thread_siblings_list", "/topology", ""};
    char path[512];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d%s", root, cpu, parts[i]);
        assert_int_equal(remove(path), 0);
    }
}

static void test_reading(void **state) {
    (void)state;
    static const char *const folders[] = {"/sys/devices/system/cpu", "/sys/devices/system",
                                          "/sys/devices", "/sys", ""};
    static const char *const siblings[] = {"0,4\n", "1,5\n", "garbage\n", "1\n", "0,4", "1,5\n"};
    char root[] = "/tmp/loopbench-cpusplit-XXXXXX";
    int core[CPU_SETSIZE];
    cpu_set_t allowed = set_of("0-5");
    assert_non_null(mkdtemp(root));
    for (int cpu = 0; cpu < 6; cpu++) {
        write_siblings(root, cpu, siblings[cpu]);
    }
    /* 2's text is no list, 3's leaves itself out: each is taken for a core of its own. */
    assert_false(cpusplit_read_cores(root, &allowed, core));
    const int wanted[] = {0, 1, 2, 3, 0, 1};
    assert_memory_equal(core, wanted, sizeof wanted);
    allowed = set_of("0-1,4-5");
    assert_true(cpusplit_read_cores(root, &allowed, core));
    allowed = set_of("0,9");
    assert_false(cpusplit_read_cores(root, &allowed, core));
    assert_int_equal(core[9], 9);
    for (int cpu = 0; cpu < 6; cpu++) {
        remove_siblings(root, cpu);
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

static void test_by_hand(void **state) {
    (void)state;
    int core[CPU_SETSIZE];
    struct cpusplit split;
    cores_of(PAIRS, 4, core);
    cpu_set_t server = set_of("0-1");
    cpu_set_t generator = set_of("1-2");
    cpusplit_judge(&server, &generator, core, 1, 1, &split);
    assert_false(split.disjoint);
    assert_true(split.shares_core);
    generator = set_of("2-3");
    cpusplit_judge(&server, &generator, core, 2, 2, &split);
    assert_true(split.disjoint);
    assert_false(split.shares_core);
    assert_string_equal(split.note, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_by_hand),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("cpusplit", tests, NULL, NULL);
}
