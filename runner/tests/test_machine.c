/* Facts about machines: this one, none at all, and some that a folder of files stands for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "fixture.h"
#include "sample/inside.h"
#include "sample/machine.h"
#include "sample/machine_text.h"

#define MIB  (1024LL * 1024)
#define CPU  "/sys/devices/system/cpu"
#define CG2  "/sys/fs/cgroup"
#define UNIT CG2 "/system.slice/bench.service"

static void test_values(void **state) {
    (void)state;
    static const char text[] = "model\t: no\nmodel name\t: AMD  EPYC 9654 \nEMPTY=\n"
                               "NAME=\"Debian 12\"\nQ='x'\nbell\t: a\abc\n";
    static const struct {
        const char *key;
        bool found;
        const char *value;
    } cases[] = {
        {"model name", true, "AMD  EPYC 9654"},
        {"model", true, "no"},
        {"NAME", true, "Debian 12"},
        {"Q", true, "x"},
        {"EMPTY", true, ""},
        {"mode", false, ""},
        {"name", false, ""},
        {"bell", true, "abc"},
        {"", false, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[32];
        bool found = text_value(text, cases[i].key, out, sizeof out);
        if (found != cases[i].found || strcmp(out, cases[i].value) != 0) {
            fail_msg("'%s' gave %d '%s'", cases[i].key, found, out);
        }
    }
    char small[4];
    assert_true(text_value(text, "model name", small, sizeof small));
    assert_string_equal(small, "AMD");
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {" 42\n", 42},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", -1},
        {"max", INT64_MAX},
        {"max\n", INT64_MAX},
        {"maximum", -1},
        {"-1", -1},
        {"", -1},
        {" ", -1},
        {"12 13", -1},
        {"0x10", -1},
        {"1e3", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (text_number(cases[i].text) != cases[i].value) {
            fail_msg("'%s' gave %lld", cases[i].text, (long long)text_number(cases[i].text));
        }
    }
    assert_true(text_cpu_max("50000 100000\n") == 0.5);
    assert_true(isinf(text_cpu_max("max 100000")));
    assert_true(isnan(text_cpu_max("")) && isnan(text_cpu_max("50000")));
    assert_true(isnan(text_cpu_max("50000 0")) && isnan(text_cpu_max("-1 100000")));
    char word[16];
    assert_true(text_marked("always [madvise] never", word, sizeof word));
    assert_string_equal(word, "madvise");
    assert_false(text_marked("always [madvise never", word, sizeof word));
    assert_string_equal(word, "");
    assert_true(text_has_word("fpu hypervisor sse", "hypervisor"));
    assert_false(text_has_word("fpu hypervisors sse", "hypervisor"));
    int64_t soft;
    int64_t hard;
    assert_true(text_limit("Limit  Soft\nMax open files            1024    unlimited  files\n",
                           "Max open files", &soft, &hard));
    assert_int_equal(soft, 1024);
    assert_true(hard == INT64_MAX);
    assert_false(text_limit("Max open files 1024\n", "Max open files", &soft, &hard));
    assert_false(text_limit("", "Max open files", &soft, &hard));
}

static void test_cgroup_paths(void **state) {
    (void)state;
    static const char v2[] =
        "22 1 0:5 / /proc rw - proc proc rw\n"
        "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
    static const char v1[] =
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "38 31 0:41 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    static const char docker[] =
        "800 799 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    static const struct {
        const char *cgroup, *mountinfo, *controller;
        int version;
        const char *folder, *mount;
    } cases[] = {
        {"0::/system.slice/x\n", v2, "cpu", 2, CG2 "/system.slice/x", CG2},
        {"0::/\n", v2, "cpu", 2, CG2, CG2},
        {"0::/../../other\n", v2, "cpu", 2, CG2, CG2}, /* above what this namespace shows */
        {"4:cpu,cpuacct:/a\n3:memory:/b\n0::/c\n", v1, "cpu", 1, CG2 "/cpu,cpuacct/a",
         CG2 "/cpu,cpuacct"},
        {"4:cpu,cpuacct:/a\n3:memory:/b\n0::/c\n", v1, "memory", 1, CG2 "/memory/b", CG2 "/memory"},
        {"4:cpu,cpuacct:/a\n0::/c\n", v1, "pids", 2, CG2 "/unified/c", CG2 "/unified"},
        {"3:memory:/docker/abc\n", docker, "memory", 1, CG2 "/memory", CG2 "/memory"},
        {"3:memory:/docker/abc/in\n", docker, "memory", 1, CG2 "/memory/in", CG2 "/memory"},
        {"3:memory:/docker/abcd\n", docker, "memory", 1, CG2 "/memory", CG2 "/memory"},
        {"3:cpuset:/\n", docker, "cpu", -1, "", ""},
        {"", v2, "cpu", -1, "", ""},
        {"0::/x\n", "", "cpu", -1, "", ""},
        {"garbage\n::\n:::\n", v2, "cpu", -1, "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char folder[256] = "";
        char mount[256] = "";
        int version = text_cgroup(cases[i].cgroup, cases[i].mountinfo, cases[i].controller, folder,
                                  mount, sizeof folder);
        if (version != cases[i].version || strcmp(folder, cases[i].folder) != 0 ||
            strcmp(mount, cases[i].mount) != 0) {
            fail_msg("case %zu: version %d, '%s' below '%s'", i, version, folder, mount);
        }
    }
    char tiny[16];
    assert_int_equal(text_cgroup("0::/x\n", v2, "cpu", tiny, tiny, sizeof tiny), -1);
}

/* Bare metal: two sockets of two cores with SMT, intel_pstate, a service under cgroup v2. */
static void put_metal(const char *root) {
    static const char *const siblings[] = {"0,4", "1,5", "2,6", "3,7"};
    char path[256];
    for (int cpu = 0; cpu < 8; cpu++) {
        snprintf(path, sizeof path, CPU "/cpu%d/topology/thread_siblings_list", cpu);
        fixture_put(root, path, siblings[cpu % 4]);
        snprintf(path, sizeof path, CPU "/cpu%d/topology/physical_package_id", cpu);
        fixture_put(root, path, cpu % 4 < 2 ? "0\n" : "1\n");
        snprintf(path, sizeof path, CPU "/cpu%d/cpufreq/scaling_governor", cpu);
        fixture_put(root, path, cpu == 7 ? "performance\n" : "powersave\n");
    }
    fixture_put(root, CPU "/online", "0-7\n");
    fixture_put(root, CPU "/smt/active", "1\n");
    fixture_put(root, CPU "/intel_pstate/no_turbo", "0\n");
    fixture_put(root, CPU "/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
    fixture_put(root, CPU "/cpu0/cpufreq/scaling_min_freq", "800000\n");
    fixture_put(root, CPU "/cpu0/cpufreq/scaling_max_freq", "3900000\n");
    fixture_put(root, CPU "/vulnerabilities/meltdown", "Mitigation: PTI\n");
    fixture_put(root, "/proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\nflags\t\t: fpu vme sse\n");
    fixture_put(root, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    fixture_put(root, "/sys/class/dmi/id/product_name", "m5.metal\n");
    fixture_put(root, "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-2,7\n");
    fixture_put(root, "/proc/self/limits",
                "Max open files            1024                 524288               files     \n");
    fixture_put(root, "/proc/self/cgroup", "0::/system.slice/bench.service\n");
    fixture_put(root, "/proc/self/mountinfo",
                "35 24 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
    fixture_put(root, CG2 "/cgroup.procs", "1\n");
    fixture_put(root, CG2 "/system.slice/cpu.max", "150000 100000\n");
    fixture_put(root, CG2 "/system.slice/memory.max", "max\n");
    fixture_put(root, UNIT "/cpu.max", "max 100000\n");
    fixture_put(root, UNIT "/memory.max", "1073741824\n");
    fixture_put(root, UNIT "/cgroup.procs", "1\n");
    fixture_put(root, UNIT "/cpuset.cpus.effective", "0-2,7\n");
    fixture_put(root, "/proc/meminfo",
                "MemTotal:       16384 kB\nMemAvailable:    8192 kB\nSwapTotal:   0 kB\n");
    fixture_put(root, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    fixture_put(root, "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    fixture_put(root, "/proc/sys/kernel/randomize_va_space", "2\n");
    fixture_put(root, "/proc/sys/kernel/hostname", "secret.example\n");
    fixture_put(root, "/proc/cmdline", "quiet xmitigations=no mitigations=auto mitigations=off\n");
    fixture_put(root, "/usr/lib/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
    fixture_put(root, "/proc/sys/net/core/somaxconn", "128\n");
    fixture_put(root, "/proc/sys/net/netfilter/nf_conntrack_max", "262144\n");
    fixture_put(root, "/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
    fixture_put(root, "/proc/loadavg", "0.52 0.58 0.59 1/467 12345\n");
    fixture_put(root, "/proc/uptime", "350735.47 234388.90\n");
}

static void test_metal(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    struct machine m;
    assert_non_null(mkdtemp(root));
    put_metal(root);
    machine_read(root, &m);
    struct machine pinned; /* as setarch -R starts it */
    fixture_put(root, "/proc/self/personality", "00040000\n");
    machine_read(root, &pinned);
    assert_int_equal(pinned.kernel.aslr, 0);
    machine_release(&pinned);
    fixture_put(root, "/proc/self/personality", "00400000\n"); /* READ_IMPLIES_EXEC */
    machine_read(root, &pinned);
    assert_int_equal(pinned.kernel.aslr, 2);
    machine_release(&pinned);
    fixture_remove(root);
    assert_string_equal(m.cpu.model, "Intel(R) Xeon(R)");
    assert_int_equal(m.cpu.sockets, 2);
    assert_int_equal(m.cpu.cores, 4);
    assert_int_equal(m.cpu.threads, 8);
    assert_int_equal(m.cpu.threads_per_core, 2);
    assert_int_equal(m.cpu.smt, 1);
    assert_string_equal(m.cpu.governor, "powersave,performance");
    assert_string_equal(m.cpu.driver, "intel_pstate");
    assert_int_equal(m.cpu.boost, 1);
    assert_int_equal(m.cpu.max_khz, 3900000);
    assert_string_equal(m.cpu.allowed, "0-2,7");
    assert_int_equal(m.cpu.allowed_count, 4);
    assert_int_equal(m.virt.virtualised, 0);
    assert_string_equal(m.virt.hypervisor, ""); /* a cloud's vendor, but its bare metal */
    assert_string_equal(m.virt.vendor, "Amazon EC2");
    assert_int_equal(m.virt.container, 0);
    assert_int_equal(m.cgroup.version, 2);
    assert_true(m.cgroup.cpu_quota == 1.5); /* of the slice above */
    assert_int_equal(m.cgroup.memory_max, 1024 * MIB);
    assert_true(m.cgroup.pids_max == MACHINE_UNLIMITED);
    assert_string_equal(m.cgroup.cpuset, "0-2,7");
    assert_int_equal(m.memory.total, 16 * MIB);
    assert_int_equal(m.memory.swap_total, 0);
    assert_int_equal(m.memory.swap_free, MACHINE_UNKNOWN);
    assert_string_equal(m.memory.thp, "always");
    assert_string_equal(m.kernel.os, "Debian GNU/Linux 12");
    assert_string_equal(m.kernel.mitigations, "off");
    assert_int_equal(m.kernel.aslr, 2);
    assert_string_equal(m.kernel.arch, "");
    assert_int_equal(m.limits.nofile_soft, 1024);
    assert_int_equal(m.limits.nofile_hard, 524288);
    assert_int_equal(m.limits.somaxconn, 128);
    assert_int_equal(m.limits.conntrack_max, 262144);
    assert_int_equal(m.limits.tcp_max_syn_backlog, MACHINE_UNKNOWN);
    assert_int_equal(m.limits.port_first, 32768);
    assert_int_equal(m.limits.port_last, 60999);
    assert_true(fabs(m.load5 - 0.58) < 1e-9);
    assert_int_equal(m.uptime_s, 350735);

    json_t *o = machine_json(&m, false);
    assert_non_null(o);
    assert_null(json_object_get(o, "hostname"));
    json_t *cpu = json_object_get(o, "cpu");
    assert_true(json_is_true(json_object_get(cpu, "smt")));
    assert_int_equal(json_integer_value(json_object_get(cpu, "cores")), 4);
    json_t *cgroup = json_object_get(o, "cgroup");
    assert_true(json_real_value(json_object_get(cgroup, "cpu_quota")) == 1.5);
    assert_string_equal(json_string_value(json_object_get(cgroup, "pids_max")), "max");
    json_t *kernel = json_object_get(o, "kernel");
    assert_true(json_is_null(json_object_get(kernel, "clocksource")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(kernel, "vulnerabilities"), "meltdown")),
        "Mitigation: PTI");
    json_decref(o);
    o = machine_json(&m, true);
    assert_string_equal(json_string_value(json_object_get(o, "hostname")), "secret.example");
    json_decref(o);
    machine_release(&m);
}

/* A guest under KVM in a container, cgroup v1 with a quota of half a CPU. */
static void test_container(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    struct machine m;
    assert_non_null(mkdtemp(root));
    fixture_put(root, "/.dockerenv", "");
    fixture_put(root, CPU "/online", "0-1\n");
    fixture_put(root, CPU "/cpufreq/boost", "0\n");
    fixture_put(root, "/proc/cpuinfo", "model name : QEMU\nflags : fpu hypervisor\n");
    fixture_put(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
                "tsc kvm-clock acpi_pm \n");
    fixture_put(root, "/proc/self/cgroup", "4:cpu,cpuacct:/docker/a\n3:memory:/docker/a\n0::/\n");
    fixture_put(root, "/proc/self/mountinfo",
                "1 0 0:1 /docker/a /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                "2 0 0:2 /docker/a /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    fixture_put(root, CG2 "/cpu/cpu.cfs_quota_us", "50000\n");
    fixture_put(root, CG2 "/cpu/cpu.cfs_period_us", "100000\n");
    fixture_put(root, CG2 "/memory/memory.limit_in_bytes", "9223372036854771712\n");
    fixture_put(root, "/proc/cmdline", "quiet\n");
    machine_read(root, &m);
    fixture_remove(root);
    assert_int_equal(m.virt.container, 1);
    assert_int_equal(m.virt.virtualised, 1);
    assert_string_equal(m.virt.hypervisor, "kvm");
    assert_int_equal(m.cpu.threads, 2);
    assert_int_equal(m.cpu.cores, MACHINE_UNKNOWN);
    assert_int_equal(m.cpu.smt, MACHINE_UNKNOWN);
    assert_int_equal(m.cpu.boost, 0);
    assert_int_equal(m.cgroup.version, 1);
    assert_true(m.cgroup.cpu_quota == 0.5);
    assert_true(m.cgroup.memory_max == MACHINE_UNLIMITED);
    assert_int_equal(m.cgroup.pids_max, MACHINE_UNKNOWN);
    assert_string_equal(m.kernel.mitigations, "default");
    machine_release(&m);
}

/* Every leaf of the JSON is null, or false where absence is an answer. */
static void assert_all_null(json_t *o) {
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value) {
        if (json_is_object(value)) {
            assert_all_null(value);
        } else if (!json_is_null(value) && strcmp(key, "container") != 0) {
            fail_msg("%s is known on a machine with no files", key);
        }
    }
}

static void test_nothing(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    struct machine m;
    assert_non_null(mkdtemp(root));
    machine_read(root, &m);
    fixture_remove(root);
    json_t *o = machine_json(&m, true);
    assert_non_null(o);
    assert_true(json_object_size(o) >= 10);
    assert_all_null(o);
    json_decref(o);
    machine_release(&m);
}

static void test_here(void **state) {
    (void)state;
    struct machine m;
    machine_read("", &m);
    assert_true(m.cpu.allowed_count >= 1);
    assert_true(m.memory.total > 0);
    assert_true(m.kernel.release[0] != '\0' && m.kernel.arch[0] != '\0');
    assert_true(m.limits.nofile_soft > 0);
    assert_false(isnan(m.load1));
    machine_release(&m);
}

/* Programs that are missing, hang, say nothing or something else. */
static void test_programs(void **state) {
    (void)state;
    static const struct {
        const char *script;
        const char *wrk;
    } cases[] = {
        {"#!/bin/sh\necho 'wrk 4.1.0 [epoll]'\necho more\nexit 1\n", "wrk 4.1.0 [epoll]"},
        {"#!/bin/sh\nprintf 'wrk 4\\033[31m\\r\\n'\n", "wrk 4[31m"},
        {"#!/bin/sh\necho 'another program'\n", ""},
        {"#!/bin/sh\n", ""},
        {"not a program\n", ""},
        {"#!/bin/sh\nexec sleep 600\n", ""},
    };
    char root[] = FIXTURE_TEMPLATE;
    char path[256];
    struct loop loop;
    struct err e;
    assert_non_null(mkdtemp(root));
    assert_int_equal(loop_init(&loop, &e), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine_programs p;
        bool hangs = strstr(cases[i].script, "sleep") != NULL;
        fixture_put(root, "/wrk", cases[i].script);
        snprintf(path, sizeof path, "%s/wrk", root);
        assert_int_equal(chmod(path, 0755), 0);
        machine_ask_programs(&loop, path, "/nonexistent/gnuplot",
                             hangs ? 50000000LL : 20000000000LL, &p);
        assert_string_equal(p.wrk, cases[i].wrk);
        assert_string_equal(p.gnuplot, "");
        json_t *o = machine_programs_json(&p);
        assert_int_equal(json_is_null(json_object_get(o, "wrk")), cases[i].wrk[0] == '\0');
        json_decref(o);
    }
    loop_release(&loop);
    fixture_remove(root);
}

static void test_inside(void **state) {
    static const struct {
        const char *mountinfo, *type;
    } rows[] = {
        {"12 3 0:9 / / rw,relatime - overlay overlay rw,lowerdir=/x\n", "overlay"},
        {"12 3 0:9 / / rw shared:1 master:2 - fuse.fuse-overlayfs fuse-overlayfs ro\n",
         "fuse.fuse-overlayfs"},
        {"1 0 8:1 /sub / rw - ext4 /dev/x rw\n2 1 0:5 / /proc rw - proc proc rw\n", "ext4"},
        {"1 0 8:1 / / rw - ext4 /dev/x rw\n2 1 0:5 / / rw - tmpfs t rw", "tmpfs"},
        {"2 1 0:5 / /proc rw - proc proc rw\n", ""},
        {"1 0 8:1 / / rw ext4 /dev/x rw\n2 1 0:5 / /a rw - proc", ""},
        {"1 0 8:1 / / - ", ""},
        {"\n\n / / - x\n", ""},
        {"", ""},
    };
    char type[64];
    char tiny[4];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        inside_parse_root(rows[i].mountinfo, type, sizeof type);
        assert_string_equal(type, rows[i].type);
    }
    inside_parse_root(rows[0].mountinfo, tiny, sizeof tiny);
    assert_string_equal(tiny, "ove");
    json_t *o = inside_json("/no-such-root");
    json_t *limits = json_object_get(o, "limits");
    assert_true(json_is_null(json_object_get(limits, "memory")));
    assert_true(json_is_null(json_object_get(o, "root_filesystem")));
    assert_false(json_is_null(json_object_get(limits, "files")));
    assert_true(json_is_array(json_object_get(o, "addresses")));
    json_decref(o);
}

static void test_libraries(void **state) {
    (void)state;
    json_t *o = machine_libraries_json();
    const char *built = json_string_value(json_object_get(json_object_get(o, "libuv"), "built"));
    assert_non_null(built);
    assert_int_equal(strspn(built, "0123456789."), strlen(built));
    assert_int_equal(json_object_size(o), 5);
    json_decref(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_metal),     cmocka_unit_test(test_cgroup_paths),
        cmocka_unit_test(test_container), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_here),      cmocka_unit_test(test_programs),
        cmocka_unit_test(test_libraries), cmocka_unit_test(test_inside),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
