#include "ui/ending.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ending_duration_text(int64_t ns, char *out, size_t size) {
    int64_t ms = (ns + 500000) / 1000000;
    if (ms < 1000) {
        snprintf(out, size, "%" PRId64 " ms", ms);
        return;
    }
    int64_t s = (ms + 500) / 1000;
    if (s < 60) {
        snprintf(out, size, "%" PRId64 " s", s);
    } else if (s < 3600) {
        snprintf(out, size, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
    } else {
        snprintf(out, size, "%" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
    }
}

/* A path that can be pasted into a shell. */
void ending_print_path(FILE *out, const char *path) {
    size_t plain = strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "._@+-/,:=");
    if (!path[plain] && *path && *path != '-') {
        fputs(path, out);
        return;
    }
    fputs(*path == '-' ? "./'" : "'", out);
    for (; *path; path++) {
        fputs(*path == '\'' ? "'\\''" : (char[2]){*path, '\0'}, out);
    }
    fputc('\'', out);
}

void ending_print(FILE *out, const struct run_ending *s) {
    char wall[48];
    ending_duration_text(s->wall_ns, wall, sizeof wall);
    fprintf(out, "%s%" PRId64 " of %" PRId64 " trials in %s", s->interrupted ? "interrupted: " : "",
            s->measured, s->planned, wall);
    if (s->failed > 0) {
        fprintf(out, ", %" PRId64 " failed", s->failed);
    } else {
        fputs(s->measured > 0 ? ", none failed" : "", out);
    }
    if (s->again > 0) {
        fprintf(out, ", %zu block%s run again", s->again, s->again == 1 ? "" : "s");
    }
    fputs("\nresults are in ", out);
    ending_print_path(out, s->folder);
    if (s->report) {
        const char *slash = strrchr(s->folder, '/');
        fprintf(out, "\nreport and plots: %s ", s->report);
        ending_print_path(out, slash ? slash + 1 : s->folder);
        fputc('\n', out);
        return;
    }
    fputs(s->interrupted ? "\ngo on with: loopbench run --resume "
                         : "\nreport and plots: loopbench report ",
          out);
    ending_print_path(out, s->folder);
    fputc('\n', out);
}
