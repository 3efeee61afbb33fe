/* record_members.h — the members of a trial record in JSON: writing (record_json.c), reading
 * (record_read.c) and their checks all go by one table. */
#ifndef STORE_RECORD_MEMBERS_H
#define STORE_RECORD_MEMBERS_H

#include <jansson.h>

#include "store/record.h"

enum member_kind {
    MEMBER_INT,
    MEMBER_INT64,
    MEMBER_REAL,
    MEMBER_TEXT,
    MEMBER_WORDS,
    MEMBER_STATUS,
    MEMBER_FAILURE,
    MEMBER_ROLE
};

struct member {
    const char *group; /* the object it is in, dotted; "" = the record itself */
    const char *name;
    size_t offset;
    size_t size; /* room of a text */
    enum member_kind kind;
    bool required;
};

extern const struct member record_members[];
extern const size_t record_member_count;

/* Walks a dotted group; NULL where a part is absent and not to be created. */
json_t *record_group(json_t *object, const char *group, bool create);

#endif
