/* machine_text.h — pure parsers for the text files that /proc and /sys offer. */
#ifndef SAMPLE_MACHINE_TEXT_H
#define SAMPLE_MACHINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of the first line "key : value" or "key=value" (blanks around both taken off, quotes
 * round the value, too), cut to size. Returns false and out = "" when there is none. */
bool text_value(const char *text, const char *key, char *out, size_t size);

/* The whole of text as a decimal number, blanks around it allowed; "max" is INT64_MAX. -1 for
 * anything else, negative numbers and overflow included. */
int64_t text_number(const char *text);

/* A "[word]" among words, as in transparent_hugepage/enabled. Returns false when none is marked. */
bool text_marked(const char *text, char *out, size_t size);

/* True when the blank-separated words of text include word. */
bool text_has_word(const char *text, const char *word);

/* Soft and hard limit of a line of /proc/PID/limits ("Max open files"); INT64_MAX = unlimited. */
bool text_limit(const char *text, const char *name, int64_t *soft, int64_t *hard);

/* CPUs that a quota text allows: "50000 100000" and "max 100000" (cgroup v2 cpu.max). INFINITY for
 * max, NaN for anything else. */
double text_cpu_max(const char *text);

/* The folder that holds this process's group for `controller`, from the texts of /proc/self/cgroup
 * and /proc/self/mountinfo, and the mount point above it: v1's hierarchy where one has the
 * controller, else v2's. Returns 1 or 2, the version, or -1 when there is none. */
int text_cgroup(const char *cgroup, const char *mountinfo, const char *controller, char *folder,
                char *mount, size_t size);

#endif
