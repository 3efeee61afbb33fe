/* A record of counts as a line of JSON and back. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/counts.h"
#include "store/shown.h"

#define REAL_LIMIT 1e15

static const char *const states[] = {
    [COUNT_MISSING] = "missing", [COUNT_SETTLED] = "settled", [COUNT_UNSETTLED] = "unsettled"};
#define STATES (sizeof states / sizeof states[0])

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

/* Names come from foreign programs: what is not UTF-8 loses what is not ASCII. */
static json_t *text_json(const char *text) {
    char plain[COUNTS_REASON_SIZE];
    size_t n = 0;
    json_t *v = json_string(text);
    if (v) {
        return v;
    }
    for (; text[n] && n + 1 < sizeof plain; n++) {
        plain[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
    }
    plain[n] = '\0';
    return json_string(plain);
}

static json_t *figure_json(const struct count_figure *f) {
    json_t *repeats = json_array();
    for (int i = 0; i < f->n; i++) {
        json_array_append_new(repeats, json_real(f->repeat[i]));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "state", states[f->state], "per_request",
                     real_or_null(f->per_request), "spread", real_or_null(f->spread), "repeats",
                     repeats, "reason", f->reason[0] ? text_json(f->reason) : json_null());
}

static json_t *parts_json(const struct count_record *r) {
    json_t *out = json_object();
    for (int p = 0; p < COUNT_PARTS; p++) {
        json_object_set_new(out, count_part_name((enum count_part)p), real_or_null(r->part[p]));
    }
    return out;
}

static json_t *calls_json(const struct count_record *r) {
    json_t *out = json_array();
    for (size_t i = 0; i < r->calls; i++) {
        json_array_append_new(out, json_pack("{s:o, s:f}", "name", text_json(r->call[i].name),
                                             "per_request", r->call[i].per_request));
    }
    return out;
}

static json_t *functions_json(const struct count_record *r) {
    json_t *out = json_array();
    for (size_t i = 0; i < r->functions; i++) {
        const struct count_function *f = &r->function[i];
        json_array_append_new(out,
                              json_pack("{s:o, s:o, s:s, s:f}", "name", text_json(f->name),
                                        "object", text_json(f->object), "part",
                                        count_part_name(f->part), "per_request", f->per_request));
    }
    return out;
}

char *count_to_line(const struct count_record *r) {
    json_t *figures = json_object();
    for (int k = 0; k < COUNT_KINDS; k++) {
        json_object_set_new(figures, count_info((enum count_kind)k)->key,
                            figure_json(&r->figure[k]));
    }
    json_t *root =
        json_pack("{s:I, s:s, s:s, s:s, s:i, s:i, s:{s:I, s:I}, s:s, s:o, s:o, s:o, s:o, s:o}",
                  "seq", (json_int_t)r->seq, "target", r->target, "base", r->base, "workload",
                  r->workload, "connections", r->connections, "pipeline", r->pipeline, "requests",
                  "low", (json_int_t)r->low, "high", (json_int_t)r->high, "started", r->started,
                  "wall_s", real_or_null(r->wall_s), "figures", figures, "parts", parts_json(r),
                  "calls", calls_json(r), "functions", functions_json(r));
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    const size_t len = text ? strlen(text) : 0;
    char *line = text ? realloc(text, len + 2) : NULL;
    if (!line) {
        free(text);
        return NULL;
    }
    memcpy(line + len, "\n", 2);
    return line;
}

/* ---- and back */

static int read_text(const json_t *o, const char *key, char *out, size_t size, struct err *e) {
    const json_t *v = json_object_get(o, key);
    const char *text = json_string_value(v);
    if (!text || strlen(text) != json_string_length(v) || strlen(text) >= size) {
        return err_set(e, ERR_USAGE, "%s is no text of less than %zu bytes", key, size);
    }
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

static int read_int(const json_t *o, const char *key, int64_t min, int64_t max, int64_t *out,
                    struct err *e) {
    const json_t *v = json_object_get(o, key);
    const int64_t n = json_is_integer(v) ? json_integer_value(v) : min - 1;
    if (n < min || n > max) {
        return err_set(e, ERR_USAGE, "%s is no whole number from %" PRId64 " to %" PRId64, key, min,
                       max);
    }
    *out = n;
    return 0;
}

/* null, or what is not there, is NaN. */
static int read_real(const json_t *v, const char *key, double *out, struct err *e) {
    *out = UNKNOWN_REAL;
    if (!v || json_is_null(v)) {
        return 0;
    }
    const double n = json_number_value(v);
    if (!json_is_number(v) || !(fabs(n) < REAL_LIMIT)) {
        return err_set(e, ERR_USAGE, "%s is no number within reason", key);
    }
    *out = n;
    return 0;
}

static int read_figure(const json_t *o, const char *key, struct count_figure *f, struct err *e) {
    const json_t *repeats = json_object_get(o, "repeats");
    const char *state = json_string_value(json_object_get(o, "state"));
    const json_t *reason = json_object_get(o, "reason");
    size_t s = 0;
    while (state && s < STATES && strcmp(states[s], state) != 0) {
        s++;
    }
    if (!state || s == STATES) {
        return err_set(e, ERR_USAGE, "%s has no state of ours", key);
    }
    f->state = (enum count_state)s;
    if (!json_is_array(repeats) || json_array_size(repeats) > COUNTS_REPEATS_MAX) {
        return err_set(e, ERR_USAGE, "%s has no repeats, or more than %d", key, COUNTS_REPEATS_MAX);
    }
    f->n = (int)json_array_size(repeats);
    for (int i = 0; i < f->n; i++) {
        if (read_real(json_array_get(repeats, (size_t)i), key, &f->repeat[i], e) != 0) {
            return -1;
        }
    }
    if (read_real(json_object_get(o, "per_request"), key, &f->per_request, e) != 0 ||
        read_real(json_object_get(o, "spread"), key, &f->spread, e) != 0) {
        return -1;
    }
    if ((f->state == COUNT_MISSING) != !isfinite(f->per_request) ||
        (f->state != COUNT_MISSING && !(f->spread >= 0))) {
        return err_set(e, ERR_USAGE, "%s: its state and its figures contradict each other", key);
    }
    return json_is_string(reason) ? read_text(o, "reason", f->reason, sizeof f->reason, e) : 0;
}

static int read_figures(const json_t *o, struct count_record *r, struct err *e) {
    for (int k = 0; k < COUNT_KINDS; k++) {
        const char *key = count_info((enum count_kind)k)->key;
        const json_t *f = json_object_get(o, key);
        if (f && read_figure(f, key, &r->figure[k], e) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_calls(const json_t *list, struct count_record *r, struct err *e) {
    if (json_array_size(list) > COUNTS_CALLS_MAX) {
        return err_set(e, ERR_USAGE, "calls are more than %d", COUNTS_CALLS_MAX);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        struct count_call *c = &r->call[i];
        if (read_text(o, "name", c->name, sizeof c->name, e) != 0 ||
            read_real(json_object_get(o, "per_request"), "calls", &c->per_request, e) != 0) {
            return -1;
        }
    }
    r->calls = json_array_size(list);
    return 0;
}

static enum count_part part_of(const char *name) {
    int p = 0;
    while (p < PART_OTHER && (!name || strcmp(count_part_name((enum count_part)p), name) != 0)) {
        p++;
    }
    return (enum count_part)p;
}

static int read_functions(const json_t *list, struct count_record *r, struct err *e) {
    if (json_array_size(list) > COUNTS_FUNCTIONS_MAX) {
        return err_set(e, ERR_USAGE, "functions are more than %d", COUNTS_FUNCTIONS_MAX);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        struct count_function *f = &r->function[i];
        if (read_text(o, "name", f->name, sizeof f->name, e) != 0 ||
            read_text(o, "object", f->object, sizeof f->object, e) != 0 ||
            read_real(json_object_get(o, "per_request"), "functions", &f->per_request, e) != 0) {
            return -1;
        }
        f->part = part_of(json_string_value(json_object_get(o, "part")));
    }
    r->functions = json_array_size(list);
    return 0;
}

static int read_parts(const json_t *o, struct count_record *r, struct err *e) {
    for (int p = 0; p < COUNT_PARTS; p++) {
        const json_t *v = json_object_get(o, count_part_name((enum count_part)p));
        if (read_real(v, "parts", &r->part[p], e) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_record(const json_t *root, struct count_record *r, struct err *e) {
    const json_t *requests = json_object_get(root, "requests");
    int64_t connections = 0;
    int64_t pipeline = 0;
    if (read_int(root, "seq", 0, INT32_MAX, &r->seq, e) != 0 ||
        read_text(root, "target", r->target, sizeof r->target, e) != 0 ||
        read_text(root, "base", r->base, sizeof r->base, e) != 0 ||
        read_text(root, "workload", r->workload, sizeof r->workload, e) != 0 ||
        read_int(root, "connections", 1, 1000000, &connections, e) != 0 ||
        read_int(root, "pipeline", 1, 1000000, &pipeline, e) != 0 ||
        read_int(requests, "low", 1, INT32_MAX, &r->low, e) != 0 ||
        read_int(requests, "high", 1, INT32_MAX, &r->high, e) != 0 ||
        read_text(root, "started", r->started, sizeof r->started, e) != 0 ||
        read_real(json_object_get(root, "wall_s"), "wall_s", &r->wall_s, e) != 0) {
        return -1;
    }
    r->connections = (int)connections;
    r->pipeline = (int)pipeline;
    return read_figures(json_object_get(root, "figures"), r, e) != 0 ||
                   read_parts(json_object_get(root, "parts"), r, e) != 0 ||
                   read_calls(json_object_get(root, "calls"), r, e) != 0 ||
                   read_functions(json_object_get(root, "functions"), r, e) != 0
               ? -1
               : 0;
}

int count_from_line(const char *line, size_t len, struct count_record *r, struct err *e) {
    json_error_t why;
    count_record_init(r);
    json_t *root = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(root)) {
        json_decref(root);
        return err_set(e, ERR_USAGE, "it is no JSON object");
    }
    const int rc =
        shown_json(root) == 0 ? read_record(root, r, e) : err_set(e, ERR_MACHINE, "out of memory");
    json_decref(root);
    return rc;
}
