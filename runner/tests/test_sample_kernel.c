/* Counters of the machine: /proc/stat, sockstat, netstat, snmp, schedstat; control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "sample/cgroup.h"
#include "sample/kernel.h"
#include "sample/speed.h"

static void parses_stat(void **unused) {
    (void)unused;
    struct kernel_cpu c;
    assert_int_equal(kernel_parse_cpu("cpu  3713 1 3109 140890 421 2 79 10 5 0\n"
                                      "cpu0 1340 0 1125 71601 19 0 15 3 0 0\n"
                                      "cpu1 2373 0 1984 69288 402 0 63 6 0 0\nintr 1 2\nctxt 5\n",
                                      &c),
                     0);
    assert_int_equal(c.user, 3713);
    assert_int_equal(c.nice, 1);
    assert_int_equal(c.system, 3109);
    assert_int_equal(c.idle, 140890);
    assert_int_equal(c.iowait, 421);
    assert_int_equal(c.irq, 2);
    assert_int_equal(c.softirq, 79);
    assert_int_equal(c.steal, 10);
    assert_int_equal(c.cpus, 2);
    assert_int_equal(kernel_parse_cpu("cpu  1 2 3 4\ncpu0 1 2 3 4\n", &c), 0); /* Linux 2.4 */
    assert_int_equal(c.idle, 4);
    assert_int_equal(c.iowait, -1);
    assert_int_equal(c.steal, -1); /* unknown, not 0 */
    assert_int_equal(c.cpus, 1);
    static const char *const bad[] = {"", "cpu0 1 2 3 4\n", "cpu  1 2 3\n", "cpu  a b c d\n",
                                      "cpu  1 2 -3 4\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(kernel_parse_cpu(bad[i], &c), -1);
        assert_int_equal(c.user, -1);
        assert_int_equal(c.idle, -1);
    }
}

static void parses_sockets(void **unused) {
    (void)unused;
    struct kernel_sockets s;
    const char *v4 =
        "sockets: used 32\nTCP: inuse 11 orphan 0 tw 7 alloc 13 mem 83\nUDP: inuse 0 mem 5\n";
    const char *v6 = "TCP6: inuse 4\nUDP6: inuse 1\n";
    kernel_parse_sockets(v4, v6, 4096, &s);
    assert_int_equal(s.tcp_memory, 83 * 4096);
    assert_int_equal(s.time_wait, 7);
    assert_int_equal(s.in_use, 15);
    kernel_parse_sockets(v4, NULL, 4096, &s);
    assert_int_equal(s.in_use, 11);
    kernel_parse_sockets("TCP: inuse 11 tw\n", NULL, 4096, &s);
    assert_int_equal(s.tcp_memory, -1);
    assert_int_equal(s.time_wait, -1);
    kernel_parse_sockets(NULL, NULL, 4096, &s);
    assert_int_equal(s.in_use, -1);
    assert_int_equal(s.tcp_memory, -1);
}

static void parses_counters(void **unused) {
    (void)unused;
    struct kernel_tcp t;
    const char *netstat = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPTimeouts\n"
                          "TcpExt: 1 23 45 6\nIpExt: InNoRoutes\nIpExt: 9\n";
    const char *snmp = "Tcp: RtoAlgorithm MaxConn RetransSegs InErrs\nTcp: 1 -1 77 0\n"
                       "Udp: InDatagrams\nUdp: 1\n";
    kernel_parse_tcp(netstat, snmp, &t);
    assert_int_equal(t.listen_overflows, 23);
    assert_int_equal(t.listen_drops, 45);
    assert_int_equal(t.retransmits, 77); /* behind MaxConn, which is -1 */
    assert_int_equal(kernel_parse_counter(snmp, "Tcp", "MaxConn"), -1);
    assert_int_equal(kernel_parse_counter(netstat, "IpExt", "InNoRoutes"), 9);
    assert_int_equal(kernel_parse_counter(netstat, "TcpExt", "Listen"), -1);
    assert_int_equal(kernel_parse_counter("TcpExt: A B\nTcpExt: 1\n", "TcpExt", "B"), -1);
    assert_int_equal(kernel_parse_counter("TcpExt: A\n", "TcpExt", "A"), -1);
    assert_int_equal(kernel_parse_counter("TcpExt: A\nIpExt: 1\n", "TcpExt", "A"), -1);
    assert_int_equal(kernel_parse_counter("", "TcpExt", "A"), -1);
    kernel_parse_tcp(NULL, NULL, &t);
    assert_int_equal(t.listen_overflows, -1);
    assert_int_equal(t.retransmits, -1);
}

static void parses_schedstat(void **unused) {
    (void)unused;
    assert_int_equal(kernel_parse_run_ns("version 15\ntimestamp 4295\n"
                                         "cpu0 0 0 0 0 0 0 1000 20 3\ndomain0 3 1 2 3 4 5 6 7 8\n"
                                         "cpu1 0 0 0 0 0 0 500 20 3\n"),
                     1500);
    assert_int_equal(kernel_parse_run_ns("version 14\ncpu0 0 0 0 0 0 0 1000 20 3\n"), -1);
    assert_int_equal(kernel_parse_run_ns("version 15\ncpu0 0 0 0\n"), -1);
    assert_int_equal(kernel_parse_run_ns("version 15\n"), -1);
    assert_int_equal(kernel_parse_run_ns(""), -1);
}

static void reads_this_machine(void **unused) {
    (void)unused;
    struct kernel_cpu c;
    struct kernel_sockets s;
    struct kernel_tcp t;
    kernel_read_cpu(&c);
    assert_true(c.user >= 0 && c.idle >= 0 && c.cpus >= 1);
    kernel_read_sockets(&s);
    assert_true(s.time_wait >= 0 && s.in_use >= 0);
    kernel_read_tcp(&t);
    assert_true(t.listen_overflows >= 0 && t.retransmits >= 0);
}

/* ---- control groups */

static const char v1_cgroup[] = "12:pids:/x\n11:cpu,cpuacct:/docker/abc\n10:cpuset:/other\n"
                                "1:name=systemd:/s\n0::/unified\n";
static const char v1_mounts[] =
    "31 23 0:28 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
static const char v2_mounts[] =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

static void finds_its_group(void **unused) {
    (void)unused;
    char folder[PATH_MAX], mount[PATH_MAX];
    assert_int_equal(cgroup_parse_cpu(v1_cgroup, v1_mounts, folder, mount, sizeof folder), 0);
    assert_string_equal(folder, "/sys/fs/cgroup/cpu,cpuacct/docker/abc");
    assert_string_equal(mount, "/sys/fs/cgroup/cpu,cpuacct");
    assert_int_equal(
        cgroup_parse_cpu("0::/user.slice/a b/run\n", v2_mounts, folder, mount, sizeof folder), 0);
    assert_string_equal(folder, "/sys/fs/cgroup/user.slice/a b/run");
    assert_int_equal(cgroup_parse_cpu("0::/\n", v2_mounts, folder, mount, sizeof folder), 0);
    assert_string_equal(folder, "/sys/fs/cgroup");
    /* In a container the mount shows the group itself; its path is the host's. */
    const char *inside = "35 31 0:32 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
    assert_int_equal(
        cgroup_parse_cpu("4:cpu:/docker/abc/sub\n", inside, folder, mount, sizeof folder), 0);
    assert_string_equal(folder, "/sys/fs/cgroup/cpu/sub");
    assert_int_equal(cgroup_parse_cpu("4:cpu:/docker/abcd\n", inside, folder, mount, sizeof folder),
                     0);
    assert_string_equal(folder, "/sys/fs/cgroup/cpu"); /* another group: not below the root */
    /* v2 alone, though v1 hierarchies without cpu are mounted too. */
    assert_int_equal(
        cgroup_parse_cpu("1:name=systemd:/s\n0::/g\n", v2_mounts, folder, mount, sizeof folder), 0);
    assert_string_equal(folder, "/sys/fs/cgroup/g");
    static const char *const none[][2] = {{"", ""},
                                          {"0::/x\n", ""},
                                          {"", v2_mounts},
                                          {"4:cpuset:/x\n", v1_mounts},
                                          {"garbage", "garbage"},
                                          {"0::/../x\n", v2_mounts}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(cgroup_parse_cpu(none[i][0], none[i][1], folder, mount, sizeof folder),
                         -1);
    }
    char tiny[8], tiny_mount[8];
    assert_int_equal(cgroup_parse_cpu(v1_cgroup, v1_mounts, tiny, tiny_mount, sizeof tiny), -1);
}

static void parses_throttling(void **unused) {
    (void)unused;
    assert_int_equal(cgroup_parse_throttled("nr_periods 9\nnr_throttled 4\nthrottled_time 7\n"), 4);
    assert_int_equal(cgroup_parse_throttled("usage_usec 1\nnr_throttled 0\nthrottled_usec 0\n"), 0);
    assert_int_equal(cgroup_parse_throttled("usage_usec 1\nuser_usec 1\n"), -1);
    assert_int_equal(cgroup_parse_throttled("nr_throttled x\n"), -1);
    assert_int_equal(cgroup_parse_throttled(""), -1);
}

static void put(const char *root, const char *path, const char *text) {
    char full[PATH_MAX];
    struct err e = {0};
    snprintf(full, sizeof full, "%s%s", root, path);
    *strrchr(full, '/') = '\0';
    assert_int_equal(file_mkdirs(full, &e), 0);
    snprintf(full, sizeof full, "%s%s", root, path);
    assert_int_equal(file_write_atomic(full, text, strlen(text), &e), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static int64_t throttled(const char *root, const pid_t *pids, size_t n, bool wanted_whole) {
    bool whole;
    const int64_t sum = cgroup_read_throttled(root, pids, n, &whole);
    assert_int_equal(whole, wanted_whole);
    return sum;
}

static void sums_all_levels(void **unused) {
    (void)unused;
    char root[] = "/tmp/loopbench-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_int_equal(throttled(root, NULL, 0, false), -1);
    put(root, "/proc/self/cgroup", "0::/pod/box\n");
    put(root, "/proc/self/mountinfo", v2_mounts);
    assert_int_equal(throttled(root, NULL, 0, false), -1);
    put(root, "/sys/fs/cgroup/pod/box/cpu.stat", "usage_usec 1\nnr_throttled 2\n");
    put(root, "/sys/fs/cgroup/pod/cpu.stat", "usage_usec 1\nnr_throttled 30\n");
    put(root, "/sys/fs/cgroup/cpu.stat", "usage_usec 1\n"); /* v2's root has no quota */
    put(root, "/sys/fs/cpu.stat", "nr_throttled 1000\n");   /* above the mount: nobody's */
    assert_int_equal(throttled(root, NULL, 0, false), 32);

    put(root, "/sys/fs/cgroup/cpuacct/cpuacct.usage", "123456789\n");
    assert_int_equal(cgroup_read_run_ns(root), -1); /* a container's view: not the machine */
    put(root, "/sys/fs/cgroup/cpuacct/release_agent", "\n");
    assert_int_equal(cgroup_read_run_ns(root), 123456789);
    assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void measures_speed(void **unused) {
    (void)unused;
    cpu_set_t before, one, after;
    cpus_allowed(&before);
    double speed = speed_measure(NULL);
    assert_true(speed > 1 && speed < 100000);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &before)) {
            CPU_SET(i, &one);
            break;
        }
    }
    assert_true(speed_measure(&one) > 1);
    cpus_allowed(&after);
    assert_true(CPU_EQUAL(&before, &after));
}

static void parses_ports(void **unused) {
    (void)unused;
    assert_int_equal(kernel_parse_ports("32768\t60999\n"), 28232);
    assert_int_equal(kernel_parse_ports("1024 1024\n"), 1);
    assert_int_equal(kernel_parse_ports("60999\t32768\n"), -1);
    assert_int_equal(kernel_parse_ports("32768\t70000\n"), -1);
    assert_int_equal(kernel_parse_ports("32768"), -1);
    assert_int_equal(kernel_parse_ports(""), -1);
    assert_int_equal(kernel_parse_ports("x\ty\n"), -1);
}

static void reads_the_table_of_connections(void **unused) {
    (void)unused;
    struct kernel_conntrack t;
    char root[] = "/tmp/loopbench-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    kernel_read_conntrack(root, &t);
    assert_int_equal(t.count, -1);
    assert_int_equal(t.max, -1);
    put(root, "/proc/sys/net/netfilter/nf_conntrack_count", "1234\n");
    put(root, "/proc/sys/net/netfilter/nf_conntrack_max", "262144\n");
    kernel_read_conntrack(root, &t);
    assert_int_equal(t.count, 1234);
    assert_int_equal(t.max, 262144);
    put(root, "/proc/sys/net/netfilter/nf_conntrack_max", "many\n");
    kernel_read_conntrack(root, &t);
    assert_int_equal(t.max, -1);
    assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    assert_int_equal(kernel_parse_number("12 13\n"), -1);
    assert_int_equal(kernel_parse_number("-1\n"), -1);
    assert_int_equal(kernel_parse_number(""), -1);
}

/* A server in a group of its own, as in a container: its quota counts, and what is above both once.
 */
static void sees_the_groups_of_others(const char *mounts, const char *line, const char *mount) {
    char root[] = "/tmp/loopbench-test-XXXXXX";
    char text[256];
    const pid_t all[] = {41, 42, 43, 44};
    assert_non_null(mkdtemp(root));
    put(root, "/proc/self/mountinfo", mounts);
    snprintf(text, sizeof text, "%s/pod/run\n", line);
    put(root, "/proc/self/cgroup", text);
    snprintf(text, sizeof text, "%s/pod/box\n", line);
    put(root, "/proc/41/cgroup", text);
    put(root, "/proc/42/cgroup", text);
    snprintf(text, sizeof text, "%s/pod/box/worker\n", line);
    put(root, "/proc/43/cgroup", text);
    static const char *const groups[] = {"/pod/run", "/pod/box", "/pod/box/worker", "/pod"};
    for (size_t i = 0, n = 1; i < sizeof groups / sizeof *groups; i++, n *= 10) {
        char path[128];
        snprintf(path, sizeof path, "%s%s/cpu.stat", mount, groups[i]);
        snprintf(text, sizeof text, "nr_periods 5\nnr_throttled %zu\n", n);
        put(root, path, text);
    }
    assert_int_equal(throttled(root, NULL, 0, false), 1001);
    assert_int_equal(throttled(root, all, 1, true), 1011);
    assert_int_equal(throttled(root, all, 2, true), 1011); /* two in one group */
    assert_int_equal(throttled(root, all, 3, true), 1111);
    assert_int_equal(throttled(root, all + 1, 3, true), 1111); /* the last has ended */
    assert_int_equal(throttled(root, all + 3, 1, false), 1001);
    snprintf(text, sizeof text, "%s/../other\n", line); /* outside what we can see */
    put(root, "/proc/44/cgroup", text);
    assert_int_equal(throttled(root, all, 4, false), 1111);
    assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void sees_the_groups_of_others_v1(void **unused) {
    (void)unused;
    sees_the_groups_of_others(v1_mounts, "11:cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct");
}

static void sees_the_groups_of_others_v2(void **unused) {
    (void)unused;
    sees_the_groups_of_others(v2_mounts, "0::", "/sys/fs/cgroup");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_stat),
        cmocka_unit_test(parses_sockets),
        cmocka_unit_test(parses_counters),
        cmocka_unit_test(parses_schedstat),
        cmocka_unit_test(reads_this_machine),
        cmocka_unit_test(finds_its_group),
        cmocka_unit_test(parses_throttling),
        cmocka_unit_test(sums_all_levels),
        cmocka_unit_test(sees_the_groups_of_others_v1),
        cmocka_unit_test(sees_the_groups_of_others_v2),
        cmocka_unit_test(measures_speed),
        cmocka_unit_test(parses_ports),
        cmocka_unit_test(reads_the_table_of_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
