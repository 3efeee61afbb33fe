/* What a guest sends for each workload beside the reference, and what that means for comparing. */
#include "target/verify_parts.h"

#include <stdlib.h>
#include <string.h>

int verify_add_wire(struct verify_findings *f, const struct verify_target *target,
                    const struct workload *w, enum verify_served served,
                    const struct http_reply *reply, struct err *e) {
    struct verify_wire *grown = realloc(f->wire, (f->wires + 1) * sizeof *grown);
    if (!grown) {
        return err_set(e, ERR_MACHINE, "out of memory while verifying %s", target->name);
    }
    f->wire = grown;
    struct verify_wire *wire = &grown[f->wires++];
    *wire = (struct verify_wire){.served = served, .varies = w->varies};
    snprintf(wire->target, sizeof wire->target, "%s", target->name);
    snprintf(wire->workload, sizeof wire->workload, "%s", w->name);
    if (reply) {
        char ignored[32];
        wire->status = reply->status;
        wire->head = reply->head_len;
        wire->body = reply->body_len;
        wire->keeps = reply->keep_alive && reply->framed;
        wire->chunked = !http_reply_find(reply, "content-length", ignored, sizeof ignored);
    }
    return 0;
}

void verify_wires_drop(struct verify_findings *f, const char *target) {
    for (size_t i = 0; i < f->wires; i++) {
        f->wire[i].keeps = f->wire[i].keeps && strcmp(f->wire[i].target, target) != 0;
    }
}

void verify_compare_wire(struct verify_findings *f, const char *target, const char *reference,
                         const struct workload *w, const struct http_reply *ours,
                         const struct http_reply *theirs) {
    for (size_t i = 0; w && i < f->wires; i++) {
        struct verify_wire *wire = &f->wire[i];
        if (strcmp(wire->target, target) != 0 || strcmp(wire->workload, w->name) != 0) {
            continue;
        }
        snprintf(wire->reference, sizeof wire->reference, "%s", reference);
        wire->head_of_reference = ours->head_len;
        wire->body_of_reference = ours->body_len;
        wire->same_body = ours->body_len == theirs->body_len &&
                          memcmp(ours->body, theirs->body, ours->body_len) == 0;
        wire->same_headers = verify_same_names(ours, theirs);
    }
}

/* Bytes more than the reference's reply; of a workload that varies only the head tells. */
static long wire_more(const struct verify_wire *w) {
    long more = (long)w->head - (long)w->head_of_reference;
    return w->varies ? more : more + (long)w->body - (long)w->body_of_reference;
}

static void wire_print(const struct verify_wire *w, FILE *out) {
    fprintf(out, "  %-12s ", w->workload);
    if (w->served == NOT_SERVED) {
        fputs("not served\n", out);
        return;
    }
    if (w->served == SERVED_WRONG) {
        fputs("WRONG", out);
        fprintf(out, w->status ? ", status %d\n" : ", no reply\n", w->status);
        return;
    }
    fprintf(out, "served, %zu B a reply (head %zu, body %zu)", w->head + w->body, w->head, w->body);
    if (w->reference[0]) {
        long more = wire_more(w);
        fprintf(out,
                more == 0  ? ", as many"
                : more > 0 ? ", %ld B more"
                           : ", %ld B fewer",
                more < 0 ? -more : more);
        fprintf(out, "; %s; %s",
                w->varies      ? "a body that varies"
                : w->same_body ? "same body"
                               : "another body that means the same",
                w->same_headers ? "same headers" : "other headers");
    }
    fprintf(out, "; %s; %s\n", w->chunked ? "no Content-Length" : "Content-Length",
            w->keeps ? "keeps the connection" : "closes the connection");
}

/* What the wires of one guest come to. */
struct fairness {
    size_t served, wrong, differ, closes;
    long least, most;
};

static struct fairness fair_judge(const struct verify_findings *f, const char *target) {
    struct fairness all = {0};
    for (size_t i = 0; i < f->wires; i++) {
        const struct verify_wire *w = &f->wire[i];
        if (strcmp(w->target, target) != 0 || w->served == NOT_SERVED) {
            continue;
        }
        all.wrong += w->served == SERVED_WRONG;
        if (w->served != SERVED) {
            continue;
        }
        long more = w->reference[0] ? wire_more(w) : 0;
        all.least = all.served == 0 || more < all.least ? more : all.least;
        all.most = all.served == 0 || more > all.most ? more : all.most;
        all.served++;
        all.closes += !w->keeps;
        all.differ += w->reference[0] && !w->varies && !w->same_body;
    }
    return all;
}

static void fair_say(const char *target, const char *reference, const struct fairness *all,
                     FILE *out) {
    if (all->wrong > 0) {
        fprintf(out,
                "  Not to be compared: %zu workload%s answered wrongly; say with `workloads` "
                "which it serves.\n",
                all->wrong, all->wrong == 1 ? " is" : "s are");
        return;
    }
    if (all->served == 0) {
        fprintf(out,
                "  Not to be compared: %s serves no workload; say where they are with "
                "`paths`.\n",
                target);
        return;
    }
    if (all->closes > 0) {
        fprintf(out,
                "  Not fair on kept connections: %s closes them. With --no-keepalive it would "
                "be.\n",
                target);
        return;
    }
    if (all->differ > 0 && all->least == 0 && all->most == 0) {
        fprintf(out, "  A comparison would be fair: other bodies of the same size as %s.\n",
                reference);
    } else if (!reference[0]) {
        fputs("  There was no server of ours to compare with.\n", out);
    } else if (all->least == 0 && all->most == 0 && all->differ == 0) {
        fprintf(out, "  A comparison would be fair: as many bytes as %s.\n", reference);
    } else {
        bool fewer = all->most < 0;
        long small = fewer ? -all->most : all->least;
        long large = fewer ? -all->least : all->most;
        fprintf(out, "  A comparison would be fair but for the bytes: %s sends ", target);
        if (small == large) {
            fprintf(out, "%ld B %s a reply than %s.\n", large, fewer ? "fewer" : "more", reference);
        } else if (small >= 0) {
            fprintf(out, "%ld to %ld B %s a reply than %s.\n", small, large,
                    fewer ? "fewer" : "more", reference);
        } else {
            fprintf(out, "%+ld to %+ld B a reply beside %s.\n", all->least, all->most, reference);
        }
    }
}

void verify_print_fair(const struct verify_findings *f, FILE *out) {
    for (size_t i = 0; i < f->wires; i++) {
        const char *target = f->wire[i].target;
        const char *reference = "";
        if (i > 0 && strcmp(f->wire[i - 1].target, target) == 0) {
            continue;
        }
        for (size_t k = i; k < f->wires && strcmp(f->wire[k].target, target) == 0; k++) {
            reference = f->wire[k].reference[0] ? f->wire[k].reference : reference;
        }
        fprintf(out, "\n%s%s%s\n", target, reference[0] ? " beside " : "", reference);
        for (size_t k = i; k < f->wires && strcmp(f->wire[k].target, target) == 0; k++) {
            wire_print(&f->wire[k], out);
        }
        struct fairness all = fair_judge(f, target);
        fair_say(target, reference, &all, out);
    }
}

bool verify_is_useless(const struct verify_findings *f) {
    for (size_t i = 0; i < f->wires; i++) {
        struct fairness all = fair_judge(f, f->wire[i].target);
        if (all.served == 0 || all.wrong > 0) {
            return true;
        }
    }
    return false;
}
