/* kernel.h — counters of the whole machine or network namespace: /proc/stat, sockstat, netstat,
 * snmp. Pure parsers over the files' text, and readers. -1 = the kernel does not say. */
#ifndef SAMPLE_KERNEL_H
#define SAMPLE_KERNEL_H

#include <stdint.h>
#include <sys/types.h>

/* Sums over all CPUs since boot, in clock ticks; guest time is part of user already. */
struct kernel_cpu {
    int64_t user, nice, system, idle, iowait, irq, softirq, steal;
    int cpus; /* CPUs on-line */
};

struct kernel_sockets {
    int64_t tcp_memory; /* bytes of kernel memory in TCP buffers of this network namespace */
    int64_t time_wait;
    int64_t in_use; /* TCP sockets, IPv4 and IPv6 */
};

struct kernel_tcp {
    int64_t listen_overflows, listen_drops, retransmits;
};

/* /proc/stat. Returns 0, or -1 when there is no usable cpu line (all -1 then). Fields an old kernel
 * lacks are -1. */
int kernel_parse_cpu(const char *text, struct kernel_cpu *out);

/* /proc/net/sockstat and sockstat6 (NULL = not there). */
void kernel_parse_sockets(const char *v4, const char *v6, int64_t page_size,
                          struct kernel_sockets *out);

/* A counter of /proc/net/netstat or snmp by its line ("TcpExt") and name, or -1. */
int64_t kernel_parse_counter(const char *text, const char *line, const char *name);

/* ListenOverflows, ListenDrops, RetransSegs out of both files' texts (NULL = not there). */
void kernel_parse_tcp(const char *netstat, const char *snmp, struct kernel_tcp *out);

/* CPU time of all tasks in ns: the 7th figure of the cpu lines of /proc/schedstat (version 15 and
 * later), summed. -1 when it is not there. */
int64_t kernel_parse_run_ns(const char *text);

/* A file of /proc/sys that holds one number, or -1. */
int64_t kernel_parse_number(const char *text);

/* How many ports ip_local_port_range lets clients take ("32768\t60999": 28232), or -1. */
int64_t kernel_parse_ports(const char *text);

void kernel_read_cpu(struct kernel_cpu *out);
void kernel_read_sockets(struct kernel_sockets *out);
void kernel_read_tcp(struct kernel_tcp *out);
/* The same of the network namespace of another process, added to ours where it has one of its own
 * (a container's). A process that is not there, or may not be seen, adds nothing. */
void kernel_add_tcp_of(pid_t pid, struct kernel_tcp *out);
int64_t kernel_read_run_ns(void);
int64_t kernel_read_ports(void);

/* The table of connections that the kernel tracks for firewalls and address translation, of this
 * network namespace: loopback's are among them once any rule needs tracking. */
struct kernel_conntrack {
    int64_t count; /* now */
    int64_t max;   /* from here on new connections are dropped */
};

/* nf_conntrack_count and nf_conntrack_max below `root` ("" = this machine); -1, -1 where nothing is
 * tracked. */
void kernel_read_conntrack(const char *root, struct kernel_conntrack *out);

#endif
