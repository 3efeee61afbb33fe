/* CSV and JSON: every trial, from one table of its members. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "report/export.h"
#include "report/text.h"

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_INT64, FIELD_REAL };

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
};

#define TEXT(name, member)                                                                         \
    { name, FIELD_TEXT, offsetof(struct trial_record, member) }
#define INT(name, member)                                                                          \
    { name, FIELD_INT, offsetof(struct trial_record, member) }
#define INT64(name, member)                                                                        \
    { name, FIELD_INT64, offsetof(struct trial_record, member) }
#define REAL(name, member)                                                                         \
    { name, FIELD_REAL, offsetof(struct trial_record, member) }

/* In the order of the columns; the figures of figures.h follow. */
static const struct field fields[] = {
    INT64("seq", seq),
    INT("attempt", attempt),
    INT("round", round),
    INT("block", block),
    TEXT("workload", workload),
    INT("connections", connections),
    TEXT("mode", mode),
    TEXT("target", target),
    TEXT("base", base),
    TEXT("started", started),
    TEXT("reason", reason),
    TEXT("flags", flags),
    REAL("wall_s", wall_s),
    INT64("warmup_us", warmup_us),
    INT64("duration_us", load.duration_us),
    INT64("requests", load.requests),
    INT64("bytes", load.bytes),
    INT64("errors_connect", load.errors_connect),
    INT64("errors_read", load.errors_read),
    INT64("errors_write", load.errors_write),
    INT64("errors_timeout", load.errors_timeout),
    INT64("errors_status", load.errors_status),
    REAL("generator_cpu_s", load.cpu_s),
    REAL("generator_thread_busy", load.thread_busy),
    TEXT("generator", load.generator),
    INT64("latency_step_us", load.latency_step_us),
    INT64("silent_connections", load.silent),
    INT64("replies_checked", replies_checked),
    INT64("reply_bytes", reply_bytes),
    TEXT("server_source", server.source),
    INT64("server_processes", server.processes),
    INT64("server_requests", server.requests),
    INT64("server_accepted", server.accepted),
    INT64("server_cpu_ns", server.cpu_ns),
    INT64("server_user_ns", server.user_ns),
    INT64("server_system_ns", server.system_ns),
    INT64("server_switches_voluntary", server.switches_voluntary),
    INT64("server_switches_involuntary", server.switches_involuntary),
    REAL("server_cpus_used", server.cpus_used),
    INT64("latency_samples", raw.samples),
    REAL("latency_mean_us", raw.mean_us),
    INT64("latency_min_us", raw.min_us),
    INT64("stall_us", stall_us),
    REAL("active_ratio", active_ratio),
    INT64("pss_peak_bytes", memory.peak_pss),
    INT64("pss_idle_bytes", memory.idle.pss),
    INT64("pss_loaded_bytes", memory.loaded.pss),
    INT64("socket_loaded_bytes", memory.loaded.socket),
    REAL("steal_ratio", environment.steal_ratio),
    REAL("foreign_cpus", environment.foreign_cpus),
    REAL("foreign_error", environment.foreign_error),
    REAL("database_cpus", environment.database_cpus),
    INT64("throttled", environment.throttled),
    INT64("listen_overflows", environment.listen_overflows),
    INT64("listen_drops", environment.listen_drops),
    INT64("retransmits", environment.retransmits),
    INT64("time_wait", environment.time_wait),
    INT64("conntrack", environment.conntrack),
    REAL("speed_block", environment.speed_block),
    REAL("speed_before", environment.speed_before),
    REAL("speed_after", environment.speed_after),
};

#define FIELDS (sizeof fields / sizeof fields[0])

static const void *member_of(const struct trial_record *r, const struct field *f) {
    return (const char *)r + f->offset;
}

/* The cell of a trial, and whether it is the attempt that counts there. */
static const struct cell *cell_of(const struct cells *c, const struct trial_record *r,
                                  bool *counts) {
    for (size_t t = 0; t < c->target_count; t++) {
        if (strcmp(c->targets[t].name, r->target) == 0) {
            const struct cell *cell = cells_find(c, t, r->workload, r->connections);
            *counts =
                cell && r->round >= 0 && (size_t)r->round < c->rounds && cell->trial[r->round] == r;
            return cell;
        }
    }
    return NULL;
}

static const char *failure_of(const struct trial_record *r) {
    return r->status == TRIAL_OK ? "" : record_failure_name(r->failure);
}

/* ---- CSV */

static void put_int(FILE *out, int64_t v) {
    if (v >= 0) {
        fprintf(out, "%" PRId64, v);
    }
}

static void put_real(FILE *out, double v) {
    if (isfinite(v)) {
        fprintf(out, "%.15g", v);
    }
}

static void put_field(FILE *out, const struct trial_record *r, const struct field *f) {
    const void *member = member_of(r, f);
    switch (f->kind) {
    case FIELD_TEXT:
        text_csv(out, member);
        break;
    case FIELD_INT:
        put_int(out, *(const int *)member);
        break;
    case FIELD_INT64:
        put_int(out, *(const int64_t *)member);
        break;
    case FIELD_REAL:
        put_real(out, *(const double *)member);
        break;
    }
}

static void put_trial(FILE *out, const struct trial_record *r, bool counts) {
    for (size_t i = 0; i < FIELDS; i++) {
        put_field(out, r, &fields[i]);
        fputc(',', out);
    }
    fprintf(out, "%s,%s,%s,%s,%s", record_role_name(r->role),
            r->status == TRIAL_OK ? "ok" : "failed", failure_of(r), counts ? "yes" : "no",
            figure_memory_kind(r));
    for (int id = 0; id < FIG_COUNT; id++) {
        fputc(',', out);
        put_real(out, figure_value(r, (enum figure_id)id));
    }
    fputc('\n', out);
}

int export_csv(FILE *out, const struct cells *c, const struct export_select *s, struct err *e) {
    (void)e;
    for (size_t i = 0; i < FIELDS; i++) {
        fprintf(out, "%s,", fields[i].name);
    }
    fputs("role,status,failure,counts,memory_kind", out);
    for (int id = 0; id < FIG_COUNT; id++) {
        fprintf(out, ",%s", figure_info((enum figure_id)id)->key);
    }
    fputc('\n', out);
    for (size_t i = 0; i < c->store->count; i++) {
        bool counts = false;
        const struct cell *cell = cell_of(c, &c->store->records[i], &counts);
        if (cell && export_chooses(s, c, cell)) {
            put_trial(out, &c->store->records[i], counts);
        }
    }
    return 0;
}

/* ---- JSON */

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *int_or_null(int64_t v) {
    return v >= 0 ? json_integer(v) : json_null();
}

static json_t *field_json(const struct trial_record *r, const struct field *f) {
    const void *member = member_of(r, f);
    switch (f->kind) {
    case FIELD_TEXT:
        return json_string(member);
    case FIELD_INT:
        return int_or_null(*(const int *)member);
    case FIELD_INT64:
        return int_or_null(*(const int64_t *)member);
    case FIELD_REAL:
        return real_or_null(*(const double *)member);
    }
    return NULL;
}

static json_t *trial_json(const struct trial_record *r, bool counts) {
    json_t *o = json_object();
    int rc = o ? 0 : -1;
    for (size_t i = 0; i < FIELDS; i++) {
        rc |= json_object_set_new(o, fields[i].name, field_json(r, &fields[i]));
    }
    rc |= json_object_set_new(o, "role", json_string(record_role_name(r->role)));
    rc |= json_object_set_new(o, "status", json_string(r->status == TRIAL_OK ? "ok" : "failed"));
    rc |= json_object_set_new(o, "failure",
                              r->status == TRIAL_OK ? json_null() : json_string(failure_of(r)));
    rc |= json_object_set_new(o, "counts", json_boolean(counts));
    const char *memory = figure_memory_kind(r);
    rc |= json_object_set_new(o, "memory_kind", *memory ? json_string(memory) : json_null());
    for (int id = 0; id < FIG_COUNT; id++) {
        rc |= json_object_set_new(o, figure_info((enum figure_id)id)->key,
                                  real_or_null(figure_value(r, (enum figure_id)id)));
    }
    if (rc != 0) {
        json_decref(o);
        return NULL;
    }
    return o;
}

int export_json(FILE *out, const struct cells *c, const struct export_select *s, struct err *e) {
    json_t *trials = json_array();
    int rc = trials ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < c->store->count; i++) {
        bool counts = false;
        const struct cell *cell = cell_of(c, &c->store->records[i], &counts);
        if (cell && export_chooses(s, c, cell)) {
            rc = json_array_append_new(trials, trial_json(&c->store->records[i], counts));
        }
    }
    json_t *all = json_pack("{s:s, s:i, s:O, s:o}", "format", "loopbench-export", "format_version",
                            1, "run", c->store->manifest, "trials", trials);
    if (rc == 0 && all) {
        rc = json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
        fputc('\n', out);
    }
    json_decref(all);
    return rc == 0 && all
               ? 0
               : err_set(e, ERR_MACHINE, "cannot export: out of memory, or of room; free some");
}
