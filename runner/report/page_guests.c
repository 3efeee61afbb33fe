/* Servers that are not ours: what they are, and by how much their bytes differ. */
#include <math.h>
#include <string.h>

#include "report/guests.h"
#include "report/page_parts.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const struct doc_column columns[] = {{"target", DOC_NAME},          {"workload", DOC_NAME},
                                            {"bytes a reply", DOC_NUMBER}, {"beside", DOC_NUMBER},
                                            {"head", DOC_NUMBER},          {"body", DOC_NUMBER},
                                            {"its replies", DOC_TEXT}};

bool page_has_guests(const struct cells *c) {
    for (size_t i = 0; i < c->target_count; i++) {
        if (guests_is(c, i)) {
            return true;
        }
    }
    return false;
}

static void put_number(struct doc *d, bool sign, double v) {
    doc_cell(d);
    if (!isfinite(v)) {
        doc_say(d, "n/a");
    } else if (sign) {
        doc_say(d, "%+.0f", v);
    } else {
        doc_say(d, "%.0f", v);
    }
}

static void put_size(struct doc *d, const json_t *reply, const char *own, const char *ours) {
    const json_t *a = json_object_get(reply, own);
    const json_t *b = json_object_get(reply, ours);
    doc_cell(d);
    if (!json_is_integer(a)) {
        doc_say(d, "n/a");
        return;
    }
    doc_say(d, "%" JSON_INTEGER_FORMAT, json_integer_value(a));
    if (json_is_integer(b)) {
        doc_say(d, " (%+" JSON_INTEGER_FORMAT ")", json_integer_value(a) - json_integer_value(b));
    }
}

static void put_words(struct doc *d, const json_t *reply) {
    static const struct {
        const char *member;
        bool when;
        const char *words;
    } all[] = {{"same_body", true, "the same body"},
               {"same_body", false, "a body that means the same"},
               {"same_headers", false, "other headers"},
               {"content_length", false, "no Content-Length"},
               {"keeps_connection", false, "closes the connection"}};
    bool said = false;
    doc_cell(d);
    for (size_t i = 0; i < COUNT(all); i++) {
        const json_t *v = json_object_get(reply, all[i].member);
        if (json_is_boolean(v) && json_is_true(v) == all[i].when) {
            doc_say(d, "%s%s", said ? ", " : "", all[i].words);
            said = true;
        }
    }
    if (!said) {
        doc_say(d, "not verified");
    }
}

static void put_row(struct doc *d, const struct cells *c, size_t target, size_t reference,
                    const char *workload) {
    double bytes = guests_bytes(c, target, workload);
    const json_t *reply = guests_reply(c, target, workload);
    const struct doc_row about = {.workload = workload, .a = c->targets[target].name};
    doc_row(d, &about);
    doc_cell(d);
    doc_name(d, c->targets[target].name);
    doc_cell(d);
    doc_name(d, workload);
    put_number(d, false, bytes);
    put_number(d, true, guests_more(c, target, reference, workload));
    put_size(d, reply, "head_bytes", "reference_head_bytes");
    put_size(d, reply, "body_bytes", "reference_body_bytes");
    put_words(d, reply);
    doc_row_end(d);
}

/* Whether it was measured with posts and stored elsewhere than our servers did. */
static bool guest_stores(const struct cells *c, size_t target) {
    if (json_is_true(json_object_get(guests_entry(c, target), "shares_db"))) {
        return false;
    }
    for (size_t w = 0; w < c->workload_count; w++) {
        const char *name = c->workloads[w];
        if (strcmp(name, "posts") == 0 && isfinite(guests_bytes(c, target, name))) {
            return true;
        }
    }
    return false;
}

/* Who would use it, and of how many processes its figures are the sum. */
static void put_about(struct doc *d, const struct cells *c, size_t target) {
    const char *about = json_string_value(json_object_get(guests_entry(c, target), "about"));
    bool pss;
    int64_t processes = guests_processes(c, target, &pss);
    doc_begin(d, DOC_ITEM, NULL);
    doc_name(d, c->targets[target].name);
    doc_say(d, ": ");
    if (about) {
        doc_name(d, about);
        doc_say(d, "; ");
    }
    if (processes > 1) {
        doc_say(d,
                "up to %lld processes: CPU is the sum over all of them, those that ended included; "
                "memory is %s",
                (long long)processes,
                pss ? "their PSS, which counts a page they share once"
                    : "the sum of their RSS, which counts a page they share once for each, for PSS "
                      "could not be read");
    } else {
        doc_say(d, processes == 1 ? "one process" : "its processes are not to be seen");
    }
    if (guest_stores(c, target)) {
        doc_say(d, "; what posts sends it stores in a database of its own, not in our servers'");
    }
    doc_say(d, ".");
    doc_close(d, DOC_ITEM);
}

void page_guests(struct doc *d, const struct cells *c) {
    size_t reference = guests_reference(c);
    if (!page_has_guests(c)) {
        return;
    }
    doc_whole(d, DOC_SECTION, "guests", "Servers that are not built in");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(
        d, "Servers of others, and those of ours that were given options of their own. They answer "
           "the same requests, but need not send the same bytes. Bytes a reply are those "
           "the load generator received, those of replies that the end of a window cut off "
           "among them");
    if (reference != SIZE_MAX) {
        doc_say(d, "; beside and in brackets: how many more than ");
        doc_name(d, c->targets[reference].name);
    }
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
    doc_table(d, "Bytes of servers that are not built in", columns, COUNT(columns));
    for (size_t i = 0; i < c->target_count; i++) {
        for (size_t w = 0; guests_is(c, i) && w < c->workload_count; w++) {
            if (isfinite(guests_bytes(c, i, c->workloads[w]))) {
                put_row(d, c, i, reference, c->workloads[w]);
            }
        }
    }
    doc_table_end(d);
    doc_begin(d, DOC_LIST, NULL);
    for (size_t i = 0; i < c->target_count; i++) {
        if (guests_is(c, i)) {
            put_about(d, c, i);
        }
    }
    doc_close(d, DOC_LIST);
}
