/* memory.series of a trial record: two lists of the same length. */
#include "store/record_series.h"

#include <stdbool.h>

/* As in record_json.c: nothing that is measured comes near. */
#define INT_LIMIT ((int64_t)1 << 60)

json_t *record_series_to_json(const struct memory_series *s) {
    if (s->n == 0) {
        return json_null();
    }
    json_t *ms = json_array();
    json_t *rss = json_array();
    for (int i = 0; i < s->n; i++) {
        json_array_append_new(ms, json_integer(s->ms[i]));
        json_array_append_new(rss, json_integer(s->rss[i]));
    }
    return json_pack("{s:o, s:o}", "ms", ms, "rss", rss);
}

static bool read_whole(const json_t *v, int64_t *out) {
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > INT_LIMIT) {
        return false;
    }
    *out = json_integer_value(v);
    return true;
}

int record_series_from_json(const json_t *v, struct memory_series *s, struct err *e) {
    if (!v || json_is_null(v)) {
        return 0;
    }
    const json_t *ms = json_object_get(v, "ms");
    const json_t *rss = json_object_get(v, "rss");
    const size_t n = json_array_size(ms);
    bool good = json_is_array(ms) && json_is_array(rss) && n == json_array_size(rss) && n > 0 &&
                n <= MEMORY_SERIES_MAX;
    for (size_t i = 0; good && i < n; i++) {
        good = read_whole(json_array_get(ms, i), &s->ms[i]) &&
               read_whole(json_array_get(rss, i), &s->rss[i]) &&
               (i == 0 || s->ms[i] >= s->ms[i - 1]);
    }
    if (!good) {
        return err_set(e, ERR_USAGE,
                       "memory.series is not two lists of at most %d numbers, ms ascending",
                       MEMORY_SERIES_MAX);
    }
    s->n = (int)n;
    return 0;
}
