#include "config/profile.h"

#include <string.h>

#include "config/options.h"

static const struct profile profiles[] = {
    {"smoke",
     "does everything work? under a minute, no claims",
     {{"workloads", "hello,json,html"},
      {"connections", "8"},
      {"rounds", "1"},
      {"duration", "1s"},
      {"warmup", "200ms"},
      {"repeat-blocks", "0"}}}, /* one round concludes nothing, repeated or not */
    {"quick",
     "a first answer: about 5 minutes, sees differences of 10%",
     {{"workloads", "hello"},
      {"connections", "10,100,500"},
      {"rounds", "11"},
      {"duration", "1s"},
      {"warmup", "500ms"}}},
    {"standard",
     "7 levels: about 35 minutes, sees differences of 5%",
     {{"workloads", "hello"},
      {"connections", "1,4,16,64,200,500,1000"},
      {"rounds", "17"},
      {"duration", "2s"},
      {"warmup", "1s"}}},
    {"publish",
     "8 levels up to 4,000 connections: hours, sees differences of 3%",
     {{"workloads", "hello"},
      {"connections", "1,8,32,128,500,1000,2000,4000"},
      {"rounds", "31"},
      {"duration", "5s"},
      {"warmup", "2s"}}},
};

#define PROFILES (sizeof profiles / sizeof profiles[0])

const struct profile *profile_at(size_t i) {
    return i < PROFILES ? &profiles[i] : NULL;
}

const struct profile *profile_find(const char *name) {
    for (size_t i = 0; i < PROFILES; i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

const char *profile_nearest(const char *name) {
    const char *names[PROFILES];
    for (size_t i = 0; i < PROFILES; i++) {
        names[i] = profiles[i].name;
    }
    return option_nearest_of(name, names, PROFILES);
}
