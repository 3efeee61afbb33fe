/* machine_parts.h — reading below a root, shared by the files of machine. */
#ifndef SAMPLE_MACHINE_PARTS_H
#define SAMPLE_MACHINE_PARTS_H

#include "sample/machine.h"

/* Reads root + path whole (at most size-1 bytes), the newline at its end taken off. Returns false
 * and out = "" when it cannot be read. */
bool machine_text(const char *root, const char *path, char *out, size_t size);

/* One number of root + path, or MACHINE_UNKNOWN. */
int64_t machine_number(const char *root, const char *path);

void machine_read_cpu(const char *root, struct machine_cpu *cpu);
void machine_read_cgroup(const char *root, struct machine_cgroup *cgroup);
void machine_read_virt(const char *root, struct machine_virt *virt);

#endif
