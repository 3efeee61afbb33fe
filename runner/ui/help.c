#include "ui/help.h"

#include <inttypes.h>
#include <string.h>

#include "base/buildinfo.h"
#include "base/workload.h"
#include "config/profile.h"
#include "ui/text.h"

#define HELP_WIDTH 80

void help_print_overview(FILE *out) {
    fprintf(out, "loopbench compares HTTP servers on libevent, libuv and h2o.\n"
                 "\n"
                 "usage: loopbench COMMAND [options]\n"
                 "\n");
    for (const struct command *c = commands; c->name; c++) {
        fprintf(out, "  %-10s %s\n", c->name, c->help);
    }
    fprintf(out, "\n"
                 "`loopbench help COMMAND` explains its options. Exit status: 0 done, 1 the\n"
                 "measurement says no, 2 wrong usage or configuration, 3 the machine cannot.\n");
}

static void help_print_option(FILE *out, const struct command *command, const struct option *o) {
    char head[64];
    char text[512];
    const bool on = o->type == OPTION_BOOL && o->fallback && strcmp(o->fallback, "yes") == 0;
    snprintf(head, sizeof head, "  --%s%s%s%s", on ? "[no-]" : "", o->name, o->metavar ? " " : "",
             o->metavar ? o->metavar : "");
    const char *own = command_default(command, o->name);
    const char *value = own ? own : o->fallback;
    bool shown = value && *value && o->type != OPTION_BOOL;
    snprintf(text, sizeof text, "%s%s%s%s", o->help, shown ? " [" : "", shown ? value : "",
             shown ? "]" : "");
    fputs(head, out);
    if (strlen(head) >= 27) {
        fputc('\n', out);
        text_fill(out, text, 0, 28, HELP_WIDTH);
    } else {
        text_fill(out, text, strlen(head), 28, HELP_WIDTH);
    }
}

static void help_print_profiles(FILE *out) {
    fputs("\nProfiles:\n", out);
    for (size_t i = 0; profile_at(i); i++) {
        const struct profile *p = profile_at(i);
        char text[512];
        int used = snprintf(text, sizeof text, "%s:", p->help);
        for (const struct profile_setting *s = p->setting; s->name; s++) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s %s %s",
                             s == p->setting ? "" : ",", s->name, s->value);
        }
        fprintf(out, "  %-9s ", p->name);
        text_fill(out, text, 12, 12, HELP_WIDTH);
    }
    fputs("\nWorkloads:\n", out);
    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);
        const struct workload_param *p = &w->param;
        char text[256];
        int used = snprintf(text, sizeof text, "%s %s: %s", w->method, w->path, w->summary);
        if (p->key) {
            snprintf(text + used, sizeof text - (size_t)used,
                     "; %s:%s=N for N from %" PRId64 " to %" PRId64, w->name, p->key, p->min,
                     p->max);
        }
        fprintf(out, "  %-9s ", w->name);
        text_fill(out, text, 12, 12, HELP_WIDTH);
    }
}

void help_print_command(FILE *out, const struct command *command) {
    fprintf(out, "usage: loopbench %s%s%s%s\n\n", command->name, command->use ? " [options]" : "",
            *command->operands ? " " : "", command->operands);
    fprintf(out, "loopbench %s: %s.\n", command->name, command->help);
    if (command->more) {
        fputc('\n', out);
        text_fill(out, command->more, 0, 0, HELP_WIDTH);
    }
    if (command->use) {
        fputs("\nOptions [default]:\n", out);
    }
    for (const struct option *o = options; o->name; o++) {
        if (o->use & command->use) {
            help_print_option(out, command, o);
        }
    }
    if (command->use) {
        fputs("  -h, --help                print this\n", out);
    }
    if (command->use & USE_RUN) {
        help_print_profiles(out);
    }
}

void help_print_version(FILE *out) {
    const struct buildinfo *b = buildinfo_get();
    fprintf(out, "loopbench %s (%s)\nbuilt with %s\n", b->version, b->commit, b->compiler);
}
