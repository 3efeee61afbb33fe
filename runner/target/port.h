/* port.h — ports that the runner chooses for targets.
 *
 * A port that is free when it is chosen may be another's when the target binds it. Another
 * loopbench chooses in the same way, and its server would answer in the target's place: a name that
 * all of them know keeps them off. The own end of somebody's connection may be there as well: then
 * the target fails, and is started again at another port (local_start.c). */
#ifndef TARGET_PORT_H
#define TARGET_PORT_H

#include <stdbool.h>

struct port {
    int number; /* -1 = there is none */
    int hold;   /* a descriptor, while it is open no other loopbench chooses it; -1 = none */
};

/* A TCP port that is free on `host` (a numeric address) at this moment. Let it go by
 * port_release(). */
struct port port_choose(const char *host);

/* Others may choose it again. Nothing where there is none. */
void port_release(struct port *p);

/* Whether somebody has it now: who listens there, or the end of a connection. */
bool port_is_taken(const char *host, int number);

#endif
