#include "config/apply.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cpus.h"
#include "config/words.h"

static void *apply_field(struct config *c, const struct option *o) {
    return (char *)c + o->offset;
}

static int apply_seed(const char *text, const char *where, uint64_t *out, struct err *e) {
    if (strcmp(text, "auto") != 0) {
        return value_seed(text, where, out, e);
    }
    ssize_t n;
    do {
        n = getrandom(out, sizeof *out, 0);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *out
               ? 0
               : err_set(e, ERR_MACHINE, "%s: the kernel gives no random number; name a seed",
                         where);
}

static int apply_path(const char *text, const char *where, bool quotes, char **out, struct err *e) {
    char *plain = NULL;
    if (!quotes) {
        return value_text(text, where, out, e);
    }
    if (words_unquote(text, where, &plain, e) != 0) {
        return -1;
    }
    int rc = value_text(plain, where, out, e);
    free(plain);
    return rc;
}

int apply_option(struct config *c, const struct option *o, const char *text, const char *where,
                 bool quotes, struct err *e) {
    void *field = apply_field(c, o);
    if (!*text && o->type != OPTION_PAIRS) {
        return err_set(e, ERR_USAGE, "%s: a value is missing", where);
    }
    switch (o->type) {
    case OPTION_INT:
        return value_int(text, where, (int64_t)o->min, (int64_t)o->max, field, e);
    case OPTION_REAL:
        return value_real(text, where, o->min, o->max, field, e);
    case OPTION_DURATION:
        return value_duration(text, where, (int64_t)o->min, (int64_t)o->max, field, e);
    case OPTION_SPAN:
        return value_span(text, where, (int64_t)o->min, (int64_t)o->max, field, e);
    case OPTION_BOOL:
        return value_bool(text, where, field, e);
    case OPTION_SEED:
        return apply_seed(text, where, field, e);
    case OPTION_TEXT:
    case OPTION_PATH:
        return apply_path(text, where, quotes, field, e);
    case OPTION_NAME:
    case OPTION_SWITCH:
        return value_name(text, where, e) != 0 ? -1 : value_text(text, where, field, e);
    case OPTION_NAMES:
        return value_names(text, where, field, e);
    case OPTION_WORKLOADS:
        return value_workloads(text, where, field, e);
    case OPTION_INTS:
        return value_ints(text, where, (int64_t)o->min, (int64_t)o->max, field, e);
    case OPTION_PAIRS:
        return value_pairs(text, where, (int64_t)o->min, (int64_t)o->max, field, e);
    case OPTION_CPUS:
        return value_cpus(text, where, field, e);
    }
    return -1;
}

static char *apply_names_text(const struct names *names, const int64_t *numbers) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    for (size_t i = 0; i < names->n; i++) {
        fprintf(out, "%s%s", i > 0 ? "," : "", names->name[i]);
        if (numbers) {
            fprintf(out, "=%" PRId64, numbers[i]);
        }
    }
    return fclose(out) == 0 ? text : NULL;
}

static char *apply_ints_text(const struct ints *ints) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    for (size_t i = 0; i < ints->n; i++) {
        fprintf(out, "%s%" PRId64, i > 0 ? "," : "", ints->value[i]);
    }
    return fclose(out) == 0 ? text : NULL;
}

char *config_value_text(const struct config *c, const struct option *o) {
    const void *field = (const char *)c + o->offset;
    char text[CPUS_TEXT_SIZE];
    switch (o->type) {
    case OPTION_INT:
        snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)field);
        return strdup(text);
    case OPTION_REAL:
        /* A decimal of at most 15 digits comes back as it was written. */
        snprintf(text, sizeof text, "%.15g", *(const double *)field);
        return strdup(text);
    case OPTION_DURATION:
        value_duration_text(*(const int64_t *)field, text, sizeof text);
        return strdup(text);
    case OPTION_SPAN:
        value_span_text(field, text, sizeof text);
        return strdup(text);
    case OPTION_BOOL:
        return strdup(*(const bool *)field ? "yes" : "no");
    case OPTION_SEED:
        snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)field);
        return strdup(text);
    case OPTION_TEXT:
    case OPTION_PATH:
    case OPTION_NAME:
    case OPTION_SWITCH: {
        const char *const *value = field;
        return *value ? words_quote(*value) : NULL;
    }
    case OPTION_NAMES:
    case OPTION_WORKLOADS:
        return apply_names_text(field, NULL);
    case OPTION_INTS:
        return apply_ints_text(field);
    case OPTION_PAIRS: {
        const struct pair_list *pairs = field;
        const struct names names = {pairs->n, pairs->name};
        return apply_names_text(&names, pairs->value);
    }
    case OPTION_CPUS: {
        const struct cpu_choice *choice = field;
        snprintf(text, sizeof text, "auto");
        if (!choice->automatic) {
            cpus_format(&choice->set, text, sizeof text);
        }
        return strdup(text);
    }
    }
    return NULL;
}

void apply_release(struct config *c, const struct option *o) {
    void *field = apply_field(c, o);
    switch (o->type) {
    case OPTION_TEXT:
    case OPTION_PATH:
    case OPTION_NAME:
    case OPTION_SWITCH:
        free(*(char **)field);
        *(char **)field = NULL;
        break;
    case OPTION_NAMES:
    case OPTION_WORKLOADS:
        names_release(field);
        break;
    case OPTION_INTS:
        ints_release(field);
        break;
    case OPTION_PAIRS:
        pair_list_release(field);
        break;
    default:
        break;
    }
}
