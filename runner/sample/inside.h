/* inside.h — what a runner that is itself in a container sees of it, without asking any engine. */
#ifndef SAMPLE_INSIDE_H
#define SAMPLE_INSIDE_H

#include <jansson.h>
#include <stddef.h>

/* The type of the file system at "/" in the text of /proc/self/mountinfo (proc(5)): "overlay",
 * "fuse.fuse-overlayfs". "" when it is not to be found. The topmost mount counts. */
void inside_parse_root(const char *mountinfo, char *out, size_t size);

/* A new object: limits {memory (bytes), pids, files, cpus}, root_filesystem, addresses ["eth0
 * 172.18.0.6/16", …]. Unknown is null, "no limit" is "max". /proc and /sys are read below `root`
 * ("" = this machine); addresses and the limit of files are this process's. NULL when out of
 * memory. */
json_t *inside_json(const char *root);

#endif
