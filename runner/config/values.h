/* values.h — the types an option can have: text to value, value to text.
 *
 * Parsers read the whole text or fail; they never round, clamp or guess. `where` names the place in
 * the message ("--rounds", "bench.ini:3: rounds"). Every failure is ERR_USAGE. */
#ifndef CONFIG_VALUES_H
#define CONFIG_VALUES_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define VALUES_NAME_MAX 48 /* bytes of a target's or workload's name */
#define VALUES_LIST_MAX 64 /* entries of a list */

/* A time from min to max. */
struct span {
    int64_t min_ns, max_ns;
};

/* A list of names; owns them. */
struct names {
    size_t n;
    char **name;
};

/* A list of whole numbers; owns the array. */
struct ints {
    size_t n;
    int64_t *value;
};

/* name=number, … ; owns both arrays. */
struct pair_list {
    size_t n;
    char **name;
    int64_t *value;
};

/* CPUs named by the user, or left to the machine's facts. */
struct cpu_choice {
    bool automatic;
    cpu_set_t set; /* meaningful unless automatic */
};

/* A decimal whole number with min <= *out <= max. */
int value_int(const char *text, const char *where, int64_t min, int64_t max, int64_t *out,
              struct err *e);

/* A decimal number ("3", "2.5") with min <= *out <= max. */
int value_real(const char *text, const char *where, double min, double max, double *out,
               struct err *e);

/* A whole number of 64 bits, decimal or 0x… */
int value_seed(const char *text, const char *where, uint64_t *out, struct err *e);

/* A time with its unit (ns, us, ms, s, m, h; "500ms", "1.5s", "2m"; 0 needs none) in nanoseconds,
 * exact: a fraction finer than 1 ns is refused. min and max are in ns. */
int value_duration(const char *text, const char *where, int64_t min, int64_t max, int64_t *out,
                   struct err *e);

/* One time, or two with .. between them, the shorter first. */
int value_span(const char *text, const char *where, int64_t min, int64_t max, struct span *out,
               struct err *e);

/* yes/no, true/false, on/off, 1/0. */
int value_bool(const char *text, const char *where, bool *out, struct err *e);

/* A name: 1 to VALUES_NAME_MAX bytes of A-Z a-z 0-9 . _ @ + -, not beginning with a dash. */
int value_name(const char *text, const char *where, struct err *e);

/* Text kept as it is: not empty, UTF-8 without control characters (it goes into JSON and onto
 * terminals). *out is replaced (the old text is freed). */
int value_text(const char *text, const char *where, char **out, struct err *e);

/* The name of a workload: a name, which :key=number may follow. */
int value_workload(const char *text, const char *where, struct err *e);

/* Comma-separated lists without repeats, 1 to VALUES_LIST_MAX entries, blanks around commas
 * allowed. *out is replaced. value_pairs reads name=number, and an empty text as no pair. */
int value_names(const char *text, const char *where, struct names *out, struct err *e);
int value_workloads(const char *text, const char *where, struct names *out, struct err *e);
int value_ints(const char *text, const char *where, int64_t min, int64_t max, struct ints *out,
               struct err *e);
int value_pairs(const char *text, const char *where, int64_t min, int64_t max,
                struct pair_list *out, struct err *e);

/* `auto`, or a list as base/cpus.h reads it. */
int value_cpus(const char *text, const char *where, struct cpu_choice *out, struct err *e);

/* A duration with the largest unit that holds it in whole numbers: "90s", "2m", "1500us". */
void value_duration_text(int64_t ns, char *out, size_t size);

/* What value_span reads back: "10ms", "5ms..10ms". */
void value_span_text(const struct span *span, char *out, size_t size);

bool names_has(const struct names *names, const char *name);

/* Puts a copy at the end; -1 out of memory. */
int names_add(struct names *names, const char *name);

void names_release(struct names *names);
void ints_release(struct ints *ints);
void pair_list_release(struct pair_list *pairs);

#endif
