/* compare_alike.h — may two runs be held against each other? From their manifests alone.
 *
 * Configuration: every recorded option must be equal but for those that do not change what a trial
 * measures (which targets, how many rounds, in what order, where things are), so an option that is
 * new is one that matters until somebody says otherwise. Load generator, CPU split, window and
 * warm-up as well.
 * Machine: processor, CPUs, memory, architecture, hypervisor and CPU quota. Nothing in a manifest
 * names a machine; two that are equal in all of this count as one.
 * All else that differs (versions, commits, flags, kernel, settings) is what a comparison is made
 * for, or may explain it: it is noted. */
#ifndef REPORT_COMPARE_ALIKE_H
#define REPORT_COMPARE_ALIKE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ALIKE_TEXT_MAX  512
#define ALIKE_NOTES_MAX 32

struct alike {
    char unlike[ALIKE_TEXT_MAX];  /* the first difference of configuration; "" = alike */
    char machine[ALIKE_TEXT_MAX]; /* the first difference of machine; "" = the same */
    char note[ALIKE_NOTES_MAX][ALIKE_TEXT_MAX]; /* "kernel 6.1.0, 6.1.7" */
    size_t notes;
};

/* What an option is when a run does not record it, for runs from before there was such an option;
 * NULL = unset. */
typedef const char *(*alike_default)(const char *option);

/* `fallback` may be NULL: options are unset then. */
void alike_judge(struct alike *a, const json_t *first, const json_t *second,
                 alike_default fallback);

/* Whether a target is the same program, as far as is recorded, in both runs. */
bool alike_target(const json_t *first, const json_t *second, const char *name);

#endif
