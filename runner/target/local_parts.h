/* local_parts.h — what the parts of the local launcher share. */
#ifndef TARGET_LOCAL_PARTS_H
#define TARGET_LOCAL_PARTS_H

#include "base/child.h"
#include "target/port.h"
#include "target/target.h"

struct local {
    struct target target;
    struct loop *loop;
    int interrupted; /* how often the loop was before it was started */
    const struct target_spec *spec;
    struct child *child;
    struct port port; /* the runner's choice, where the command asks for one */
    bool announces;   /* it must print a ready line */
    char *ready_line; /* once seen */
    bool stopped;
    enum target_failure ending; /* once stopped */
    char why[512];
};

/* Starts its process, at a port of its own where the command asks for one. Returns TARGET_OK or
 * TARGET_START with *e; what ran before, which has exited, then stays. */
enum target_failure local_launch(struct local *l, struct err *e);

/* After it exited: whether that was because somebody had taken the port that was chosen for it.
 * Ends what it left. */
bool local_lost_port(struct local *l);

#endif
