#include "base/cpus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int cpus_allowed(cpu_set_t *out) {
    CPU_ZERO(out);
    if (sched_getaffinity(0, sizeof *out, out) != 0) {
        CPU_SET(0, out);
    }
    return CPU_COUNT(out);
}

/* One non-negative number; advances *text past it. Returns -1 where there is none. */
static long cpus_number(const char **text) {
    if (!isdigit((unsigned char)**text)) {
        return -1;
    }
    char *end;
    long n = strtol(*text, &end, 10);
    *text = end;
    return n < CPU_SETSIZE ? n : -1;
}

int cpus_parse(const char *text, const char *what, cpu_set_t *out, struct err *e) {
    const char *at = text;
    CPU_ZERO(out);
    do {
        long first = cpus_number(&at);
        long last = first;
        if (first >= 0 && *at == '-') {
            at++;
            last = cpus_number(&at);
        }
        if (first < 0 || last < first || (*at && *at != ',')) {
            return err_set(e, ERR_USAGE, "%s: '%s' is not a list of CPUs; write it like 0-1,3",
                           what, text);
        }
        for (long cpu = first; cpu <= last; cpu++) {
            CPU_SET((size_t)cpu, out);
        }
    } while (*at++ == ',');
    return 0;
}

void cpus_format(const cpu_set_t *set, char *out, size_t size) {
    size_t used = 0;
    if (size > 0) {
        out[0] = '\0';
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, set)) {
            continue;
        }
        int first = cpu;
        while (cpu + 1 < CPU_SETSIZE && CPU_ISSET((size_t)cpu + 1, set)) {
            cpu++;
        }
        int n = first == cpu
                    ? snprintf(out + used, size - used, "%s%d", used ? "," : "", first)
                    : snprintf(out + used, size - used, "%s%d-%d", used ? "," : "", first, cpu);
        if (n < 0 || (size_t)n >= size - used) {
            out[used] = '\0';
            return;
        }
        used += (size_t)n;
    }
}
