/* The section of a report that says what is missing in it, and why. */
#include <string.h>

#include "report/page_parts.h"

static void put_cell_name(struct doc *d, const struct cells *c, const struct cell *cell) {
    doc_name(d, c->targets[cell->target].name);
    doc_say(d, ", ");
    doc_name(d, cell->workload);
    doc_say(d, ", %d connection%s", cell->connections, cell->connections == 1 ? "" : "s");
}

/* The failures of a cell, the same ones together. */
static size_t put_failures(struct doc *d, const struct cells *c, const struct cell *cell) {
    for (size_t i = 0; cell->failed > 0 && i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        int same = 0;
        bool before = false;
        for (size_t k = 0; r && r->status != TRIAL_OK && k < c->rounds; k++) {
            const struct trial_record *other = cell->trial[k];
            bool equal = other && other->status != TRIAL_OK && other->failure == r->failure &&
                         strcmp(other->reason, r->reason) == 0;
            before = before || (equal && k < i);
            same += equal;
        }
        if (same == 0 || before) {
            continue;
        }
        doc_begin(d, DOC_ITEM, NULL);
        put_cell_name(d, c, cell);
        doc_say(d, ": %d of %d trials failed (%s): ", same, cell->measured,
                record_failure_name(r->failure));
        doc_name(d, *r->reason ? r->reason : "no reason recorded");
        if (*r->output) {
            doc_say(d, "; its last output: ");
            doc_code(d, r->output);
        }
        doc_close(d, DOC_ITEM);
    }
    return cell->failed > 0;
}

static size_t put_absent(struct doc *d, const struct cells *c, const struct cell *cell) {
    if (cell->measured == cell->planned) {
        return 0;
    }
    doc_begin(d, DOC_ITEM, NULL);
    put_cell_name(d, c, cell);
    doc_say(d, ": %d of %d rounds were not measured", cell->planned - cell->measured,
            cell->planned);
    doc_close(d, DOC_ITEM);
    return 1;
}

static bool same_gap(const struct cell *a, const struct cell *b, enum figure_id id) {
    return a->connections == b->connections && a->workload == b->workload &&
           strcmp(a->figure[id].missing, b->figure[id].missing) == 0;
}

/* Cells of which every trial failed, or none was made, say so already. */
static bool has_gap(const struct cell *cell, enum figure_id id) {
    return cell->failed < cell->measured && cell->figure[id].missing[0];
}

/* The cells of one block of the table in which a figure is missing for one reason, on one line. */
static size_t put_gap(struct doc *d, const struct cells *c, size_t first, enum figure_id id) {
    const struct cell *cell = &c->cell[first];
    const char *reason = cell->figure[id].missing;
    if (!has_gap(cell, id)) {
        return 0;
    }
    for (size_t i = first; i-- > 0 && c->cell[i].connections == cell->connections &&
                           c->cell[i].workload == cell->workload;) {
        if (has_gap(&c->cell[i], id) && same_gap(&c->cell[i], cell, id)) {
            return 0;
        }
    }
    doc_begin(d, DOC_ITEM, NULL);
    doc_name(d, cell->workload);
    doc_say(d, ", %d connection%s, %s: ", cell->connections, cell->connections == 1 ? "" : "s",
            figure_info(id)->title);
    doc_name(d, strncmp(reason, "n/a: ", 5) == 0 ? reason + 5 : reason);
    doc_say(d, " (");
    for (size_t i = first; i < c->count && c->cell[i].connections == cell->connections &&
                           c->cell[i].workload == cell->workload;
         i++) {
        if (has_gap(&c->cell[i], id) && same_gap(&c->cell[i], cell, id)) {
            doc_say(d, i == first ? "" : ", ");
            doc_name(d, c->targets[c->cell[i].target].name);
        }
    }
    doc_say(d, ")");
    doc_close(d, DOC_ITEM);
    return 1;
}

static size_t put_note(struct doc *d, const char *text) {
    if (!*text) {
        return 0;
    }
    doc_begin(d, DOC_ITEM, NULL);
    doc_name(d, text);
    doc_close(d, DOC_ITEM);
    return 1;
}

/* Targets that were chosen and are not installed. */
static size_t put_left_out(struct doc *d, const json_t *list) {
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *l = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(l, "name"));
        const char *reason = json_string_value(json_object_get(l, "reason"));
        const char *package = json_string_value(json_object_get(l, "package"));
        if (!name) {
            continue;
        }
        doc_begin(d, DOC_ITEM, NULL);
        doc_name(d, name);
        doc_say(d, " was left out: ");
        doc_name(d, reason ? reason : "no reason recorded");
        if (package) {
            doc_say(d, "; ");
            doc_name(d, package);
            doc_say(d, " brings what it needs");
        }
        doc_close(d, DOC_ITEM);
        n++;
    }
    return n;
}

void page_missing(struct doc *d, const struct cells *c, const struct plots *p) {
    const json_t *notes = manifest_at(c->store->manifest, "notes");
    const json_t *verified = manifest_at(c->store->manifest, "verified");
    size_t lines = 0;
    doc_whole(d, DOC_SECTION, "missing", "What is missing, and why");
    doc_begin(d, DOC_LIST, NULL);
    lines += put_left_out(d, manifest_at(c->store->manifest, "left_out"));
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *text = json_string_value(json_array_get(notes, i));
        lines += put_note(d, text ? text : "");
    }
    if (!json_is_true(verified)) {
        lines += put_note(d, json_is_false(verified)
                                 ? "The targets were not verified before they were measured: they "
                                   "may not answer alike."
                                 : "Whether the targets were verified is not recorded.");
    }
    lines += put_note(
        d, c->store->torn ? "The last line of trials.jsonl was cut short; that trial is left out."
                          : "");
    lines += put_note(d, !c->store->changed ? ""
                         : strcmp(c->store->changed, "plan.json") == 0
                             ? "plan.json is not as it was when the run was begun."
                             : "config.ini is not as it was when the run was begun.");
    if (p->missing[0]) {
        doc_begin(d, DOC_ITEM, NULL);
        doc_say(d, "Plots: ");
        doc_name(d, p->missing);
        doc_close(d, DOC_ITEM);
        lines++;
    }
    lines += put_note(d, p->note);
    for (size_t i = 0; i < c->count; i++) {
        lines += put_failures(d, c, &c->cell[i]);
        lines += put_absent(d, c, &c->cell[i]);
    }
    for (size_t i = 0; i < c->count; i++) {
        for (int id = 0; id < FIG_COUNT; id++) {
            /* What is too few for a raw percentile is too few for a corrected one. */
            if (!figure_info((enum figure_id)id)->corrected) {
                lines += put_gap(d, c, i, (enum figure_id)id);
            }
        }
    }
    if (c->repeated > 0) {
        doc_begin(d, DOC_ITEM, NULL);
        doc_say(d, "%zu %s disturbed and run again; the last attempt counts.", c->repeated,
                c->repeated == 1 ? "block was" : "blocks were");
        doc_close(d, DOC_ITEM);
        lines++;
    }
    if (lines == 0) {
        doc_whole(d, DOC_ITEM, NULL, "Nothing.");
    }
    doc_close(d, DOC_LIST);
}
