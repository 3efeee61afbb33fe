/* The facts as JSON: unknown is null, a limit that is not there is "max". */
#include <math.h>

#include "sample/machine.h"

static void put(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value ? value : json_null());
}

static void put_text(json_t *object, const char *key, const char *text) {
    put(object, key, text[0] ? json_string(text) : NULL); /* null as well where it is no UTF-8 */
}

static void put_int(json_t *object, const char *key, int64_t n) {
    put(object, key,
        n == MACHINE_UNKNOWN     ? NULL
        : n == MACHINE_UNLIMITED ? json_string("max")
                                 : json_integer(n));
}

static void put_real(json_t *object, const char *key, double x) {
    put(object, key, isnan(x) ? NULL : isinf(x) ? json_string("max") : json_real(x));
}

static void put_bool(json_t *object, const char *key, int64_t n) {
    put(object, key, n == MACHINE_UNKNOWN ? NULL : json_boolean(n != 0));
}

static json_t *cpu_json(const struct machine_cpu *cpu) {
    json_t *o = json_object();
    put_text(o, "model", cpu->model);
    put_text(o, "allowed", cpu->allowed);
    put_int(o, "allowed_count", cpu->allowed_count);
    put_int(o, "sockets", cpu->sockets);
    put_int(o, "cores", cpu->cores);
    put_int(o, "threads", cpu->threads);
    put_int(o, "threads_per_core", cpu->threads_per_core);
    put_bool(o, "smt", cpu->smt);
    put_text(o, "governor", cpu->governor);
    put_text(o, "driver", cpu->driver);
    put_bool(o, "boost", cpu->boost);
    put_int(o, "min_khz", cpu->min_khz);
    put_int(o, "max_khz", cpu->max_khz);
    return o;
}

static json_t *memory_json(const struct machine_memory *memory) {
    json_t *o = json_object();
    put_int(o, "total", memory->total);
    put_int(o, "available", memory->available);
    put_int(o, "swap_total", memory->swap_total);
    put_int(o, "swap_free", memory->swap_free);
    put_text(o, "thp", memory->thp);
    put_int(o, "overcommit", memory->overcommit);
    put_int(o, "swappiness", memory->swappiness);
    return o;
}

static json_t *kernel_json(const struct machine_kernel *kernel) {
    json_t *o = json_object();
    put_text(o, "release", kernel->release);
    put_text(o, "version", kernel->version);
    put_text(o, "arch", kernel->arch);
    put_text(o, "os", kernel->os);
    put_text(o, "clocksource", kernel->clocksource);
    put_int(o, "aslr", kernel->aslr);
    put_text(o, "mitigations", kernel->mitigations);
    put(o, "vulnerabilities", json_incref(kernel->vulnerabilities));
    return o;
}

static json_t *virt_json(const struct machine_virt *virt) {
    json_t *o = json_object();
    put_bool(o, "virtualised", virt->virtualised);
    put_text(o, "hypervisor", virt->hypervisor);
    put_text(o, "vendor", virt->vendor);
    put_text(o, "product", virt->product);
    put_bool(o, "container", virt->container);
    return o;
}

static json_t *cgroup_json(const struct machine_cgroup *cgroup) {
    json_t *o = json_object();
    put_int(o, "version", cgroup->version);
    put_real(o, "cpu_quota", cgroup->cpu_quota);
    put_int(o, "memory_max", cgroup->memory_max);
    put_int(o, "pids_max", cgroup->pids_max);
    put_text(o, "cpuset", cgroup->cpuset);
    return o;
}

static json_t *limits_json(const struct machine_limits *limits) {
    json_t *o = json_object();
    put_int(o, "nofile_soft", limits->nofile_soft);
    put_int(o, "nofile_hard", limits->nofile_hard);
    put_int(o, "somaxconn", limits->somaxconn);
    put_int(o, "tcp_max_syn_backlog", limits->tcp_max_syn_backlog);
    put_int(o, "syncookies", limits->syncookies);
    put_int(o, "port_first", limits->port_first);
    put_int(o, "port_last", limits->port_last);
    put_int(o, "tcp_tw_reuse", limits->tcp_tw_reuse);
    put_int(o, "tcp_fin_timeout", limits->tcp_fin_timeout);
    put_int(o, "file_max", limits->file_max);
    put_int(o, "conntrack_max", limits->conntrack_max);
    return o;
}

json_t *machine_json(const struct machine *m, bool with_hostname) {
    json_t *o = json_object();
    if (!o) {
        return NULL;
    }
    if (with_hostname) {
        put_text(o, "hostname", m->hostname);
    }
    put(o, "kernel", kernel_json(&m->kernel));
    put(o, "cpu", cpu_json(&m->cpu));
    put(o, "memory", memory_json(&m->memory));
    put(o, "virtualisation", virt_json(&m->virt));
    put(o, "cgroup", cgroup_json(&m->cgroup));
    put(o, "limits", limits_json(&m->limits));
    put_real(o, "load1", m->load1);
    put_real(o, "load5", m->load5);
    put_real(o, "load15", m->load15);
    put_int(o, "uptime_s", m->uptime_s);
    return o;
}
