#include <inttypes.h>
#include <math.h>

#include "report/text.h"
#include "report/verdicts_formats.h"

static void put_real(FILE *f, double v) {
    if (isfinite(v)) {
        fprintf(f, ",%.10g", v);
    } else {
        fputc(',', f);
    }
}

static void put_verdict_header(FILE *f, const char *prefix) {
    fprintf(f,
            ",%sverdict,%sratio,%sratio_lo,%sratio_hi,%sfragile,%ssigned_rank_p,"
            "%scould_hide,%sblocks_valid,%sblocks_needed",
            prefix, prefix, prefix, prefix, prefix, prefix, prefix, prefix, prefix);
}

static void put_verdict(FILE *f, const struct verdict *v) {
    fprintf(f, ",%s", verdict_name(v->kind));
    put_real(f, v->ratio);
    put_real(f, v->lo);
    put_real(f, v->hi);
    fprintf(f, ",%s", v->fragile ? "yes" : "no");
    put_real(f, v->signed_rank_p);
    put_real(f, v->could_hide);
    fprintf(f, ",%zu,%zu", v->pairs.valid, v->needed);
}

static void put_row(FILE *f, const struct verdicts *v, const struct verdict_row *r) {
    const struct cells *c = v->cells;
    text_csv(f, r->a->workload);
    fprintf(f, ",%d,", r->a->connections);
    text_csv(f, c->targets[r->a->target].name);
    fputc(',', f);
    text_csv(f, c->targets[r->b->target].name);
    fprintf(f, ",%s,%s,%zu,%zu,%s,%s", r->control ? "control" : "pair",
            figure_info(verdict_about_info(r->about)->figure)->key, r->gated.pairs.planned,
            r->invalid_blocks, client_state_name(r->a->client), client_state_name(r->b->client));
    put_verdict(f, &r->gated);
    put_verdict(f, &r->ungated);
    fprintf(f, ",%s,", r->differs ? "yes" : "no");
    text_csv(f, r->missing);
    fputc('\n', f);
}

int verdicts_csv_write(const struct verdicts *v, struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    fputs("workload,connections,a,b,kind,figure,blocks_planned,blocks_invalid,client_a,client_b",
          t.f);
    put_verdict_header(t.f, "");
    put_verdict_header(t.f, "ungated_");
    fputs(",gating_matters,missing\n", t.f);
    for (size_t i = 0; i < v->count; i++) {
        put_row(t.f, v, &v->row[i]);
    }
    return text_end(&t, v->cells->store->dir, "verdicts.csv", e);
}
