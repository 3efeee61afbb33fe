/* installed.h — is what a target needs on this machine? Asked before anything is planned, so that a
 * guest whose runtime is missing is left out and the rest is measured. */
#ifndef RUN_INSTALLED_H
#define RUN_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/loop.h"
#include "config/config.h"

/* Room for why a target is not there. */
#define INSTALLED_WHY_SIZE 128

/* Whether the target's probe ends with 0 (a guest without one: whether its program is found). What
 * is not a process of this machine, or asks nothing, is taken to be there. why says what is missing
 * otherwise. Returns 1 or 0, or -1 with *e (class ERR_NONE: interrupted). */
int installed_is(struct loop *loop, const struct config *c, const struct target_config *t,
                 char *why, size_t size, struct err *e);

/* Takes every chosen target that is not there out of the configuration (c->left_out), and workloads
 * that no other serves. ERR_MACHINE where nothing is left. Returns 0, or -1 with *e. */
int installed_leave_out(struct loop *loop, struct config *c, struct err *e);

/* The first line of what the target's version command prints, into out; "" where there is none or
 * it says nothing. Waits at most 10 s. */
void installed_version(struct loop *loop, const struct config *c, const struct target_config *t,
                       char *out, size_t size);

#endif
