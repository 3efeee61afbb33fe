#include "sample/kernel.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define STAT_SIZE    ((size_t)256 * 1024)
#define COUNTER_SIZE ((size_t)32 * 1024)

/* A non-negative number at *at after blanks, or -1 (then *at stays). */
static int64_t kernel_number(const char **at) {
    const char *p = *at + strspn(*at, " ");
    int64_t n = 0;
    if (*p < '0' || *p > '9') {
        return -1;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        if (n > (INT64_MAX - 9) / 10) {
            return -1;
        }
        n = n * 10 + (*p - '0');
    }
    *at = p;
    return n;
}

/* The line that begins with `begin`, behind it; or NULL. */
static const char *kernel_line(const char *text, const char *begin) {
    size_t len = strlen(begin);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, begin, len) == 0) {
            return line + len;
        }
    }
    return NULL;
}

static int kernel_count_cpus(const char *text) {
    int n = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        n += strncmp(line, "cpu", 3) == 0 && line[3] >= '0' && line[3] <= '9';
    }
    return n;
}

int kernel_parse_cpu(const char *text, struct kernel_cpu *out) {
    const char *at = kernel_line(text, "cpu ");
    *out = (struct kernel_cpu){-1, -1, -1, -1, -1, -1, -1, -1, 0};
    if (!at) {
        return -1;
    }
    int64_t *const fields[] = {&out->user,   &out->nice, &out->system,  &out->idle,
                               &out->iowait, &out->irq,  &out->softirq, &out->steal};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i] = kernel_number(&at);
        if (*fields[i] < 0) {
            break; /* what an old kernel lacks is at the end */
        }
    }
    out->cpus = kernel_count_cpus(text);
    if (out->idle < 0) {
        *out = (struct kernel_cpu){-1, -1, -1, -1, -1, -1, -1, -1, 0};
        return -1;
    }
    return 0;
}

/* "NAME value" among the words of a sockstat line. */
static int64_t kernel_word(const char *line, const char *name) {
    size_t len = strlen(name);
    while (line && *line && *line != '\n') {
        line += strspn(line, " ");
        size_t word = strcspn(line, " \n");
        bool found = word == len && strncmp(line, name, len) == 0;
        line += word;
        if (found) {
            return kernel_number(&line);
        }
    }
    return -1;
}

void kernel_parse_sockets(const char *v4, const char *v6, int64_t page_size,
                          struct kernel_sockets *out) {
    const char *tcp = v4 ? kernel_line(v4, "TCP:") : NULL;
    const char *tcp6 = v6 ? kernel_line(v6, "TCP6:") : NULL;
    int64_t pages = kernel_word(tcp, "mem");
    int64_t in_use = kernel_word(tcp, "inuse");
    int64_t in_use6 = kernel_word(tcp6, "inuse");
    out->tcp_memory = pages >= 0 && pages <= INT64_MAX / page_size ? pages * page_size : -1;
    out->time_wait = kernel_word(tcp, "tw"); /* of both families: there is one table */
    out->in_use =
        in_use >= 0 && in_use6 >= 0 && in_use <= INT64_MAX - in_use6 ? in_use + in_use6 : in_use;
}

int64_t kernel_parse_counter(const char *text, const char *line, const char *name) {
    /* Two lines with the same beginning: names, then values in the same order. */
    size_t begin = strlen(line);
    size_t len = strlen(name);
    const char *names = text;
    while (names && (strncmp(names, line, begin) != 0 || names[begin] != ':')) {
        names = strchr(names, '\n');
        names = names ? names + 1 : NULL;
    }
    const char *values = names ? strchr(names, '\n') : NULL;
    if (!values || strncmp(values + 1, line, begin) != 0 || values[1 + begin] != ':') {
        return -1;
    }
    names += begin + 1;
    values += begin + 2;
    while (*names && *names != '\n') {
        names += strspn(names, " ");
        values += strspn(values, " ");
        size_t word = strcspn(names, " \n");
        if (word == len && strncmp(names, name, len) == 0) {
            return kernel_number(&values);
        }
        names += word;
        values += strcspn(values, " \n");
    }
    return -1;
}

void kernel_parse_tcp(const char *netstat, const char *snmp, struct kernel_tcp *out) {
    *out = (struct kernel_tcp){-1, -1, -1};
    if (netstat) {
        out->listen_overflows = kernel_parse_counter(netstat, "TcpExt", "ListenOverflows");
        out->listen_drops = kernel_parse_counter(netstat, "TcpExt", "ListenDrops");
    }
    if (snmp) {
        out->retransmits = kernel_parse_counter(snmp, "Tcp", "RetransSegs");
    }
}

int64_t kernel_parse_run_ns(const char *text) {
    const char *version = kernel_line(text, "version ");
    int64_t sum = -1;
    if (!version || kernel_number(&version) < 15) {
        return -1;
    }
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9') {
            continue;
        }
        const char *at = line + strcspn(line, " \n");
        int64_t n = -1;
        for (int field = 1; field <= 7; field++) {
            n = kernel_number(&at);
        }
        if (n < 0 || (sum > 0 && n > INT64_MAX - sum)) {
            return -1;
        }
        sum = (sum < 0 ? 0 : sum) + n;
    }
    return sum;
}

int64_t kernel_parse_number(const char *text) {
    int64_t n = kernel_number(&text);
    return text[0] == '\0' || text[0] == '\n' ? n : -1;
}

int64_t kernel_parse_ports(const char *text) {
    int64_t first = kernel_number(&text);
    text += strspn(text, "\t");
    int64_t last = kernel_number(&text);
    return first > 0 && last >= first && last <= UINT16_MAX ? last - first + 1 : -1;
}

/* A file of /proc that may be long, or NULL; free it. */
static char *kernel_text(const char *path) {
    char *text = malloc(STAT_SIZE);
    if (text && file_read_small(path, text, STAT_SIZE) <= 0) {
        free(text);
        return NULL;
    }
    return text;
}

void kernel_read_cpu(struct kernel_cpu *out) {
    char *text = kernel_text("/proc/stat");
    kernel_parse_cpu(text ? text : "", out);
    free(text);
}

int64_t kernel_read_run_ns(void) {
    char *text = kernel_text("/proc/schedstat");
    int64_t sum = text ? kernel_parse_run_ns(text) : -1;
    free(text);
    return sum;
}

int64_t kernel_read_ports(void) {
    char text[64];
    bool there = file_read_small("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof text) > 0;
    return there ? kernel_parse_ports(text) : -1;
}

static int64_t kernel_read_number(const char *root, const char *path) {
    char full[4096], text[64];
    snprintf(full, sizeof full, "%s%s", root, path);
    return file_read_small(full, text, sizeof text) > 0 ? kernel_parse_number(text) : -1;
}

void kernel_read_conntrack(const char *root, struct kernel_conntrack *out) {
    out->count = kernel_read_number(root, "/proc/sys/net/netfilter/nf_conntrack_count");
    out->max = kernel_read_number(root, "/proc/sys/net/netfilter/nf_conntrack_max");
}

void kernel_read_sockets(struct kernel_sockets *out) {
    char v4[4096], v6[4096];
    bool has4 = file_read_small("/proc/net/sockstat", v4, sizeof v4) > 0;
    bool has6 = file_read_small("/proc/net/sockstat6", v6, sizeof v6) > 0;
    kernel_parse_sockets(has4 ? v4 : NULL, has6 ? v6 : NULL, sysconf(_SC_PAGESIZE), out);
}

static void kernel_read_tcp_under(const char *folder, struct kernel_tcp *out) {
    char path[64], netstat[COUNTER_SIZE], snmp[COUNTER_SIZE];
    snprintf(path, sizeof path, "%s/netstat", folder);
    bool has_netstat = file_read_small(path, netstat, sizeof netstat) > 0;
    snprintf(path, sizeof path, "%s/snmp", folder);
    bool has_snmp = file_read_small(path, snmp, sizeof snmp) > 0;
    kernel_parse_tcp(has_netstat ? netstat : NULL, has_snmp ? snmp : NULL, out);
}

void kernel_read_tcp(struct kernel_tcp *out) {
    kernel_read_tcp_under("/proc/net", out);
}

static void kernel_add(int64_t *to, int64_t n) {
    *to = *to >= 0 && n >= 0 ? *to + n : *to;
}

void kernel_add_tcp_of(pid_t pid, struct kernel_tcp *out) {
    char path[64];
    struct stat ours, theirs;
    struct kernel_tcp other;
    snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)pid);
    if (stat("/proc/self/ns/net", &ours) != 0 || stat(path, &theirs) != 0 ||
        (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)) {
        return;
    }
    snprintf(path, sizeof path, "/proc/%ld/net", (long)pid);
    kernel_read_tcp_under(path, &other);
    kernel_add(&out->listen_overflows, other.listen_overflows);
    kernel_add(&out->listen_drops, other.listen_drops);
    kernel_add(&out->retransmits, other.retransmits);
}
