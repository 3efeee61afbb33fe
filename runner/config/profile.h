/* profile.h — named sets of defaults (method.md section 2 says why these). */
#ifndef CONFIG_PROFILE_H
#define CONFIG_PROFILE_H

#include <stddef.h>

#define PROFILE_SETTINGS 8

struct profile {
    const char *name;
    const char *help;
    /* Options that it sets, as a user would write them; ended by a NULL name. */
    struct profile_setting {
        const char *name, *value;
    } setting[PROFILE_SETTINGS];
};

/* Row i, or NULL past the end. */
const struct profile *profile_at(size_t i);

/* The profile of that name, or NULL. */
const struct profile *profile_find(const char *name);

/* The nearest name, or NULL. */
const char *profile_nearest(const char *name);

#endif
